/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement of heteroprio's tasks: the memory node that has the least to fetch for a task, by one
 * of several measures (STARPU_LAHETEROPRIO_PUSH). AUTO tries each for some tasks, counts the bytes
 * that their workers had to fetch, and keeps to the best, with a new trial from time to time.
 */
#include "heteroprio.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hp_place {
	unsigned fixed, now; /* which measure; fixed: not AUTO if it is one */
	unsigned n;          /* tasks placed */
	struct score {
		double fetched; /* of each byte, in the long run */
		unsigned n;
	} score[];
};

/* A task's data that is not on a node. */
struct lack {
	double read, write; /* bytes; those of STARPU_RW count as written */
	double write_squared;
	unsigned pieces;
};

static struct lack lack_of(struct starpu_task *t, unsigned node)
{
	struct lack l = {0};
	int n = t->cl ? STARPU_TASK_GET_NBUFFERS(t) : 0;
	for (int i = 0; i < n; i++) {
		starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(t, i);
		double bytes = (double)starpu_data_get_size(handle);
		int valid = 0;
		starpu_data_query_status(handle, (int)node, NULL, &valid, NULL);
		if (valid)
			continue;
		l.pieces++;
		if (STARPU_TASK_GET_MODE(t, i) & STARPU_W) {
			l.write += bytes;
			l.write_squared += bytes * bytes;
		} else {
			l.read += bytes;
		}
	}
	return l;
}

static double by_worker(struct starpu_task *t, unsigned node)
{
	int me = starpu_worker_get_id();
	(void)t;
	return node != (me < 0 ? STARPU_MAIN_RAM : starpu_worker_get_memory_node((unsigned)me));
}
static double by_time(struct starpu_task *t, unsigned node)
{
	return starpu_task_expected_data_transfer_time(node, t);
}
static double by_bytes(struct starpu_task *t, unsigned node)
{
	struct lack l = lack_of(t, node);
	return l.read + l.write;
}
static double by_squares(struct starpu_task *t, unsigned node)
{
	struct lack l = lack_of(t, node);
	return l.read + l.write_squared;
}
/* Fewer pieces decide among equals. */
static double by_balance(struct starpu_task *t, unsigned node)
{
	struct lack l = lack_of(t, node);
	return l.read + 1000 * l.write + l.pieces / 1000.0;
}
/* Written bytes count up to twice, the more is read. */
static double by_share(struct starpu_task *t, unsigned node)
{
	struct lack l = lack_of(t, node);
	double all = l.read + l.write;
	return all > 0 ? l.read + l.write * (1 + l.read / all) : 0;
}

static const struct {
	const char *name;
	double (*cost)(struct starpu_task *t, unsigned node);
} measures[] = {{"WORKER", by_worker},   {"LcS", by_time},        {"LS_SDH", by_bytes},
                {"LS_SDH2", by_squares}, {"LS_SDHB", by_balance}, {"LC_SMWB", by_share}};
enum { N_MEASURES = sizeof measures / sizeof *measures, TRIED = 32, KEPT = 1024 };

struct hp_place *hp_place_new(void)
{
	const char *name = starpu_getenv("STARPU_LAHETEROPRIO_PUSH");
	struct hp_place *p = calloc(1, sizeof *p + N_MEASURES * sizeof p->score[0]);
	STARPU_ASSERT_MSG(p, "no memory for a scheduling policy");
	p->fixed = 0;
	while (name && p->fixed < N_MEASURES && strcmp(name, measures[p->fixed].name))
		p->fixed++;
	p->fixed = name ? p->fixed : N_MEASURES;
	p->now = p->fixed < N_MEASURES ? p->fixed : 0;
	if (name && p->fixed == N_MEASURES && strcmp(name, "AUTO"))
		fprintf(stderr,
		        "starpu: STARPU_LAHETEROPRIO_PUSH is '%s', and neither AUTO, WORKER, LcS, LS_SDH, LS_SDH2, LS_SDHB "
		        "nor LC_SMWB: AUTO is taken\n",
		        name);
	return p;
}

/* Each in turn, then the best for a long time. */
static void change(struct hp_place *p)
{
	unsigned at = p->n++ % (N_MEASURES * TRIED + KEPT);
	if (at < N_MEASURES * TRIED) {
		p->now = at / TRIED;
		return;
	}
	for (unsigned i = 0; at == N_MEASURES * TRIED && i < N_MEASURES; i++)
		if (p->score[i].fetched < p->score[p->now].fetched)
			p->now = i;
}

/* Nodes with a worker that can run it. */
static void possible(struct starpu_task *t, bool *may)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers);
	for (unsigned i = 0; i < n; i++)
		if (starpu_worker_can_execute_task_first_impl((unsigned)workers[i], t, NULL))
			may[starpu_worker_get_memory_node((unsigned)workers[i])] = true;
}

unsigned hp_place_choose(struct hp_place *p, struct starpu_task *t)
{
	bool may[STARPU_MAXNODES] = {false};
	double least = INFINITY;
	unsigned best = STARPU_MAIN_RAM;
	if (p->fixed == N_MEASURES)
		change(p);
	possible(t, may);
	for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
		double cost = may[node] ? measures[p->now].cost(t, node) : INFINITY;
		if (cost < least) {
			least = cost;
			best = node;
		}
	}
	return best;
}

void hp_place_ran(struct hp_place *p, struct starpu_task *t, unsigned worker)
{
	struct score *s = &p->score[p->now];
	s->fetched += (by_bytes(t, starpu_worker_get_memory_node(worker)) - s->fetched) / (s->n < TRIED ? ++s->n : TRIED);
}
