// violated: races
// H10: a stream is closed while another thread may not have written to it yet.
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *work(void *argument) {
    fputc('x', stream);
    return argument;
}

int main(void) {
    pthread_t thread;
    stream = fopen("/dev/null", "w");
    pthread_create(&thread, 0, work, 0);
    fclose(stream);
    pthread_join(thread, 0);
    return 0;
}
