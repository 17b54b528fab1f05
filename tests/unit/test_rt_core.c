/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of the runtime: random programs of tasks over handles, whose every read must see what it would see in the order of
 * submission; many predecessors; explicit dependencies; several threads that submit; workers that submit; sleeping and waking.
 */
#include "harness.h"
#include "runtime/core/core.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct rt_runtime *begin(unsigned workers, uint64_t spin_ns)
{
	struct rt_runtime *r;
	struct weft_err err = {0};
	struct rt_how how = {.workers = workers, .spin_ns = spin_ns};
	if (rt_begin(&r, &how, &err)) {
		CHECK_STR(err.text, "");
		test_abandon();
	}
	return r;
}

/* -- a random program -- */

enum { HANDLES = 12 };
struct cell { /* a handle and its data */
	struct rt_handle handle;
	uint64_t value;
};
struct step {
	unsigned n, cell[RT_ACCESSES];
	uint32_t mode[RT_ACCESSES];
	uint64_t saw; /* of what it read */
	struct cell *cells;
};

static uint64_t mixed(uint64_t a, uint64_t b)
{
	return (a ^ b) * UINT64_C(0x9e3779b97f4a7c15) + (a >> 29);
}

/* What a task does with plain memory: reads all that it may, writes what it must. */
static void do_step(struct step *s, struct cell *cells)
{
	s->saw = 17;
	for (unsigned i = 0; i < s->n; i++)
		if (s->mode[i] & RT_READ)
			s->saw = mixed(s->saw, cells[s->cell[i]].value);
	for (unsigned i = 0; i < s->n; i++)
		if (s->mode[i] & RT_WRITE)
			cells[s->cell[i]].value = mixed(s->saw, s->cell[i]);
}

static enum rt_verdict body_step(struct rt_job *j, struct rt_worker *w)
{
	struct step *s = j->arg;
	(void)w;
	do_step(s, s->cells);
	return s->n ? RT_DONE : RT_DONE_UNKNOWN;
}

static void make_program(struct step *s, size_t n)
{
	unsigned crowd = 1 + (unsigned)(test_random() % HANDLES);
	for (size_t i = 0; i < n; i++) {
		s[i].n = (unsigned)(test_random() % (RT_ACCESSES + 1));
		for (unsigned k = 0; k < s[i].n; k++) {
			s[i].cell[k] = (unsigned)(test_random() % crowd);
			s[i].mode[k] = 1 + (uint32_t)(test_random() % 8 < 3 ? test_random() % 3 : 0);
		}
	}
}

static void submit_step(struct rt_submitter *me, struct step *s, struct cell *cells)
{
	struct rt_job *j = rt_prepare(me);
	REQUIRE(j != NULL);
	s->cells = cells;
	j->body = body_step;
	j->arg = s;
	j->n_accesses = (uint16_t)s->n;
	for (unsigned k = 0; k < s->n; k++) {
		j->access[k] = &cells[s->cell[k]].handle;
		j->mode[k] = s->mode[k];
	}
	REQUIRE(rt_submit(me, j) == 0);
}

static void check_programs(unsigned workers, unsigned programs, size_t length)
{
	static struct cell cells[HANDLES], model[HANDLES];
	struct step *s = calloc(length, sizeof *s);
	REQUIRE(s != NULL);
	struct rt_runtime *r = begin(workers, 10000);
	for (unsigned p = 0; p < programs; p++) {
		make_program(s, length);
		for (unsigned h = 0; h < HANDLES; h++) {
			rt_handle_init(&cells[h].handle);
			cells[h].value = model[h].value = h;
		}
		for (size_t i = 0; i < length; i++)
			submit_step(rt_self(r), &s[i], cells);
		rt_wait_all(r);
		size_t wrong = 0;
		for (size_t i = 0; i < length; i++) {
			uint64_t saw = s[i].saw;
			do_step(&s[i], model);
			wrong += saw != s[i].saw;
		}
		CHECK_U64(wrong, 0);
		for (unsigned h = 0; h < HANDLES; h++) {
			CHECK_U64(cells[h].value, model[h].value);
			rt_handle_fini(&cells[h].handle);
		}
	}
	rt_end(r);
	free(s);
}

