/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cutter. Where times shall begin at 0, a first pass over the records finds the earliest and the latest that are kept
 * (both decide the same way), the second writes. Where states are clipped these are nearly always the bounds themselves: then one
 * pass writes as if they were, and what it has found meanwhile says whether that is so. Blocks are cut by all threads, and settled in their order (tool_cut_priv.h).
 * A thread's memory is what it has open: a byte for each event type.
 *
 *     ─────[from]───────────────[to]─────
 *        lines that are kept     # Appending events with value 0
 */
#include "tool_cut_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* What the foreign tool calls the earliest time when it keeps nothing at all. */
#define NOTHING_KEPT ((uint64_t)20 << 30)

/* -- a pass over all records -- */

static int cut_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *text)
{
	struct cut *c = arg;
	struct cut_part *p = &c->part[worker];
	cut_part_run(p, at, n, UINT64_MAX, c->out ? text : NULL);
	return p->no_memory ? -ENOMEM : 0;
}

/* Whether what the part took for not being so has not become so in an earlier part. */
static bool holds(const struct cut *c, const struct cut_part *p)
{
	for (size_t i = 0; i < p->n_touched; i++)
		if (p->thread.at[i].relied & c->thread[p->thread.at[i].row].facts)
			return false;
	return true;
}

static int settle_types(struct cut *c, struct cut_part *p, const struct cut_thread *t)
{
	for (uint32_t i = 0; i < t->n_types; i++) {
		if (!t->type[i])
			continue;
		struct cut_type *type = &p->type.of.at[i];
		if (type->whole == CUT_NO_ID && !cut_type_id(c, &c->type, type->number, &type->whole))
			return -ENOMEM;
		if (!cut_thread_set(&c->thread[t->row], type->whole, t->type[i]))
			return -ENOMEM;
	}
	return 0;
}

static int settle_threads(struct cut *c, struct cut_part *p)
{
	int rc = 0;
	for (size_t i = 0; i < p->n_touched && !rc; i++) {
		const struct cut_thread *t = &p->thread.at[i];
		struct cut_thread *whole = &c->thread[t->row];
		whole->facts |= t->facts;
		if (!t->has_event)
			continue;
		whole->cpu = t->cpu;
		rc = settle_types(c, p, t);
	}
	return rc;
}

/* A part becomes one of the whole; 1 when nothing behind it is kept any more. */
static int settle_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *text)
{
	struct cut *c = arg;
	struct cut_part *p = &c->part[worker];
	uint64_t most = c->how->max_bytes ? c->how->max_bytes - c->kept_bytes : UINT64_MAX;
	if (!holds(c, p) || p->kept_bytes > most) {
		text->n = 0;
		cut_part_run(p, at, n, most, c->out ? text : NULL);
		if (p->no_memory || text->failed)
			return -ENOMEM;
	}
	if (c->out && p->odd_lines && !c->report->odd_lines)
		c->report->first_odd = c->lines + p->first_odd;
	c->report->odd_lines += c->out ? p->odd_lines : 0;
	if (c->out && p->strange_lines && !c->report->strange_lines)
		c->report->first_strange = c->lines + p->first_strange;
	c->report->strange_lines += c->out ? p->strange_lines : 0;
	c->closing = p->closing > c->closing ? p->closing : c->closing;
	c->lines += p->lines;
	c->kept_bytes += p->kept_bytes;
	c->first = p->first < c->first ? p->first : c->first;
	c->last = p->last > c->last ? p->last : c->last;
	int rc = settle_threads(c, p);
	return rc ? rc : p->kept_bytes > most;
}

