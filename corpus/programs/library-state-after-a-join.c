// What the C library keeps for all threads: one thread looks when the other one is over.
#define _GNU_SOURCE
#include <assert.h>
#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern char *re_comp(const char *);
extern int re_exec(const char *);

static void *changes(void *unused)
{
    textdomain("other");
    bindtextdomain("messages", "/other");
    re_comp("b");
    pthread_setconcurrency(3);
    setenv("LC_ALL", "C.UTF-8", 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char locale[64], domain[64], bound[64];
    setenv("LC_ALL", "C", 1);
    re_comp("a");
    pthread_create(&thread, NULL, changes, NULL);
    pthread_join(thread, NULL);
    strcpy(domain, textdomain(NULL));
    strcpy(bound, bindtextdomain("messages", NULL));
    int level = pthread_getconcurrency();
    int is_found = re_exec("a");
    strcpy(locale, setlocale(LC_ALL, ""));
    int is_other = !strcmp(domain, "other") && !strcmp(bound, "/other") && level == 3;
    assert(is_other && is_found == 0 && !strcmp(locale, "C.UTF-8"));
    return 0;
}
