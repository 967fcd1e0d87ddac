// H11: a barrier has no initialiser but the function.
//! verdict misuse violated
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void)
{
    pthread_barrier_wait(&barrier);
    return 0;
}
