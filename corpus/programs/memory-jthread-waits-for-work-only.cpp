// A thread of C++ 20 is asked to stop when it is destroyed, but waits for work only.
//! compile -std=c++20 -fsanitize=thread
//! options --visible memory
//! verdict deadlock violated
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static bool has_work;

int main()
{
    std::jthread worker([](std::stop_token) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return has_work; });
    });
    return 0;
}