static int cut_pass(struct cut *c, struct weft_err *err)
{
	struct tool_output none = {0};
	struct tool_map map = {.in = c->in,
	                       .out = c->out ? c->out : &none,
	                       .threads = tool_map_threads(c->how->threads),
	                       .block = cut_block,
	                       .settle = settle_block,
	                       .arg = c};
	int rc = 0;
	c->n_parts = tool_map_workers(map.threads);
	c->part = calloc(c->n_parts, sizeof *c->part);
	if (!c->part)
		rc = -ENOMEM;
	for (unsigned i = 0; i < c->n_parts && !rc; i++)
		rc = cut_part_init(&c->part[i], c);
	rc = rc ? weft_err_set(err, rc, "cannot cut '%s': no memory", c->in->path) : tool_map_run(&map, err);
	for (unsigned i = 0; i < c->n_parts && c->part; i++)
		cut_part_fini(&c->part[i]);
	free(c->part);
	c->part = NULL;
	return rc;
}

/* -- the head and the end -- */

/* As the foreign tool: hundredths first, whole. */
static uint64_t percent_of(uint64_t length, double percent)
{
	double v = (double)(length / 100) * percent;
	return v < 9e18 ? (uint64_t)v : INT64_MAX;
}

static void set_range(struct cut *c, uint64_t end)
{
	c->from = c->how->by_time ? c->how->from : percent_of(end, c->how->from_percent);
	c->to = c->how->by_time ? c->how->to : percent_of(end, c->how->to_percent);
}

/*
 * The new end and what the note says of the range. Shifted by percentages, the foreign tool applies these once more, to the
 * length of the range; who computes as it does needs the same numbers.
 */
static int write_head(struct cut *c)
{
	struct tool_text *out = &c->out->text;
	uint64_t end = c->in->head.end, from = c->from, to = c->to;
	if (c->shifted && c->how->by_time) {
		end = c->last - c->first;
	} else if (c->shifted) {
		uint64_t length = to - from;
		from = percent_of(length, c->how->from_percent);
		to = percent_of(length, c->how->to_percent);
		end = to - from;
	}
	tool_head_write(c->in, end, false, out);
	char when[32], *note;
	time_t now = time(NULL);
	struct tm tm;
	strftime(when, sizeof when, "%Y%m%d%H%M%S", localtime_r(&now, &tm));
	int n = asprintf(&note, "#%s:CUTTER:ORIGINAL:\"%s\":%llu:%llu:%llu\n", when, c->in->path, (unsigned long long)c->offset,
	                 (unsigned long long)from, (unsigned long long)to);
	if (n < 0)
		return -ENOMEM;
	tool_text_add(out, note, (size_t)n);
	free(note);
	tool_output_flush(c->out);
	return 0;
}

struct closing {
	uint64_t type;
	bool counter;
};

static int closing_order(const void *a, const void *b)
{
	const struct closing *x = a, *y = b;
	if (x->counter != y->counter)
		return x->counter ? 1 : -1;
	return x->type < y->type ? -1 : x->type > y->type;
}

static int close_thread(struct cut *c, const struct cut_thread *t, const int64_t *who, bool *begun)
{
	struct tool_text *out = &c->out->text;
	WEFT_VEC(struct closing) open = {0};
	for (size_t i = 0; i < t->n_types; i++)
		if ((t->type[i] & (CUT_OPEN | CUT_IS_COUNTER)) &&
		    weft_vec_push(&open, (struct closing){c->type.of.at[i].number, c->type.of.at[i].counter})) {
			free(open.at);
			return -ENOMEM;
		}
	if (open.n)
		qsort(open.at, open.n, sizeof *open.at, closing_order);
	if (open.n && !*begun)
		tool_text_add(out, "# Appending events with value 0\n", 32);
	*begun |= open.n > 0;
	/* A line of what is open; behind it one of the counters. */
	for (size_t i = 0; i < open.n; i++) {
		int64_t v[] = {t->cpu, who[0], who[1], who[2], (int64_t)(c->closing - c->offset)};
		bool first = !i || open.at[i].counter != open.at[i - 1].counter;
		bool last = i + 1 == open.n || open.at[i].counter != open.at[i + 1].counter;
		if (first) {
			tool_text_add(out, "2:", 2);
			tool_text_fields(out, v, 5, ':');
		}
		tool_text_fields(out, (int64_t[]){(int64_t)open.at[i].type, 0}, 2, last ? '\n' : ':');
	}
	tool_output_step(c->out);
	free(open.at);
	return 0;
}

