// violated: crash
// A program of one thread gives back a part of a variable.
#include <stdlib.h>

static char bytes[64];

int main(void)
{
    char *volatile block = bytes + 16;
    free(block);
    return 0;
}
