// Names of temporary files and folders are drawn from the stream of random numbers, also in the middle of a name.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mkstemps(char *name, int behind);
char *mkdtemp(char *name);

int main(void)
{
    char folder[] = "/tmp/folder-XXXXXX", file[] = "/tmp/file-XXXXXX.txt";
    assert(mkdtemp(folder) != NULL);
    int descriptor = mkstemps(file, 4);
    assert(descriptor >= 0);
    // The C library would draw capitals, too.
    for (char *letter = folder; *letter; letter++)
        assert(*letter < 'A' || *letter > 'Z');
    for (char *letter = file; *letter; letter++)
        assert(*letter < 'A' || *letter > 'Z');
    close(descriptor);
    unlink(file);
    rmdir(folder);
    return 0;
}
