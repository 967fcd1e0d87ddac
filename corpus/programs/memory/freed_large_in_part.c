// violated: crash
// An address inside of a large block, which is a mapping of its own, is given back.
#include <stdlib.h>

int main(void)
{
    char *volatile block = malloc(1 << 20);
    free(block + 64);
    return 0;
}
