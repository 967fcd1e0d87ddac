// A thread looks through a pointer at what another thread gives back.
//! verdict races violated
//! compile -fsanitize=thread
//! options --visible memory
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto number = std::make_shared<int>(1);
    int *seen = number.get();
    std::thread thread([seen] {
        if (int *still_there = seen)
            assert(*still_there == 1);
    });
    number.reset();
    thread.join();
    return 0;
}
