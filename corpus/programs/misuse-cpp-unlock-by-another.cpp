// H11: a mutex of C++ is given back by another thread than the one that locked it.
//! verdict misuse violated
#include <mutex>
#include <thread>

static std::mutex mutex;

int main()
{
    mutex.lock();
    std::thread([] { mutex.unlock(); }).join();
    return 0;
}
