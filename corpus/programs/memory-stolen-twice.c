// A queue from whose other end somebody steals: the last item is taken without a look at whether it was stolen meanwhile.
//! verdict assertions violated
//! compile -fsanitize=thread
//! options --visible memory
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4, NOTHING = -1 };
static atomic_int top, bottom, items[SIZE], n_taken[2];

static void push(int item)
{
    int last = atomic_load(&bottom);
    atomic_store(&items[last % SIZE], item);
    atomic_store(&bottom, last + 1);
}

static int take(void)
{
    int last = atomic_load(&bottom) - 1;
    atomic_store(&bottom, last);
    int first = atomic_load(&top);
    if (first > last) {
        atomic_store(&bottom, first);
        return NOTHING;
    }
    int item = atomic_load(&items[last % SIZE]);
    if (first < last)
        return item;
    atomic_store(&top, first + 1);
    atomic_store(&bottom, last + 1);
    return item;
}

static int steal(void)
{
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom))
        return NOTHING;
    int item = atomic_load(&items[first % SIZE]);
    return atomic_compare_exchange_strong(&top, &first, first + 1) ? item : NOTHING;
}

static void count(int item)
{
    if (item != NOTHING)
        atomic_fetch_add(&n_taken[item], 1);
}

static void *thief(void *unused)
{
    count(steal());
    return NULL;
}

int main(void)
{
    pthread_t thread;
    push(0);
    push(1);
    pthread_create(&thread, NULL, thief, NULL);
    count(take());
    count(take());
    pthread_join(thread, NULL);
    assert(n_taken[0] == 1 && n_taken[1] == 1);
    return 0;
}