TEST(programs_run_as_if_in_order_on_one_worker)
{
	check_programs(1, 30, 1000);
}

TEST(programs_run_as_if_in_order_on_two_workers)
{
	check_programs(2, 50, 1000);
}

TEST(programs_run_as_if_in_order_on_many_workers)
{
	check_programs(7, 30, 1000);
}

/* -- many predecessors -- */

static struct weft_atomic_u32 counted;

static enum rt_verdict body_count(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	weft_add_u32(&counted, 1);
	return RT_DONE;
}

static enum rt_verdict body_saw(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	*(uint32_t *)j->arg = weft_load_u32(&counted);
	return RT_DONE;
}

TEST(a_writer_waits_for_any_number_of_readers)
{
	static const unsigned sizes[] = {1, 7, 8, 9, 15, 16, 17, 64, 65, 500, 5000};
	struct rt_runtime *r = begin(3, 10000);
	struct rt_submitter *me = rt_self(r);
	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		struct rt_handle h;
		uint32_t saw = 0;
		rt_handle_init(&h);
		weft_store_u32(&counted, 0);
		for (unsigned i = 0; i <= sizes[k]; i++) {
			struct rt_job *j = rt_prepare(me);
			bool last = i == sizes[k];
			j->body = last ? body_saw : body_count;
			j->arg = &saw;
			j->n_accesses = 1;
			j->access[0] = &h;
			j->mode[0] = last ? RT_WRITE : RT_READ;
			REQUIRE(rt_submit(me, j) == 0);
		}
		rt_wait_all(r);
		CHECK_U64(saw, sizes[k]);
		rt_handle_fini(&h);
	}
	rt_end(r);
}

TEST(explicit_dependencies_hold)
{
	struct rt_runtime *r = begin(2, 0);
	struct rt_submitter *me = rt_self(r);
	uint32_t saw[100] = {0};
	for (unsigned i = 0; i < 100; i++) {
		rt_ref before[20];
		weft_store_u32(&counted, 0);
		for (unsigned k = 0; k < 20; k++) {
			struct rt_job *j = rt_prepare(me);
			j->body = body_count;
			before[k] = rt_job_ref(j);
			REQUIRE(rt_submit(me, j) == 0);
		}
		struct rt_job *j = rt_prepare(me);
		j->body = body_saw;
		j->arg = &saw[i];
		for (unsigned k = 0; k < 20; k++)
			REQUIRE(rt_after(me, before[k]) == 0);
		REQUIRE(rt_submit(me, j) == 0);
		rt_wait_all(r);
		CHECK_U64(saw[i], 20);
	}
	rt_end(r);
}

/* -- who submits -- */

/* A task that submits two, down to the leaves. */
static enum rt_verdict body_tree(struct rt_job *j, struct rt_worker *w)
{
	uintptr_t depth = (uintptr_t)j->arg;
	weft_add_u32(&counted, 1);
	for (unsigned i = 0; i < 2 && depth; i++) {
		struct rt_job *child = rt_prepare(&w->self);
		child->body = body_tree;
		child->arg = (void *)(depth - 1);
		if (rt_submit(&w->self, child))
			abort();
	}
	return RT_DONE;
}

TEST(tasks_submit_tasks)
{
	struct rt_runtime *r = begin(3, 1000);
	for (unsigned round = 0; round < 20; round++) {
		struct rt_job *j = rt_prepare(rt_self(r));
		weft_store_u32(&counted, 0);
		j->body = body_tree;
		j->arg = (void *)10;
		REQUIRE(rt_submit(rt_self(r), j) == 0);
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&counted), 2047);
	}
	rt_end(r);
}

static struct rt_handle shared[2];
static uint64_t sum[2];

static enum rt_verdict body_add(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	sum[0]++;
	sum[1] += 2;
	return RT_DONE;
}

