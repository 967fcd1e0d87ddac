// A thread of C++ 20 is asked to stop when it is destroyed. It waits for work, and for that.
//! compile -std=c++20 -fsanitize=thread
//! options --visible memory
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static bool has_work;

int main()
{
    std::jthread worker([](std::stop_token token) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, token, [] { return has_work; });
    });
    return 0;
}
