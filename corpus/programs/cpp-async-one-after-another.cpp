// What a task leaves to its future is at the place where that of the task before was.
#include <future>
#include <allways.h>

int main()
{
    for (int i = 0; i < 3; i++) {
        std::future<int> result = std::async(std::launch::async, [i] { return i; });
        aw_assert(result.get() == i);
    }
}
