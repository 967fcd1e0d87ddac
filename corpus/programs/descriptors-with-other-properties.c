// A thread changes what a descriptor is like; another one uses it, or asks for that: before or after.
//! options --scratch
//! executions source 10
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <allways.h>

static int way, file, memory, terminal, ends[2];

static void *changes(void *unused)
{
    struct winsize size = {5, 5};
    switch (way) {
    case 0: fcntl(file, F_SETFL, O_APPEND); break;
    case 1: fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE); break;
    case 2: fcntl(memory, F_ADD_SEALS, F_SEAL_GROW); break;
    case 3: fcntl(ends[1], F_SETPIPE_SZ, 4096); break;
    case 4: ioctl(terminal, TIOCSWINSZ, &size); break;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct winsize size;
    way = aw_toss(4);
    file = open("file", O_RDWR | O_CREAT, 0600);
    memory = memfd_create("memory", MFD_ALLOW_SEALING);
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    pipe(ends);
    pthread_create(&thread, NULL, changes, NULL);
    switch (way) {
    case 0: pwrite(file, "b", 1, 0); break;
    case 1: write(memory, "x", 1); break;
    case 2: fcntl(memory, F_GET_SEALS); break;
    case 3: fcntl(ends[0], F_GETPIPE_SZ); break;
    case 4: ioctl(terminal, TIOCGWINSZ, &size); break;
    }
    pthread_join(thread, NULL);
    return 0;
}
