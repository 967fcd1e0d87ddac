// A global object starts a thread when it is made, and waits for it when it is destroyed. Nobody wakes the thread.
#include <condition_variable>
#include <mutex>
#include <thread>

struct Worker {
    std::mutex mutex;
    std::condition_variable condition;
    bool ends = false;
    std::thread thread;

    Worker() : thread([this] {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [this] { return ends; });
    }) {}

    ~Worker()
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            ends = true;
        }
        thread.join();
    }
};

static Worker worker;

int main()
{
    return 0;
}
