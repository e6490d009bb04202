/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What differs between a person at a terminal and a script behind a pipe is here. The pager is less, told to leave at
 * once where all fits on the screen, and in its secure mode: placerctl is run with sudo, and less can start programs.
 */

#include "ctl/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t arg_pager;
static unsigned arg_pager_width; /* of the terminal that the pager writes to */

static bool on_terminal(void) {
        const char *term = getenv("TERM");
        return isatty(STDOUT_FILENO) && term && !streq(term, "dumb");
}

bool screen_has_colour(void) {
        const char *no_color = getenv("NO_COLOR");

        /* Behind our own pager standard output is a pipe, but the person still sits there. */
        return (arg_pager > 0 || on_terminal()) && !(no_color && no_color[0]);
}

Colour colour_of_verdict(const char *verdict) {
        if (streq(verdict, "healthy"))
                return COLOUR_GOOD;
        return streq(verdict, "unknown") ? COLOUR_DIM : COLOUR_BAD;
}

const char *colour_code(Colour colour) {
        static const char *const codes[] = {[COLOUR_NONE] = "\033[0m",
                                            [COLOUR_GOOD] = "\033[32m",
                                            [COLOUR_BAD] = "\033[31m",
                                            [COLOUR_DIM] = "\033[2m"};
        return screen_has_colour() ? codes[colour] : "";
}

const char *colour_name(Colour colour) {
        static const char *const names[] = {
                [COLOUR_GOOD] = "green", [COLOUR_BAD] = "red", [COLOUR_DIM] = "darkgray", [COLOUR_NONE] = NULL};
        return screen_has_colour() ? names[colour] : NULL;
}

unsigned screen_width(void) {
        struct winsize size;

        if (arg_pager > 0)
                return arg_pager_width;
        return on_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void exec_pager(int in) {
        (void) dup2(in, STDIN_FILENO);
        (void) setenv("LESS", "FRXMK", true);
        (void) setenv("LESSSECURE", "1", true);
        (void) execlp("less", "less", (char *) NULL);
        (void) execlp("cat", "cat", (char *) NULL);
        _exit(1);
}

void screen_begin(const Options *options) {
        int fds[2];

        if (options->no_pager || !on_terminal() || pipe(fds) < 0)
                return;

        (void) fflush(stdout);
        unsigned width = screen_width();
        pid_t pid = fork();
        if (pid == 0) {
                (void) close(fds[1]);
                exec_pager(fds[0]);
        }
        (void) close(fds[0]);
        if (pid > 0) {
                arg_pager = pid;
                arg_pager_width = width;
                /* Whoever leaves the pager early does not want the rest. */
                (void) signal(SIGPIPE, SIG_IGN);
                (void) dup2(fds[1], STDOUT_FILENO);
        }
        (void) close(fds[1]);
}

void screen_done(void) {
        if (arg_pager <= 0)
                return;

        (void) fflush(stdout);
        (void) close(STDOUT_FILENO);
        while (waitpid(arg_pager, NULL, 0) < 0 && errno == EINTR)
                ;
        arg_pager = 0;
}

ExitCode screen_json(const json_t *o) {
        int r = json_dumpf(o, stdout, (isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT) | JSON_REAL_PRECISION(9));
        return r < 0 || putchar('\n') == EOF ? EXIT_REFUSED : EXIT_DONE;
}
