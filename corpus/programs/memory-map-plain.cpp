// One thread adds to a map while another one looks something up without the lock: the map is linked in the library of C++, which announces nothing.
//! verdict races violated
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
    return squares.count(number) != 0;
}

int main()
{
    std::thread writer(add, 2), reader(knows, 3);
    writer.join();
    reader.join();
    return 0;
}
