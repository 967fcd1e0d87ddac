// A counter of events: nobody's is lost.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *count(void *amount)
{
    uint64_t value = (uintptr_t)amount;
    return write(counter, &value, sizeof value) == sizeof value ? NULL : amount;
}

int main(void)
{
    pthread_t one, other;
    uint64_t sum = 0, value;
    counter = eventfd(0, 0);
    pthread_create(&one, NULL, count, (void *)1);
    pthread_create(&other, NULL, count, (void *)2);
    while (sum < 3) {
        if (read(counter, &value, sizeof value) != sizeof value)
            return 3;
        sum += value;
    }
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