/* Over the same two handles, named in either order. */
static void *submit_adds(void *runtime)
{
	struct rt_submitter *me = rt_self(runtime);
	for (unsigned i = 0; i < 5000; i++) {
		struct rt_job *j = rt_prepare(me);
		j->body = body_add;
		j->n_accesses = 2;
		for (unsigned k = 0; k < 2; k++) {
			j->access[k] = &shared[(i + k) % 2];
			j->mode[k] = RT_READ | RT_WRITE;
		}
		if (rt_submit(me, j))
			abort();
	}
	return NULL;
}

TEST(threads_submit_over_the_same_handles)
{
	struct rt_runtime *r = begin(2, 10000);
	pthread_t thread[4];
	sum[0] = sum[1] = 0;
	for (unsigned i = 0; i < 2; i++)
		rt_handle_init(&shared[i]);
	for (unsigned i = 0; i < 4; i++)
		REQUIRE(pthread_create(&thread[i], NULL, submit_adds, r) == 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	rt_wait_all(r);
	CHECK_U64(sum[0], 20000);
	CHECK_U64(sum[1], 40000);
	for (unsigned i = 0; i < 2; i++)
		rt_handle_fini(&shared[i]);
	rt_end(r);
}

/* -- sleeping -- */

TEST(workers_wake_up_from_sleep)
{
	struct rt_runtime *r = begin(2, 0);
	weft_store_u32(&counted, 0);
	for (unsigned i = 0; i < 200; i++) {
		struct rt_job *j = rt_prepare(rt_self(r));
		j->body = body_count;
		REQUIRE(rt_submit(rt_self(r), j) == 0);
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&counted), i + 1);
		if (i % 20 == 0)
			nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	rt_end(r);
}

static struct weft_atomic_u32 ran_on[2];

/* The first one: meanwhile the other worker falls asleep. */
static enum rt_verdict body_slow(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	return RT_DONE;
}

static enum rt_verdict body_meet(struct rt_job *j, struct rt_worker *w)
{
	(void)j;
	weft_add_u32(&ran_on[w->number], 1);
	WAIT_FOR(weft_load_u32(&ran_on[1 - w->number]));
	return RT_DONE;
}

TEST(what_a_worker_releases_wakes_the_others)
{
	struct rt_runtime *r = begin(2, 0);
	struct rt_submitter *me = rt_self(r);
	weft_store_u32(&ran_on[0], 0);
	weft_store_u32(&ran_on[1], 0);
	rt_ref first = 0;
	for (unsigned i = 0; i < 21; i++) {
		struct rt_job *j = rt_prepare(me);
		REQUIRE(j != NULL);
		j->body = i ? body_meet : body_slow;
		if (i)
			REQUIRE(rt_after(me, first) == 0);
		else
			first = rt_job_ref(j);
		REQUIRE(rt_submit(me, j) == 0);
	}
	rt_wait_all(r);
	CHECK(weft_load_u32(&ran_on[0]) > 0);
	CHECK(weft_load_u32(&ran_on[1]) > 0);
	rt_end(r);
}

static void submit_job(struct rt_runtime *r, rt_body *body, void *arg)
{
	struct rt_submitter *me = rt_self(r);
	struct rt_job *j = rt_prepare(me);
	j->body = body;
	j->arg = arg;
	CHECK_I64(rt_submit(me, j), 0);
}

/* -- threads that come and go -- */

static void *submit_some(void *runtime)
{
	for (unsigned i = 0; i < 3; i++)
		submit_job(runtime, body_count, NULL);
	return NULL;
}

static unsigned submitters(struct rt_runtime *r)
{
	unsigned n = 0;
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		n += !s->worker;
	return n;
}

