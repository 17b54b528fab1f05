/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any events, in any order, of threads that never heard of each other: four bytes make one event of a region, a message, an arrow, a lock, a team. Whatever they say
 * the model accounts for all time of each thread, the critical path covers the run once, costs of waits add up, and playing the run ends.
 */
#include "fuzz.h"
#include "analyze/waits/waits.h"
#include "replay/whatif/remedy.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, EVENTS_MOST = 2000 };

static const struct {
	const char *name, *category;
	uint32_t state;
} regions[] = {
	{"work", "user", WEFT_STATE_RUNNING},
	{"phase", "user", WEFT_STATE_UNKNOWN},
	{"wait", "user", WEFT_STATE_WAITING},
	{"MPI_Init", "mpi", WEFT_STATE_OVERHEAD},
	{"MPI_Send", "mpi", WEFT_STATE_COMMUNICATING},
	{"MPI_Recv", "mpi", WEFT_STATE_WAITING},
	{"MPI_Isend", "mpi", WEFT_STATE_COMMUNICATING},
	{"MPI_Waitall", "mpi", WEFT_STATE_WAITING},
	{"MPI_Probe", "mpi", WEFT_STATE_WAITING},
	{"MPI_Bcast", "mpi", WEFT_STATE_SYNCHRONIZING},
	{"omp parallel in f", "openmp", 9},
	{"f [omp parallel]", "openmp", WEFT_STATE_RUNNING},
	{"omp join", "openmp", WEFT_STATE_SYNCHRONIZING},
	{"omp idle", "openmp", WEFT_STATE_IDLE},
	{"omp barrier", "openmp", WEFT_STATE_SYNCHRONIZING},
	{"omp for dynamic", "openmp", 9},
	{"omp chunk", "openmp", WEFT_STATE_RUNNING},
	{"omp critical x wait", "openmp", WEFT_STATE_SYNCHRONIZING},
	{"omp critical x", "openmp", WEFT_STATE_RUNNING},
	{"f#1 [omp task]", "openmp", WEFT_STATE_RUNNING},
	{"omp taskwait", "openmp", WEFT_STATE_SYNCHRONIZING},
	{"pthread_mutex_lock", "threads", WEFT_STATE_WAITING},
	{"pthread_barrier_wait", "threads", WEFT_STATE_WAITING},
	{"pthread_cond_wait", "threads", WEFT_STATE_WAITING},
	{"poll", "io", WEFT_STATE_WAITING},
};
enum { REGIONS = sizeof regions / sizeof *regions };

struct ids {
	uint32_t region[REGIONS], world, taken, released, woken, task, team, lock, address, iterations;
};

static uint32_t made(int64_t id)
{
	FUZZ_REQUIRE(id >= 0);
	return (uint32_t)id;
}

static uint32_t def(struct weft_builder *b, enum weft_class of, const char *name, const char *category, uint32_t state)
{
	uint32_t in = made(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = category}));
	return made(weft_build_def(b, of, &(struct weft_def_row){.name = name, .category = in, .state = state}));
}

static void define(struct weft_builder *b, struct ids *d, bool ranks)
{
	made(weft_build_app(b, "app"));
	for (int i = 0; i < THREADS; i++) {
		struct weft_process p = {.node = WEFT_NONE,
		                         .rank = ranks ? i : -1,
		                         .begin = WEFT_NEVER,
		                         .end = WEFT_NEVER,
		                         .status = -1};
		struct weft_thread_row t = {.process = ranks ? (uint32_t)i : 0,
		                            .number = ranks ? 1 : (uint32_t)i + 1,
		                            .tid = i,
		                            .begin = WEFT_NEVER,
		                            .end = WEFT_NEVER};
		if (ranks || i == 0)
			made(weft_build_process(b, &p));
		made(weft_build_thread(b, &t));
	}
	for (unsigned i = 0; i < REGIONS; i++)
		d->region[i] = def(b, WEFT_CLASS_REGION, regions[i].name, regions[i].category, regions[i].state);
	d->world = made(weft_build_def(b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "world", .key = 1}));
	d->taken = def(b, WEFT_CLASS_TYPE, "lock taken", "threads", 0);
	d->released = def(b, WEFT_CLASS_TYPE, "lock released", "threads", 0);
	d->woken = def(b, WEFT_CLASS_FLOW, "woken", "threads", 0);
	d->task = def(b, WEFT_CLASS_FLOW, "omp task", "openmp", 0);
	d->team = def(b, WEFT_CLASS_ATTR, "omp team", "openmp", 0);
	d->iterations = def(b, WEFT_CLASS_ATTR, "omp iterations", "openmp", 0);
	d->lock = def(b, WEFT_CLASS_ATTR, "lock", "threads", 0);
	d->address = def(b, WEFT_CLASS_ATTR, "waits on", "threads", 0);
}

