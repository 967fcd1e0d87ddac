// An exception leaves a section, and the lock is free again.
#include <mutex>
#include <stdexcept>
#include <thread>
#include <allways.h>

static std::mutex mutex;
static int count;

static void worker()
{
    try {
        std::lock_guard<std::mutex> guard(mutex);
        count++;
        throw std::runtime_error("out");
    } catch (const std::runtime_error &) {
    }
}

int main()
{
    std::thread first(worker), second(worker);
    first.join();
    second.join();
    aw_assert(count == 2);
}
