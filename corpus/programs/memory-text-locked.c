// Texts are written, compared and measured with functions of the C library, under a lock.
//! compile -fsanitize=thread
//! options --visible memory
#include <pthread.h>
#include <string.h>
#include <allways.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[32] = "before";

static void *writer(void *unused)
{
    pthread_mutex_lock(&mutex);
    strncpy(text, "after", sizeof text);
    strcat(text, "wards");
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    pthread_mutex_lock(&mutex);
    int is_before = strcmp(text, "before") == 0 && strlen(text) == 6;
    int is_after = strncmp(text, "after", 5) == 0 && memcmp(text, "afterwards", 11) == 0;
    pthread_mutex_unlock(&mutex);
    aw_assert(is_before != is_after);
    pthread_join(thread, NULL);
    return 0;
}
