// violated: misuse
// H10: there is only one thread, and it writes to what it has given back.
#include <stdlib.h>

int main(void) {
    volatile int *number = malloc(sizeof *number);
    *number = 1;
    free((void *)number);
    *number = 2;
    return 0;
}
