// holds
// H10: the twin of closed_while_written: the stream is closed when the other thread has ended.
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
    pthread_join(thread, 0);
    fclose(stream);
    return 0;
}
