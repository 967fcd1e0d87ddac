// Two std::mutex in opposite order.
//! verdict deadlock violated
#include <mutex>
#include <thread>

static std::mutex a, b;

int main()
{
    std::thread other([] {
        std::lock_guard<std::mutex> first(b);
        std::lock_guard<std::mutex> second(a);
    });
    {
        std::lock_guard<std::mutex> first(a);
        std::lock_guard<std::mutex> second(b);
    }
    other.join();
}
