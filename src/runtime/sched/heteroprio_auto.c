/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heteroprio with buckets and orders that find themselves: one bucket for each codelet (or model),
 * with statistics: the time of its tasks on each kind of worker, and the tasks that they release.
 * From those, every so many tasks, the order of each kind of worker and the fastest kind of each
 * bucket are computed. Statistics are kept in a file for the next run.
 *
 *     nod        normalized out-degree: each dependent counts 1 / number of its open dependencies
 *     released   the same, but each counts its time on the kind that is fastest at it
 */
#include "heteroprio.h"
#include "base/fs.h"
#include "runtime/perf/perf.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char starpu_autoheteroprio_priority_ordering_policy_names[28][64] = {
	"STARPU_HETEROPRIO_NOD_TIME_COMBINATION",
	"STARPU_HETEROPRIO_BEST_NODS_SCORE",
	"STARPU_HETEROPRIO_BEST_NODS",
	"STARPU_HETEROPRIO_URT_PURE",
	"STARPU_HETEROPRIO_URT",
	"STARPU_HETEROPRIO_URT_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_PURE",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2",
	"STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE",
	"STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_2",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_3",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_4",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_5",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_6",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_7",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_8",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_9",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_10",
	"STARPU_HETEROPRIO_URT_DOT_DIFF_11",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS_2",
	"STARPU_HETEROPRIO_URTS_PER_SECONDS_DIFF",
	"STARPU_HETEROPRIO_URTS_TIME_RELEASED_DIFF",
	"STARPU_HETEROPRIO_URTS_TIME_COMBINATION",
	"STARPU_HETEROPRIO_NODS_PER_SECOND",
	"STARPU_HETEROPRIO_NODS_TIME_RELEASED",
	"STARPU_HETEROPRIO_NODS_TIME_RELEASED_DIFF",
};

struct mean {
	double is;
	unsigned n;
};
struct group {
	char name[128];
	struct mean us[STARPU_NARCH], nod, released;
};
struct hp_auto {
	struct group group[HP_BUCKETS];
	unsigned n, pushed, interval, policy;
	unsigned n_ordered; /* groups that are in the orders */
	bool by_name, frozen, prints_data, prints_orders, changed;
	char path[4096];
};

static void hetero_learn(struct mean *m, double x)
{
	enum { MEMORY = 1000 };
	m->n += m->n < MEMORY;
	m->is += (x - m->is) / m->n;
}

/* -- the file: a line a codelet -- */

static void path_of(char *at, size_t n)
{
	const char *file = starpu_getenv("STARPU_HETEROPRIO_DATA_FILE"), *dir = starpu_getenv("STARPU_HETEROPRIO_DATA_DIR");
	char folder[3000], host[256];
	if (file && *file) {
		snprintf(at, n, "%s", file);
		return;
	}
	perf_host_name(host, sizeof host);
	perf_path_of_folder(folder, sizeof folder, "heteroprio");
	snprintf(at, n, "%s/%s.%s.heteroprio", dir && *dir ? dir : folder, program_invocation_short_name, host);
}

static void read_mean(const char **at, struct mean *m)
{
	char *end;
	m->n = (unsigned)strtoul(*at, &end, 10);
	m->is = strtod(end, &end);
	if (!(m->is >= 0) || isinf(m->is))
		*m = (struct mean){0};
	*at = end;
}

static void read_group(struct hp_auto *a, const char *line)
{
	const char *tab = strchr(line, '\t');
	struct group *g = &a->group[a->n];
	if (!tab || a->n == HP_BUCKETS || (size_t)(tab - line) >= sizeof g->name || line[0] == '#')
		return;
	memcpy(g->name, line, (size_t)(tab - line));
	read_mean(&tab, &g->nod);
	read_mean(&tab, &g->released);
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++)
		read_mean(&tab, &g->us[kind]);
	a->n++;
}

