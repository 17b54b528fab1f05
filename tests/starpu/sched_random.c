/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs with all that a task can have, on every policy: whole vectors and their halves (plans), commuting and reducing
 * accesses, tags, explicit dependencies, priorities, several scheduling contexts, tasks bound to a worker, OpenCL devices where there
 * are some; two threads submit at once, each over its own data. What comes out is what comes out in the order of submission.
 */
#include "starpu_check.h"
#ifdef STARPU_USE_OPENCL
#include <starpu_opencl.h>
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { CELLS = 5, SUMS = 3, ELEMENTS = 4, HALVES = 2, TASKS = 150, THREADS = 2, NAMED = 40, WORKERS = 3 };

struct cell {
	uint32_t value[ELEMENTS], want[ELEMENTS];
	starpu_data_handle_t handle, half[HALVES];
};
struct sum {
	uint64_t value, want;
	starpu_data_handle_t handle;
};
struct named { /* a task that others may come after */
	struct program *of;
	unsigned after[2], n_after;
	int done;
	struct starpu_task *task;
};
struct program {
	uint64_t seed;
	unsigned number;
	bool holds; /* the policy holds tasks until somebody waits for all */
	unsigned ctx[3], n_ctxs;
	struct cell cell[CELLS];
	struct sum sum[SUMS];
	struct named named[NAMED];
	unsigned n_named;
};

static unsigned some(struct program *p, unsigned below)
{
	p->seed = p->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(p->seed >> 33) % below;
}

/* ---- what tasks do, here and in the model ---- */

static void mix(uint32_t *to, const uint32_t *from, unsigned k)
{
	for (unsigned i = 0; i < ELEMENTS; i++)
		to[i] = to[i] * 31 + from[i] + k;
}

static unsigned number_of(void *arg)
{
	unsigned k;
	starpu_codelet_unpack_args(arg, &k);
	return k;
}

static void cpu_mix(void *buffers[], void *arg)
{
	mix((uint32_t *)STARPU_VECTOR_GET_PTR(buffers[0]), (const uint32_t *)STARPU_VECTOR_GET_PTR(buffers[1]), number_of(arg));
}

static int ran_there;
#ifdef STARPU_USE_OPENCL
static void there(void *buffer, uint32_t *value, bool writes)
{
	cl_command_queue queue;
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffer);
	size_t offset = STARPU_VECTOR_GET_OFFSET(buffer), bytes = ELEMENTS * sizeof *value;
	starpu_opencl_get_current_queue(&queue);
	CHECK((writes ? clEnqueueWriteBuffer(queue, at, CL_TRUE, offset, bytes, value, 0, NULL, NULL)
	              : clEnqueueReadBuffer(queue, at, CL_TRUE, offset, bytes, value, 0, NULL, NULL)) == CL_SUCCESS);
}
static void opencl_mix(void *buffers[], void *arg)
{
	uint32_t to[ELEMENTS], from[ELEMENTS];
	there(buffers[0], to, false);
	there(buffers[1], from, false);
	mix(to, from, number_of(arg));
	there(buffers[0], to, true);
	__atomic_add_fetch(&ran_there, 1, __ATOMIC_RELAXED);
}
#endif

