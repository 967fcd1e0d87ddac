// R2: names and numbers that the C library or the kernel draws as text come from the stream, too.
//! verdict exit violated
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned sum;

static void add(const char *text)
{
    for (; *text; text++)
        sum = sum * 31 + (unsigned char)*text;
}

static void read_file(const char *name, char *text)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    assert(file >= 0 && read(file, text, 40) == 37 && text[36] == '\n');
    assert(read(file, text, 40) == 0);
    close(file);
    text[36] = 0;
    assert(strlen(text) == 36 && text[8] == '-' && text[14] == '4');
}

int main(void)
{
    char first[40], second[40], name[L_tmpnam], template[] = "/tmp/some-XXXXXX";
    read_file("/proc/sys/kernel/random/uuid", first);
    read_file("/proc/sys/kernel/random/uuid", second);
    assert(strcmp(first, second) != 0);
    add(first);
    FILE *stream = fopen("/proc/sys/kernel/random/uuid", "r");
    assert(stream && fgets(first, sizeof first, stream));
    fclose(stream);
    add(first);
    read_file("/proc/sys/kernel/random/boot_id", first);
    read_file("/proc/sys/kernel/random/boot_id", second);
    assert(strcmp(first, second) == 0);
    add(first);
    assert(tmpnam(name) == name && access(name, F_OK) != 0);
    add(name);
    char *named = tempnam("/tmp", "some");
    assert(strncmp(named, "/tmp/some", 9) == 0 && access(named, F_OK) != 0);
    add(named);
    free(named);
    add(mktemp(template));
    /* Not 0, and the same each time: the schedule would not replay otherwise. */
    return 1 + sum % 250;
}
