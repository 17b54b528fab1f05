/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel loops of the reading side. Threads are started per loop: a loop here runs for milliseconds and more, against
 * which a few starts of 20 us do not show, and a pool that sleeps in between would be one more thing with a lifetime. Short
 * loops that follow each other are rounds of one: their threads meet after each, and who comes last begins the next.
 */
#include "pool.h"
#include "atomic.h"
#include "fs.h"
#include "str.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- how many CPUs -- */

enum { WIDTH_MAX = 1024 };

static unsigned affinity_width(void)
{
	/* The kernel refuses a set smaller than its own: ask with larger ones until it fits. */
	for (int cpus = CPU_SETSIZE; cpus <= 64 * CPU_SETSIZE; cpus *= 4) {
		cpu_set_t *set = CPU_ALLOC((size_t)cpus);
		if (!set)
			break;
		size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
		int n = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
		CPU_FREE(set);
		if (n > 0)
			return (unsigned)n;
	}
	return 1;
}

/* The first `n` words of a small file. Returns how many there are; text holds them. */
static unsigned read_words(const char *path, char *text, size_t size, struct weft_str *word, unsigned n)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	size_t len = fread(text, 1, size, f);
	fclose(f);
	struct weft_str rest = weft_str_trim(weft_str_n(text, len));
	unsigned found = 0;
	while (found < n && weft_str_cut(&rest, ' ', &word[found]))
		found++;
	return found;
}

/* ceil(quota / period); 0: no limit ("max" in version 2, -1 in version 1). */
static unsigned quota_width(struct weft_str quota, struct weft_str period)
{
	uint64_t q, p;
	if (weft_parse_u64(quota, &q) || weft_parse_u64(period, &p) || q == 0 || p == 0)
		return 0;
	uint64_t n = q / p + (q % p != 0);
	return n < WIDTH_MAX ? (unsigned)n : WIDTH_MAX;
}

/* Version 2: one file "QUOTA PERIOD". */
static unsigned quota_v2(const char *folder)
{
	char path[PATH_MAX], text[64];
	struct weft_str word[2];
	if (snprintf(path, sizeof path, "%s/cpu.max", folder) >= (int)sizeof path ||
	    read_words(path, text, sizeof text, word, 2) != 2)
		return 0;
	return quota_width(word[0], word[1]);
}

/* Version 1: a file each. */
static unsigned quota_v1(const char *folder)
{
	char path[PATH_MAX], quota_text[32], period_text[32];
	struct weft_str quota, period;
	if (snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder) >= (int)sizeof path ||
	    read_words(path, quota_text, sizeof quota_text, &quota, 1) != 1)
		return 0;
	if (snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder) >= (int)sizeof path ||
	    read_words(path, period_text, sizeof period_text, &period, 1) != 1)
		return 0;
	return quota_width(quota, period);
}

/* The narrowest quota of the group and of all above it; in a container the path may not exist below its own mount. */
static unsigned narrowest_quota(const char *root, const char *mount, struct weft_str group, unsigned (*quota)(const char *))
{
	char folder[PATH_MAX];
	size_t base = (size_t)snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, mount);
	if (base + group.n >= sizeof folder)
		return 0;
	memcpy(folder + base, group.at, group.n);
	size_t n = base + group.n;
	unsigned least = 0;
	for (;;) {
		folder[n] = '\0';
		unsigned width = quota(folder);
		if (width && (!least || width < least))
			least = width;
		if (n <= base)
			return least;
		while (n > base && folder[--n] != '/')
			;
	}
}

static bool has_controller(struct weft_str list, const char *name)
{
	struct weft_str one;
	while (weft_str_cut(&list, ',', &one))
		if (weft_str_eq(one, name))
			return true;
	return false;
}

/* A line of /proc/self/cgroup: "0::/group" (version 2) or "4:cpu,cpuacct:/group" (version 1). */
static unsigned quota_of_line(const char *root, struct weft_str line)
{
	struct weft_str number, controllers;
	if (!weft_str_cut(&line, ':', &number) || !weft_str_cut(&line, ':', &controllers) || !line.at)
		return 0;
	if (controllers.n == 0)
		return narrowest_quota(root, "", line, quota_v2);
	if (has_controller(controllers, "cpu"))
		return narrowest_quota(root, "/cpu", line, quota_v1); /* a link where it is mounted as cpu,cpuacct */
	return 0;
}

unsigned weft_pool_quota(const char *root)
{
	char path[PATH_MAX];
	char *text = NULL;
	size_t n = 0;
	if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path || weft_read_file(path, &text, &n, NULL))
		return 0;
	unsigned least = 0;
	struct weft_str rest = weft_str_n(text, n), line;
	while (weft_str_cut(&rest, '\n', &line)) {
		unsigned width = quota_of_line(root, line);
		if (width && (!least || width < least))
			least = width;
	}
	free(text);
	return least;
}

unsigned weft_pool_width(void)
{
	uint64_t asked;
	const char *threads = getenv("WEFT_THREADS");
	if (threads && !weft_parse_u64(weft_str(threads), &asked) && asked > 0)
		return asked < WIDTH_MAX ? (unsigned)asked : WIDTH_MAX;
	unsigned width = affinity_width(), quota = weft_pool_quota("");
	return quota && quota < width ? quota : width;
}

/* -- giving up -- */

enum { LOOK_EVERY = 32 };

static _Thread_local const struct weft_stop *own_stop;
static _Thread_local unsigned stop_steps;

