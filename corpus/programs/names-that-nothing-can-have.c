// Names that no semaphore and no message queue can have; leading slashes of a semaphore's name do
// not count.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <string.h>
#include <allways.h>

static char name[400];

static int semaphore(const char *text)
{
    return sem_open(text, O_CREAT, 0600, 1) == SEM_FAILED ? errno : 0;
}

static int queue(const char *text)
{
    return mq_open(text, O_CREAT | O_RDWR, 0600, NULL) == (mqd_t)-1 ? errno : 0;
}

static const char *of_length(int length)
{
    memset(name, 'a', sizeof name);
    name[0] = '/';
    name[length] = 0;
    return name;
}

int main(void)
{
    aw_assert(semaphore(of_length(398)) == EINVAL && semaphore(of_length(257)) == EINVAL);
    aw_assert(semaphore(of_length(256)) == ENAMETOOLONG && semaphore(of_length(253)) == ENAMETOOLONG);
    aw_assert(semaphore(of_length(252)) == 0);
    aw_assert(semaphore("") == EINVAL && semaphore("/") == EINVAL && semaphore("/a/b") == EINVAL);
    aw_assert(sem_unlink("/a/b") == -1 && errno == ENOENT);
    aw_assert(semaphore("//name") == 0 && sem_open("name", 0) != SEM_FAILED && sem_unlink("/name") == 0);
    aw_assert(queue("name") == EINVAL && queue("") == EINVAL && queue("/") == ENOENT);
    aw_assert(queue(of_length(257)) == ENAMETOOLONG && queue("/a/b") == EACCES && queue("/..") == EACCES);
    aw_assert(mq_unlink("name") == -1 && errno == EINVAL);
    aw_assert(queue("/name") == 0 && mq_unlink("/name") == 0);
    return 0;
}
