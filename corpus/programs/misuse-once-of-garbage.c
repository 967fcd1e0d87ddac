// H11: what `pthread_once` is called with was never initialised.
//! verdict misuse violated
#include <pthread.h>
#include <string.h>

static pthread_once_t control;

static void initialise(void)
{
}

int main(void)
{
    memset(&control, 0xab, sizeof control);
    pthread_once(&control, initialise);
    return 0;
}
