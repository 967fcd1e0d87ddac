// `dup2` and `dup3` make another file of a descriptor that another thread reads in one of many ways:
// each finds the old file or the new one.
//! options --scratch
//! executions source 12
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <allways.h>

static int old_file, new_file, way;

static void *replaces(void *unused)
{
    if (way % 2 == 0)
        dup2(new_file, old_file);
    else
        dup3(new_file, old_file, O_CLOEXEC);
    return unused;
}

static void *looks(void *unused)
{
    char byte;
    struct stat status;
    switch (way) {
    case 0: pread(old_file, &byte, 1, 0); break;
    case 1: read(old_file, &byte, 1); break;
    case 2: fstat(old_file, &status); break;
    case 3: lseek(old_file, 0, SEEK_CUR); break;
    case 4: write(old_file, "x", 1); break;
    case 5: fcntl(old_file, F_GETFL); break;
    }
    return unused;
}

int main(void)
{
    pthread_t one, other;
    way = aw_toss(5);
    old_file = open("old", O_CREAT | O_RDWR, 0600);
    new_file = open("new", O_CREAT | O_RDWR, 0600);
    write(old_file, "1", 1);
    pthread_create(&one, NULL, replaces, NULL);
    pthread_create(&other, NULL, looks, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
