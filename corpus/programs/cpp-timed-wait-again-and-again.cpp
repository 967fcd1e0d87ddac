// A thread waits for a second, again and again, until another one has done its work. Only the time differs from round to round.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main()
{
    std::mutex mutex;
    std::condition_variable changed;
    bool is_ready = false;
    std::thread thread([&] {
        std::lock_guard<std::mutex> guard(mutex);
        is_ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        while (!is_ready)
            changed.wait_for(lock, std::chrono::seconds(1));
        assert(is_ready);
    }
    thread.join();
}