static void cpu_half(void *buffers[], void *arg)
{
	uint32_t *at = (uint32_t *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		at[i] = at[i] * 7 + number_of(arg);
}
static uint64_t *sum_of(void *buffer)
{
	return (uint64_t *)STARPU_VARIABLE_GET_PTR(buffer);
}
static void cpu_gather(void *buffers[], void *arg)
{
	const uint32_t *at = (const uint32_t *)STARPU_VECTOR_GET_PTR(buffers[0]);
	*sum_of(buffers[1]) = *sum_of(buffers[1]) * 3 + at[0] + number_of(arg);
}
static void cpu_add(void *buffers[], void *arg)
{
	*sum_of(buffers[0]) += number_of(arg);
}
static void cpu_fold(void *buffers[], void *arg)
{
	*sum_of(buffers[0]) = *sum_of(buffers[0]) * 5 + number_of(arg);
}
static void cpu_zero(void *buffers[], void *arg)
{
	(void)arg;
	*sum_of(buffers[0]) = 0;
}
static void cpu_join(void *buffers[], void *arg)
{
	(void)arg;
	*sum_of(buffers[0]) += *sum_of(buffers[1]);
}
static void cpu_named(void *buffers[], void *arg)
{
	struct named *n = arg;
	(void)buffers;
	for (unsigned i = 0; i < n->n_after; i++)
		CHECK(LOOK(n->of->named[n->after[i]].done) == 1);
	CHECK(__atomic_exchange_n(&n->done, 1, __ATOMIC_ACQ_REL) == 0);
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "sched_random"};
static struct starpu_codelet mixes = {.cpu_funcs = {cpu_mix},
#ifdef STARPU_USE_OPENCL
                                      .opencl_funcs = {opencl_mix},
#endif
                                      .nbuffers = 2,
                                      .modes = {STARPU_RW, STARPU_R},
                                      .model = &model};
static struct starpu_codelet halves = {.cpu_funcs = {cpu_half}, .nbuffers = 1, .modes = {STARPU_RW}},
			     gathers = {.cpu_funcs = {cpu_gather}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}},
			     adds = {.cpu_funcs = {cpu_add},
                                     .nbuffers = 1,
                                     .modes = {STARPU_RW | STARPU_COMMUTE},
                                     .model = &model},
			     reduces = {.cpu_funcs = {cpu_add}, .nbuffers = 1, .modes = {STARPU_REDUX}},
			     folds = {.cpu_funcs = {cpu_fold}, .nbuffers = 1, .modes = {STARPU_RW}},
			     zeroes = {.cpu_funcs = {cpu_zero}, .nbuffers = 1, .modes = {STARPU_W}},
			     joins = {.cpu_funcs = {cpu_join}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}},
			     nameds = {.cpu_funcs = {cpu_named}};

/* Devices come before the CPUs, which all that there is can run on. */
static int cpu(unsigned i)
{
	return starpu_worker_get_by_type(STARPU_CPU_WORKER, (int)i);
}

/* ---- submitting: with a priority, to a context, perhaps to one worker ---- */

static void submit(struct program *p, struct starpu_codelet *cl, unsigned k, starpu_data_handle_t first,
                   starpu_data_handle_t second)
{
	unsigned ctx = p->ctx[some(p, p->n_ctxs)];
	int priority = some(p, 2) ? 0 : (int)some(p, 7) - 3;
	enum starpu_data_access_mode mode = cl->modes[0];
	/* In the short way, with everything, as a task. */
	unsigned way = some(p, 3);
	if (way == 0 && !second) {
		CHECK(starpu_task_insert(cl, mode, first, STARPU_VALUE, &k, sizeof k, STARPU_PRIORITY, priority, 0) == 0);
		return;
	}
	struct starpu_task *t = second ? starpu_task_build(cl, mode, first, cl->modes[1], second, STARPU_VALUE, &k, sizeof k,
	                                                   STARPU_PRIORITY, priority, 0)
	                               : starpu_task_build(cl, mode, first, STARPU_VALUE, &k, sizeof k, STARPU_PRIORITY, priority,
	                                                   0);
	if (way == 1 && !ctx && some(p, 2)) {
		t->execute_on_a_specific_worker = 1;
		t->workerid = (unsigned)cpu(some(p, WORKERS));
	}
	CHECK(starpu_task_submit_to_ctx(t, ctx) == 0);
}

static void do_mix(struct program *p, unsigned k)
{
	unsigned to = some(p, CELLS), from = (to + 1 + some(p, CELLS - 1)) % CELLS;
	mix(p->cell[to].want, p->cell[from].want, k);
	submit(p, &mixes, k, p->cell[to].handle, p->cell[from].handle);
}

static void do_half(struct program *p, unsigned k)
{
	struct cell *c = &p->cell[some(p, CELLS)];
	unsigned h = some(p, HALVES), n = ELEMENTS / HALVES;
	for (unsigned i = h * n; i < (h + 1) * n; i++)
		c->want[i] = c->want[i] * 7 + k;
	submit(p, &halves, k, c->half[h], NULL);
}

static void do_gather(struct program *p, unsigned k)
{
	struct cell *c = &p->cell[some(p, CELLS)];
	struct sum *s = &p->sum[some(p, SUMS)];
	unsigned h = some(p, HALVES);
	s->want = s->want * 3 + c->want[h * ELEMENTS / HALVES] + k;
	submit(p, &gathers, k, c->half[h], s->handle);
}

