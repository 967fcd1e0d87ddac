// A text is read while another thread writes it, with functions of the C library.
//! verdict races violated
//! compile -fsanitize=thread -fno-builtin
//! options --visible memory
#include <pthread.h>
#include <string.h>

static char text[32] = "before";

static void *writer(void *unused)
{
    strcpy(text, "afterwards");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    size_t length = strlen(text);
    pthread_join(thread, NULL);
    return length > 10;
}
