// Readers and a writer that do not wait for ever; whoever has the lock has it.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::shared_timed_mutex lock;
static int value;

static void write()
{
    std::unique_lock guard(lock, 10ms);
    if (guard) {
        value++;
        std::this_thread::yield();
        value++;
    }
}

static void read()
{
    std::shared_lock guard(lock, 10ms);
    if (guard)
        assert(value % 2 == 0);
}

int main()
{
    std::thread writer(write), reader(read), other(read);
    writer.join();
    reader.join();
    other.join();
}
