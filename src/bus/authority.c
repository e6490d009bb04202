/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* polkit may have to ask a person for a password, so nothing here waits for it: the call is kept, the loop goes on, and
 * the answer runs the call's action or refuses it. The number of calls that are kept is bounded, and each for a time,
 * so that nobody can fill the memory by asking; root is never asked for, and so never kept out.
 *
 *   CheckAuthorization(in (sa{sv}) subject, in s action_id, in a{ss} details, in u flags, in s cancellation_id,
 *                      out (bba{ss}) is_authorized, is_challenge, details)
 *
 * The subject is the sender's unique name, which the bus never gives to anybody else. */

#include "bus/authority.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/usec.h"

#define POLKIT_NAME "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"
#define POLKIT_ALLOW_USER_INTERACTION 1U

/* polkit may have to be started first. */
#define ANSWER_TIMEOUT_USEC (20 * USEC_PER_SEC)
/* A person may have to find a password. placerctl waits a little longer. */
#define PERSON_TIMEOUT_USEC (2 * USEC_PER_MINUTE)

typedef struct Question {
        Authority *authority;
        sd_bus_slot *slot;
        sd_bus_message *call;
        uid_t uid;
        AuthorityAction action;
        void *userdata;
} Question;

struct Authority {
        sd_bus *bus;
        Question *pending[AUTHORITY_PENDING_MAX];
        size_t n_pending;
};

static Question *question_free(Question *q) {
        if (!q)
                return NULL;
        sd_bus_slot_unref(q->slot);
        sd_bus_message_unref(q->call);
        free(q);
        return NULL;
}
DEFINE_CLEANUP_FUNC(Question *, question_free);

static void drop_question(Question *q) {
        Authority *a = q->authority;

        for (size_t i = 0; i < a->n_pending; i++)
                if (a->pending[i] == q) {
                        a->pending[i] = a->pending[--a->n_pending];
                        break;
                }
        question_free(q);
}

static int refuse(sd_bus_error *error, const char *why) {
        return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, why);
}

static int could_not_ask(const sd_bus_error *answer, sd_bus_error *error) {
        if (sd_bus_error_has_name(answer, SD_BUS_ERROR_NO_REPLY) || sd_bus_error_has_name(answer, SD_BUS_ERROR_TIMEOUT))
                return refuse(error,
                              "Changing something needs root, and polkit did not say in time whether others may");
        /* Nobody has the name, and it could not be started: the bus has several words for that. */
        return refuse(error, "Changing something needs root: there is no polkit here that could allow it to others");
}

/* 0 where the sender may, else -errno with *error set. */
static int read_answer(sd_bus_message *m, sd_bus_error *error) {
        int is_authorized, is_challenge;

        if (sd_bus_message_is_method_error(m, NULL))
                return could_not_ask(sd_bus_message_get_error(m), error);
        int r = sd_bus_message_enter_container(m, 'r', "bba{ss}");
        if (r >= 0)
                r = sd_bus_message_read(m, "bb", &is_authorized, &is_challenge);
        if (r < 0)
                return refuse(error, "Changing something needs root, and polkit's answer can't be read");
        if (is_authorized)
                return 0;
        return refuse(error, is_challenge ? "polkit wants a password for this (" AUTHORITY_ACTION
                                            "), and could not ask for it: try on a terminal with pkttyagent, or as root"
                                          : "polkit does not allow you this (" AUTHORITY_ACTION ")");
}

static int on_answer(sd_bus_message *m, void *userdata, sd_bus_error *unused) {
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        Question *q = userdata;

        int r = read_answer(m, &error);
        if (r >= 0)
                r = q->action(q->userdata, q->call, q->uid, &error);
        /* Where even that can't be sent, the caller's own timeout ends it. */
        if (r < 0)
                (void) sd_bus_reply_method_errno(q->call, r, &error);
        drop_question(q);
        return 0;
}

static int new_call(Authority *a, sd_bus_message *call, bool person, sd_bus_message **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;

        int r = sd_bus_message_new_method_call(a->bus, &m, POLKIT_NAME, POLKIT_PATH, POLKIT_INTERFACE,
                                               "CheckAuthorization");
        if (r < 0)
                return r;
        r = sd_bus_message_append(m, "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s",
                                  sd_bus_message_get_sender(call), AUTHORITY_ACTION, 0,
                                  person ? POLKIT_ALLOW_USER_INTERACTION : 0, "");
        if (r < 0)
                return r;
        *ret = TAKE_PTR(m);
        return 0;
}

static int send_question(Question *q) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        bool person = sd_bus_message_get_allow_interactive_authorization(q->call) > 0;

        int r = new_call(q->authority, q->call, person, &m);
        return r < 0 ? r
                     : sd_bus_call_async(q->authority->bus, &q->slot, m, on_answer, q,
                                         person ? PERSON_TIMEOUT_USEC : ANSWER_TIMEOUT_USEC);
}

int authority_ask(Authority *a, sd_bus_message *call, uid_t uid, AuthorityAction action, void *userdata,
                  sd_bus_error *error) {
        if (a->n_pending >= AUTHORITY_PENDING_MAX)
                return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED,
                                        "Too many are waiting for polkit's answer already");

        _cleanup_(question_freep) Question *q = malloc(sizeof(*q));
        if (!q)
                return -ENOMEM;
        *q = (Question){
                .authority = a,
                .call = sd_bus_message_ref(call),
                .uid = uid,
                .action = action,
                .userdata = userdata,
        };
        int r = send_question(q);
        if (r < 0)
                return r;
        a->pending[a->n_pending++] = TAKE_PTR(q);
        return 1;
}

int authority_new(sd_bus *bus, Authority **ret) {
        Authority *a = calloc(1, sizeof(*a));
        if (!a)
                return -ENOMEM;
        a->bus = sd_bus_ref(bus);
        *ret = a;
        return 0;
}

Authority *authority_free(Authority *a) {
        if (!a)
                return NULL;
        while (a->n_pending > 0)
                drop_question(a->pending[0]);
        sd_bus_unref(a->bus);
        free(a);
        return NULL;
}
