// H7: `ecvt` writes to one text for all threads.
//! verdict assertions violated
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *write(void *unused)
{
    int point, sign;
    ecvt(2.5, 3, &point, &sign);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int point, sign;
    pthread_create(&thread, NULL, write, NULL);
    char *text = ecvt(1.5, 3, &point, &sign);
    pthread_join(thread, NULL);
    assert(text[0] == '2');
    return 0;
}
