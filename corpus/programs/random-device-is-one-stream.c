// R2: whatever random numbers come from, they are the same whenever a schedule is repeated: devices, calls, names of files.
//! verdict exit violated
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One bit of each. */
static unsigned sum;

static void add(const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = sum * 31 + ((const unsigned char *)bytes)[i];
}

int main(void)
{
    unsigned number;
    char name[] = "random-XXXXXX";
    int file = open("/dev/urandom", O_RDONLY);
    assert(read(file, &number, sizeof number) == sizeof number);
    add(&number, sizeof number);
    assert(pread(file, &number, sizeof number, 0) == sizeof number);
    add(&number, sizeof number);
    close(file);
    FILE *stream = fopen("/dev/random", "r");
    assert(stream && fread(&number, sizeof number, 1, stream) == 1);
    add(&number, sizeof number);
    fclose(stream);
    assert(getrandom(&number, sizeof number, 0) == sizeof number);
    add(&number, sizeof number);
    assert(syscall(SYS_getrandom, &number, sizeof number, 0) == sizeof number);
    add(&number, sizeof number);
    file = mkstemp(name);
    assert(file >= 0 && unlink(name) == 0);
    add(name, strlen(name));
    /* Not 0, and the same each time: the schedule would not replay otherwise. */
    return 1 + sum % 250;
}
