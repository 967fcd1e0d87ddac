/*
 * Acts by the name that it is called by, as programs do that are several in one; with an argument it executes that, under another name.
 */
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count > 1)
        return execl(arguments[1], "./third", NULL);
    if (strcmp(arguments[0], "./called") == 0)
        return 1;
    if (strcmp(arguments[0], "./alias") == 0)
        return 2;
    return strcmp(arguments[0], "alias") == 0 ? 3 : 4;
}
