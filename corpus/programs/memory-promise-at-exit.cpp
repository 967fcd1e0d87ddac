// What a thread does before its end is known to whoever gets the value that it set for its end: the library of C++ makes the value known, and announces nothing.
//! compile -fsanitize=thread
//! options --visible memory
#include <future>
#include <thread>

static int log_length;

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([](std::promise<int> promise) {
        promise.set_value_at_thread_exit(5);
        log_length = 1;
    }, std::move(promise));
    int status = future.get() == 5 && log_length == 1 ? 0 : 1;
    thread.join();
    return status;
}
