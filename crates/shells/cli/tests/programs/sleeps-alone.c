// A lone thread that only lets time pass, in one of several ways, or that runs on and on after it did so.
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static volatile int forever = 1;

int main(int count, char **arguments)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec a_second = {.tv_sec = 1};
    pthread_mutex_lock(&mutex);
    do {
        switch (arguments[1][0]) {
        case 's': sleep(1000); break;
        case 'u': usleep(1000); break;
        case 'n': nanosleep(&a_second, 0); break;
        case 'p': poll(0, 0, 10); break;
        case 'c': {
            struct timespec limit;
            clock_gettime(CLOCK_REALTIME, &limit);
            limit.tv_sec++;
            pthread_cond_timedwait(&condition, &mutex, &limit);
            break;
        }
        default:
            sleep(1000);
            while (forever) {}
        }
    } while (forever);
}
