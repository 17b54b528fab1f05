/* SPDX-License-Identifier: Apache-2.0 */
/* The usual remedies: which of them make sense for a run, tried side by side, and ranked. */
#include "remedy.h"
#include "base/pool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef WEFT_VEC(struct weft_remedy) remedies;

static int add(remedies *to, struct weft_remedy m)
{
	return weft_vec_push(to, m);
}

static int add_region(remedies *to, enum weft_remedy_kind kind, const char *name, double factor)
{
	struct weft_remedy m = {.kind = kind, .factor = factor, .lock = WEFT_CAUSAL_NONE};
	snprintf(m.what, sizeof m.what, "%s", name);
	for (char *at = m.what; *at; at++) /* a name is taken as it is */
		if (*at == '*' || *at == '?')
			*at = '?';
	return add(to, m);
}

/* ---- regions ---- */

struct candidate {
	uint32_t region;
	uint64_t ns; /* with what is below it, of all threads */
};
static int by_ns(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

/* Regions by what is done in them and below; one that says the same as another, the outer of two, is left out. */
static int find_regions(const struct weft_remedies *r, struct candidate *of, uint32_t *n)
{
	const struct weft_causal *c = r->c;
	uint32_t *seen = calloc((size_t)c->n_regions + 1, sizeof *seen);
	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_regions; i++)
		of[i] = (struct candidate){i, 0};
	for (uint32_t i = 0; i < c->n_paths; i++)
		for (uint32_t p = i; r->busy_ns[i] && p != WEFT_CAUSAL_NONE; p = c->path[p].parent) {
			uint32_t region = c->path[p].region;
			if (seen[region] == i + 1 || (!region && p != i))
				continue;
			seen[region] = i + 1;
			if (weft_causal_computes(c, p))
				of[region].ns += r->busy_ns[i];
		}
	free(seen);
	qsort(of, c->n_regions, sizeof *of, by_ns);
	for (*n = 0; *n < c->n_regions && of[*n].ns > r->measured / 50;)
		++*n;
	return 0;
}

/* Of regions that are all of each other the program's own stands for them, else the outermost. */
static bool is_said_by_another(const struct weft_causal *c, const struct candidate *of, uint32_t n, uint32_t i)
{
	bool own = weft_causal_is_programs(c, of[i].region);
	for (uint32_t k = 0; k < n; k++) {
		uint64_t more = of[k].ns > of[i].ns ? of[k].ns - of[i].ns : of[i].ns - of[k].ns;
		bool better = weft_causal_is_programs(c, of[k].region);
		if (k != i && more <= of[i].ns / 50 && (better != own ? better : k < i))
			return true;
	}
	return false;
}

static int add_regions(const struct weft_remedies *r, remedies *to)
{
	enum { MOST = 12 };
	struct candidate *of = malloc(((size_t)r->c->n_regions + 1) * sizeof *of);
	uint32_t n = 0;
	int rc = of ? find_regions(r, of, &n) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < n && i < MOST; i++) {
		if (is_said_by_another(r->c, of, n, i))
			continue;
		const char *name = r->c->region[of[i].region].name;
		rc = add_region(to, WEFT_REMEDY_FASTER, name, 2);
		if (!rc)
			rc = add_region(to, WEFT_REMEDY_BALANCE, name, 1);
	}
	free(of);
	return rc;
}

/* ---- locks, loops, messages, tasks ---- */

static int add_locks(const struct weft_remedies *r, remedies *to)
{
	enum { MOST = 8 };
	const struct weft_causal *c = r->c;
	uint64_t *waited = calloc((size_t)c->n_locks + 1, sizeof *waited);
	uint32_t n = 0;
	int rc = waited ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++)
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++)
			if (c->link[k].kind == WEFT_CAUSAL_TAKE)
				waited[c->link[k].arg] += c->node[i].end - c->node[i].begin;
	for (uint32_t i = 0; !rc && i < c->n_locks && n < MOST; i++) {
		if (waited[i] < r->measured / 200)
			continue;
		struct weft_remedy m = {.kind = WEFT_REMEDY_UNLOCK, .lock = i};
		weft_remedy_lock_name(c, i, m.what, sizeof m.what);
		rc = add(to, m);
		n++;
	}
	free(waited);
	return rc;
}

