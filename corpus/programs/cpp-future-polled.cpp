// A thread looks every millisecond whether a result is there. Only the time differs from round to round.
#include <cassert>
#include <chrono>
#include <future>
#include <mutex>

int main()
{
    std::mutex mutex;
    int count = 0;
    auto result = std::async(std::launch::async, [&] {
        std::lock_guard<std::mutex> guard(mutex);
        count = 1;
    });
    while (result.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    }
    std::lock_guard<std::mutex> guard(mutex);
    assert(count == 1);
}
