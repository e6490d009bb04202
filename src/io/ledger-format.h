/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One change as a JSON object in the ledger's file. */

#include <jansson.h>

#include "model/plan.h"

/* NULL where memory is short. */
json_t *change_to_json(const Change *c);

/* -EBADMSG where a member is missing or of the wrong kind, -ENOMEM. */
int change_from_json(const json_t *json, Change *ret);
