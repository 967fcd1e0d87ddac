// A thread of C++ 20 shares a state with those who may ask it to stop; that is made of atomic operations, which are not visible here.
//! compile -std=c++20
#include <thread>

int main()
{
    std::jthread thread([] {});
    return 0;
}
