// holds
// `realloc` moves a block while there is one thread, which uses the new one only.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *block = malloc(16);
    for (int count = 0; count < 4; ++count)
        block[count] = count;
    for (int size = 8; size < 4096; size *= 2) {
        block = realloc(block, size * sizeof *block);
        block[size - 1] = size;
        assert(block[3] == 3);
    }
    free(block);
    return 0;
}
