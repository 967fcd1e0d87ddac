// What a thread does after it set a value is not known to whoever gets it: only what it set for its end is given at its end.
//! verdict races violated
//! verdict exit violated
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
        promise.set_value(5);
        log_length = 1;
    }, std::move(promise));
    int status = future.get() == 5 && log_length == 1 ? 0 : 1;
    thread.join();
    return status;
}
