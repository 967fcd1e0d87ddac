// `/proc` tells how many threads there are, which depends on whether one has ended.
#include <assert.h>
#include <dirent.h>
#include <pthread.h>

static void *ends(void *argument)
{
    return NULL;
}

int main(void)
{
    int n_threads = 0;
    struct dirent *entry;
    pthread_t thread;
    pthread_create(&thread, NULL, ends, NULL);
    DIR *tasks = opendir("/proc/self/task");
    while ((entry = readdir(tasks)) != NULL)
        n_threads += entry->d_name[0] != '.';
    closedir(tasks);
    pthread_join(thread, NULL);
    assert(n_threads >= 1);
    return 0;
}
