// A pointer to what is shared is read and replaced atomically. The library of C++ guards it with a lock that tells writers nothing of readers, which is its own affair.
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
    current.store(std::make_shared<Pair>(2, 3));
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