TEST(threads_take_over_what_others_have_left)
{
	enum { THREADS = 1500, AT_ONCE = 4 };
	struct rt_runtime *r = begin(2, 1000);
	weft_store_u32(&counted, 0);
	for (unsigned i = 0; i < THREADS; i += AT_ONCE) {
		pthread_t t[AT_ONCE];
		for (unsigned k = 0; k < AT_ONCE; k++)
			CHECK_I64(pthread_create(&t[k], NULL, submit_some, r), 0);
		for (unsigned k = 0; k < AT_ONCE; k++)
			pthread_join(t[k], NULL);
	}
	rt_wait_all(r);
	CHECK_I64(weft_load_u32(&counted), 3 * THREADS);
	CHECK(submitters(r) <= AT_ONCE + 1);
	rt_end(r);
}

/* A thread submits to a runtime, and then to the next. */
struct lives {
	struct rt_runtime *runtime;
	pthread_barrier_t both;
};

static void *outlive(void *lives)
{
	struct lives *l = lives;
	for (unsigned i = 0; i < 3; i++) {
		pthread_barrier_wait(&l->both);
		submit_some(l->runtime);
		pthread_barrier_wait(&l->both);
	}
	return NULL;
}

TEST(threads_outlive_runtimes)
{
	struct lives l;
	pthread_t other;
	pthread_barrier_init(&l.both, NULL, 2);
	CHECK_I64(pthread_create(&other, NULL, outlive, &l), 0);
	for (unsigned i = 0; i < 3; i++) {
		l.runtime = begin(2, 1000);
		weft_store_u32(&counted, 0);
		pthread_barrier_wait(&l.both);
		pthread_barrier_wait(&l.both);
		rt_wait_all(l.runtime);
		CHECK_I64(weft_load_u32(&counted), 3);
		rt_end(l.runtime);
	}
	pthread_join(other, NULL);
	pthread_barrier_destroy(&l.both);
}

/* -- workers that run only what is placed on them -- */

TEST(a_worker_of_a_device_is_not_woken_for_the_work_of_others)
{
	static const uint8_t traits[] = {RT_W_ONLY_PLACED, 0, RT_W_ONLY_PLACED};
	struct rt_how how = {.workers = 3, .spin_ns = 1000, .traits = traits};
	struct weft_err err = {0};
	struct rt_runtime *r;
	REQUIRE(rt_begin(&r, &how, &err) == 0);
	weft_store_u32(&counted, 0);
	for (unsigned i = 0; i < 200; i++) {
		usleep(i % 4 * 100); /* meanwhile they go to sleep */
		submit_job(r, body_count, NULL);
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&counted), i + 1);
	}
	rt_end(r);
}

/* -- pausing -- */

enum { PAUSES = 300, SUBMITTED_IN_PAUSE = 3 };
struct pauses {
	struct rt_runtime *runtime;
	struct weft_atomic_bool stop, in_pause;
	struct weft_atomic_u32 early; /* jobs submitted in a pause that began in it */
};

static enum rt_verdict body_not_now(struct rt_job *j, struct rt_worker *w)
{
	struct pauses *p = j->arg;
	(void)w;
	if (weft_load_bool(&p->in_pause))
		weft_add_u32(&p->early, 1);
	return RT_DONE;
}

/* Work that comes at all times. */
static void *submit_until_told(void *pauses)
{
	struct pauses *p = pauses;
	while (!weft_load_bool(&p->stop)) {
		submit_job(p->runtime, body_count, NULL);
		if (rt_unfinished(p->runtime) > 1000)
			usleep(100);
	}
	return NULL;
}

static void pause_often(unsigned workers, uint64_t spin_ns)
{
	struct pauses p = {.runtime = begin(workers, spin_ns)};
	pthread_t other;
	CHECK_I64(pthread_create(&other, NULL, submit_until_told, &p), 0);
	for (unsigned i = 0; i < PAUSES; i++) {
		rt_ask(p.runtime, RT_ASK_PAUSE, 0);
		rt_wait_paused(p.runtime);
		weft_store_bool(&p.in_pause, true);
		for (unsigned k = 0; k < SUBMITTED_IN_PAUSE; k++)
			submit_job(p.runtime, body_not_now, &p);
		usleep(i % 8 ? 0 : 300);
		weft_store_bool(&p.in_pause, false);
		rt_ask(p.runtime, 0, RT_ASK_PAUSE);
		if (i % 3)
			usleep(i % 50);
	}
	weft_store_bool(&p.stop, true);
	pthread_join(other, NULL);
	rt_wait_all(p.runtime);
	rt_end(p.runtime);
	CHECK_I64(weft_load_u32(&p.early), 0);
}

