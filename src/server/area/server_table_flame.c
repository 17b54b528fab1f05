/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/flame`: what a thread was in, level by level over time: its regions as they lie in each other, or the stacks of its samples.
 * What goes out depends on pixels: of the bars of a level that share a pixel the one that lasted longest stands for all.
 *
 *     level 0   main────────────────────────────        bars of a level never overlap, and come in the order of their ends,
 *     level 1     solve──────────── solve───            so each level needs to remember one bar that is not wide yet
 *     level 2       norm▏▏▏▏ dot──
 */
#include "profile/call_tree.h"
#include "server_table.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEVELS_MOST = 512,
	BARS_MOST = 200000,
	WIDTH_MOST = 16384,
	SAMPLE_MORE_SHIFT = 4,
	SILENT_PERIODS = 4,
	DEFAULT_PERIOD_NS = 10000000
};

struct flame_bar {
	uint64_t begin, end, widest; /* widest: of those in it */
	uint32_t name, n;
};
struct flame {
	const struct table_range *at;
	uint32_t thread;
	uint64_t width;
	struct weft_json *j;
	struct flame_bar pending[LEVELS_MOST]; /* n 0: none */
	uint32_t levels;
	uint64_t n, left_out;
	/* of samples */
	WEFT_VEC(struct flame_bar) open; /* outermost first */
};

static uint64_t pixel(const struct flame *f, uint64_t time)
{
	uint64_t span = f->at->to - f->at->from;
	return (uint64_t)((unsigned __int128)(time - f->at->from) * f->width / span);
}

static void put_bar(struct flame *f, uint32_t level)
{
	struct flame_bar *b = &f->pending[level];
	if (!b->n)
		return;
	if (f->n++ < BARS_MOST) {
		weft_json_u64(f->j, level);
		weft_json_u64(f->j, b->begin);
		weft_json_u64(f->j, b->end - b->begin);
		weft_json_u64(f->j, b->name);
		weft_json_u64(f->j, b->n);
	} else {
		f->left_out++;
	}
	b->n = 0;
}

/* A bar that has ended. */
static void take_bar(struct flame *f, uint32_t level, uint64_t begin, uint64_t end, uint32_t name)
{
	begin = begin < f->at->from ? f->at->from : begin;
	end = end > f->at->to ? f->at->to : end;
	if (level >= LEVELS_MOST || end < begin || (end == begin && end == f->at->to)) {
		f->left_out += level >= LEVELS_MOST;
		return;
	}
	f->levels = level >= f->levels ? level + 1 : f->levels;
	struct flame_bar *b = &f->pending[level];
	bool narrow = pixel(f, end) == pixel(f, begin);
	if (b->n && narrow && pixel(f, b->begin) == pixel(f, end)) {
		b->end = end;
		b->n++;
		if (end - begin > b->widest) {
			b->widest = end - begin;
			b->name = name;
		}
		return;
	}
	put_bar(f, level);
	*b = (struct flame_bar){begin, end, end - begin, name, 1};
	if (!narrow)
		put_bar(f, level);
}

static int on_span(void *arg, const struct weft_span *s)
{
	struct flame *f = arg;
	if (s->end >= f->at->from && s->begin <= f->at->to)
		take_bar(f, s->depth, s->begin, s->end, s->region);
	return 0;
}

/* ---- samples ---- */

/* The bars deeper than `keep` end at `time`. */
static void close_deeper(struct flame *f, size_t keep, uint64_t time)
{
	while (f->open.n > keep) {
		const struct flame_bar *b = &f->open.at[f->open.n - 1];
		take_bar(f, (uint32_t)f->open.n - 1, b->begin, time, b->name);
		f->open.n--;
	}
}

static int take_stack(struct flame *f, struct weft_symbols *s, const uint64_t *stack, uint32_t n, uint64_t time)
{
	size_t level = 0;
	uint32_t process = f->at->own->thread[f->thread].process;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t frames;
		const struct weft_frame *frame = weft_symbols_find(s, process, stack[i], i > 0, &frames);
		if (!frame)
			return -ENOMEM;
		for (uint32_t k = frames; k-- > 0; level++) {
			if (level < f->open.n && f->open.at[level].name == frame[k].function)
				continue;
			close_deeper(f, level, time);
			if (weft_vec_push(&f->open, (struct flame_bar){time, time, 0, frame[k].function, 1}))
				return -ENOMEM;
		}
	}
	close_deeper(f, level, time);
	return 0;
}

static int walk_samples(struct flame *f, struct weft_symbols *s)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t last = 0, period = weft_profile_period(f->at->own);
	period = SILENT_PERIODS * (period ? period : DEFAULT_PERIOD_NS);
	int rc = weft_cursor_begin(&c, f->at->own, f->thread, f->at->from, f->at->to);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_SAMPLE});
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			uint32_t n = 0;
			if (weft_what_kind(b.what[i]) != WEFT_EV_SAMPLE)
				continue;
			const uint64_t *stack = weft_extra(f->at->own, f->thread, b.value[i], &n);
			uint64_t held = period * (1 + (weft_what_id(b.what[i]) >> SAMPLE_MORE_SHIFT));
			if (last && b.time[i] > last + held)
				close_deeper(f, 0, last + held);
			last = b.time[i];
			rc = take_stack(f, s, stack, n, last);
		}
	}
	weft_cursor_end(&c);
	close_deeper(f, 0, last + period < f->at->to ? last + period : f->at->to);
	free(f->open.at);
	return rc;
}

/* ---- the answer ---- */

static void put_region_names(struct weft_json *j, const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_REGION], *c = &t->def[WEFT_CLASS_CATEGORY];
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t category = d->at[i].category;
		weft_json_array(j);
		weft_json_string(j, d->at[i].name);
		weft_json_string(j, category && category < c->n ? c->at[category].name : "");
		weft_json_string(j, d->at[i].file);
		weft_json_end(j);
	}
}

static void put_function_names(struct weft_json *j, const struct weft_symbols *s)
{
	for (uint32_t i = 0; i < weft_symbols_n_functions(s); i++) {
		const struct weft_function *is = weft_symbols_function(s, i);
		weft_json_array(j);
		weft_json_string(j, is->name);
		weft_json_string(j, is->module);
		weft_json_string(j, "");
		weft_json_end(j);
	}
}

static int answer_flame(const struct server_request *r, struct flame *f, bool samples, struct weft_symbols *s,
                        struct server_answer *a)
{
	struct server_json out;
	char label[40];
	f->j = server_json_begin(&out);
	weft_json_object(f->j);
	server_put_string(f->j, "of", samples ? "samples" : "regions");
	server_put_u64(f->j, "thread", f->thread);
	server_put_string(f->j, "label", weft_thread_label(f->at->own, f->thread, label));
	server_put_string(f->j, "called", f->at->own->thread[f->thread].name);
	server_put_u64(f->j, "from", f->at->from);
	server_put_u64(f->j, "to", f->at->to);
	weft_json_key(f->j, "bars");
	weft_json_array(f->j);
	int rc = samples ? walk_samples(f, s) : weft_spans(f->at->own, f->thread, f->at->from, f->at->to, NULL, on_span, f);
	for (uint32_t i = 0; i < f->levels; i++)
		put_bar(f, i);
	weft_json_end(f->j);
	server_put_u64(f->j, "levels", f->levels);
	server_put_u64(f->j, "left_out", f->left_out);
	weft_json_key(f->j, "names");
	weft_json_array(f->j);
	if (samples)
		put_function_names(f->j, s);
	else
		put_region_names(f->j, f->at->own);
	weft_json_end(f->j);
	weft_json_end(f->j);
	int ended = server_json_end(&out, a);
	rc = rc ? rc : ended;
	return rc ? weft_err_set(r->err, rc, "cannot read the thread: %s", weft_err_name(rc)) : 0;
}

int table_answer_flame(const struct server_request *r, struct server_answer *a)
{
	static const char *const of_names[] = {"regions", "samples"};
	struct table_range at;
	struct weft_symbols *s = NULL;
	uint64_t thread = 0, width = 0;
	unsigned of = 0;
	int rc = table_range(r, &at);
	if (!rc && !at.own->n_threads)
		return weft_err_set(r->err, -ENOENT, "the trace has no threads");
	if (!rc)
		rc = server_arg_u64(r, "thread", 0, at.own->n_threads - 1, 0, &thread);
	if (!rc)
		rc = server_arg_u64(r, "width", 1, WIDTH_MOST, 1920, &width);
	if (!rc)
		rc = server_arg_choice(r, "of", of_names, 2, 0, &of);
	if (rc)
		return rc;
	struct flame *f = calloc(1, sizeof *f);
	if (!f)
		return weft_err_set(r->err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	f->at = &at;
	f->thread = (uint32_t)thread;
	f->width = width;
	if (of)
		rc = server_symbols_take(at.trace, &s);
	if (!rc)
		rc = answer_flame(r, f, of == 1, s, a);
	if (of)
		server_symbols_give(at.trace, s);
	free(f);
	return rc;
}
