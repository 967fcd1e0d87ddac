// An exception leaves a thread, but only if the second thread comes first.
//! verdict assertions violated
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
    add(amount);
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
