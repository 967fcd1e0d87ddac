// When a limit of time has passed, the clock shows that.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

static std::mutex mutex;
static std::condition_variable changed;
static bool is_ready;
static std::timed_mutex taken;

static void wait()
{
    auto begin = Clock::now();
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, 10ms, [] { return is_ready; }))
        assert(Clock::now() - begin >= 10ms);
    else
        assert(is_ready);
}

static void try_in_vain()
{
    auto begin = Clock::now();
    assert(!taken.try_lock_for(20ms));
    assert(Clock::now() - begin >= 20ms);
}

int main()
{
    taken.lock();
    std::thread waits(wait), tries(try_in_vain);
    {
        std::lock_guard guard(mutex);
        is_ready = true;
    }
    changed.notify_one();
    waits.join();
    tries.join();
    taken.unlock();
}
