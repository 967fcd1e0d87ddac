// violated: misuse
// A large block is used after it was given back, far behind its beginning.
#include <stdlib.h>

int main(void) {
    volatile char *block = malloc(40000);
    free((void *)block);
    block[30000] = 1;
    return 0;
}