static void do_sum(struct program *p, unsigned k)
{
	static struct starpu_codelet *const kinds[] = {&adds, &reduces, &folds};
	struct sum *s = &p->sum[some(p, SUMS)];
	unsigned kind = some(p, 5) % 3;
	s->want = kind == 2 ? s->want * 5 + k : s->want + k;
	submit(p, kinds[kind], k, s->handle, NULL);
}

/* After up to two earlier ones, by tags (of even ones) or by tasks. */
static void do_named(struct program *p, unsigned k)
{
	(void)k;
	if (p->n_named == NAMED)
		return;
	struct named *n = &p->named[p->n_named];
	starpu_tag_t base = (starpu_tag_t)(1 + p->number) << 32, tag[2];
	struct starpu_task *before[2];
	bool by_tag = p->n_named % 2 == 0;
	*n = (struct named){.of = p, .task = starpu_task_create()};
	for (unsigned i = 0; i < 2 && p->n_named > 2; i++) {
		unsigned other = some(p, p->n_named);
		other -= by_tag ? other % 2 : 0;
		if (n->n_after && n->after[0] == other)
			continue;
		tag[n->n_after] = base | other;
		before[n->n_after] = p->named[other].task;
		n->after[n->n_after++] = other;
	}
	n->task->cl = &nameds;
	n->task->cl_arg = n;
	n->task->destroy = 0;
	n->task->priority = (int)some(p, 7) - 3;
	if (by_tag) {
		n->task->use_tag = 1;
		n->task->tag_id = base | p->n_named;
		if (n->n_after)
			starpu_tag_declare_deps_array(n->task->tag_id, n->n_after, tag);
	} else if (n->n_after) {
		starpu_task_declare_deps_array(n->task, n->n_after, before);
	}
	p->n_named++;
	CHECK(starpu_task_submit_to_ctx(n->task, p->ctx[some(p, p->n_ctxs)]) == 0);
}

/* The application looks in between. */
static void do_look(struct program *p, unsigned k)
{
	(void)k;
	if (p->holds)
		return;
	struct cell *c = &p->cell[some(p, CELLS)];
	struct sum *s = &p->sum[some(p, SUMS)];
	CHECK(starpu_data_acquire(c->handle, STARPU_R) == 0);
	CHECK(!memcmp(c->value, c->want, sizeof c->want));
	starpu_data_release(c->handle);
	CHECK(starpu_data_acquire(s->handle, STARPU_R) == 0);
	CHECK(s->value == s->want);
	starpu_data_release(s->handle);
}

/* ---- a program ---- */

static void registered(struct program *p)
{
	static struct starpu_data_filter in_halves = {.filter_func = starpu_vector_filter_block, .nchildren = HALVES};
	for (unsigned i = 0; i < CELLS; i++) {
		struct cell *c = &p->cell[i];
		for (unsigned k = 0; k < ELEMENTS; k++)
			c->value[k] = c->want[k] = i * 100 + k;
		starpu_vector_data_register(&c->handle, STARPU_MAIN_RAM, (uintptr_t)c->value, ELEMENTS, sizeof c->value[0]);
		starpu_data_partition_plan(c->handle, &in_halves, c->half);
	}
	for (unsigned i = 0; i < SUMS; i++) {
		p->sum[i].value = p->sum[i].want = i;
		starpu_variable_data_register(&p->sum[i].handle, STARPU_MAIN_RAM, (uintptr_t)&p->sum[i].value,
		                              sizeof p->sum[i].value);
		starpu_data_set_reduction_methods(p->sum[i].handle, &joins, &zeroes);
	}
}

static void compared(struct program *p)
{
	for (unsigned i = 0; i < CELLS; i++) {
		struct cell *c = &p->cell[i];
		starpu_data_partition_clean(c->handle, HALVES, c->half);
		starpu_data_unregister(c->handle);
		CHECK(!memcmp(c->value, c->want, sizeof c->want));
	}
	for (unsigned i = 0; i < SUMS; i++) {
		starpu_data_unregister(p->sum[i].handle);
		CHECK(p->sum[i].value == p->sum[i].want);
	}
	for (unsigned i = 0; i < p->n_named; i++) {
		CHECK(LOOK(p->named[i].done) == 1);
		starpu_task_destroy(p->named[i].task);
		if (i % 2 == 0)
			starpu_tag_remove((starpu_tag_t)(1 + p->number) << 32 | i);
	}
}

