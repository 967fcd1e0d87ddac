// violated: misuse
// H10: functions of the C library write behind a block, also if there is only one thread.
#include <stdlib.h>
#include <string.h>

static const char *volatile text = "0123456789";

int main(void) {
    char *block = malloc(10);
    strcpy(block, text);
    free(block);
    return 0;
}