struct stranger {
	struct cut_who who;
	uint32_t row;
};

static int stranger_order(const void *a, const void *b)
{
	const struct cut_who *x = &((const struct stranger *)a)->who, *y = &((const struct stranger *)b)->who;
	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Those that the header does not have, by their numbers: the order of their coming is that of the blocks. */
static int close_strangers(struct cut *c, bool *begun)
{
	size_t n = c->strangers.who.n;
	struct stranger *s = calloc(n + 1, sizeof *s);
	int rc = s ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++)
		s[i] = (struct stranger){c->strangers.who.at[i], c->in->head.n_threads + (uint32_t)i};
	if (!rc && n)
		qsort(s, n, sizeof *s, stranger_order);
	for (size_t i = 0; i < n && !rc; i++) {
		const int64_t who[] = {(int64_t)s[i].who.app, (int64_t)s[i].who.task, (int64_t)s[i].who.thread};
		rc = close_thread(c, &c->thread[s[i].row], who, begun);
	}
	free(s);
	return rc;
}

uint32_t cut_stranger(struct cut *c, const int64_t who[3])
{
	struct cut_strangers *s = &c->strangers;
	uint64_t key = weft_hash_u64((uint64_t)who[0]) + weft_hash_u64((uint64_t)who[1] + 1) * 3 +
	               weft_hash_u64((uint64_t)who[2] + 2) * 5;
	uint64_t at;
	pthread_mutex_lock(&s->lock);
	if (!weft_map_get(&s->row, key, &at)) {
		at = s->who.n < CUT_STRANGERS ? s->who.n : CUT_STRANGERS - 1;
		struct cut_who row = {(uint64_t)who[0], (uint64_t)who[1], (uint64_t)who[2]};
		if ((at == s->who.n && weft_vec_push(&s->who, row)) || weft_map_put(&s->row, key, at))
			at = UINT64_MAX;
	}
	pthread_mutex_unlock(&s->lock);
	return at == UINT64_MAX ? UINT32_MAX : c->in->head.n_threads + (uint32_t)at;
}

/* What a thread still has open at the end is closed there. */
static int close_all(struct cut *c)
{
	const struct prv_header *h = &c->in->head;
	bool begun = false;
	for (uint32_t app = 0; app < h->n_apps; app++)
		for (uint32_t task = 0; task < h->app[app].n_tasks; task++) {
			const struct prv_task *t = &h->task[h->app[app].first_task + task];
			for (uint32_t k = 0; k < t->n_threads; k++) {
				const int64_t who[] = {app + 1, task + 1, k + 1};
				int rc = close_thread(c, &c->thread[t->first_thread + k], who, &begun);
				if (rc)
					return rc;
			}
		}
	return close_strangers(c, &begun);
}

/* -- the whole -- */

static int find_counters(struct cut *c, const char *in, struct weft_err *err)
{
	struct pcf p;
	int rc = tool_pcf_read(&p, in, err);
	for (size_t i = 0; !rc && i < p.type.n; i++) {
		const struct pcf_type *t = &p.type.at[i];
		if ((tool_cut_counts(t->number) && weft_map_put(&c->counter, t->number, 1)) ||
		    weft_map_put(&c->listed, t->number, p.group.at[t->group].value.n > 0))
			rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	}
	pcf_fini(&p);
	return rc;
}

static void note_unknown_task(const struct cut *c, const struct prv_header *h)
{
	c->report->greatest_task = 0;
	for (uint32_t app = 0; app < h->n_apps; app++)
		if (h->app[app].n_tasks > c->report->greatest_task)
			c->report->greatest_task = h->app[app].n_tasks;
	for (size_t i = 0; i < c->how->task.n && !c->report->unknown_task; i++)
		if (c->how->task.at[i].first > c->report->greatest_task)
			c->report->unknown_task = c->how->task.at[i].first;
}

