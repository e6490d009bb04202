/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decimal numbers of files and configuration. strtoull() is no help here: it takes blanks, signs and other bases, needs
 * a NUL behind the text, and depends on errno; what the kernel prints and what an administrator may write is simpler
 * than that, and everything else is an error. */

#include "base/numbers.h"

#include <errno.h>

#include "base/macros.h"

/* Above this a percentage is a slip of the pen, not a wish: no setting has a sensible value there. */
#define PERMILLE_MAX 10000U

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

/* Takes all leading digits, also of a number that does not fit: -ERANGE then, and *text is behind it all the same. */
static int take_digits(const char **text, const char *end, uint64_t *ret) {
        const char *p = *text;
        uint64_t n = 0;
        bool fits = true;

        for (; p < end && is_digit(*p); p++)
                if (__builtin_mul_overflow(n, UINT64_C(10), &n) || __builtin_add_overflow(n, (uint64_t) (*p - '0'), &n))
                        fits = false;
        if (p == *text)
                return -EINVAL;

        *text = p;
        if (!fits)
                return -ERANGE;
        *ret = n;
        return 0;
}

int number_take_u64(const char **text, const char *end, uint64_t *ret) {
        const char *p = *text;
        uint64_t n;

        int r = take_digits(&p, end, &n);
        if (r < 0)
                return r;
        *text = p;
        *ret = n;
        return 0;
}

int number_parse_u64(const char *text, size_t len, uint64_t *ret) {
        const char *end = text + len;
        uint64_t n;

        int r = take_digits(&text, end, &n);
        if (r == -EINVAL || text != end)
                return -EINVAL;
        if (r < 0)
                return r;
        *ret = n;
        return 0;
}

int number_parse_permille(const char *text, unsigned *ret) {
        const char *end = text + strlen(text);
        uint64_t whole = 0;
        unsigned tenth = 0;

        int r = take_digits(&text, end, &whole);
        if (r == -EINVAL)
                return r;
        if (end - text >= 2 && text[0] == '.' && is_digit(text[1])) {
                tenth = (unsigned) (text[1] - '0');
                text += 2;
        }
        if (!streq(text, "%"))
                return -EINVAL;
        if (r < 0 || whole > PERMILLE_MAX / 10 || whole * 10 + tenth > PERMILLE_MAX)
                return -ERANGE;
        *ret = (unsigned) whole * 10 + tenth;
        return 0;
}
