// violated: misuse
// H10: what is given back is no beginning of a block.
#include <stdlib.h>

int main(void) {
    char *volatile block = malloc(2000);
    free(block + 16);
    free(block);
    return 0;
}
