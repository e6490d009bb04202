/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pieces that lines, targets and texts have in common. */

#include <jansson.h>

#include "base/format.h"
#include "base/strbuf.h"
#include "model/target-view.h"

/* The unit, or the path where it is in none. */
const char *view_name(const TargetView *v);

/* Where the policy comes from: "[svc.service] in /etc/placerd.conf:12". Newly allocated. */
char *policy_origin(const Policy *policy);

/* Why nothing more is done, or what is under way, in one line: mode, verdict, held back until when. Newly allocated. */
char *view_why(const TargetView *v);

/* What outside_wait was measured against: "threads of 5 other groups", "/proc/schedstat less the target's". Only where
 * there is one. In buf, or static. */
const char *outside_reference(const Signals *s, char buf[static FORMAT_MAX]);

/* "x16.3 (27.5 ms against 1.7 ms outside)", "" where there is no factor. Newly allocated. */
char *outside_text(const Signals *s);

/* The same as a line of explain, with the reference. Only where there is an outside_wait. */
void outside_explain(StrBuf *b, const Signals *s);

/* Has it a verdict for which there is a remedy? */
bool view_has_remedy(const TargetView *v);

/* Puts target and unit. 0, or -1 where memory is short. */
int view_put_names(json_t *o, const TargetView *v);
/* Puts verdict, since_tick, confirmed, treated, also, missing, evidence and text; nothing where not judged yet. */
int view_put_verdict(json_t *o, const TargetView *v);
/* Puts arm, property, from (null: unset), to, reason. */
int change_put(json_t *o, const Change *c);
/* Puts outcome, gains, harmed and text. */
int outcome_put(json_t *o, const Outcome *outcome);
