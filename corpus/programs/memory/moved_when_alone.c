// violated: misuse
// `realloc` moves a block while there is one thread, which then uses the old one.
#include <stdlib.h>

int main(void) {
    int *block = malloc(16);
    int *volatile old = block;
    *block = 1;
    block = realloc(block, 1000);
    volatile int value = *old;
    (void)value;
    free(block);
    return 0;
}