/* An event: thread and kind, what, for whom, how long after the one before on this thread. */
static void add(struct weft_builder *b, const struct ids *d, const uint8_t *at, uint64_t *now)
{
	uint32_t thread = at[0] % THREADS;
	struct weft_appender *a = weft_builder_appender(b, thread);
	uint64_t time = now[thread] += at[3], payload[] = {(uint64_t)(at[2] % 6) << 32 | at[2] % 20, 8, 8};
	struct weft_half_row half = {.time = time,
	                             .began = time - (time < at[3] ? time : at[3]),
	                             .size = at[2],
	                             .comm = d->world,
	                             .peer = at[1] % THREADS,
	                             .tag = at[2] % 2,
	                             .is_send = at[2] % 3 == 0};
	int rc = 0;
	FUZZ_REQUIRE(a != NULL);
	switch (at[0] / THREADS % 10) {
	case 0:
	case 1:
		rc = weft_append(a, time, weft_what(WEFT_EV_ENTER, d->region[at[1] % REGIONS]), 0);
		break;
	case 2:
	case 3:
		rc = weft_append(a, time, weft_what(WEFT_EV_LEAVE, d->region[at[1] % REGIONS]), 0);
		break;
	case 4:
		rc = weft_append_half(a, &half);
		break;
	case 5:
		rc = weft_append_extra(a, time, weft_what(WEFT_EV_COLLECTIVE, d->world), payload, 3);
		break;
	case 6:
		rc = weft_append_flow(a, time, at[1] % 2 ? d->woken : d->task, at[2] % 8, at[1] & 2);
		break;
	case 7:
		rc = weft_append(a, time, weft_what(WEFT_EV_POINT, at[1] % 2 ? d->taken : d->released), at[2] % 2);
		break;
	default: {
		const uint32_t attr[] = {d->team, d->iterations, d->lock, d->address};
		rc = weft_append(a, time, weft_what(WEFT_EV_ATTR, attr[at[1] % 4]), at[2] % 4);
	}
	}
	FUZZ_REQUIRE(rc == 0);
}

static struct weft_trace *make(const uint8_t *at, size_t n)
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	struct ids d;
	uint64_t now[THREADS] = {0};
	FUZZ_REQUIRE(weft_builder_new(&b, "fuzz", "weft", &(struct weft_open_how){.memory = 1 << 20, .no_index = true}, &err) ==
	             0);
	define(b, &d, at[0] % 2);
	for (size_t i = 1; i + 4 <= n && i < 4 * (size_t)EVENTS_MOST; i += 4)
		add(b, &d, at + i, now);
	FUZZ_REQUIRE(weft_build_finish(b, NULL, &t, &err) == 0);
	return t;
}

/* Of each thread all time is in one burst or one node. */
static void check_time(const struct weft_causal *c)
{
	for (uint32_t t = 0; t < c->n_threads; t++) {
		uint64_t at = c->thread[t].begin;
		for (uint32_t i = c->thread[t].first_node; i < c->thread[t].first_node + c->thread[t].n_nodes; i++) {
			uint64_t in_parts = 0;
			FUZZ_REQUIRE(c->node[i].begin >= at && c->node[i].end >= c->node[i].begin);
			for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
				in_parts += c->part[k].ns;
			FUZZ_REQUIRE(in_parts == c->node[i].begin - at);
			at = c->node[i].end;
		}
	}
}

static void check_path(const struct weft_causal *c)
{
	struct weft_causal_critical p;
	FUZZ_REQUIRE(weft_causal_critical(c, true, &p) == 0);
	for (size_t i = 1; i < p.step.n; i++)
		FUZZ_REQUIRE(p.step.at[i].begin == p.step.at[i - 1].end);
	FUZZ_REQUIRE(p.step.n == 0 || p.step.at[p.step.n - 1].end == c->end);
	weft_causal_critical_fini(&p);
}

static void check_waits(const struct weft_causal *c)
{
	struct weft_waits w;
	FUZZ_REQUIRE(weft_waits_find(c, &w) == 0 && weft_waits_blame(&w) == 0);
	double sum = w.unexplained_ns;
	for (uint32_t i = 0; i < w.n_costs; i++)
		sum += w.cost[i].direct_ns + w.cost[i].propagated_ns;
	FUZZ_REQUIRE(fabs(sum - (double)w.total_ns) <= 1e-6 * (double)w.total_ns + 0.01);
	weft_waits_fini(&w);
}

static void check_remedies(const struct weft_causal *c)
{
	struct weft_remedies r;
	struct weft_remedy_answer *answer;
	uint32_t n;
	FUZZ_REQUIRE(weft_remedies_init(&r, c) == 0);
	FUZZ_REQUIRE(weft_remedies_usual(&r, 1, &answer, &n) == 0);
	free(answer);
	weft_remedies_fini(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_causal c;
	struct weft_err err = {0};
	if (n < 5)
		return 0;
	struct weft_trace *t = make(at, n);
	FUZZ_REQUIRE(weft_causal_load(t, &(struct weft_causal_how){.threads = 1}, &c, &err) == 0);
	check_time(&c);
	check_path(&c);
	check_waits(&c);
	if (c.n_threads && c.end > c.begin)
		check_remedies(&c);
	weft_causal_free(&c);
	weft_trace_close(t);
	return 0;
}
