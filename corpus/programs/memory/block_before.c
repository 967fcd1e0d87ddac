// violated: misuse
// H10: a byte before a block of the heap is read.
#include <stdlib.h>

int main(void) {
    volatile char *block = malloc(10);
    char byte = block[-1];
    free((void *)block);
    return byte & 0;
}
