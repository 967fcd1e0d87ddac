// H7: the locale belongs to the whole process.
//! verdict assertions violated
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>

static void *sets(void *unused)
{
    setlocale(LC_ALL, "C.UTF-8");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    const char *now = setlocale(LC_ALL, 0);
    assert(strcmp(now, "C") == 0);
    pthread_join(thread, 0);
    return 0;
}
