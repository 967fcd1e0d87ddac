// Who comes second gives up, for a reason that the argument tells.
#include <cstdlib>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

struct Worker {
    virtual void work() = 0;
    void begin() { work(); }
    Worker() { begin(); }
};
struct Busy : Worker {
    void work() override {}
};

static void give_up(const std::string &why) {
    if (why == "throw")
        throw std::runtime_error("came second");
    if (why == "again")
        std::async(std::launch::deferred, [] { throw std::runtime_error("thrown again"); }).get();
    if (why == "number")
        throw 42;
    if (why == "pure")
        Busy busy;
    if (why == "thread")
        std::thread([] {});
    if (why == "abort")
        try {
            throw 1;
        } catch (int) {
            abort();
        }
}

static std::mutex lock;
static bool is_second;

static void run(const char *why) {
    std::lock_guard<std::mutex> guard(lock);
    if (is_second)
        give_up(why);
    is_second = true;
}

int main(int, char **arguments) {
    std::thread other(run, arguments[1]);
    run(arguments[1]);
    other.join();
}
