/* A driver for tests: each delivery may fail, so it can be that nothing is delivered at all. */
#include <pthread.h>
#include <allways.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int delivered, lost;

static void *machine(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++) {
		int fails = aw_toss(1);

		pthread_mutex_lock(&lock);
		if (fails)
			lost++;
		else
			delivered++;
		aw_assert(delivered + lost <= 4);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, machine, NULL);
	pthread_create(&second, NULL, machine, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	aw_assert(delivered > 0);
	return 0;
}
