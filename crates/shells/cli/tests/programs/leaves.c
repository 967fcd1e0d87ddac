/* What an earlier execution left decides what an operation does: `leaves OPERATION`. With `cleans`,
   all is as before in the end. In the directory there is a file `a` of two bytes. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int has_entry(const char *name)
{
    DIR *folder = opendir(".");
    int found = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        found |= strcmp(entry->d_name, name) == 0;
    closedir(folder);
    return found;
}

static void make(const char *name)
{
    int file = open(name, O_CREAT | O_WRONLY, 0666);
    assert(file >= 0);
    close(file);
}

/* Is everything as the first execution finds it? */
static int operation(const char *name, int cleans, int fills)
{
    struct stat status;
    char link_text[8];
    int is_as_first = 1;
#define is(text) (strcmp(name, text) == 0)
    if (is("stat")) {
        is_as_first = stat("f", &status) != 0;
        make("f");
    } else if (is("lstat")) {
        is_as_first = lstat("f", &status) != 0;
        symlink("nothing", "f");
    } else if (is("access")) {
        is_as_first = access("f", F_OK) != 0;
        link("a", "f");
    } else if (is("mkdir")) {
        is_as_first = mkdir("f", 0777) == 0;
    } else if (is("rename")) {
        is_as_first = rename("a", "f") == 0;
        if (cleans)
            rename("f", "a");
    } else if (is("unlink")) {
        is_as_first = unlink("f") != 0;
        fclose(fopen("f", "w"));
    } else if (is("link")) {
        is_as_first = link("a", "f") == 0;
    } else if (is("symlink")) {
        is_as_first = symlink("nothing", "f") == 0;
    } else if (is("readlink")) {
        is_as_first = readlink("f", link_text, sizeof(link_text)) < 0;
        symlink("nothing", "f");
    } else if (is("rmdir")) {
        is_as_first = rmdir("f") != 0;
        mkdir("f", 0777);
        if (fills)
            make("f/g");
    } else if (is("opendir")) {
        is_as_first = !has_entry("f");
        make("f");
    } else if (is("open")) {
        int file = open("a", O_RDONLY);
        is_as_first = file >= 0;
        if (!cleans)
            unlink("a");
        close(file);
    }
    if (cleans)
        remove("f");
    return is_as_first;
}

int main(int argc, char **argv)
{
    assert(argc > 1);
    int fills = argc > 2 && strcmp(argv[2], "fills") == 0;
    int is_as_first = operation(argv[1], argc > 2 && !fills, fills);
    pthread_t threads[2];
    for (int number = 0; number < 2; number++)
        pthread_create(&threads[number], NULL, worker, NULL);
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    assert(is_as_first);
    return 0;
}
