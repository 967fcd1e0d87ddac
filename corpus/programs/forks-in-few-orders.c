// Hardly any execution does more than to compute; a few make a process, or a pipe and write to it, and only one of them goes wrong.
//! verdict assertions violated
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

enum { N = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[N], count;

static void *comes(void *number)
{
    pthread_mutex_lock(&mutex);
    order[count++] = (int)(long)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static int is(int a, int b, int c, int d, int e)
{
    return order[0] == a && order[1] == b && order[2] == c && order[3] == d && order[4] == e;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, comes, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    int ends[2];
    char byte = 'a';
    if (order[4] == 0) {
        aw_assert(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4);
        aw_assert(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 'a');
    }
    if (is(3, 2, 4, 1, 0)) {
        pid_t child = fork();
        if (child == 0)
            _exit(5);
        int status;
        aw_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
        aw_assert(WEXITSTATUS(status) != 5);
    }
    return 0;
}