static void hetero_load(struct hp_auto *a)
{
	char line[4096];
	FILE *f = fopen(a->path, "r");
	while (f && fgets(line, sizeof line, f))
		read_group(a, line);
	if (f)
		fclose(f);
}

static void hetero_print(const struct hp_auto *a, FILE *to)
{
	fprintf(to, "# codelet, then how many and their mean: nod, us released, us on each kind of worker\n");
	for (unsigned i = 0; i < a->n; i++) {
		const struct group *g = &a->group[i];
		fprintf(to, "%s\t%u %g\t%u %g", g->name, g->nod.n, g->nod.is, g->released.n, g->released.is);
		for (unsigned kind = 0; kind < STARPU_NARCH; kind++)
			fprintf(to, "\t%u %g", g->us[kind].n, g->us[kind].is);
		fprintf(to, "\n");
	}
}

static int hetero_save(struct hp_auto *a, struct weft_err *err)
{
	struct weft_out out;
	char *slash = strrchr(a->path, '/');
	if (slash && slash != a->path) {
		*slash = 0;
		int rc = weft_make_dirs(a->path, err);
		*slash = '/';
		if (rc)
			return rc;
	}
	int rc = weft_out_open(&out, a->path, err);
	if (rc)
		return rc;
	hetero_print(a, out.to);
	return weft_out_commit(&out, err);
}

struct hp_auto *hp_auto_new(void)
{
	struct hp_auto *a = calloc(1, sizeof *a);
	STARPU_ASSERT_MSG(a, "no memory for a scheduling policy");
	int interval = starpu_getenv_number_default("STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL", 32);
	int policy = starpu_getenv_number_default("STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY",
	                                          STARPU_HETEROPRIO_URT_DOT_DIFF_4);
	a->interval = interval > 0 ? (unsigned)interval : 1;
	if (policy < 0 || policy >= STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY_COUNT) {
		fprintf(stderr, "starpu: STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY is %d, and not from 0 to %d\n", policy,
		        STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY_COUNT - 1);
		policy = STARPU_HETEROPRIO_URT_DOT_DIFF_4;
	}
	a->policy = (unsigned)policy;
	a->by_name = starpu_getenv_number_default("STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY", 0) == 1;
	a->frozen = starpu_getenv_number_default("STARPU_AUTOHETEROPRIO_FREEZE_GATHERING", 0) > 0;
	a->prints_data = starpu_getenv_number_default("STARPU_AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE", 0) > 0;
	a->prints_orders = starpu_getenv_number_default("STARPU_AUTOHETEROPRIO_PRINT_AFTER_ORDERING", 0) > 0;
	path_of(a->path, sizeof a->path);
	hetero_load(a);
	return a;
}

void hp_auto_free(struct hp_auto *a)
{
	struct weft_err err = {0};
	if (a && a->changed && !rt_simulator && hetero_save(a, &err))
		fprintf(stderr, "starpu: heteroprio does not keep what it has learnt: %s\n", err.text);
	free(a);
}

/* -- gathering -- */

static const char *group_name(const struct hp_auto *a, const struct starpu_task *t)
{
	const struct starpu_codelet *cl = t->cl;
	if (cl && !a->by_name && cl->model && cl->model->symbol)
		return cl->model->symbol;
	return cl && cl->name ? cl->name : cl && cl->model && cl->model->symbol ? cl->model->symbol : "unnamed";
}

/* With too many codelets, the last group has all others. */
static unsigned group_of(struct hp_auto *a, const struct starpu_task *t)
{
	const char *name = group_name(a, t);
	unsigned i = 0;
	while (i < a->n && strncmp(a->group[i].name, name, sizeof a->group[i].name - 1))
		i++;
	if (i == a->n && a->n == HP_BUCKETS)
		return HP_BUCKETS - 1;
	if (i == a->n)
		snprintf(a->group[a->n++].name, sizeof a->group[i].name, "%s", name);
	return i;
}

static double time_on(const struct group *g, unsigned kind)
{
	return g->us[kind].n ? g->us[kind].is : NAN;
}

