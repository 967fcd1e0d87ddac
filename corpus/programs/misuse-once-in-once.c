// H11: the function that is called once calls for itself, and waits for ever.
//! verdict deadlock violated
//! verdict misuse violated
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    pthread_once(&control, initialise);
}

int main(void)
{
    pthread_once(&control, initialise);
    return 0;
}
