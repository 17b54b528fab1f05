/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of the runtime, scheduled anew: in the order in which they were submitted, each to the worker that is free first, as soon as those before
 * it have ended. Submissions come as they came, later when the submitting thread had to wait for tasks in between. What a worker takes
 * between two tasks that are ready is what it took in the recorded run, in the median.
 *
 * A unit is what is given to a worker at once: a task, several in a row (merged), or a part of one.
 */
#include "whatif.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct item { /* a task: of the runtime, or of OpenMP */
	uint64_t submit, ns, end;
	uint32_t number; /* row of the runtime's table */
	uint32_t region, thread;
};
struct unit {
	uint64_t ns, submit, end; /* end: when it is played */
	uint32_t first, n;        /* tasks, in the order of submission */
	uint32_t batch;
};
struct drain {
	uint64_t begin, end;
};
struct play {
	const struct weft_causal *c;
	const struct weft_whatif_tasks *how;
	WEFT_VEC(struct item) item; /* by submission */
	uint32_t *place;            /* row of the runtime's table -> item, or NONE; NULL: they are OpenMP's */
	WEFT_VEC(struct drain) drain;
	WEFT_VEC(struct unit) unit;
	uint32_t split;   /* units of a task; 1 unless each is split */
	uint64_t between; /* ns of a worker between two tasks */
	uint64_t *free_at;
	uint32_t workers;
};

static int by_submit(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_begin(const void *a, const void *b)
{
	const struct drain *x = a, *y = b;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static int read_runtime(struct play *p)
{
	const struct weft_tasks *t = &p->c->tasks;
	p->place = malloc(((size_t)t->n + 1) * sizeof *p->place);
	int rc = p->place ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < t->n; i++) {
		const struct weft_tasks_task *k = &t->task[i];
		p->place[i] = WEFT_CAUSAL_NONE;
		if (k->start == WEFT_NEVER || k->end == WEFT_NEVER || k->submit == WEFT_NEVER || k->worker == WEFT_TASKS_NO_ONE)
			continue;
		rc = weft_vec_push(&p->item, (struct item){k->submit, k->end - k->start, k->end, i, k->region,
		                                           t->worker[k->worker].thread});
	}
	return rc;
}

static bool is_openmp(const struct weft_causal *c, uint32_t flow)
{
	return strcmp(c->trace->def[WEFT_CLASS_FLOW].at[c->trace->flow.flow[flow]].name, "omp task") == 0;
}

static uint32_t arrow_of(const struct weft_causal *c, uint32_t node, uint32_t kind)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == kind)
			return c->link[k].arg;
	return WEFT_CAUSAL_NONE;
}

/* OpenMP's: from the node that their arrow leads to, to the one where their region ends; they lie in each other. */
static int read_openmp(struct play *p)
{
	enum { DEEP = 64 };
	const struct weft_causal *c = p->c;
	struct item open[DEEP];
	int rc = 0;
	for (uint32_t t = 0; !rc && t < c->n_threads; t++) {
		unsigned n = 0;
		for (uint32_t i = c->thread[t].first_node; !rc && i < c->thread[t].first_node + c->thread[t].n_nodes; i++) {
			uint32_t flow = arrow_of(c, i, WEFT_CAUSAL_IN);
			if (flow != WEFT_CAUSAL_NONE && is_openmp(c, flow) && n < DEEP)
				open[n++] = (struct item){.submit = c->trace->flow.from_time[flow],
				                          .ns = c->node[i].end,
				                          .number = i,
				                          .thread = t};
			else if (arrow_of(c, i, WEFT_CAUSAL_DONE) != WEFT_CAUSAL_NONE && n) {
				struct item k = open[--n];
				k.end = c->node[i].begin;
				k.ns = k.end > k.ns ? k.end - k.ns : 0;
				k.region = c->path[c->node[i].path].region;
				rc = weft_vec_push(&p->item, k);
			}
		}
	}
	return rc;
}

static int read_tasks(struct play *p)
{
	int rc = p->c->tasks.n ? read_runtime(p) : read_openmp(p);
	if (!rc && p->item.n)
		qsort(p->item.at, p->item.n, sizeof *p->item.at, by_submit);
	for (size_t i = 0; !rc && p->place && i < p->item.n; i++)
		p->place[p->item.at[i].number] = (uint32_t)i;
	return rc;
}

static bool is_team_barrier(const struct weft_causal *c, uint32_t node)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == WEFT_CAUSAL_JOINS || c->link[k].kind == WEFT_CAUSAL_AWAITS)
			return c->meeting[c->link[k].arg].why == WEFT_CAUSAL_OMP_BARRIER;
	return false;
}

