// A comparison throws an exception, which leaves qsort. The lock is given back.
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int numbers[] = {2, 1, 3};
static int n_caught;

static int refuses(const void *, const void *) { throw 7; }

static void work()
{
    try {
        std::lock_guard<std::mutex> guard(mutex);
        std::qsort(numbers, 3, sizeof *numbers, refuses);
    } catch (int number) {
        std::lock_guard<std::mutex> guard(mutex);
        n_caught += number;
    }
}

int main()
{
    std::thread first(work), second(work);
    first.join();
    second.join();
    return n_caught != 14;
}
