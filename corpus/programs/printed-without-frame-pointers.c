// Code without frame pointers has anything in their register, here a small number, when it prints: two threads share the stream, so that
// is a step.
//! compile -O2 -fomit-frame-pointer
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *prints(void *argument)
{
    register long small __asm__("rbp") = 1;
    __asm__ volatile("" : "+r"(small));
    fprintf(file, "%d\n", 7);
    __asm__ volatile("" : "+r"(small));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    file = tmpfile();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, prints, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return ftell(file) != 4;
}
