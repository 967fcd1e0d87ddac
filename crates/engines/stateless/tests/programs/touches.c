// One thread calls a function of the C library that touches a variable; another one changes all of them itself. The first argument names the
// function; with a second one there is a lock around them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) char text[64] = "some text";
static _Alignas(64) wchar_t wide[16] = L"some text";
static _Alignas(64) int number = 7;
static _Alignas(64) char *line;
static size_t room;
static int ends[2];
static FILE *file;
static int is_locked;
static volatile int kept;
static time_t moment = 1000000;
static struct tm day;
// The compiler does not know it, so it calls the function.
static const char *volatile other = "abc";
static const wchar_t *volatile other_wide = L"abc";

static void list_out(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

static void list_stream(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

static int list_scan(const char *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsscanf(from, format, list);
    va_end(list);
    return count;
}

static int in_order(const void *one, const void *other) { return *(const char *)one - *(const char *)other; }

static void call_printf(void) { printf("%d %s %d\n", 1, text, 2); }
static void call_fprintf(void) { fprintf(stderr, "%5.1f%% %s\n", 1.5, text); }
static void call_dprintf(void) { dprintf(2, "%s!", text); }
static void call_vprintf(void) { list_out("%c%s", 'a', text); }
static void call_vfprintf(void) { list_stream("%s%c", text, 'a'); }
static void call_asprintf(void) { char *made; kept = asprintf(&made, "%s!", text); free(made); }
static void call_snprintf(void) { char own[64]; kept = snprintf(own, sizeof own, "%s!", text); }
// Every kind of argument in front of the text, more than there are registers.
static void call_many(void)
{
    printf("%*d %-+5ld %hhx %jd %zu %td %p %c %.*f %e %Lf %g %a %f %f %f %f %f %f %Lf %lld %m %% %10.20s\n", 3, 1, 2L, 3, (__INTMAX_TYPE__)4,
        sizeof number, (ptrdiff_t)5, (void *)text, 'c', 2, 1.0, 2.0, 3.0L, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0L, 13LL, text);
}
static void call_percent_n(void) { printf("%d%n\n", 12, &number); }
static void call_puts(void) { puts(text); }
static void call_fputs(void) { fputs(text, stderr); }
static void call_fwrite(void) { fwrite(text, 1, 4, stderr); }
static void call_write(void) { kept = write(ends[1], text, 4); }
static void call_writev(void) { struct iovec place = {text, 4}; kept = writev(ends[1], &place, 1); }
static void call_send(void) { kept = send(ends[1], text, 4, 0); }
static void call_pwrite(void) { kept = pwrite(fileno(file), text, 4, 0); }
static void call_read(void) { kept = read(ends[0], text, 4); }
static void call_readv(void) { struct iovec place = {text, 4}; kept = readv(ends[0], &place, 1); }
static void call_recv(void) { kept = recv(ends[0], text, 4, 0); }
static void call_recvfrom(void) { kept = recvfrom(ends[0], text, 4, 0, NULL, NULL); }
static void call_pread(void) { kept = pread(fileno(file), text, 4, 0); }
static void call_fgets(void) { kept = fgets(text, sizeof text, file) != NULL; }
static void call_fread(void) { kept = fread(text, 2, 2, file); }
static void call_getline(void) { kept = getline(&line, &room, file); }
static void call_fscanf(void) { kept = fscanf(file, "%s", text); }
static void call_sscanf(void) { kept = sscanf("12 34", "%*d %d", &number); }
static void call_sscanf_source(void) { int own; kept = sscanf(text, "%d", &own); }
static void call_sscanf_set(void) { kept = sscanf("abc", "%2[]a-c]%n", text, &(int){0}); }
static void call_vsscanf(void) { kept = list_scan("1 2.5 z", "%hd %lf %c", &(short){0}, &(double){0}, text); }
static void call_strdup(void) { free(strdup(text)); }
static void call_strndup(void) { free(strndup(text, 5)); }
static void call_strtok(void) { kept = strtok(text, " ") != NULL; }
static void call_strtok_r(void) { char *rest; kept = strtok_r(text, " ", &rest) != NULL; }
static void call_strcat(void) { strcat(text, other); }
static void call_strncat(void) { strncat(text, other, 1); }
static void call_strchr(void) { kept = strchr(text, kept + 'q') != NULL; }
static void call_strrchr(void) { kept = strrchr(text, kept + 'q') != NULL; }
static void call_strstr(void) { kept = strstr(text, "xt") != NULL; }
static void call_strcasecmp(void) { kept = strcasecmp(text, "SOME"); }
static void call_strncasecmp(void) { kept = strncasecmp(text, "SOME", 3); }
static void call_memchr(void) { kept = memchr(text, kept + 'q', 9) != NULL; }
static void call_memmove(void) { memmove(text, text + 1, 3 + kept); }
static void call_mempcpy(void) { kept = *(char *)mempcpy(text, other, 3 + kept); }
static void call_stpcpy(void) { *stpcpy(text, other) = 'x'; }
static void call_strcpy(void) { strcpy(text + kept, other); }
static void call_strncpy(void) { strncpy(text + kept, other, 3 + kept); }
static void call_memcpy(void) { memcpy(text + kept, other, 3 + kept); }
static void call_memset(void) { memset(text + kept, 'x', 3 + kept); }
static void call_strtol(void) { kept = strtol(text, NULL, 10); }
static void call_strtod(void) { kept = strtod(text, NULL) > 1; }
static void call_strtof(void) { kept = strtof(text, NULL) > 1; }
static void call_strtold(void) { kept = strtold(text, NULL) > 1; }
static void call_atof(void) { kept = atof(text) > 1; }
static void call_numbered(void) { printf("%3$d %2$.1f %1$s\n", text, 1.5, 3); }
static void call_numbered_width(void) { printf("%2$*1$d %4$.*3$s %%\n", 5, 7, 3, text); }
static void call_wcslen(void) { kept = wcslen(wide); }
static void call_wcscpy(void) { wcscpy(wide, other_wide); }
static void call_wcscat(void) { wcscat(wide, other_wide); }
static void call_wcscmp(void) { kept = wcscmp(wide, other_wide); }
static void call_wmemcpy(void) { wmemcpy(wide, other_wide, 3 + kept); }
static void call_wmemset(void) { wmemset(wide, L'x', 3 + kept); }
static void call_atoi(void) { kept = atoi(text); }
static void call_localtime(void) { kept = localtime(&moment)->tm_hour; }
static void call_gmtime_r(void) { kept = gmtime_r(&(time_t){0}, &day) != NULL; }
static void call_asctime_r(void) { kept = asctime_r(&(struct tm){0}, text) != NULL; }
static void call_ctime(void) { kept = ctime(&moment)[0]; }
static void call_qsort(void) { qsort(text, 4, 1, in_order); }

#define CALL(name) {#name, call_##name}
static const struct {
    const char *name;
    void (*function)(void);
} calls[] = {CALL(printf), CALL(fprintf), CALL(dprintf), CALL(vprintf), CALL(vfprintf), CALL(asprintf), CALL(snprintf), CALL(many),
    CALL(percent_n), CALL(puts), CALL(fputs), CALL(fwrite), CALL(write), CALL(writev), CALL(send), CALL(pwrite), CALL(read), CALL(readv),
    CALL(recv), CALL(recvfrom), CALL(pread), CALL(fgets), CALL(fread), CALL(getline), CALL(fscanf), CALL(sscanf), CALL(sscanf_source),
    CALL(sscanf_set), CALL(vsscanf), CALL(strdup), CALL(strndup), CALL(strtok), CALL(strtok_r), CALL(strcat), CALL(strncat), CALL(strchr),
    CALL(strrchr), CALL(strstr), CALL(strcasecmp), CALL(strncasecmp), CALL(memchr), CALL(memmove), CALL(mempcpy), CALL(stpcpy), CALL(strcpy), CALL(strncpy),
    CALL(memcpy), CALL(memset), CALL(strtol),
    CALL(strtod), CALL(strtof), CALL(strtold), CALL(atof), CALL(numbered), CALL(numbered_width), CALL(wcslen), CALL(wcscpy), CALL(wcscat),
    CALL(wcscmp), CALL(wmemcpy), CALL(wmemset), CALL(atoi), CALL(localtime), CALL(gmtime_r), CALL(asctime_r), CALL(ctime), CALL(qsort)};

static void (*chosen)(void);

static void *caller(void *unused)
{
    if (is_locked)
        pthread_mutex_lock(&mutex);
    chosen();
    if (is_locked)
        pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *changer(void *unused)
{
    if (is_locked)
        pthread_mutex_lock(&mutex);
    text[0] = 'S';
    number++;
    wide[0]++;
    room++;
    moment++;
    day.tm_year++;
    if (is_locked)
        pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, arguments[1]) == 0)
            chosen = calls[i].function;
    is_locked = count > 2;
    file = tmpfile();
    assert(chosen && file && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    fputs("word and more\n", file);
    rewind(file);
    assert(write(ends[1], "word", 4) == 4);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, caller, NULL);
    pthread_create(&threads[1], NULL, changer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
