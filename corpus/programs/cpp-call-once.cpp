// std::call_once and a static variable of a function are initialised once, and nobody sees them half done.
#include <mutex>
#include <thread>
#include <allways.h>

static std::once_flag once;
static std::mutex mutex;
static int times, made;

struct Made {
    int value;
    Made()
    {
        std::lock_guard<std::mutex> guard(mutex);
        value = ++made;
    }
};

static void worker()
{
    std::call_once(once, [] { times++; });
    static Made object;
    aw_assert(times == 1 && object.value == 1);
}

int main()
{
    std::thread first(worker), second(worker);
    first.join();
    second.join();
}