/* One pass, in which threads begin anew. */
static int one_pass(struct cut *c, const char *in, struct tool_output *out, struct weft_err *err)
{
	struct tool_input input;
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	c->in = &input;
	c->out = out;
	set_range(c, input.head.end);
	if (out)
		note_unknown_task(c, &input.head);
	c->thread = calloc((size_t)input.head.n_threads + CUT_STRANGERS, sizeof *c->thread);
	if (!c->thread || (out && write_head(c)))
		rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	c->first = UINT64_MAX;
	c->last = c->closing = c->kept_bytes = 0;
	c->lines = input.lines;
	if (!rc)
		rc = cut_pass(c, err);
	if (c->first == UINT64_MAX)
		c->first = NOTHING_KEPT;
	if (!rc && out && close_all(c))
		rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	for (uint32_t i = 0; c->thread && i < input.head.n_threads + CUT_STRANGERS; i++)
		free(c->thread[i].type);
	free(c->thread);
	c->thread = NULL;
	tool_input_close(&input);
	return rc;
}

enum { NOT_THE_BOUNDS = 1 };

/* What can be written and then not be there: no pipe, no terminal. */
static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* Writes what c->first, c->last and c->offset say; NOT_THE_BOUNDS when `guessed` and they turned out to be others. */
static int write_pass(struct cut *c, const char *in, const char *out, bool guessed, struct weft_err *err)
{
	struct tool_output output;
	const uint64_t first = c->first, last = c->last;
	int rc = tool_output_open(&output, out, err);
	if (rc)
		return rc;
	rc = one_pass(c, in, &output, err);
	bool other = !rc && guessed && (c->first != first || c->last != last);
	if (!rc && !other)
		rc = tool_copy_beside(in, out, true, err);
	rc = tool_output_close(&output, other ? -ECANCELED : rc, err);
	if (!other)
		return rc;
	if (err)
		*err = (struct weft_err){0};
	return NOT_THE_BOUNDS;
}

/* One pass, for cuts whose clipped states reach from bound to bound. */
static int cut_by_bounds(struct cut *c, const char *in, const char *out, struct weft_err *err)
{
	const struct weft_tool_report before = *c->report;
	struct tool_input input;
	if (!c->shifted || !c->break_states || c->how->keep_events != WEFT_TOOL_KEEP_INSIDE || !is_file(out))
		return NOT_THE_BOUNDS;
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	set_range(c, input.head.end);
	c->first = c->offset = c->from;
	c->last = c->to;
	bool inside = c->to < input.head.end; /* else the last record's end counts, which nobody knows yet */
	tool_input_close(&input);
	if (!inside)
		return NOT_THE_BOUNDS;
	rc = write_pass(c, in, out, true, err);
	if (rc == NOT_THE_BOUNDS)
		*c->report = before;
	return rc;
}

static int cut_by_passes(struct cut *c, const char *in, const char *out, struct weft_err *err)
{
	c->offset = 0;
	int rc = c->shifted ? one_pass(c, in, NULL, err) : 0;
	c->offset = c->shifted ? c->first : 0;
	return rc ? rc : write_pass(c, in, out, false, err);
}

int weft_tool_cut(const char *in, const char *out, const struct weft_tool_cut *how, struct weft_tool_report *report,
                  struct weft_err *err)
{
	struct weft_tool_report unasked = {0};
	struct cut *c = calloc(1, sizeof *c);
	if (!c)
		return weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	pthread_mutex_init(&c->strangers.lock, NULL);
	c->how = how;
	c->report = report ? report : &unasked;
	c->shifted = !how->original_time;
	c->break_states = how->break_states && !how->original_time;
	c->wide = cut_skips_wide();
	int rc = find_counters(c, in, err);
	if (!rc)
		rc = cut_by_bounds(c, in, out, err);
	if (rc == NOT_THE_BOUNDS)
		rc = cut_by_passes(c, in, out, err);
	cut_types_fini(&c->type);
	weft_map_fini(&c->counter);
	weft_map_fini(&c->listed);
	weft_map_fini(&c->strangers.row);
	free(c->strangers.who.at);
	pthread_mutex_destroy(&c->strangers.lock);
	free(c);
	return rc;
}
