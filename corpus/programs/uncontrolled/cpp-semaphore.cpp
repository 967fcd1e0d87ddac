// A semaphore and a latch of C++ 20: atomic operations, which are not visible here.
//! compile -std=c++20
#include <latch>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> semaphore{0};
static std::latch latch{2};

int main()
{
    std::thread thread([] {
        semaphore.acquire();
        latch.count_down();
    });
    semaphore.release();
    latch.arrive_and_wait();
    thread.join();
    return 0;
}