TEST(no_job_begins_in_a_pause)
{
	pause_often(2, 20000);
	pause_often(1, 0);
	pause_often(5, 1000);
}

/* Jobs that pause, or wait for somebody, are not waited for by those who pause. */
static struct weft_atomic_u32 gathered;
static enum rt_verdict body_pause(struct rt_job *j, struct rt_worker *w)
{
	(void)j;
	weft_add_u32(&gathered, 1);
	while (weft_load_u32(&gathered) < 3)
		sched_yield();
	rt_ask(w->runtime, RT_ASK_PAUSE, 0);
	rt_wait_paused(w->runtime);
	return RT_DONE;
}

TEST(jobs_pause_at_the_same_time)
{
	struct rt_runtime *r = begin(3, 1000);
	weft_store_u32(&gathered, 0);
	weft_store_u32(&counted, 0);
	submit_job(r, body_pause, NULL);
	submit_job(r, body_pause, NULL);
	while (weft_load_u32(&gathered) < 2)
		sched_yield();
	submit_job(r, body_pause, NULL);
	while (rt_unfinished(r))
		sched_yield();
	submit_job(r, body_count, NULL);
	rt_wait_paused(r);
	usleep(1000);
	CHECK_I64(weft_load_u32(&counted), 0);
	rt_ask(r, 0, RT_ASK_PAUSE);
	rt_wait_all(r);
	CHECK_I64(weft_load_u32(&counted), 1);
	rt_end(r);
}

TEST(begins_and_ends_many_times)
{
	for (unsigned i = 0; i < 30; i++) {
		struct rt_runtime *r = begin(1 + i % 4, i % 2 ? 0 : 20000);
		struct rt_job *j = rt_prepare(rt_self(r));
		weft_store_u32(&counted, 0);
		j->body = body_count;
		REQUIRE(rt_submit(rt_self(r), j) == 0);
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&counted), 1);
		rt_end(r);
	}
}

/* -- jobs that end later, come back, or are done at once -- */

static struct rt_job *held;
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t held_cond = PTHREAD_COND_INITIALIZER;

static enum rt_verdict body_hold(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	pthread_mutex_lock(&held_lock);
	held = j;
	pthread_cond_signal(&held_cond);
	pthread_mutex_unlock(&held_lock);
	return RT_LATER;
}

static struct rt_job *wait_held(void)
{
	pthread_mutex_lock(&held_lock);
	while (!held)
		pthread_cond_wait(&held_cond, &held_lock);
	struct rt_job *j = held;
	held = NULL;
	pthread_mutex_unlock(&held_lock);
	return j;
}

TEST(a_job_ends_when_it_is_finished_from_outside)
{
	struct rt_runtime *r = begin(2, 1000);
	struct rt_submitter *me = rt_self(r);
	for (unsigned i = 0; i < 50; i++) {
		uint32_t saw = 99;
		weft_store_u32(&counted, 0);
		struct rt_job *j = rt_prepare(me);
		j->body = body_hold;
		rt_ref first = rt_job_ref(j);
		REQUIRE(rt_submit(me, j) == 0);
		j = rt_prepare(me);
		j->body = body_saw;
		j->arg = &saw;
		REQUIRE(rt_after(me, first) == 0);
		REQUIRE(rt_submit(me, j) == 0);
		j = wait_held();
		weft_store_u32(&counted, 7);
		rt_finish(r, j);
		rt_wait_all(r);
		CHECK_U64(saw, 7);
	}
	rt_end(r);
}

static struct rt_worker *came_back_to[2];
static enum rt_verdict body_twice(struct rt_job *j, struct rt_worker *w)
{
	unsigned *times = j->arg;
	came_back_to[*times] = w;
	return (*times)++ ? RT_DONE : body_hold(j, w);
}

