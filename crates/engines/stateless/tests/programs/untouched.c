// What functions of the C library do not touch, though it is near: another thread uses it meanwhile. All calls do what they should.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static _Alignas(8) char text[8] = "abcdefg";
static _Alignas(8) char line[64];
static wchar_t wide[4] = L"ab";
static int numbers[2];
static int ends[2];

static int backwards(const void *one, const void *other) { return *(const char *)other - *(const char *)one; }

static void *work(void *unused)
{
    char own[64], *made, *rest;
    int first, second;
    wchar_t own_wide[8];
    long double fraction;
    assert(snprintf(own, sizeof own, "%.3s %d %.1f %Lg", text, 5, 2.5, 1.5L) == 13 && strcmp(own, "abc 5 2.5 1.5") == 0);
    assert(asprintf(&made, "%s|%5.2f|%*d|%.*s", "x", 1.25, 3, 7, 2, "abc") == 14 && strcmp(made, "x| 1.25|  7|ab") == 0);
    free(made);
    // The second number is not there.
    assert(sscanf("1 x", "%d %d", &numbers[0], &numbers[1]) == 1 && numbers[0] == 1);
    assert(sscanf("1 2 3.5 word", "%d %*d %Lf %7s", &first, &fraction, own) == 3 && fraction == 3.5L && strcmp(own, "word") == 0);
    assert(sscanf("12", "%d%n", &first, &second) == 1 && first == 12 && second == 2);
    // Three bytes come, though there is room for eight.
    assert(read(ends[0], text, 8) == 3 && memcmp(text, "123", 3) == 0);
    assert(strnlen(text, 3) == 3 && memchr(text, '2', 8) == text + 1);
    made = strndup(text, 3);
    assert(strcmp(made, "123") == 0);
    free(made);
    qsort(text, 3, 1, backwards);
    assert(memcmp(text, "321", 3) == 0);
    strcpy(own, "one, two,three");
    assert(strcmp(strtok_r(own, ", ", &rest), "one") == 0 && strcmp(strtok_r(NULL, ", ", &rest), "two") == 0);
    assert(strcmp(strtok_r(NULL, ", ", &rest), "three") == 0 && strtok_r(NULL, ", ", &rest) == NULL);
    strcpy(own, "ab");
    strncat(own, "cdef", 2);
    assert(strcmp(own, "abcd") == 0 && strstr(own, "cd") == own + 2 && strrchr(own, 'b') == own + 1 && strchr(own, 'x') == NULL);
    assert(strtol("42rest", &made, 10) == 42 && strcmp(made, "rest") == 0 && strcasecmp("ABc", "abC") == 0 && strcasecmp("ab", "ac") < 0);
    assert(strtod("2.5e1rest", &made) == 25 && strcmp(made, "rest") == 0 && strtold("0x1p3", NULL) == 8 && strtof("nothing", &made) == 0 && atof("1.5") == 1.5);
    // Three letters and no more.
    assert(snprintf(own, sizeof own, "%3$d %1$.3s|%2$.1f %5$.*4$s", text, 2.5, 5, 2, "abc") == 12 && strcmp(own, "5 321|2.5 ab") == 0);
    assert(wcslen(wide) == 2 && wcscmp(wide, L"ab") == 0 && wcscmp(wcscat(wcscpy(own_wide, wide), L"c"), L"abc") == 0);
    FILE *file = fmemopen("first\nsecond\n", 13, "r");
    assert(fgets(line, 32, file) == line && strcmp(line, "first\n") == 0);
    made = NULL;
    size_t room = 0;
    assert(getline(&made, &room, file) == 7 && strcmp(made, "second\n") == 0 && getline(&made, &room, file) == -1);
    free(made);
    fclose(file);
    time_t moment = 86400;
    assert(gmtime(&moment)->tm_mday == 2 && strcmp(asctime(gmtime(&moment)), "Fri Jan  2 00:00:00 1970\n") == 0);
    struct tm day;
    assert(gmtime_r(&moment, &day) == &day && day.tm_year == 70 && strcmp(asctime_r(&day, own), "Fri Jan  2 00:00:00 1970\n") == 0);
    return NULL;
}

static void *other(void *unused)
{
    // Behind what the first thread touches.
    text[4] = 'x';
    numbers[1]++;
    line[40] = 'y';
    wide[3]++;
    return NULL;
}

int main(void)
{
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[1], "123", 3) == 3);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
