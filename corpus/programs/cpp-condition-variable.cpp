// A queue with std::condition_variable; the consumer gets everything, in order.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <allways.h>

static std::mutex mutex;
static std::condition_variable filled;
static std::queue<int> items;

static void producer()
{
    for (int i = 0; i < 2; i++) {
        {
            std::lock_guard<std::mutex> guard(mutex);
            items.push(i);
        }
        filled.notify_one();
    }
}

int main()
{
    std::thread thread(producer);
    for (int i = 0; i < 2; i++) {
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [] { return !items.empty(); });
        aw_assert(items.front() == i);
        items.pop();
    }
    thread.join();
}
