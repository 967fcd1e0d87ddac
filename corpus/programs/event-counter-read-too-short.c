// Reading fewer than eight bytes of an eventfd fails at once, also if it is 0.
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <allways.h>

int main(void)
{
    char bytes[4];
    int counter = eventfd(0, 0);
    aw_assert(read(counter, bytes, sizeof bytes) == -1 && errno == EINVAL);
    aw_assert(write(counter, bytes, sizeof bytes) == -1 && errno == EINVAL);
    return 0;
}
