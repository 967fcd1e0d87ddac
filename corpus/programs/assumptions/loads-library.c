// Loads a library after `main` began; two threads call a function of it that counts. With an
// argument the library is closed before the end.
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static int counter;
static void (*count)(int *);

static void *work(void *unused)
{
    count(&counter);
    return unused;
}

int main(int n_arguments, char **arguments)
{
    void *library = dlopen("./library.so", RTLD_NOW);
    assert(library != NULL);
    count = (void (*)(int *))dlsym(library, "count");
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    if (n_arguments > 1)
        dlclose(library);
    (void)arguments;
    return 0;
}