static double hetero_shortest(const struct group *g, int but)
{
	double least = NAN;
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++)
		if ((int)kind != but)
			least = fmin(least, time_on(g, kind));
	return least;
}

struct behind {
	struct hp_auto *a;
	double nod, released;
};

static void count_behind(void *arg, const struct starpu_task *t, unsigned waits_for)
{
	struct behind *b = arg;
	double us = hetero_shortest(&b->a->group[group_of(b->a, t)], -1);
	b->nod += 1.0 / waits_for;
	b->released += isnan(us) ? 0 : us / waits_for;
}

void hp_auto_ran(struct hp_auto *a, struct starpu_task *t, enum starpu_worker_archtype kind, double us)
{
	struct behind behind = {.a = a};
	if (a->frozen)
		return;
	a->changed = true;
	/* Now, as most successors are submitted only after the task is ready. */
	sched_each_behind(t, count_behind, &behind);
	struct group *g = &a->group[group_of(a, t)];
	hetero_learn(&g->nod, behind.nod);
	hetero_learn(&g->released, behind.released);
	hetero_learn(&g->us[kind], us);
}

/* -- orders -- */

/*
 * Terms of the 28 heuristics that StarPU names. Of a group, for a kind of worker: the work that it
 * releases; this kind's advantage over the others; divided by its time or not. Numbers in the names
 * are different weights of these.
 */
enum base { NOTHING, NODS, RELEASED, BOTH };
enum advantage { NONE, DIFFERENCE, RATIO };
static const struct {
	enum base base;
	enum advantage advantage;
	double weight; /* of the advantage, beside the product of both */
	bool per_time;
} heuristics[STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY_COUNT] = {
	[STARPU_HETEROPRIO_NOD_TIME_COMBINATION] = {NODS, DIFFERENCE, 0.5, false},
	[STARPU_HETEROPRIO_BEST_NODS_SCORE] = {NODS, RATIO, 0, false},
	[STARPU_HETEROPRIO_BEST_NODS] = {NODS, NONE, 0, false},
	[STARPU_HETEROPRIO_URT_PURE] = {RELEASED, NONE, 0, false},
	[STARPU_HETEROPRIO_URT] = {RELEASED, NONE, 0.1, false},
	[STARPU_HETEROPRIO_URT_2] = {RELEASED, NONE, 0.5, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_PURE] = {RELEASED, DIFFERENCE, 0, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_PURE_2] = {BOTH, DIFFERENCE, 0, false},
	[STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE] = {RELEASED, RATIO, 0, false},
	[STARPU_HETEROPRIO_URT_DOT_REL_DIFF_PURE_2] = {BOTH, RATIO, 0, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_2] = {RELEASED, DIFFERENCE, 0.1, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_3] = {RELEASED, DIFFERENCE, 0.25, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_4] = {RELEASED, DIFFERENCE, 0.5, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_5] = {BOTH, DIFFERENCE, 0.1, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_6] = {BOTH, DIFFERENCE, 0.25, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_7] = {BOTH, DIFFERENCE, 0.5, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_8] = {RELEASED, RATIO, 0.25, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_9] = {RELEASED, DIFFERENCE, 1, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_10] = {BOTH, DIFFERENCE, 1, false},
	[STARPU_HETEROPRIO_URT_DOT_DIFF_11] = {BOTH, DIFFERENCE, 2, false},
	[STARPU_HETEROPRIO_URTS_PER_SECONDS] = {RELEASED, NONE, 0, true},
	[STARPU_HETEROPRIO_URTS_PER_SECONDS_2] = {BOTH, NONE, 0, true},
	[STARPU_HETEROPRIO_URTS_PER_SECONDS_DIFF] = {RELEASED, DIFFERENCE, 0, true},
	[STARPU_HETEROPRIO_URTS_TIME_RELEASED_DIFF] = {RELEASED, DIFFERENCE, 0.5, true},
	[STARPU_HETEROPRIO_URTS_TIME_COMBINATION] = {RELEASED, RATIO, 0.5, true},
	[STARPU_HETEROPRIO_NODS_PER_SECOND] = {NODS, NONE, 0, true},
	[STARPU_HETEROPRIO_NODS_TIME_RELEASED] = {BOTH, RATIO, 0, true},
	[STARPU_HETEROPRIO_NODS_TIME_RELEASED_DIFF] = {BOTH, DIFFERENCE, 0.25, true},
};

