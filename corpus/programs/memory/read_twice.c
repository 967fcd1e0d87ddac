// violated: races
// A text is printed twice by one call, which is not waiting for it to change.
#include <pthread.h>
#include <stdio.h>

static char name[8] = "abc";

static void *change(void *unused) {
    name[0] = 'x';
    return unused;
}

static void *print(void *unused) {
    printf("%s %s\n", name, name);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, change, 0);
    pthread_create(&threads[1], 0, print, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
