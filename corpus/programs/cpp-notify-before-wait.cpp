// notify_one before wait is lost, with std::condition_variable too.
//! verdict deadlock violated
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable happened;

int main()
{
    std::thread waiter([] {
        std::unique_lock<std::mutex> lock(mutex);
        happened.wait(lock);
    });
    {
        std::lock_guard<std::mutex> guard(mutex);
        happened.notify_one();
    }
    waiter.join();
}