static bool has_link(const struct weft_causal *c, uint32_t kind)
{
	for (uint32_t k = 0; k < c->n_links; k++)
		if (c->link[k].kind == kind)
			return true;
	return false;
}

static int add_loops(const struct weft_remedies *r, remedies *to)
{
	static const struct weft_whatif_loop how[] = {
		{WEFT_WHATIF_DYNAMIC, 1, 0, WEFT_CAUSAL_NONE},  {WEFT_WHATIF_DYNAMIC, 4, 0, WEFT_CAUSAL_NONE},
		{WEFT_WHATIF_DYNAMIC, 16, 0, WEFT_CAUSAL_NONE}, {WEFT_WHATIF_DYNAMIC, 64, 0, WEFT_CAUSAL_NONE},
		{WEFT_WHATIF_GUIDED, 0, 0, WEFT_CAUSAL_NONE},   {WEFT_WHATIF_STATIC, 0, 0, WEFT_CAUSAL_NONE},
	};
	int rc = 0;
	if (!has_link(r->c, WEFT_CAUSAL_CHUNK))
		return 0;
	for (size_t i = 0; !rc && i < sizeof how / sizeof *how; i++)
		rc = add(to, (struct weft_remedy){.kind = WEFT_REMEDY_SCHEDULE, .loop = how[i], .lock = WEFT_CAUSAL_NONE});
	return rc;
}

static bool has_parallel(const struct weft_causal *c)
{
	for (uint32_t i = 0; i < c->n_meetings; i++)
		if (c->meeting[i].why == WEFT_CAUSAL_TEAM_END)
			return true;
	return false;
}

/* The program's own regions around calls that send and receive. */
static int add_overlaps(const struct weft_remedies *r, remedies *to)
{
	const struct weft_causal *c = r->c;
	bool *seen = calloc((size_t)c->n_regions + 1, sizeof *seen);
	int rc = seen ? add_region(to, WEFT_REMEDY_OVERLAP, "", 1) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++) {
		uint32_t k = c->node[i].first_link;
		if (k == c->node[i + 1].first_link || c->link[k].kind > WEFT_CAUSAL_SENT)
			continue;
		uint32_t up = c->path[c->node[i].path].parent;
		uint32_t region = up == WEFT_CAUSAL_NONE ? 0 : c->path[up].region;
		if (!region || seen[region])
			continue;
		seen[region] = true;
		rc = add_region(to, WEFT_REMEDY_OVERLAP, c->region[region].name, 1);
	}
	free(seen);
	return rc;
}

static int add_simple(const struct weft_remedies *r, remedies *to)
{
	const struct weft_causal *c = r->c;
	bool messages = c->trace->message.n && has_link(c, WEFT_CAUSAL_RECV), ranks = c->has_ranks,
	     tasks = weft_whatif_has_tasks(c);
	const struct {
		bool wanted;
		enum weft_remedy_kind kind;
		double factor;
	} simple[] = {
		{true, WEFT_REMEDY_BALANCE, 1},
		{messages, WEFT_REMEDY_MERGE, 1},
		{ranks, WEFT_REMEDY_IDEAL, 1},
		{ranks, WEFT_REMEDY_LATENCY, 0.5},
		{messages, WEFT_REMEDY_BANDWIDTH, 2},
		{ranks, WEFT_REMEDY_RANKS, 2},
		{has_parallel(c), WEFT_REMEDY_THREADS, 2},
		{c->tasks.n > 0, WEFT_REMEDY_WORKERS, 2},
		{tasks, WEFT_REMEDY_TASK_SIZE, 2},
		{tasks, WEFT_REMEDY_TASK_SIZE, 8},
		{tasks, WEFT_REMEDY_TASK_SIZE, 0.5},
		{tasks, WEFT_REMEDY_TASK_SIZE, 0.25},
	};
	int rc = messages ? add_overlaps(r, to) : 0;
	for (size_t i = 0; !rc && i < sizeof simple / sizeof *simple; i++)
		if (simple[i].wanted)
			rc = add(to, (struct weft_remedy){.kind = simple[i].kind,
			                                  .factor = simple[i].factor,
			                                  .lock = WEFT_CAUSAL_NONE});
	return rc;
}

