/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Nouns to text and JSON (jansson). Every caller prints what these return; nobody formats a noun of its own.
 * All results are newly allocated; NULL where memory is short. */

#include <jansson.h>

#include "model/settings.h"
#include "model/source.h"
#include "model/target-view.h"
#include "model/topology.h"

/* One line objects of design section 7, without the newline. */
char *report_verdict_line(const TargetView *v, uint64_t tick, usec_t now_usec);
char *report_change_line(const TargetView *v, usec_t now_usec);
char *report_outcome_line(const TargetView *v, usec_t now_usec);

/* The same three for people. */
char *report_verdict_text(const TargetView *v, uint64_t tick);
char *report_change_text(const TargetView *v);
char *report_outcome_text(const TargetView *v);

/* Signals present in s, under their names: {"usage_cpus": 3.44, ...}. New reference. */
json_t *report_evidence(const Signals *s);

/* All that status and explain show of one target. New reference. */
json_t *report_target(const TargetView *v);

/* The chain in plain words: what was seen, what it was taken for and why, what was changed from what to what, what that
 * did, how to undo it. Several lines. */
char *report_explain(const TargetView *v);

/* Policy lines and the systemctl command that would do the same by hand; "" where there is nothing to advise. */
char *report_advice(const TargetView *v);

/* Everything, as Describe() hands it out: {"version", "interval_usec", "topology": as report_topology(), "targets": one
 * report_target() a view, "hint": as report_hint(), absent where there is none}. New reference. */
json_t *report_status(const TargetView *views, size_t n, usec_t interval_usec, const Topology *topology);

/* A list of {"name", "on", "why"}, "why" where it is off. New reference. */
json_t *report_sources(const Source sources[static _SOURCE_MAX]);

/* What would switch placerd on for the first target that it has advice for: three lines for the configuration, with a
 * sentence before and after. "" where a section already acts, or where there is nothing to advise. */
char *report_hint(const TargetView *views, size_t n);

/* Domains, nodes, core types. New reference. */
json_t *report_topology(const Topology *t);

/* The same for people. */
char *report_topology_text(const Topology *t);