TEST(a_job_comes_back_to_the_worker_that_is_named)
{
	struct rt_runtime *r = begin(3, 0);
	for (unsigned i = 0; i < 50; i++) {
		unsigned times = 0;
		struct rt_job *j = rt_prepare(rt_self(r));
		j->body = body_twice;
		j->arg = &times;
		REQUIRE(rt_submit(rt_self(r), j) == 0);
		j = wait_held();
		rt_again(&r->worker[i % 3], j);
		rt_wait_all(r);
		CHECK_U64(times, 2);
		CHECK(came_back_to[1] == &r->worker[i % 3]);
	}
	rt_end(r);
}

static enum rt_verdict run_count(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	weft_add_u32(&counted, 1);
	return RT_DONE;
}

TEST(long_chains_are_done_at_once)
{
	static struct rt_at_once count = {run_count};
	struct rt_runtime *r = begin(1, 0);
	struct rt_submitter *me = rt_self(r);
	for (unsigned held_by_worker = 0; held_by_worker < 2; held_by_worker++) {
		weft_store_u32(&counted, 0);
		struct rt_job *j = rt_prepare(me);
		j->body = body_hold;
		rt_ref before = rt_job_ref(j);
		REQUIRE(rt_submit(me, j) == 0);
		for (unsigned i = 0; i < 100000; i++) {
			j = rt_prepare(me);
			j->body = NULL;
			j->arg = &count;
			REQUIRE(rt_after(me, before) == 0);
			before = rt_job_ref(j);
			REQUIRE(rt_submit(me, j) == 0);
		}
		j = wait_held();
		CHECK_U64(weft_load_u32(&counted), 0);
		if (held_by_worker) {
			j->body = body_count;
			rt_again(r->worker, j);
		} else {
			rt_finish(r, j);
			CHECK_U64(weft_load_u32(&counted), 100000);
		}
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&counted), 100000 + held_by_worker);
	}
	rt_end(r);
}

/* -- groups that commute -- */

static struct weft_atomic_u64 commuted;

static enum rt_verdict body_commute(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	/* The group's members do not depend on each other: they only add. */
	weft_add_u64(&commuted, (uintptr_t)j->arg);
	return RT_DONE;
}

static enum rt_verdict body_look(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	*(uint64_t *)j->arg = weft_load_u64(&commuted);
	return RT_DONE;
}

TEST(what_follows_a_group_sees_all_of_it)
{
	enum { STEPS = 2000 };
	static uint64_t saw[STEPS], want[STEPS];
	struct rt_runtime *r = begin(3, 1000);
	struct rt_submitter *me = rt_self(r);
	struct rt_handle h;
	rt_handle_init(&h);
	uint64_t sum_so_far = 0;
	weft_store_u64(&commuted, 0);
	for (unsigned i = 0; i < STEPS; i++) {
		struct rt_job *j = rt_prepare(me);
		j->n_accesses = 1;
		j->access[0] = &h;
		bool adds = test_random() % 4;
		saw[i] = want[i] = 0;
		if (adds) {
			j->body = body_commute;
			j->arg = (void *)(uintptr_t)(i + 1);
			j->mode[0] = RT_READ | RT_WRITE | RT_COMMUTE;
			sum_so_far += i + 1;
		} else {
			j->body = body_look;
			j->arg = &saw[i];
			j->mode[0] = test_random() % 2 ? RT_READ : RT_READ | RT_WRITE;
			want[i] = sum_so_far;
		}
		REQUIRE(rt_submit(me, j) == 0);
	}
	rt_wait_all(r);
	size_t wrong = 0;
	for (unsigned i = 0; i < STEPS; i++)
		wrong += saw[i] != want[i];
	CHECK_U64(wrong, 0);
	rt_handle_fini(&h);
	rt_end(r);
}

