/* Test drivers for `allways explore`.
 *
 * Include this file and call
 *
 *     aw_toss(n)         a number from 0 to n; the explorer tries every one of them
 *     aw_assert(e)       the property `assertions` is violated if e is false here
 *     aw_assume(e)       an execution in which e is false here is of no interest: it ends, and violates nothing
 *     aw_visible(name)   a visible operation on the object `name`: other threads may run before it, and two calls with
 *                        the same name are never taken for independent
 *
 * VS_toss and VS_assert are other names of the first two.
 *
 * A program built with this file needs no library, and it also runs by itself: aw_toss then returns 0, or what the
 * environment says (below), aw_assert prints and aborts if its expression is false, aw_assume
 * then ends the program with status 0, and aw_visible does nothing. Under
 * `allways explore` the functions come from the library that is loaded into the program. It may define any of
 *
 *     int aw_toss(int n);
 *     void aw_assert_at(int holds, const char *expression, const char *file, int line);
 *     void aw_assume(int holds);
 *     void aw_visible(const char *name);
 *
 * which are weak references here: nothing is missing at link time if nobody defines them.
 *
 * Shared variables. `allways explore` sees calls, not memory. A variable that several threads use without a lock around
 * it must be announced, else the search may leave out an order that matters. One call goes right before each access, and
 * the access belongs to it:
 *
 *     aw_visible("turn");
 *     turn = 1;
 *
 * Alone, aw_toss is steered by the environment variable ALLWAYS_TOSS: `ALLWAYS_TOSS=2,0,1` gives the results one by one,
 * each at most n, and 0 from then on; `ALLWAYS_TOSS=random:SEED` draws them.
 *
 * Works in C99 and C++98 and later, with gcc and clang. Several files of one program may include it; each of them counts
 * its tosses by itself when the program runs alone.
 */
#ifndef ALLWAYS_H
#define ALLWAYS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address of a function of the library that explores, NULL if there is none. An ordinary weak reference from an
 * executable would be decided by the linker, so the address is read from where the loader puts it. */
#if defined(__x86_64__) && defined(__linux__)
#define ALLWAYS_ADDRESS_(name, address) \
    __asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(address))
#else
#define ALLWAYS_ADDRESS_(name, address) ((address) = NULL)
#endif

/* The result of a toss of a program that runs alone. */
static int __attribute__((unused)) allways_toss_alone_(int n)
{
    static const char *rest;
    static unsigned long random_state;
    const char *steps;
    long value;
    char *end;
    if (n <= 0)
        return 0;
    if (rest == NULL) {
        steps = getenv("ALLWAYS_TOSS");
        rest = steps == NULL ? "" : steps;
        if (strncmp(rest, "random:", 7) == 0) {
            random_state = strtoul(rest + 7, NULL, 10) * 2 + 1;
            rest = "";
        }
    }
    if (random_state != 0) {
        /* A linear congruential generator on 32 bits; its high bits are the good ones. */
        random_state = (random_state * 1664525UL + 1013904223UL) & 0xffffffffUL;
        if (random_state == 0)
            random_state = 1;
        return (int)((random_state >> 8) % ((unsigned long)n + 1));
    }
    value = strtol(rest, &end, 10);
    if (end == rest)
        return 0;
    rest = *end == ',' ? end + 1 : end;
    return value < 0 ? 0 : value > n ? n : (int)value;
}

static int __attribute__((unused)) allways_toss(int n)
{
    int (*toss)(int);
    ALLWAYS_ADDRESS_("aw_toss", toss);
    return toss != NULL ? toss(n) : allways_toss_alone_(n);
}

static void __attribute__((unused)) allways_assert(int holds, const char *expression, const char *file, int line)
{
    void (*check)(int, const char *, const char *, int);
    ALLWAYS_ADDRESS_("aw_assert_at", check);
    if (check != NULL) {
        check(holds, expression, file, line);
    } else if (!holds) {
        fprintf(stderr, "%s:%d: aw_assert(%s) is violated\n", file, line, expression);
        abort();
    }
}

static void __attribute__((unused)) allways_assume(int holds)
{
    void (*assume)(int);
    ALLWAYS_ADDRESS_("aw_assume", assume);
    if (assume != NULL)
        assume(holds);
    else if (!holds)
        exit(0);
}

static void __attribute__((unused)) allways_visible(const char *name)
{
    void (*visible)(const char *);
    ALLWAYS_ADDRESS_("aw_visible", visible);
    if (visible != NULL)
        visible(name);
}

#define aw_toss(n) allways_toss(n)
#define aw_assert(e) allways_assert(!!(e), #e, __FILE__, __LINE__)
#define aw_assume(e) allways_assume(!!(e))
#define aw_visible(name) allways_visible(name)
#define VS_toss(n) aw_toss(n)
#define VS_assert(e) aw_assert(e)

#endif
