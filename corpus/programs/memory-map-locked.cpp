// One thread adds to a map while another one looks something up, both under a lock.
//! compile -fsanitize=thread
//! options --visible memory
#include <map>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::map<int, int> squares;

static void add(int number)
{
    std::lock_guard<std::mutex> guard(mutex);
    squares.emplace(number, number * number);
}

static bool knows(int number)
{
    std::lock_guard<std::mutex> guard(mutex);
    return squares.count(number) != 0;
}

int main()
{
    std::thread writer(add, 2), reader(knows, 3);
    writer.join();
    reader.join();
    return 0;
}
