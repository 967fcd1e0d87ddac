// violated: assertions races
// A record is sent while another thread changes it.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static struct { int width, height; } record;

static void *send_it(void *unused)
{
    assert(write(ends[1], &record, sizeof record) == sizeof record);
    return NULL;
}

static void *change_it(void *unused)
{
    record.width = 1;
    record.height = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int got[2];
    assert(pipe(ends) == 0);
    pthread_create(&threads[0], NULL, send_it, NULL);
    pthread_create(&threads[1], NULL, change_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(read(ends[0], got, sizeof got) == sizeof got && got[0] == got[1]);
    return 0;
}
