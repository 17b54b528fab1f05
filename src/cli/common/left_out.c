/* SPDX-License-Identifier: Apache-2.0 */
#include "left_out.h"
#include "base/vec.h"
#include "trace/store/cursor.h"
#include "base/log.h"
#include "base/str.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_STRETCH, LEFT_LIKE, LEFT_STRETCHES, LEFT_TIME, LEFT_TYPES };
static const char *const left_names[LEFT_TYPES] = {"stretch", "left out: like", "left out: stretches", "left out: time"};

struct left_walk {
	uint32_t what[LEFT_TYPES];
	uint64_t whats;
	struct cli_left_out of; /* of one thread */
};

/* By category, too: a program may have a point of the same name. False: nothing was left out of the trace. */
static bool left_find(struct left_walk *w, const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE], *c = &t->def[WEFT_CLASS_CATEGORY];
	unsigned found = 0;
	for (uint32_t i = 1; i < d->n; i++)
		for (unsigned k = 0; k < LEFT_TYPES; k++)
			if (d->at[i].category < c->n && !strcmp(c->at[d->at[i].category].name, "representative") &&
			    !strcmp(d->at[i].name, left_names[k])) {
				w->what[k] = weft_what(WEFT_EV_POINT, i);
				w->whats |= weft_what_bit(w->what[k]);
				found++;
			}
	return found >= LEFT_TYPES;
}

static struct cli_left_out_kind *left_kind(struct cli_left_out *l, uint64_t kind)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->kind[i].kind == kind)
			return &l->kind[i];
	if (weft_vec_grow(&l->kind, &l->cap, l->n + 1, sizeof *l->kind))
		return NULL;
	l->kind[l->n] = (struct cli_left_out_kind){.kind = kind};
	return &l->kind[l->n++];
}

static int left_kept(struct cli_left_out *l, struct cli_left_out_kind *kind, uint64_t at)
{
	kind->kept++;
	if (weft_vec_grow(&l->kept, &l->kept_cap, l->n_kept + 1, sizeof *l->kept))
		return -ENOMEM;
	l->kept[l->n_kept++] = (struct cli_left_out_kept){at, kind->kind};
	return 0;
}

/* The points of a gap stand where it ends. */
static int left_time(struct cli_left_out *l, struct cli_left_out_kind *kind, uint64_t end, uint64_t ns)
{
	kind->left_out_ns += ns;
	if (!l->n_gaps || l->gap[l->n_gaps - 1].to != end) {
		if (weft_vec_grow(&l->gap, &l->gap_cap, l->n_gaps + 1, sizeof *l->gap))
			return -ENOMEM;
		l->gap[l->n_gaps++] = (struct cli_left_out_gap){end, end};
	}
	struct cli_left_out_gap *gap = &l->gap[l->n_gaps - 1];
	gap->from -= ns < gap->from ? ns : gap->from;
	return 0;
}

static int left_thread(struct left_walk *w, const struct weft_trace *t, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t like = 0;
	int rc = weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER);
	if (!rc)
		weft_cursor_want(&c, (struct weft_wanted){.whats = w->whats});
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			unsigned k = 0;
			while (k < LEFT_TYPES && b.what[i] != w->what[k])
				k++;
			if (k == LEFT_TYPES)
				continue;
			like = k == LEFT_STRETCH || k == LEFT_LIKE ? b.value[i] : like;
			struct cli_left_out_kind *at = left_kind(&w->of, like);
			if (!at)
				rc = -ENOMEM;
			else if (k == LEFT_STRETCH)
				rc = left_kept(&w->of, at, b.time[i]);
			else if (k == LEFT_STRETCHES)
				at->left_out += b.value[i];
			else if (k == LEFT_TIME)
				rc = left_time(&w->of, at, b.time[i], b.value[i]);
		}
	}
	weft_cursor_end(&c);
	return rc;
}

static uint64_t left_total(const struct cli_left_out *l, uint64_t *stretches)
{
	uint64_t ns = 0;
	*stretches = 0;
	for (size_t i = 0; i < l->n; i++) {
		ns += l->kind[i].left_out_ns;
		*stretches += l->kind[i].left_out;
	}
	return ns;
}

static int left_by_kind(const void *a, const void *b)
{
	const struct cli_left_out_kind *x = a, *y = b;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

int cli_left_out_read(struct cli_left_out *l, const struct weft_trace *t)
{
	struct left_walk w = {.whats = 0};
	uint64_t n;
	int rc = 0;
	*l = (struct cli_left_out){0};
	if (!left_find(&w, t))
		return 0;
	for (uint32_t i = 0; i < t->n_threads && !rc; i++) {
		w.of = (struct cli_left_out){0};
		rc = left_thread(&w, t, i);
		if (!rc && (left_total(&w.of, &n) > left_total(l, &n) || !l->n)) {
			struct cli_left_out smaller = *l;
			*l = w.of;
			w.of = smaller;
		}
		cli_left_out_fini(&w.of);
	}
	if (l->n)
		qsort(l->kind, l->n, sizeof *l->kind, left_by_kind);
	return rc;
}

void cli_left_out_fini(struct cli_left_out *l)
{
	free(l->kind);
	free(l->gap);
	free(l->kept);
	*l = (struct cli_left_out){0};
}

double cli_left_out_weight(const struct cli_left_out *l, uint64_t kind)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->kind[i].kind == kind && l->kind[i].kept)
			return (double)(l->kind[i].kept + l->kind[i].left_out) / (double)l->kind[i].kept;
	return 1;
}

void cli_left_out_say(const struct weft_trace *t)
{
	struct cli_left_out l;
	uint64_t n;
	char human[32];
	if (!cli_left_out_read(&l, t) && l.n && left_total(&l, &n))
		printf("%s in %" PRIu64
		       " stretches were left out, which resemble kept ones (weft phases --left-out): this is of the rest.\n",
		       weft_human_ns(human, left_total(&l, &n)), n);
	cli_left_out_fini(&l);
}

void cli_left_out_warn(const struct weft_trace *t, const char *but)
{
	struct cli_left_out l;
	uint64_t n;
	char human[32];
	if (!cli_left_out_read(&l, t) && l.n && left_total(&l, &n))
		weft_log(WEFT_LOG_WARN, "'%s': %s in %" PRIu64 " stretches were left out (weft phases --left-out): %s", t->path,
		         weft_human_ns(human, left_total(&l, &n)), n, but);
	cli_left_out_fini(&l);
}