static void *run(void *arg)
{
	static void (*const kinds[])(struct program *, unsigned) = {do_mix, do_mix, do_half,  do_gather,
	                                                            do_sum, do_sum, do_named, do_look};
	struct program *p = arg;
	registered(p);
	for (unsigned k = 1; k <= TASKS; k++)
		kinds[some(p, some(p, 6) ? 7 : 8)](p, k);
	CHECK(starpu_task_wait_for_all() == 0);
	compared(p);
	return NULL;
}

/* Two contexts that share a worker, under policies of their own, or only the one that is always there. */
static unsigned contexts(struct program *p, unsigned *ctx)
{
	static const char *const policies[] = {"eager", "prio",  "lws",           "ws",           "random",    "dmda", "dmdas",
	                                       "dm",    "dmdar", "modular-eager", "modular-heft", "heteroprio"};
	unsigned n = sizeof policies / sizeof policies[0];
	int first[] = {cpu(0), cpu(1)}, second[] = {cpu(1), cpu(2)};
	ctx[0] = 0;
	if (some(p, 2))
		return 1;
	ctx[1] = starpu_sched_ctx_create(first, 2, "first", STARPU_SCHED_CTX_POLICY_NAME, policies[some(p, n)], 0);
	ctx[2] = starpu_sched_ctx_create(second, 2, "second", STARPU_SCHED_CTX_POLICY_NAME, policies[some(p, n)], 0);
	return 3;
}

static void programs(unsigned number, bool holds)
{
	static struct program p[THREADS];
	pthread_t thread[THREADS];
	struct program by = {.seed = number * 7919};
	unsigned ctx[3], n = contexts(&by, ctx);
	for (unsigned i = 0; i < THREADS; i++) {
		memset(&p[i], 0, sizeof p[i]);
		p[i].number = number * THREADS + i;
		p[i].seed = p[i].number * 104729;
		p[i].holds = holds;
		p[i].n_ctxs = n;
		memcpy(p[i].ctx, ctx, sizeof ctx);
		CHECK(pthread_create(&thread[i], NULL, run, &p[i]) == 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 1; i < n; i++)
		starpu_sched_ctx_delete(ctx[i]);
}

static void policy_runs(const char *policy, unsigned rounds)
{
	static unsigned number;
	struct starpu_conf conf;
	int bad = checks_bad;
	starpu_conf_init(&conf);
	conf.ncpus = WORKERS;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
	for (unsigned i = 0; i < rounds; i++)
		programs(number++, !strcmp(policy, "graph_test"));
	starpu_shutdown();
	if (checks_bad != bad)
		fprintf(stderr, "with policy %s\n", policy);
}

/* heteroprio with all its ways to find the memory where a task is best off. */
static void with_locality(unsigned rounds)
{
	static const char *const ways[] = {"WORKER", "LcS", "LS_SDH", "LS_SDH2", "LS_SDHB", "LC_SMWB", "AUTO"};
	setenv("STARPU_HETEROPRIO_USE_LA", "1", 1);
	setenv("STARPU_LAHETEROPRIO_S_OPENCL", "2", 1);
	setenv("STARPU_LAHETEROPRIO_PRIO_STEP_CPU", "2", 1);
	for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		setenv("STARPU_LAHETEROPRIO_PUSH", ways[i], 1);
		policy_runs("heteroprio", rounds);
	}
	unsetenv("STARPU_HETEROPRIO_USE_LA");
}

int main(int argc, char **argv)
{
	/* ROUNDS of each policy, and ONLY this policy */
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 3;
	char home[] = "/tmp/weft-random-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	for (struct starpu_sched_policy **all = starpu_sched_get_predefined_policies(); *all; all++) {
		if (argc > 2 && strcmp(argv[2], (*all)->policy_name))
			continue;
		policy_runs((*all)->policy_name, rounds);
	}
	with_locality(1);
	if (getenv("POCL_DEVICES"))
		CHECK(ran_there > 0);
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
