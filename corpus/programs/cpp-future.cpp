// A value through std::promise and std::future.
#include <future>
#include <thread>
#include <allways.h>

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&promise] { promise.set_value(42); });
    aw_assert(future.get() == 42);
    thread.join();
}
