// A coroutine begins in one thread and ends in another.
//! compile -std=c++20
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::queue<std::coroutine_handle<>> ready;
static int n_done;

struct Job {
    struct promise_type {
        Job get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

struct Later {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle)
    {
        std::lock_guard<std::mutex> guard(mutex);
        ready.push(handle);
        changed.notify_one();
    }
    void await_resume() {}
};

static Job job()
{
    co_await Later{};
    n_done++;
}

static void run()
{
    while (n_done == 0) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return !ready.empty(); });
        auto next = ready.front();
        ready.pop();
        lock.unlock();
        next.resume();
    }
}

int main()
{
    std::thread thread(run);
    job();
    thread.join();
    assert(n_done == 1);
    return 0;
}
