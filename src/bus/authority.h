/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Asks polkit whether the sender of a call may do what it asks for (action org.placerd1.manage). */

#include <sys/types.h>
#include <systemd/sd-bus.h>

#include "base/macros.h"

#define AUTHORITY_ACTION "org.placerd1.manage"
/* Calls that wait for an answer; more are refused at once. */
#define AUTHORITY_PENDING_MAX 32

/* What a call changes, and its reply. As a method's handler: *error or -errno is replied. */
typedef int (*AuthorityAction)(void *userdata, sd_bus_message *call, uid_t uid, sd_bus_error *error);

typedef struct Authority Authority;

int authority_new(sd_bus *bus, Authority **ret);
/* Calls that wait get no answer. */
Authority *authority_free(Authority *a);
DEFINE_CLEANUP_FUNC(Authority *, authority_free);

/* Returns at once, with 1: the action is run, or the call refused, when the answer is there. -errno with *error set:
 * it could not be asked. To be returned by the method's handler. */
int authority_ask(Authority *a, sd_bus_message *call, uid_t uid, AuthorityAction action, void *userdata,
                  sd_bus_error *error);
