// A child writes too much into a file: the kernel ends it. It does not run on and on.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        struct rlimit limit = {1000, 1000};
        char bytes[900] = "";
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_FSIZE, &limit);
        int file = open("/tmp/too-large", O_CREAT | O_RDWR | O_TRUNC, 0600);
        unlink("/tmp/too-large");
        for (int i = 0; i < 3; i++)
            if (write(file, bytes, sizeof bytes) < 0)
                break;
        _exit(0);
    }
    wait(NULL);
    return 0;
}
