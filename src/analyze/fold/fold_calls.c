/* SPDX-License-Identifier: Apache-2.0 */
#include "fold_calls.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct finding {
	const struct weft_folding *f;
	const struct weft_fold_calls_how *how;
	const struct weft_fold_stack **used; /* by x; owned */
	size_t n_used;
	WEFT_VEC(struct weft_fold_call) call;
	unsigned deepest;
};

/* At a depth from the outermost; NULL: the stack is not so deep. */
static const struct weft_fold_frame *frame_at(const struct weft_folding *f, const struct weft_fold_stack *s, unsigned depth)
{
	return depth < s->n ? &f->frame[s->first + s->n - 1 - depth] : NULL;
}

static uint32_t function_at(const struct finding *g, size_t i, unsigned depth)
{
	const struct weft_fold_frame *x = frame_at(g->f, g->used[i], depth);
	return x ? x->function : 0;
}

/* The line that most samples of [first, end) show. */
static uint32_t usual_line(const struct finding *g, size_t first, size_t end, unsigned depth)
{
	struct weft_map count = {0};
	uint64_t best = 0;
	uint32_t line = 0;
	for (size_t i = first; i < end; i++) {
		uint64_t n = 0;
		uint32_t l = frame_at(g->f, g->used[i], depth)->line;
		weft_map_get(&count, l, &n);
		if (weft_map_put(&count, l, n + 1))
			break; /* without memory the line is what was found so far */
		if (n + 1 > best) {
			best = n + 1;
			line = l;
		}
	}
	weft_map_fini(&count);
	return line;
}

static int find_calls(struct finding *g, size_t first, size_t end, unsigned depth);

static int end_call(struct finding *g, size_t first, size_t end, unsigned depth)
{
	double from = g->used[first]->x, to = g->used[end - 1]->x;
	if (to - from < g->how->least)
		return 0;
	struct weft_fold_call c = {from, to, function_at(g, first, depth), usual_line(g, first, end, depth), depth, end - first};
	if (weft_vec_push(&g->call, c))
		return -ENOMEM;
	return depth + 1 < g->deepest ? find_calls(g, first, end, depth + 1) : 0;
}

static int find_calls(struct finding *g, size_t first, size_t end, unsigned depth)
{
	int rc = 0;
	for (size_t i = first; i < end && !rc;) {
		uint32_t function = function_at(g, i, depth);
		size_t k = i;
		while (k < end && function_at(g, k, depth) == function)
			k++;
		if (function && k - i >= g->how->in_a_row)
			rc = end_call(g, i, k, depth);
		i = k;
	}
	return rc;
}

static int choose_used(struct finding *g)
{
	g->used = malloc((g->f->n_stacks + 1) * sizeof *g->used);
	if (!g->used)
		return -ENOMEM;
	for (size_t i = 0; i < g->f->n_stacks; i++) {
		const struct weft_fold_stack *s = &g->f->stack[i];
		if (!g->f->instance[s->instance].used)
			continue;
		g->used[g->n_used++] = s;
		g->deepest = s->n > g->deepest ? s->n : g->deepest;
	}
	return 0;
}

int weft_fold_calls(const struct weft_folding *f, const struct weft_fold_calls_how *how, struct weft_fold_call **out, size_t *n)
{
	struct finding g = {.f = f, .how = how};
	int rc = choose_used(&g);
	rc = rc ? rc : find_calls(&g, 0, g.n_used, 0);
	free(g.used);
	*out = rc ? NULL : g.call.at;
	*n = rc ? 0 : g.call.n;
	if (rc)
		free(g.call.at);
	return rc;
}

/* ---- lines ---- */

static int most_first(const void *a, const void *b)
{
	const struct weft_fold_line *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : (x->function > y->function) - (x->function < y->function);
}

static void add_rates(struct weft_fold_line *l, double x, const double *const *slope, unsigned n_counters, unsigned steps)
{
	unsigned i = (unsigned)(x * (steps - 1) + 0.5);
	i = i ? i : 1;
	for (unsigned c = 0; c < n_counters; c++)
		l->rate[c] += slope[c] ? slope[c][i < steps ? i : steps - 1] : NAN;
}

int weft_fold_lines(const struct weft_folding *f, const double *const *slope, unsigned n_counters, unsigned steps,
                    struct weft_fold_line **out, double **rates, size_t *n)
{
	struct weft_map known = {0};
	WEFT_VEC(struct weft_fold_line) line = {0};
	size_t used = 0, of = 0;
	uint64_t at;
	int rc = 0;
	for (unsigned pass = 0; pass < 2 && !rc; pass++) {
		double *room = pass ? calloc(line.n * n_counters + 1, sizeof *room) : NULL;
		if (pass && !room)
			rc = -ENOMEM;
		for (size_t k = 0; pass && !rc && k < line.n; k++)
			line.at[k].rate = room + k * n_counters;
		*rates = room;
		for (size_t i = 0; i < f->n_stacks && !rc; i++) {
			const struct weft_fold_stack *s = &f->stack[i];
			if (!f->instance[s->instance].used)
				continue;
			const struct weft_fold_frame *x = &f->frame[s->first];
			uint64_t key = (uint64_t)x->function << 32 | x->line;
			bool found = weft_map_get(&known, key, &at);
			if (!found && (weft_map_put(&known, key, line.n) ||
			               weft_vec_push(&line, (struct weft_fold_line){.function = x->function, .line = x->line})))
				rc = -ENOMEM;
			if (rc)
				break;
			of = found ? at : line.n - 1;
			if (pass) {
				add_rates(&line.at[of], s->x, slope, n_counters, steps);
				continue;
			}
			line.at[of].samples++;
			line.at[of].x += s->x;
			used++;
		}
	}
	for (size_t k = 0; k < line.n && !rc; k++) {
		struct weft_fold_line *l = &line.at[k];
		l->share = (double)l->samples / (double)used;
		l->x /= (double)l->samples;
		for (unsigned c = 0; c < n_counters; c++)
			l->rate[c] /= (double)l->samples;
	}
	weft_map_fini(&known);
	if (rc) {
		free(line.at);
		free(*rates);
		*rates = NULL;
		line.at = NULL;
		line.n = 0;
	} else if (line.n) {
		qsort(line.at, line.n, sizeof *line.at, most_first);
	}
	*out = line.at;
	*n = line.n;
	return rc;
}
