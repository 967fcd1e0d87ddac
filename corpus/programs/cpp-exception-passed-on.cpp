// An exception of a thread is thrown again in another.
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static int sum;
static std::exception_ptr failure;

static void add(int amount)
{
    std::lock_guard<std::mutex> guard(mutex);
    sum += amount;
    if (sum == 2)
        throw std::runtime_error("the second came first");
}

static void worker(int amount)
{
    try {
        add(amount);
    } catch (...) {
        std::lock_guard<std::mutex> guard(mutex);
        failure = std::current_exception();
    }
}

int main()
{
    std::thread one(worker, 1), two(worker, 2);
    one.join();
    two.join();
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const std::runtime_error &) {
        return 0;
    }
    return 0;
}
