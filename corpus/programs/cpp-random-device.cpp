// Random numbers of the processor decide which locks are taken; they are the same under every schedule.
#include <mutex>
#include <random>
#include <thread>

static std::mutex locks[4];

static void work()
{
    std::random_device device;
    std::uniform_int_distribution<int> any(0, 3);
    for (int i = 0; i < 3; i++)
        std::lock_guard guard(locks[any(device)]);
}

int main()
{
    std::thread first(work), second(work);
    first.join();
    second.join();
}
