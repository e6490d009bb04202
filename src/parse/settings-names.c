/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which names a policy may have. A name that could never be a target, or that somebody else owns, is refused when the
 * file is read, so that nobody waits for a policy that cannot do anything. This is a check of what is written, for the
 * writer's sake: what a glob really meets is asked again before each change (guard_hands_off()). */

#include "parse/settings-names.h"

/* systemd's unit names (unit_name_is_valid()) and fnmatch's own characters. */
#define UNIT_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@"
#define GLOB_CHARS "*?[]!"
#define UNIT_NAME_MAX 255

/* The types of unit that have a cgroup of their own. */
static const char *const unit_types[] = {".service", ".scope", ".slice", ".socket", ".mount", ".swap"};

static bool has_prefix(const char *text, const char *prefix) {
        return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(const char *text, const char *suffix) {
        size_t n = strlen(text), m = strlen(suffix);
        return n >= m && streq(text + n - m, suffix);
}

static bool is_glob(const char *text) {
        return strpbrk(text, "*?[");
}

/* fnmatch() takes an open bracket without its end for a plain character. */
static bool brackets_closed(const char *text) {
        for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '[')) {
                const char *close = strchr(open, ']');
                if (!close)
                        return false;
                open = close;
        }
        return true;
}

static bool is_unit_type(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(unit_types); i++)
                if (has_suffix(name, unit_types[i]))
                        return true;
        return false;
}

static const char *slice_fault(const char *name) {
        static const char *const whole[] = {"-.slice", "system.slice", "user.slice", "machine.slice"};
        for (size_t i = 0; i < ELEMENTSOF(whole); i++)
                if (streq(name, whole[i]))
                        return "is never a target, it holds half of the machine; name a service, a scope or a slice of "
                               "your own";
        if (is_glob(name))
                return "is a glob for slices; a slice is taken only by its exact name";
        return NULL;
}

/* Names that are no target, whether they come as a unit or as the last part of a path. */
static const char *reserved_fault(const char *name) {
        if (streq(name, "init.scope"))
                return "is never a target, the service manager lives there; name a service, a scope or a slice";
        if (streq(name, "placerd.service"))
                return "is never a target, it is placerd itself; name another service";
        if (has_prefix(name, "user@"))
                return "is a user's service manager, which owns what is below; only the system's own units can have a "
                       "policy";
        return has_suffix(name, ".slice") ? slice_fault(name) : NULL;
}

static const char *unit_fault(const char *name) {
        if (strlen(name) > UNIT_NAME_MAX)
                return "is longer than a unit's name can be (255 bytes)";
        if (name[strspn(name, UNIT_CHARS GLOB_CHARS)])
                return "is no unit name or glob; expected one like nginx.service or worker@*.service";
        if (!is_unit_type(name))
                return "has no type of unit that runs processes; expected one like nginx.service, "
                       "worker@*.service or batch.slice";
        if (name[0] == '.')
                return "is only a type of unit; put a name or * before it";
        if (!brackets_closed(name))
                return "has a [ without its ]; expected a glob like worker@[ab].service";
        return reserved_fault(name);
}

/* One part of a path, text[0..len): `last` where nothing follows. */
static const char *component_fault(const char *text, size_t len, bool last) {
        char name[UNIT_NAME_MAX + 1];
        if (len == 0 || len > UNIT_NAME_MAX || (len == 1 && text[0] == '.') || (len == 2 && memcmp(text, "..", 2) == 0))
                return "is no cgroup path; expected one like /system.slice/nginx.service, without empty, . or .. parts";
        memcpy(name, text, len);
        name[len] = '\0';
        if (last)
                return reserved_fault(name);
        if (has_prefix(name, "user@"))
                return reserved_fault(name);
        return NULL;
}

static const char *path_fault(const char *path) {
        for (const char *part = path + 1;;) {
                size_t len = strcspn(part, "/");
                bool last = part[len] == '\0';
                const char *fault = component_fault(part, len, last);
                if (fault)
                        return fault;
                if (last)
                        break;
                part += len + 1;
        }
        return brackets_closed(path) ? NULL : "has a [ without its ]";
}

const char *pattern_fault(const char *pattern) {
        return pattern[0] == '/' ? path_fault(pattern) : unit_fault(pattern);
}

bool pattern_is_container(const char *pattern) {
        /* As guard_hands_off() has them. */
        static const char *const managers[] = {"kubepods", "docker-", "libpod-", "crio-", "lxc", "machine.slice"};
        for (const char *part = pattern; part; part = strchr(part, '/')) {
                part += part[0] == '/';
                for (size_t i = 0; i < ELEMENTSOF(managers); i++)
                        if (has_prefix(part, managers[i]))
                                return true;
        }
        return false;
}