/* Where the submitting threads waited for tasks. */
static int read_drains(struct play *p)
{
	const struct weft_causal *c = p->c;
	for (uint32_t i = 0; i < c->n_nodes; i++)
		if ((c->node[i].kind == WEFT_CAUSAL_TASKS || (!p->place && is_team_barrier(c, i))) &&
		    weft_vec_push(&p->drain, (struct drain){c->node[i].begin, c->node[i].end}))
			return -ENOMEM;
	if (p->drain.n)
		qsort(p->drain.at, p->drain.n, sizeof *p->drain.at, by_begin);
	return 0;
}

/* The median of what lies between two tasks of a worker of which the second was ready. */
static int read_between(struct play *p)
{
	const struct weft_causal *c = p->c;
	WEFT_VEC(uint64_t) gap = {0};
	int rc = 0;
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++) {
		struct weft_causal_cause cause;
		if (c->node[i].kind != WEFT_CAUSAL_STARVED || c->node[i].first_link == c->node[i + 1].first_link)
			continue;
		cause = weft_causal_cause(c, i);
		if (cause.thread != WEFT_CAUSAL_NONE && cause.time <= c->node[i].begin)
			rc = weft_vec_push(&gap, c->node[i].end - c->node[i].begin);
	}
	if (!rc && gap.n) {
		qsort(gap.at, gap.n, sizeof *gap.at, by_number);
		p->between = gap.at[gap.n / 2];
	}
	free(gap.at);
	return rc;
}

static int make_units(struct play *p)
{
	uint32_t merge = p->how->merge > 1 ? (uint32_t)p->how->merge : 1, batch = 0;
	p->split = p->how->merge > 0 && p->how->merge < 1 ? (uint32_t)(1 / p->how->merge + 0.5) : 1;
	for (uint32_t i = 0; i < p->item.n;) {
		const struct item *first = &p->item.at[i];
		struct unit u = {.first = i, .submit = first->submit};
		while (batch < p->drain.n && p->drain.at[batch].end <= u.submit)
			batch++;
		u.batch = batch;
		for (; i < p->item.n && u.n < merge; i++, u.n++) {
			const struct item *t = &p->item.at[i];
			if (u.n && (t->region != first->region || (batch < p->drain.n && p->drain.at[batch].end <= t->submit)))
				break;
			u.ns += t->ns;
			u.submit = t->submit;
		}
		u.ns /= p->split;
		for (uint32_t k = 0; k < p->split; k++)
			if (weft_vec_push(&p->unit, u))
				return -ENOMEM;
	}
	return 0;
}

