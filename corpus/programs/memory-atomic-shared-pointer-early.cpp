// A pointer to what is shared is read and replaced atomically, but what it points to is changed afterwards.
//! verdict races violated
//! verdict assertions violated
//! compile -fsanitize=thread -std=c++20
//! options --visible memory
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

struct Pair {
    int first, second;
};

static std::atomic<std::shared_ptr<Pair>> current{std::make_shared<Pair>(1, 2)};

static void replace()
{
    auto next = std::make_shared<Pair>(2, 1);
    current.store(next);
    next->second = 3;
}

static void use()
{
    std::shared_ptr<Pair> pair = current.load();
    if (pair->second != pair->first + 1)
        std::abort();
}

int main()
{
    std::thread replacing(replace), using_it(use);
    replacing.join();
    using_it.join();
}
