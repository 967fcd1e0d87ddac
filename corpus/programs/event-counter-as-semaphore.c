// A counter that gives out all at once, where one at a time was meant.
//! verdict deadlock violated
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int counter;

static void *take(void *unused)
{
    uint64_t value;
    (void)unused;
    return read(counter, &value, sizeof value) == sizeof value ? NULL : &counter;
}

int main(void)
{
    pthread_t one, other;
    uint64_t value = 1;
    counter = eventfd(0, 0);
    pthread_create(&one, NULL, take, NULL);
    pthread_create(&other, NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        if (write(counter, &value, sizeof value) != sizeof value)
            return 3;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