/* More accesses than a job has room for. */
TEST(a_job_has_any_number_of_accesses)
{
	enum { MANY = 300 };
	static struct rt_handle h[MANY];
	uint32_t saw[20] = {0};
	struct rt_runtime *r = begin(2, 1000);
	struct rt_submitter *me = rt_self(r);
	for (unsigned i = 0; i < MANY; i++)
		rt_handle_init(&h[i]);
	weft_store_u32(&counted, 0);
	for (unsigned i = 0; i < 20; i++) {
		for (unsigned k = 0; k < MANY; k++) {
			struct rt_job *j = rt_prepare(me);
			j->body = body_count;
			j->n_accesses = 1;
			j->access[0] = &h[k];
			j->mode[0] = RT_WRITE;
			REQUIRE(rt_submit(me, j) == 0);
		}
		struct rt_job *j = rt_prepare(me);
		j->body = body_saw;
		j->arg = &saw[i];
		REQUIRE(rt_job_make_room(me->pool, j, MANY) == 0);
		for (unsigned k = 0; k < MANY; k++) {
			rt_job_handles(j)[k] = &h[(k * 7 + i) % MANY];
			rt_job_modes(j)[k] = k % 2 ? RT_WRITE : RT_READ;
		}
		REQUIRE(rt_submit(me, j) == 0);
	}
	rt_wait_all(r);
	for (unsigned i = 0; i < 20; i++)
		CHECK(saw[i] >= (i + 1) * MANY);
	for (unsigned i = 0; i < MANY; i++)
		rt_handle_fini(&h[i]);
	rt_end(r);
}

static enum rt_verdict body_adds(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	*(uint32_t *)j->arg += 1; /* the order of the jobs is all that guards it */
	return RT_DONE;
}

/* In the job itself, beside it, and in memory of their own; each job prepared twice, as one whose submission did not work. */
TEST(accesses_are_kept_wherever_they_are)
{
	enum { MOST = 2 * RT_ACCESSES_BESIDE + 1, JOBS = 3000 };
	static struct rt_handle h[MOST];
	uint32_t adds = 0;
	struct rt_runtime *r = begin(2, 1000);
	struct rt_submitter *me = rt_self(r);
	for (unsigned i = 0; i < MOST; i++)
		rt_handle_init(&h[i]);
	for (unsigned i = 0; i < JOBS; i++) {
		unsigned n = 1 + i % MOST;
		struct rt_job *j = rt_prepare(me);
		j->body = body_adds;
		j->arg = &adds;
		REQUIRE(rt_job_make_room(me->pool, j, 1 + test_random() % MOST) == 0);
		REQUIRE(rt_job_make_room(me->pool, j, n) == 0);
		CHECK_U64(j->n_accesses, n);
		/* All have the first one. */
		for (unsigned k = 0; k < n; k++) {
			rt_job_handles(j)[k] = &h[k];
			rt_job_modes(j)[k] = RT_READ | RT_WRITE;
		}
		if (i % 5 == 0)
			rt_forget(me, j);
		else
			REQUIRE(rt_submit(me, j) == 0);
	}
	rt_wait_all(r);
	CHECK_U64(adds, JOBS - JOBS / 5);
	for (unsigned i = 0; i < MOST; i++)
		rt_handle_fini(&h[i]);
	rt_end(r);
}

static enum rt_verdict body_cpus(struct rt_job *j, struct rt_worker *w)
{
	(void)w;
	REQUIRE(sched_getaffinity(0, sizeof(cpu_set_t), j->arg) == 0);
	return RT_DONE;
}

/* Nobody has said where workers run: they may run where the process may. */
TEST(workers_without_a_cpu_are_not_bound)
{
	struct rt_runtime *r = begin(1, 1000);
	struct rt_submitter *s = rt_self(r);
	struct rt_job *j = rt_prepare(s);
	cpu_set_t own, its;
	CPU_ZERO(&its);
	REQUIRE(sched_getaffinity(0, sizeof own, &own) == 0);
	j->body = body_cpus;
	j->arg = &its;
	REQUIRE(rt_submit(s, j) == 0);
	rt_wait_all(r);
	CHECK(CPU_EQUAL(&own, &its));
	rt_end(r);
}
