// A thread looks at what another thread gives back, if it is still there.
//! compile -fsanitize=thread
//! options --visible memory
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    auto number = std::make_shared<int>(1);
    std::weak_ptr<int> seen = number;
    std::thread thread([seen] {
        if (auto still_there = seen.lock())
            assert(*still_there == 1);
    });
    number.reset();
    thread.join();
    return 0;
}
