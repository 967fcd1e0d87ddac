// std::thread and std::mutex.
//! executions source 2
#include <mutex>
#include <thread>
#include <allways.h>

static std::mutex mutex;
static int count;

static void worker()
{
    std::lock_guard<std::mutex> guard(mutex);
    count++;
}

int main()
{
    std::thread first(worker), second(worker);
    first.join();
    second.join();
    aw_assert(count == 2);
}