const struct weft_stop *weft_stop_set(const struct weft_stop *stop)
{
	const struct weft_stop *was = own_stop;
	own_stop = stop;
	return was;
}

const struct weft_stop *weft_stop_get(void)
{
	return own_stop;
}

bool weft_stop_now(void)
{
	return own_stop && own_stop->asked(own_stop->arg);
}

bool weft_stop_soon(void)
{
	return own_stop && ++stop_steps % LOOK_EVERY == 0 && own_stop->asked(own_stop->arg);
}

/* -- the loop -- */

struct loop {
	size_t n;
	int (*fn)(void *arg, size_t i, unsigned worker);
	void *arg;
	const struct weft_stop *given_up; /* of the thread that began it */
	struct weft_atomic_u64 next;
	struct weft_atomic_bool stop;
	pthread_mutex_t lock; /* of the rest */
	size_t failed_i;
	int failed_code;
	int64_t (*begin)(void *arg); /* NULL: one round */
	struct weft_atomic_u64 round;
	pthread_cond_t begun;
	unsigned threads, arrived; /* at the end of the round */
	bool over;
};

struct worker {
	struct loop *loop;
	unsigned number;
	pthread_t thread;
};

static void loop_fail(struct loop *l, size_t i, int code)
{
	weft_store_bool(&l->stop, true);
	pthread_mutex_lock(&l->lock);
	if (!l->failed_code || i < l->failed_i) {
		l->failed_code = code;
		l->failed_i = i;
	}
	pthread_mutex_unlock(&l->lock);
}

/* The last to arrive: the round is over. */
static void next_round(struct loop *l)
{
	int64_t n = l->failed_code ? 0 : l->begin(l->arg);
	l->arrived = 0;
	l->over = n <= 0;
	l->failed_code = n < 0 ? (int)n : l->failed_code;
	l->n = n > 0 ? (size_t)n : 0;
	weft_store_relaxed_u64(&l->next, 0);
	weft_store_u64(&l->round, weft_load_u64(&l->round) + 1);
	pthread_cond_broadcast(&l->begun);
}

/* Waits until all have come to the end of the round, for a short while without sleeping. False: it was the last. */
static bool meet(struct loop *l)
{
	enum { LOOKS = 500 };
	if (!l->begin)
		return false;
	pthread_mutex_lock(&l->lock);
	uint64_t round = weft_load_u64(&l->round);
	bool last = ++l->arrived == l->threads;
	if (last)
		next_round(l);
	pthread_mutex_unlock(&l->lock);
	for (unsigned i = 0; i < LOOKS && weft_load_u64(&l->round) == round; i++)
		sched_yield();
	pthread_mutex_lock(&l->lock);
	while (weft_load_u64(&l->round) == round)
		pthread_cond_wait(&l->begun, &l->lock);
	bool over = l->over;
	pthread_mutex_unlock(&l->lock);
	return !over;
}

static void loop_round(struct worker *w)
{
	struct loop *l = w->loop;
	while (!weft_load_bool(&l->stop)) {
		/* Relaxed: the number is all that is taken; what fn reads was written before the threads began. */
		uint64_t i = weft_add_relaxed_u64(&l->next, 1);
		if (i >= l->n)
			break;
		int rc = weft_stop_now() ? -ECANCELED : l->fn(l->arg, i, w->number);
		if (rc < 0)
			loop_fail(l, i, rc);
	}
}

static void *loop_work(void *arg)
{
	struct worker *w = arg;
	weft_stop_set(w->loop->given_up);
	do
		loop_round(w);
	while (meet(w->loop));
	return NULL;
}

static int run(struct loop *l, unsigned threads)
{
	struct worker self = {.loop = l, .number = 0};
	l->given_up = weft_stop_get();
	/* Where memory or threads are short, those that there are do all the work. */
	struct worker *others = threads > 1 ? calloc(threads - 1, sizeof *others) : NULL;
	unsigned started = 0;
	pthread_mutex_lock(&l->lock); /* nobody meets before it is known how many there are */
	while (others && started < threads - 1) {
		struct worker *w = &others[started];
		*w = (struct worker){.loop = l, .number = started + 1};
		if (pthread_create(&w->thread, NULL, loop_work, w))
			break;
		started++;
	}
	l->threads = started + 1;
	pthread_mutex_unlock(&l->lock);
	loop_work(&self);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i].thread, NULL);
	free(others);
	return l->failed_code;
}

int weft_parallel(unsigned threads, size_t n, int (*fn)(void *arg, size_t i, unsigned worker), void *arg)
{
	struct loop l = {.n = n, .fn = fn, .arg = arg, .lock = PTHREAD_MUTEX_INITIALIZER};
	if (threads == 0)
		threads = weft_pool_width();
	return run(&l, threads < n ? threads : n ? (unsigned)n : 1);
}

int weft_parallel_rounds(unsigned threads, int64_t (*begin)(void *arg), int (*fn)(void *arg, size_t i, unsigned worker),
                         void *arg)
{
	struct loop l = {.fn = fn,
	                 .arg = arg,
	                 .lock = PTHREAD_MUTEX_INITIALIZER,
	                 .begin = begin,
	                 .begun = PTHREAD_COND_INITIALIZER};
	int64_t n = begin(arg);
	if (n <= 0)
		return (int)n;
	l.n = (size_t)n;
	return run(&l, threads ? threads : weft_pool_width());
}
