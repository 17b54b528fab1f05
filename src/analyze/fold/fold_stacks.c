/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of who was called, of each instance: SAMPLE events, or in a .prv the events of one instant that say a function and a line a level. */
#include "fold_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 100, FUNCTIONS = 30000000, LINES = 30000100, FRAMES_MOST = 512 };

struct gathering {
	struct weft_folding *f;
	const struct weft_trace *t;
	const struct weft_fold_how *how;
	uint8_t *level;                     /* by type: 1 + level of functions, 1 + LEVELS + level of lines, 0 */
	uint32_t at, end;                   /* instances of the thread */
	struct weft_fold_frame now[LEVELS]; /* of the instant */
	uint64_t time;
	unsigned deepest; /* levels that the instant has */
	size_t cap, frame_cap;
};

static int add_stack(struct gathering *g, uint64_t time, const struct weft_fold_frame *frame, unsigned n)
{
	struct weft_folding *f = g->f;
	while (g->at < g->end && f->instance[g->at].end <= time)
		g->at++;
	if (!n || g->at == g->end || f->instance[g->at].begin > time)
		return 0;
	const struct weft_fold_instance *i = &f->instance[g->at];
	if (weft_vec_grow(&f->stack, &g->cap, f->n_stacks + 1, sizeof *f->stack) ||
	    weft_vec_grow(&f->frame, &g->frame_cap, f->n_frames + n, sizeof *f->frame))
		return -ENOMEM;
	f->stack[f->n_stacks++] = (struct weft_fold_stack){.x = (double)(time - i->begin) / (double)(i->end - i->begin),
	                                                   .time = time,
	                                                   .instance = g->at,
	                                                   .first = (uint32_t)f->n_frames,
	                                                   .n = n};
	memcpy(f->frame + f->n_frames, frame, n * sizeof *frame);
	f->n_frames += n;
	return f->n_frames < UINT32_MAX - FRAMES_MOST ? 0 : -ERANGE;
}

/* What the last instant said. */
static int end_instant(struct gathering *g)
{
	int rc = add_stack(g, g->time, g->now, g->deepest);
	if (g->deepest)
		memset(g->now, 0, g->deepest * sizeof *g->now);
	g->deepest = 0;
	return rc;
}

static int take_point(struct gathering *g, uint64_t time, unsigned of, uint64_t value)
{
	unsigned level = (of - 1) % LEVELS;
	int rc = time != g->time && g->deepest ? end_instant(g) : 0;
	g->time = time;
	if (of > LEVELS)
		g->now[level].line = (uint32_t)value;
	else
		g->now[level].function = (uint32_t)value;
	if (value && level + 1 > g->deepest)
		g->deepest = level + 1;
	return rc;
}

static int take_sample(struct gathering *g, uint32_t thread, uint64_t time, uint64_t value)
{
	struct weft_fold_frame frame[FRAMES_MOST];
	int64_t n = g->how->frames(g->how->arg, thread, value, frame, FRAMES_MOST);
	return n < 0 ? (int)n : add_stack(g, time, frame, (unsigned)n);
}

static int take_block(struct gathering *g, uint32_t thread, const struct weft_block *b)
{
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; i++) {
		unsigned kind = weft_what_kind(b->what[i]), id = weft_what_id(b->what[i]);
		if (kind == WEFT_EV_POINT && g->level[id])
			rc = take_point(g, b->time[i], g->level[id], b->value[i]);
		else if (kind == WEFT_EV_SAMPLE && g->how->frames)
			rc = take_sample(g, thread, b->time[i], b->value[i]);
	}
	return rc;
}

static int take_thread(struct gathering *g, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, g->t, thread, g->f->instance[g->at].begin, g->f->instance[g->end - 1].end);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_POINT | UINT64_C(1) << WEFT_EV_SAMPLE});
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		if ((rc = take_block(g, thread, &b)))
			break;
	weft_cursor_end(&c);
	return rc ? rc : end_instant(g);
}

static bool find_levels(struct gathering *g)
{
	const struct weft_def_table *types = &g->t->def[WEFT_CLASS_TYPE];
	bool any = g->how->frames != NULL;
	for (uint32_t i = 1; i < types->n; i++) {
		int64_t code = types->at[i].code;
		if (code >= FUNCTIONS && code < FUNCTIONS + LEVELS)
			g->level[i] = (uint8_t)(1 + code - FUNCTIONS);
		else if (code >= LINES && code < LINES + LEVELS)
			g->level[i] = (uint8_t)(1 + LEVELS + code - LINES);
		any |= g->level[i] > 0;
	}
	return any;
}

static int by_x(const void *a, const void *b)
{
	const struct weft_fold_stack *x = a, *y = b;
	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

int fold_gather_stacks(struct weft_folding *f, const struct weft_trace *t, const struct weft_fold_how *how)
{
	struct gathering g = {.f = f, .t = t, .how = how};
	g.level = calloc(t->def[WEFT_CLASS_TYPE].n + (size_t)1, 1);
	int rc = g.level ? 0 : -ENOMEM;
	bool any = !rc && find_levels(&g);
	for (uint32_t i = 0; i < f->n && any && !rc; i = g.end) {
		g.at = g.end = i;
		while (g.end < f->n && f->instance[g.end].thread == f->instance[i].thread)
			g.end++;
		rc = take_thread(&g, f->instance[i].thread);
	}
	if (f->n_stacks)
		qsort(f->stack, f->n_stacks, sizeof *f->stack, by_x);
	f->stats.samples = f->n_stacks > f->stats.samples ? f->n_stacks : f->stats.samples;
	free(g.level);
	return rc;
}
