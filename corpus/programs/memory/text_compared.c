// holds
// A text is compared and changed under a lock that is made of an atomic variable.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static char word[8] = "wait";

static int is_go(void) {
    while (atomic_flag_test_and_set(&lock)) {}
    int is_go = strcmp(word, "go") == 0;
    atomic_flag_clear(&lock);
    return is_go;
}

static void *change(void *unused) {
    while (atomic_flag_test_and_set(&lock)) {}
    strcpy(word, "go");
    atomic_flag_clear(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, change, 0);
    int was_go = is_go();
    pthread_join(thread, 0);
    return is_go() || was_go ? 0 : 1;
}
