/* SPDX-License-Identifier: Apache-2.0 */
/* `weft efficiency` of a program of the task runtime: how well workers were used, as factors; and two runs state by state. effort_walk.c counts,
 * src/graph/efficiency.c divides. */
#include "efficiency_tasks.h"
#include "effort_walk.h"
#include "base/log.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct cli_efficiency_tasks *args;
	struct efforts run, other; /* other: the reference, or what is compared */
	bool has_other;
};

/* ---- the tasks' own time against a reference ---- */

struct mean {
	uint64_t ns, n;
};

/* By codelet's name and kind of worker; with kind "" by name only. */
static uint64_t key_of(const char *codelet, const char *kind)
{
	return weft_hash(codelet, strlen(codelet)) * 31 + weft_hash(kind, strlen(kind));
}

static int mean_add(struct weft_map *at, struct mean *mean, uint64_t *n, uint64_t key, uint64_t ns)
{
	uint64_t i;
	if (!weft_map_get(at, key, &i)) {
		i = (*n)++;
		mean[i] = (struct mean){0};
		if (weft_map_put(at, key, i))
			return -ENOMEM;
	}
	mean[i].ns += ns;
	mean[i].n++;
	return 0;
}

static uint64_t duration_of(const struct weft_tasks_task *t)
{
	return t->start != WEFT_NEVER && t->end != WEFT_NEVER && t->end > t->start ? t->end - t->start : 0;
}

static int reference_means(const struct efforts *r, struct weft_map *at, struct mean *mean)
{
	const struct weft_tasks *t = &r->tasks.tasks;
	uint64_t n = 0;
	int rc = 0;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		uint64_t ns = duration_of(&t->task[i]);
		const char *codelet = weft_tasks_codelet(t, &t->task[i]);
		unsigned kind = efforts_kind(r, &t->task[i]);
		if (!ns || kind == WEFT_IDLE_KINDS)
			continue;
		rc = mean_add(at, mean, &n, key_of(codelet, r->kind[kind]), ns);
		rc = rc ? rc : mean_add(at, mean, &n, key_of(codelet, ""), ns);
	}
	return rc;
}

/* What each kind's tasks would have taken at the reference's mean times; tasks of codelets that it has not count as they are. */
static int reference_work(const struct work *w, double reference[WEFT_IDLE_KINDS])
{
	const struct weft_tasks *t = &w->run.tasks.tasks;
	struct weft_map at = {0};
	struct mean *mean = calloc(2 * (size_t)w->other.tasks.tasks.n + 2, sizeof *mean);
	int rc = mean ? reference_means(&w->other, &at, mean) : -ENOMEM;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		const struct weft_tasks_task *task = &t->task[i];
		const char *codelet = weft_tasks_codelet(t, task);
		uint64_t ns = duration_of(task), m;
		unsigned kind = efforts_kind(&w->run, task);
		if (!ns || kind == WEFT_IDLE_KINDS || task->end <= w->run.from || task->start >= w->run.to)
			continue;
		bool found = weft_map_get(&at, key_of(codelet, w->run.kind[kind]), &m) ||
		             weft_map_get(&at, key_of(codelet, ""), &m);
		uint64_t from = task->start > w->run.from ? task->start : w->run.from,
			 to = task->end < w->run.to ? task->end : w->run.to;
		double part = (double)(to - from) / (double)ns; /* of it in the range */
		reference[kind] += part * (found ? (double)mean[m].ns / (double)mean[m].n : (double)ns);
	}
	weft_map_fini(&at);
	free(mean);
	return rc;
}

/* ---- factors ---- */

enum { CHAINS = 2, ROWS_MOST = WEFT_EFFICIENCY_FINE + 1, SIDES_MOST = WEFT_IDLE_KINDS + 1 };
static const struct chain {
	const char *name;
	const struct weft_efficiency_factor *factor;
	unsigned n;
} chains[CHAINS] = {{"StarPU's", weft_efficiency_classic, WEFT_EFFICIENCY_CLASSIC},
                    {"finer", weft_efficiency_fine, WEFT_EFFICIENCY_FINE}};

struct sides { /* all workers, then each kind */
	unsigned n;
	double effort[SIDES_MOST][WEFT_EFFORTS], reference[SIDES_MOST];
};

static int find_sides(const struct work *w, struct sides *s)
{
	const struct efforts *e = &w->run;
	double reference[WEFT_IDLE_KINDS] = {0};
	int rc = w->has_other ? reference_work(w, reference) : 0;
	memset(s, 0, sizeof *s);
	s->n = e->n_kinds > 1 ? e->n_kinds + 1 : 1;
	for (unsigned k = 0; k < e->n_kinds; k++) {
		for (unsigned x = 0; x < WEFT_EFFORTS; x++) {
			s->effort[0][x] += e->effort[k][x];
			s->effort[k + 1][x] = e->effort[k][x];
		}
		s->reference[0] += reference[k];
		s->reference[k + 1] = reference[k];
	}
	for (unsigned k = 0; k < s->n && !w->has_other; k++)
		s->reference[k] = -1;
	return rc;
}

