// violated: misuse races
// Who waited gives the condition variable back before it was signalled.
#include <pthread.h>
#include <stdlib.h>

struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_set;
};

static void *set(void *argument) {
    struct event *event = argument;
    pthread_mutex_lock(&event->lock);
    event->is_set = 1;
    pthread_mutex_unlock(&event->lock);
    pthread_cond_signal(&event->changed);
    return 0;
}

int main(void) {
    struct event *event = calloc(1, sizeof *event);
    pthread_mutex_init(&event->lock, 0);
    pthread_cond_init(&event->changed, 0);
    pthread_t thread;
    pthread_create(&thread, 0, set, event);
    pthread_mutex_lock(&event->lock);
    while (!event->is_set) pthread_cond_wait(&event->changed, &event->lock);
    pthread_mutex_unlock(&event->lock);
    pthread_cond_destroy(&event->changed);
    free(event);
    pthread_join(thread, 0);
    return 0;
}
