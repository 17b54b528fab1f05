/* SPDX-License-Identifier: Apache-2.0 */
/* An ordinary StarPU program: compiled once against us, once against Debian's StarPU 1.3. */
#include <starpu.h>
#include <starpu_openmp.h>
#include "tasks.h"

static starpu_data_handle_t data[DATA];
static int values[DATA];
static volatile int held;

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	tasks_body();
}

static void work_hold(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	while (held)
		usleep(100);
}

static void work_note(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	tasks_note();
}

#define ON_CPU(n, ...) \
	{ \
		.cpu_funcs = {work}, .nbuffers = (n), .modes = { __VA_ARGS__ } \
	}
static struct starpu_codelet cl_none = {.cpu_funcs = {work}};
static struct starpu_codelet cl_writes[MOST_HANDLES + 1] = {
	[1] = ON_CPU(1, STARPU_RW),
	[2] = ON_CPU(2, STARPU_RW, STARPU_RW),
	[3] = ON_CPU(3, STARPU_RW, STARPU_RW, STARPU_RW),
	[4] = ON_CPU(4, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW),
	[5] = ON_CPU(5, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW),
	[6] = ON_CPU(6, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW),
	[7] = ON_CPU(7, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW),
	[8] = ON_CPU(8, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW),
};
static struct starpu_codelet cl_reads[4] = {
	[1] = ON_CPU(2, STARPU_R, STARPU_W),
	[2] = ON_CPU(3, STARPU_R, STARPU_R, STARPU_W),
	[3] = ON_CPU(4, STARPU_R, STARPU_R, STARPU_R, STARPU_W),
};
static struct starpu_codelet cl_hold = {.cpu_funcs = {work_hold}, .nbuffers = 1, .modes = {STARPU_RW}};

/* A model that costs no file and no measurement: what policies do with its answer is what counts. */
static double microsecond(struct starpu_task *task, unsigned implementation)
{
	(void)task, (void)implementation;
	return 1.0;
}
static struct starpu_perfmodel model = {.type = STARPU_COMMON, .symbol = "a microsecond", .cost_function = microsecond};
static struct starpu_codelet cl_modelled = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model};

static struct starpu_codelet cl_note = {.cpu_funcs = {work_note}};

static int begin(unsigned workers)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = (int)workers;
	if (starpu_init(&conf))
		return -1;
	for (unsigned i = 0; i < DATA; i++)
		starpu_variable_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)&values[i], sizeof values[i]);
	return 0;
}

static void end(void)
{
	for (unsigned i = 0; i < DATA; i++)
		starpu_data_unregister(data[i]);
	starpu_shutdown();
}

static void open_pattern(void)
{
}

static void wait_all(void)
{
	starpu_task_wait_for_all();
}

static void none(void)
{
	if (starpu_task_insert(&cl_none, 0))
		abort();
}

static void writes_many(const unsigned *d, unsigned n)
{
	struct starpu_data_descr at[MOST_HANDLES];
	for (unsigned i = 0; i < n; i++)
		at[i] = (struct starpu_data_descr){data[d[i]], STARPU_RW};
	if (starpu_task_insert(&cl_writes[n], STARPU_DATA_MODE_ARRAY, at, (int)n, 0))
		abort();
}

static void writes(const unsigned *d, unsigned n)
{
	int rc = 0;
	if (n == 1)
		rc = starpu_task_insert(&cl_writes[1], STARPU_RW, data[d[0]], 0);
	else if (n == 2)
		rc = starpu_task_insert(&cl_writes[2], STARPU_RW, data[d[0]], STARPU_RW, data[d[1]], 0);
	else if (n == 3)
		rc = starpu_task_insert(&cl_writes[3], STARPU_RW, data[d[0]], STARPU_RW, data[d[1]], STARPU_RW, data[d[2]], 0);
	else if (n == 4)
		rc = starpu_task_insert(&cl_writes[4], STARPU_RW, data[d[0]], STARPU_RW, data[d[1]], STARPU_RW, data[d[2]],
		                        STARPU_RW, data[d[3]], 0);
	else
		writes_many(d, n);
	if (rc)
		abort();
}

static void modelled(unsigned d)
{
	if (starpu_task_insert(&cl_modelled, STARPU_RW, data[d], 0))
		abort();
}

static void reads(const unsigned *r, unsigned n, unsigned w)
{
	int rc;
	if (n == 1)
		rc = starpu_task_insert(&cl_reads[1], STARPU_R, data[r[0]], STARPU_W, data[w], 0);
	else if (n == 2)
		rc = starpu_task_insert(&cl_reads[2], STARPU_R, data[r[0]], STARPU_R, data[r[1]], STARPU_W, data[w], 0);
	else
		rc = starpu_task_insert(&cl_reads[3], STARPU_R, data[r[0]], STARPU_R, data[r[1]], STARPU_R, data[r[2]], STARPU_W,
		                        data[w], 0);
	if (rc)
		abort();
}

static void hold(void)
{
	held = 1;
	if (starpu_task_insert(&cl_hold, STARPU_RW, data[0], 0))
		abort();
}

static void let(void)
{
	held = 0;
}

static void noted(void)
{
	if (starpu_task_insert(&cl_note, 0))
		abort();
}

static void own(unsigned tasks)
{
	enum { BATCH = 512 };
	struct starpu_task *t[BATCH];
	for (unsigned done = 0; done < tasks; done += BATCH) {
		for (unsigned i = 0; i < BATCH; i++) {
			t[i] = starpu_task_create();
			t[i]->cl = &cl_none;
			t[i]->detach = t[i]->destroy = 0;
			if (starpu_task_submit(t[i]))
				abort();
		}
		for (unsigned i = 0; i < BATCH; i++) {
			if (starpu_task_wait(t[i]))
				abort();
			starpu_task_destroy(t[i]);
		}
	}
}

/* ---- a tree by dependencies of ends: a task has ended when the two that it submitted have ---- */

static void work_ends(void *buffers[], void *arg);
static struct starpu_codelet cl_ends = {.cpu_funcs = {work_ends}};

static struct starpu_task *node(uintptr_t depth)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl_ends;
	t->cl_arg = (void *)depth;
	return t;
}

static void work_ends(void *buffers[], void *arg)
{
	uintptr_t depth = (uintptr_t)arg;
	(void)buffers;
	tasks_count();
	if (!depth)
		return;
	struct starpu_task *child[2] = {node(depth - 1), node(depth - 1)};
	starpu_task_declare_end_deps_array(starpu_task_get_current(), 2, child);
	for (unsigned i = 0; i < 2; i++)
		if (starpu_task_submit(child[i]))
			abort();
}

static uint64_t ends(unsigned depth)
{
	struct starpu_task *root = node(depth);
	root->detach = 0;
	if (starpu_task_submit(root) || starpu_task_wait(root))
		abort();
	starpu_task_wait_for_all();
	return (UINT64_C(2) << depth) - 1;
}

int main(int argc, char **argv)
{
	struct runtime r = {begin, end,  open_pattern, wait_all, none,  writes,   reads, NULL,
	                    NULL,  ends, hold,         let,      noted, modelled, own};
	return tasks_main(&r, argc, argv);
}
