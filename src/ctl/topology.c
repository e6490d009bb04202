/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl topology: what a pin is chosen from, on this machine, in an hwloc export, or in a folder with another
 * machine's sys/devices/system. */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/screen.h"
#include "report/report.h"
#include "sample/topology.h"

static ExitCode print_topology(const Options *options, const Topology *t) {
        ExitCode code = EXIT_REFUSED;

        if (options->json) {
                json_t *o = report_topology(t);
                if (o)
                        code = screen_json(o);
                json_decref(o);
                return code;
        }

        _cleanup_free_ char *text = report_topology_text(t);
        if (!text)
                return EXIT_REFUSED;
        screen_begin(options);
        (void) fputs(text, stdout);
        screen_done();
        return EXIT_DONE;
}

ExitCode verb_topology(const Options *options, int n_args, char **args) {
        _cleanup_topology_ Topology *t = NULL;

        if (options->xml && options->root) {
                complain("topology takes --xml or --root, and not both");
                return EXIT_USAGE;
        }

        const char *name = options->xml ? options->xml : options->root;
        TopologySource source = options->xml ? TOPOLOGY_XML : options->root ? TOPOLOGY_ROOT : TOPOLOGY_LIVE;
        int r = topology_load(source, name, &t);
        if (r < 0) {
                complain("%s: %s", name ? name : "the running machine",
                         r == -EINVAL ? "hwloc can't make a topology of it" : strerror(-r));
                return EXIT_REFUSED;
        }
        return print_topology(options, t);
}
