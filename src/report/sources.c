/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where figures come from, each source with its state: what is off explains what is absent elsewhere. */

#include "report/object.h"
#include "report/report.h"

static json_t *source_new(const Source *source) {
        json_t *o = json_object();

        int failed = object_text(o, "name", source->name);
        failed |= object_bool(o, "on", source->why == NULL);
        failed |= object_text(o, "why", source->why);
        return object_finish(o, failed);
}

json_t *report_sources(const Source sources[static _SOURCE_MAX]) {
        json_t *array = json_array();
        int failed = 0;

        for (size_t i = 0; i < _SOURCE_MAX; i++)
                failed |= json_array_append_new(array, source_new(&sources[i]));
        return object_finish(array, failed);
}
