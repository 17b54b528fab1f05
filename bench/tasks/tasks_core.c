/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's core without any API above it: what the API may cost at least. */
#include "tasks.h"
#include "runtime/core/core.h"

static struct rt_runtime *rt;
static struct rt_handle data[DATA];
static struct weft_atomic_bool held;

static enum rt_verdict body(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	tasks_body();
	return RT_DONE;
}

static enum rt_verdict body_hold(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	while (weft_load_bool(&held))
		usleep(100);
	return RT_DONE;
}

static enum rt_verdict body_note(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	tasks_note();
	return RT_DONE;
}

static int begin(unsigned workers)
{
	struct weft_err err = {0};
	struct rt_how how = {.workers = workers, .spin_ns = 50000};
	for (unsigned i = 0; i < DATA; i++)
		rt_handle_init(&data[i]);
	return rt_begin(&rt, &how, &err);
}

static void end(void)
{
	rt_end(rt);
}

static void open_pattern(void)
{
}

static void wait_all(void)
{
	rt_wait_all(rt);
}

static void submit(rt_body *what, const unsigned *read, unsigned n_read, const unsigned *write, unsigned n_write)
{
	struct rt_submitter *me = rt_self(rt);
	struct rt_job *j = me ? rt_prepare(me) : NULL;
	if (!j)
		abort();
	j->body = what;
	j->n_accesses = (uint16_t)(n_read + n_write);
	for (unsigned i = 0; i < n_read; i++) {
		j->access[i] = &data[read[i]];
		j->mode[i] = RT_READ;
	}
	for (unsigned i = 0; i < n_write; i++) {
		j->access[n_read + i] = &data[write[i]];
		j->mode[n_read + i] = n_read ? RT_WRITE : RT_READ | RT_WRITE;
	}
	if (rt_submit(me, j))
		abort();
}

static void none(void)
{
	submit(body, NULL, 0, NULL, 0);
}

static void writes(const unsigned *d, unsigned n)
{
	if (n > RT_ACCESSES)
		exit(STATUS_SKIPPED);
	submit(body, NULL, 0, d, n);
}

static void reads(const unsigned *read, unsigned n, unsigned w)
{
	submit(body, read, n, &w, 1);
}

static void hold(void)
{
	unsigned zero = 0;
	weft_store_bool(&held, true);
	submit(body_hold, NULL, 0, &zero, 1);
}

static void let(void)
{
	weft_store_bool(&held, false);
}

static void noted(void)
{
	submit(body_note, NULL, 0, NULL, 0);
}

int main(int argc, char **argv)
{
	struct runtime r = {begin, end, open_pattern, wait_all, none, writes, reads, NULL, NULL, NULL, hold, let, noted, NULL};
	return tasks_main(&r, argc, argv);
}