/* ---- trying and ranking ---- */

struct trial {
	const struct weft_remedies *of;
	const struct weft_remedy *remedy;
	struct weft_remedy_answer *answer;
};
static int try_one(void *arg, size_t i, unsigned worker)
{
	struct trial *t = arg;
	(void)worker;
	int rc = weft_remedy_try(t->of, &t->remedy[i], &t->answer[i]);
	return rc == -ENOENT ? 0 : rc;
}

/* What counts for something comes first, by its score; below, cheap things first, then by gain. */
static bool counts(const struct weft_remedy_answer *a)
{
	return a->score > 0.01;
}

static int by_rank(const void *a, const void *b)
{
	const struct weft_remedy_answer *x = a, *y = b;
	if (counts(x) != counts(y))
		return counts(x) ? -1 : 1;
	if (counts(x) && x->score != y->score)
		return x->score > y->score ? -1 : 1;
	bool any_x = x->gain > 0.01, any_y = y->gain > 0.01;
	if (any_x != any_y)
		return any_x ? -1 : 1;
	int sort_x = (int)weft_remedy_row[x->remedy.kind].sort, sort_y = (int)weft_remedy_row[y->remedy.kind].sort;
	if (any_x && sort_x != sort_y)
		return sort_y - sort_x; /* more of the same is easier than another program */
	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	return strcmp(x->text, y->text);
}

void weft_remedies_rank(struct weft_remedy_answer *at, uint32_t n)
{
	qsort(at, n, sizeof *at, by_rank);
}

/* Of one kind without a name and one with: the named one, when it brings most of it. */
static bool is_said(const struct weft_remedy_answer *at, uint32_t n, uint32_t i)
{
	const struct weft_remedy_answer *a = &at[i];
	if (!a->touched)
		return true;
	for (uint32_t k = 0; k < n && !a->remedy.what[0]; k++)
		if (k != i && at[k].remedy.kind == a->remedy.kind && at[k].remedy.what[0] && at[k].touched && a->gain > 0.005 &&
		    at[k].gain > 0.85 * a->gain)
			return true;
	return false;
}

int weft_remedies_usual(const struct weft_remedies *r, unsigned threads, struct weft_remedy_answer **out, uint32_t *n)
{
	remedies list = {0};
	*out = NULL;
	*n = 0;
	int rc = add_simple(r, &list);
	if (!rc)
		rc = add_regions(r, &list);
	if (!rc)
		rc = add_locks(r, &list);
	if (!rc)
		rc = add_loops(r, &list);
	struct weft_remedy_answer *answer = rc ? NULL : calloc(list.n + 1, sizeof *answer);
	if (!rc && !answer)
		rc = -ENOMEM;
	struct trial t = {r, list.at, answer};
	if (!rc)
		rc = weft_parallel(threads, list.n, try_one, &t);
	uint32_t kept = 0;
	bool *said = rc ? NULL : calloc(list.n + 1, sizeof *said);
	if (!rc && !said)
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < list.n; i++)
		said[i] = is_said(answer, (uint32_t)list.n, i);
	for (uint32_t i = 0; !rc && i < list.n; i++)
		if (!said[i])
			answer[kept++] = answer[i];
	free(said);
	free(list.at);
	if (rc) {
		free(answer);
		return rc;
	}
	weft_remedies_rank(answer, kept);
	*out = answer;
	*n = kept;
	return 0;
}