static double hetero_score(const struct hp_auto *a, const struct group *g, unsigned kind)
{
	double here = time_on(g, kind), there = hetero_shortest(g, (int)kind);
	here = isnan(here) ? isnan(there) ? 1 : there : here;
	there = isnan(there) ? here : there;
	double released = g->released.is, nod = g->nod.is;
	double base = heuristics[a->policy].base == NODS       ? nod
	              : heuristics[a->policy].base == RELEASED ? released
	                                                       : nod + released;
	double better = heuristics[a->policy].advantage == DIFFERENCE ? there - here : there / (here > 0 ? here : 1e-3);
	double product = heuristics[a->policy].advantage == NONE ? base : base * better;
	double sum = product + heuristics[a->policy].weight * better;
	return heuristics[a->policy].per_time ? sum / (here > 0 ? here : 1e-3) : sum;
}

static void order_for(const struct hp_auto *a, struct hp_kind *k, unsigned kind)
{
	double of[HP_BUCKETS];
	k->n = a->n;
	for (unsigned i = 0; i < a->n; i++) {
		unsigned at = i;
		of[i] = hetero_score(a, &a->group[i], kind);
		while (at > 0 && of[k->order[at - 1]] < of[i]) {
			k->order[at] = k->order[at - 1];
			at--;
		}
		k->order[at] = i;
	}
}

static void find_fastest(const struct group *g, struct hp_bucket *b)
{
	double least = hetero_shortest(g, -1);
	unsigned known = 0;
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++) {
		double us = time_on(g, kind);
		known += !isnan(us);
		b->slower[kind] = isnan(us) || !(least > 0) ? 1 : (float)(us / least);
		if (us == least)
			b->fastest = (enum starpu_worker_archtype)kind;
	}
	b->has_fastest = known > 1 && least > 0;
}

static void find_orders(struct hp *h)
{
	struct hp_auto *a = h->by_itself;
	a->n_ordered = a->n;
	for (unsigned kind = 0; kind < STARPU_NARCH; kind++)
		order_for(a, &h->kind[kind], kind);
	for (unsigned i = 0; i < a->n; i++)
		find_fastest(&a->group[i], &h->bucket[i]);
	if (a->prints_data)
		hetero_print(a, stderr);
	for (unsigned kind = 0; a->prints_orders && kind < STARPU_NARCH; kind++) {
		if (!h->kind[kind].workers)
			continue;
		fprintf(stderr, "heteroprio, %s, %s:", starpu_autoheteroprio_priority_ordering_policy_names[a->policy],
		        starpu_worker_get_type_as_string((enum starpu_worker_archtype)kind));
		for (unsigned i = 0; i < a->n; i++)
			fprintf(stderr, " %s", a->group[h->kind[kind].order[i]].name);
		fprintf(stderr, "\n");
	}
}

static bool fastest_can(const struct hp_bucket *b, struct starpu_task *t)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers);
	for (unsigned i = 0; i < n; i++)
		if (starpu_worker_get_type(workers[i]) == b->fastest &&
		    starpu_worker_can_execute_task_first_impl((unsigned)workers[i], t, NULL))
			return true;
	return false;
}

unsigned hp_auto_push(struct hp *h, struct starpu_task *t)
{
	struct hp_auto *a = h->by_itself;
	unsigned g = group_of(a, t);
	if (a->n != a->n_ordered || a->pushed++ % a->interval == 0)
		find_orders(h);
	return h->bucket[g].has_fastest && !fastest_can(&h->bucket[g], t) ? HP_ODD : g;
}
