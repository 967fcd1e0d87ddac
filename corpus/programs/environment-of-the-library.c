// A thread sets a variable or loads a library; another one calls a function that looks: before or after.
//! executions source 14
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>
#include <allways.h>

static int way;

static void *changes(void *unused)
{
    if (way < 3)
        setenv(way == 0 ? "POSIXLY_CORRECT" : way == 1 ? "TMPDIR" : "WORD", "/", 1);
    else if (way < 5)
        tzset();
    else
        dlopen("libresolv.so.2", RTLD_NOW | RTLD_GLOBAL);
    return unused;
}

int main(void)
{
    static char *arguments[] = {"program", "x", "-a", NULL};
    pthread_t thread;
    wordexp_t words;
    char text[64];
    struct tm date = {.tm_year = 70, .tm_mday = 2};
    way = aw_toss(6);
    pthread_create(&thread, NULL, changes, NULL);
    switch (way) {
    case 0: getopt(3, arguments, "a"); break;
    case 1: tempnam("/nowhere", "a"); break;
    case 2: wordexp("$WORD", &words, 0); break;
    case 3: strftime(text, sizeof text, "%s", &date); break;
    case 4: strftime(text, sizeof text, "%Z", &date); break;
    case 5: dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD); break;
    case 6: dlsym(RTLD_DEFAULT, "res_query"); break;
    }
    pthread_join(thread, NULL);
    return 0;
}
