// A thread sets the locale; another one calls one of the functions that depend on it: before or after.
//! executions source 32
#define _GNU_SOURCE
#include <fnmatch.h>
#include <iconv.h>
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>
#include <allways.h>

static volatile int value;

static void *changes(void *unused)
{
    setlocale(LC_ALL, "C.UTF-8");
    return unused;
}

int main(void)
{
    pthread_t thread;
    wchar_t wide[4] = {0xe4, 0}, character;
    char text[64];
    char16_t half;
    regex_t expression;
    mbstate_t state;
    wctype_t letters = wctype("alpha");
    struct tm date = {0};
    memset(&state, 0, sizeof state);
    regcomp(&expression, "^.$", REG_NOSUB);
    int way = aw_toss(15);
    pthread_create(&thread, NULL, changes, NULL);
    switch (way) {
    case 0: value = iswalpha(0xe4); break;
    case 1: iswctype(0xe4, letters); break;
    case 2: value = towupper(0xe4); break;
    case 3: wcwidth(0xe4); break;
    case 4: mbrtowc(&character, "\xc3\xa4", 2, &state); break;
    case 5: mbrtoc16(&half, "\xc3\xa4", 2, &state); break;
    case 6: regexec(&expression, "\xc3\xa4", 0, NULL, 0); break;
    case 7: fnmatch("?", "\xc3\xa4", 0); break;
    case 8: iconv_open("", "UTF-8"); break;
    case 9: duplocale(LC_GLOBAL_LOCALE); break;
    case 10: snprintf(text, sizeof text, "%ls", wide); break;
    case 11: sscanf("\xc3\xa4", "%2lc", &character); break;
    case 12: strtod("1.5", NULL); break;
    case 13: strftime(text, sizeof text, "%A", &date); break;
    case 14: wctype("alpha"); break;
    case 15: wcrtomb(text, 0xe4, &state); break;
    }
    pthread_join(thread, NULL);
    return 0;
}