/* The units of a task, by its place. O(log units) */
static size_t unit_of(const struct play *p, uint32_t place)
{
	size_t low = 0, high = p->unit.n;
	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;
		if (p->unit.at[mid].first <= place)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* When those that it waits for have ended. They stand before it, and have been played. */
static uint64_t after_others(const struct play *p, size_t at)
{
	const struct weft_tasks *t = &p->c->tasks;
	const struct unit *u = &p->unit.at[at];
	uint64_t last = 0;
	for (uint32_t i = u->first; p->place && i < u->first + u->n; i++) {
		const struct weft_tasks_task *task = &t->task[p->item.at[i].number];
		for (uint32_t e = task->before; e < task->before + task->n_before; e++) {
			uint32_t place = p->place[t->edge[e]];
			if (place == WEFT_CAUSAL_NONE || place >= u->first)
				continue;
			size_t k = unit_of(p, place);
			for (size_t one = k + 1 >= p->split ? k + 1 - p->split : 0; one <= k; one++)
				if (p->unit.at[one].first == p->unit.at[k].first && p->unit.at[one].end > last)
					last = p->unit.at[one].end;
		}
	}
	return last;
}

/*
 * Units of a batch: of those that are ready the one that was submitted first, to the worker that is free first. Readiness needs the ends of earlier
 * ones, so the next unit is the one that can begin first; looked for among the next few, as a policy's queue would have them.
 */
static void play_batch(struct play *p, size_t from, size_t to, int64_t shift)
{
	enum { WINDOW = 256 };
	bool done[WINDOW];
	size_t first = from;
	memset(done, 0, sizeof done);
	while (first < to) {
		size_t n = to - first < WINDOW ? to - first : WINDOW, best = n;
		uint32_t who = 0;
		uint64_t best_begin = UINT64_MAX;
		for (uint32_t w = 1; w < p->workers; w++)
			if (p->free_at[w] < p->free_at[who])
				who = w;
		for (size_t i = 0; i < n; i++) {
			struct unit *u = &p->unit.at[first + i];
			if (done[(first + i) % WINDOW])
				continue;
			uint64_t submit = (uint64_t)((int64_t)u->submit + shift), others = after_others(p, first + i);
			uint64_t ready = submit > others ? submit : others,
				 begin = ready > p->free_at[who] ? ready : p->free_at[who];
			if (others == UINT64_MAX || begin >= best_begin)
				continue;
			best = i;
			best_begin = begin;
			if (begin == p->free_at[who])
				break;
		}
		if (best == n)
			return; /* cannot be: the first one waits for played ones alone */
		struct unit *u = &p->unit.at[first + best];
		u->end = best_begin + u->ns;
		p->free_at[who] = u->end + p->between;
		done[(first + best) % WINDOW] = true;
		while (first < to && done[first % WINDOW]) {
			done[first % WINDOW] = false;
			first++;
		}
	}
}

static uint64_t play_all(struct play *p)
{
	int64_t shift = 0;
	uint64_t last = 0;
	size_t at = 0;
	for (size_t i = 0; i < p->unit.n; i++)
		p->unit.at[i].end = UINT64_MAX;
	while (at < p->unit.n) {
		size_t end = at;
		uint32_t batch = p->unit.at[at].batch;
		while (end < p->unit.n && p->unit.at[end].batch == batch)
			end++;
		play_batch(p, at, end, shift);
		for (size_t i = at; i < end; i++)
			last = p->unit.at[i].end != UINT64_MAX && p->unit.at[i].end > last ? p->unit.at[i].end : last;
		if (batch < p->drain.n) { /* the submitting thread goes on when all have ended */
			int64_t came = (int64_t)p->unit.at[end - 1].submit + shift;
			int64_t over = (int64_t)last > came ? (int64_t)last : came;
			shift = over - (int64_t)p->drain.at[batch].end;
			for (uint32_t w = 0; w < p->workers; w++)
				p->free_at[w] = p->free_at[w] > last ? last : p->free_at[w];
		}
		at = end;
	}
	return last;
}

static int play_one(struct play *p, uint32_t workers, uint64_t *end)
{
	p->workers = workers;
	p->free_at = calloc((size_t)workers + 1, sizeof *p->free_at);
	if (!p->free_at)
		return -ENOMEM;
	p->unit.n = 0;
	int rc = make_units(p);
	if (!rc)
		*end = play_all(p);
	free(p->free_at);
	return rc;
}

/* Threads that ran tasks. */
static int count_workers(const struct play *p, uint32_t *n)
{
	bool *seen = calloc((size_t)p->c->trace->n_threads + 1, sizeof *seen);
	*n = 0;
	for (size_t i = 0; seen && i < p->item.n; i++) {
		*n += !seen[p->item.at[i].thread];
		seen[p->item.at[i].thread] = true;
	}
	free(seen);
	*n = *n ? *n : 1;
	return seen ? 0 : -ENOMEM;
}

static void describe(const struct play *p, struct weft_whatif_task_answer *out)
{
	uint64_t first = p->item.at[0].submit;
	out->n_tasks = p->item.n;
	out->overhead = p->between;
	for (size_t i = 0; i < p->item.n; i++) {
		const struct item *t = &p->item.at[i];
		out->recorded = t->end > first && t->end - first > out->recorded ? t->end - first : out->recorded;
		out->work += t->ns;
	}
}

int weft_whatif_play_tasks(const struct weft_causal *c, const struct weft_whatif_tasks *how, struct weft_whatif_task_answer *out)
{
	static const struct weft_whatif_tasks as_it_was = {0, 1};
	struct play p = {.c = c, .how = &as_it_was};
	uint64_t end = 0;
	uint32_t were = 1;
	*out = (struct weft_whatif_task_answer){0};
	int rc = read_tasks(&p);
	if (!rc)
		rc = read_drains(&p);
	if (!rc)
		rc = read_between(&p);
	if (!rc)
		rc = count_workers(&p, &were);
	if (!rc && p.item.n) {
		uint64_t first = p.item.at[0].submit;
		describe(&p, out);
		out->workers = how->workers ? how->workers : were;
		rc = play_one(&p, were, &end);
		out->as_replayed = end > first ? end - first : 0;
		p.how = how;
		if (!rc)
			rc = play_one(&p, out->workers, &end);
		out->changed = end > first ? end - first : 0;
	}
	free(p.item.at);
	free(p.place);
	free(p.drain.at);
	free(p.unit.at);
	return rc;
}

bool weft_whatif_has_tasks(const struct weft_causal *c)
{
	for (uint32_t k = 0; k < c->n_links; k++)
		if (c->link[k].kind == WEFT_CAUSAL_DONE)
			return true;
	return false;
}
