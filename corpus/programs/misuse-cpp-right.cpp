// H11: mutexes, conditions and shared locks of C++ on the stack and on the heap, none of which is ever destroyed by a call.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct Box {
    std::mutex mutex;
    std::condition_variable condition;
    bool is_full = false;
};

static void exchange(Box &box)
{
    std::thread giver([&] {
        std::lock_guard<std::mutex> lock(box.mutex);
        box.is_full = true;
        box.condition.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(box.mutex);
        box.condition.wait(lock, [&] { return box.is_full; });
    }
    giver.join();
}

int main()
{
    for (int round = 0; round < 2; round++) {
        Box box;
        exchange(box);
        exchange(*std::make_unique<Box>());
    }
    std::shared_mutex lock;
    std::recursive_mutex again;
    std::thread reader([&] { std::shared_lock<std::shared_mutex> guard(lock); });
    { std::unique_lock<std::shared_mutex> guard(lock); }
    std::lock_guard<std::recursive_mutex> outer(again), inner(again);
    reader.join();
    return 0;
}