static int add_chain(struct weft_table *t, const struct sides *s, const struct chain *c)
{
	double value[SIDES_MOST][ROWS_MOST];
	for (unsigned k = 0; k < s->n; k++)
		value[k][c->n] = weft_efficiency(c->factor, c->n, s->effort[k], s->reference[k], value[k]);
	for (unsigned f = 0; f <= c->n; f++) {
		struct weft_cell cell[SIDES_MOST + 3] = {{WEFT_CELL_TEXT, {.text = c->name}},
		                                         {WEFT_CELL_TEXT,
		                                          {.text = f < c->n ? c->factor[f].name : "parallel (product)"}}};
		for (unsigned k = 0; k < s->n; k++)
			cell[2 + k] = (struct weft_cell){WEFT_CELL_PERCENT, {.f64 = 100 * value[k][f]}};
		bool unknown = f < c->n && !c->factor[f].lost && s->reference[0] < 0;
		cell[2 + s->n] = (struct weft_cell){WEFT_CELL_TEXT,
		                                    {.text = unknown    ? "not known without a reference run"
		                                             : f < c->n ? c->factor[f].meaning
		                                                        : ""}};
		int rc = weft_table_row(t, cell);
		if (rc)
			return rc;
	}
	return 0;
}

static int print_factors(const struct work *w)
{
	struct weft_column column[SIDES_MOST + 3] = {{"chain", "", WEFT_CELL_TEXT}, {"factor", "efficiency", WEFT_CELL_TEXT}};
	char key[SIDES_MOST][48];
	struct sides s;
	struct weft_table t;
	int rc = find_sides(w, &s);
	for (unsigned k = 0; k < s.n; k++) {
		snprintf(key[k], sizeof key[k], "%s_percent", k ? w->run.kind[k - 1] : "all");
		column[2 + k] = (struct weft_column){key[k], k ? w->run.kind[k - 1] : "all", WEFT_CELL_PERCENT};
	}
	column[2 + s.n] = (struct weft_column){"meaning", "when it is small", WEFT_CELL_TEXT};
	weft_table_init(&t, column, s.n + 3);
	for (unsigned c = 0; c < (w->run.has_ready ? CHAINS : 1u) && !rc; c++)
		rc = add_chain(&t, &s, &chains[c]);
	if (!rc)
		return cli_table(&t, w->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int print_times(const struct work *w)
{
	static const struct weft_column column[] = {{"workers", "workers", WEFT_CELL_TEXT},
	                                            {"number", "number", WEFT_CELL_U64},
	                                            {"tasks_ns", "tasks", WEFT_CELL_NS},
	                                            {"runtime_ns", "runtime", WEFT_CELL_NS},
	                                            {"scheduling_ns", "scheduling", WEFT_CELL_NS},
	                                            {"transfers_ns", "transfers", WEFT_CELL_NS},
	                                            {"late_ns", "idle, tasks ready", WEFT_CELL_NS},
	                                            {"starved_ns", "idle, none ready", WEFT_CELL_NS}};
	struct weft_table t;
	int rc = 0;
	printf("\n");
	weft_table_init(&t, column, 8);
	for (unsigned k = 0; k < w->run.n_kinds && !rc; k++) {
		struct weft_cell cell[8] = {{WEFT_CELL_TEXT, {.text = w->run.kind[k]}},
		                            {WEFT_CELL_U64, {.u64 = w->run.workers[k]}}};
		for (unsigned x = 0; x < WEFT_EFFORTS; x++)
			cell[2 + x] = (struct weft_cell){WEFT_CELL_NS, {.u64 = (uint64_t)llround(w->run.effort[k][x])}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, w->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- states ---- */

static const char *state_name(const struct efforts *e, uint32_t region)
{
	return region ? e->tasks.tasks.trace->def[WEFT_CLASS_REGION].at[region].name : "(outside of all)";
}

static const char *effort_name(const struct effort_state *s)
{
	return s->effort >= WEFT_EFFORT_LATE ? "idle" : weft_effort_names[s->effort];
}

/* A simulated run calls tasks by their models. */
static bool are_same(const struct efforts *a, uint32_t x, const struct efforts *b, uint32_t y)
{
	const struct effort_state *s = &a->state[x], *t = &b->state[y];
	return strcmp(effort_name(s), effort_name(t)) == 0 &&
	       (strcmp(state_name(a, x), state_name(b, y)) == 0 || (*s->model && strcmp(s->model, state_name(b, y)) == 0) ||
	        (*t->model && strcmp(state_name(a, x), t->model) == 0));
}

/* The state of the other trace that is called so and means the same; NULL: none. */
static const struct effort_state *same_state(const struct efforts *other, const struct efforts *of, uint32_t region)
{
	for (uint32_t r = 0; r < other->n_states; r++)
		if ((other->state[r].ns || other->state[r].count) && are_same(of, region, other, r))
			return &other->state[r];
	return NULL;
}

static int add_state(struct weft_table *t, const struct work *w, const char *name, const struct effort_state *a,
                     const struct effort_state *b)
{
	static const struct effort_state nothing = {0};
	const struct effort_state *x = a ? a : &nothing, *y = b ? b : &nothing;
	double change = x->ns ? 100 * ((double)y->ns - (double)x->ns) / (double)x->ns : NAN;
	const struct weft_cell cell[] = {{WEFT_CELL_TEXT, {.text = name}},    {WEFT_CELL_TEXT, {.text = effort_name(a ? a : b)}},
	                                 {WEFT_CELL_U64, {.u64 = x->count}},  {WEFT_CELL_NS, {.u64 = x->ns}},
	                                 {WEFT_CELL_U64, {.u64 = y->count}},  {WEFT_CELL_NS, {.u64 = y->ns}},
	                                 {WEFT_CELL_PERCENT, {.f64 = change}}};
	(void)w;
	return weft_table_row(t, cell);
}

struct ranked {
	uint64_t ns;
	uint32_t region;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : x->region < y->region ? -1 : x->region > y->region;
}

static struct ranked *rank_states(const struct efforts *e, uint32_t *n)
{
	struct ranked *r = malloc(((size_t)e->n_states + 1) * sizeof *r);
	*n = 0;
	for (uint32_t k = 0; r && k < e->n_states; k++)
		if (e->state[k].ns || e->state[k].count)
			r[(*n)++] = (struct ranked){e->state[k].ns, k};
	if (r)
		qsort(r, *n, sizeof *r, compare_ranked);
	return r;
}

static int print_states(const struct work *w)
{
	static const struct weft_column column[] = {{"state", "state", WEFT_CELL_TEXT},
	                                            {"type", "type", WEFT_CELL_TEXT},
	                                            {"count", "count", WEFT_CELL_U64},
	                                            {"total_ns", "total", WEFT_CELL_NS},
	                                            {"other_count", "other's", WEFT_CELL_U64},
	                                            {"other_total_ns", "total", WEFT_CELL_NS},
	                                            {"change_percent", "change", WEFT_CELL_PERCENT}};
	struct weft_table t;
	uint32_t n, n_other = 0;
	struct ranked *r = rank_states(&w->run, &n), *o = w->has_other ? rank_states(&w->other, &n_other) : NULL;
	int rc = r && (o || !w->has_other) ? 0 : -ENOMEM;
	weft_table_init(&t, column, w->has_other ? 7 : 4);
	for (uint32_t k = 0; k < n && !rc; k++) {
		const char *name = state_name(&w->run, r[k].region);
		const struct effort_state *s = &w->run.state[r[k].region];
		rc = add_state(&t, w, name, s, w->has_other ? same_state(&w->other, &w->run, r[k].region) : NULL);
	}
	for (uint32_t k = 0; k < n_other && !rc; k++) {
		const char *name = state_name(&w->other, o[k].region);
		const struct effort_state *s = &w->other.state[o[k].region];
		if (!same_state(&w->run, &w->other, o[k].region))
			rc = add_state(&t, w, name, NULL, s);
	}
	free(r);
	free(o);
	if (!rc)
		return cli_table(&t, w->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- the command ---- */

static int efficiency_print(const struct work *w)
{
	char length[32];
	if (w->args->states)
		return print_states(w);
	int status = print_factors(w);
	if (status || cli_form(w->args->common) != WEFT_TABLE_TEXT)
		return status;
	status = print_times(w);
	printf("\nOf %s%s.\n", weft_human_ns(length, w->run.to - w->run.from),
	       w->run.has_detail ? "" : "; without the category starpu_detail all that is outside of tasks counts as idle");
	return status;
}

int cli_efficiency_tasks(const struct cli_efficiency_tasks *how, struct weft_trace *const t[2])
{
	struct work w = {.args = how, .has_other = t[1]};
	int status = efforts_init(&w.run, t[0], how->time, how->states);
	if (!status && w.has_other)
		status = efforts_init(&w.other, t[1], how->states ? how->time : NULL, how->states);
	if (!status)
		status = efficiency_print(&w);
	efforts_fini(&w.run);
	efforts_fini(&w.other);
	return status;
}
