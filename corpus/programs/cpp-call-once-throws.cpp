// The first initialisation fails with an exception; another thread does it.
#include <mutex>
#include <thread>
#include <allways.h>

static std::once_flag flag;
static int tries, done;

static void worker()
{
    try {
        std::call_once(flag, [] {
            if (tries++ == 0)
                throw 1;
            done = 1;
        });
        aw_assert(done == 1);
    } catch (int) {
    }
}

int main()
{
    std::thread first(worker), second(worker);
    first.join();
    second.join();
    aw_assert(tries == 2 && done == 1);
}
