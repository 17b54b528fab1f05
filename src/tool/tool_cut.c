/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cutter. Where times shall begin at 0, a first pass over the records finds the earliest and the latest that are kept
 * (both decide the same way), the second writes. The first is made by all threads, on blocks, unless what is kept of a thread
 * depends on what was kept of it before. A thread's memory is what it has open: a bit for each event type. Of a line that is
 * written as we would write it, what does not change is copied.
 *
 *     ─────[from]───────────────[to]─────
 *      ███████                            a state over a bound: kept whole, clipped, or removed
 *         e1   e2 e3                      e1: with keep_events, when its thread has a kept state by then
 *                         # Appending events with value 0
 */
#include "tool_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { RECENT = 512, COUNTERS_FIRST = 42000000, COUNTERS_LAST = 42999999 };
/* What the foreign tool calls the earliest time when it keeps nothing at all. */
#define NOTHING_KEPT ((uint64_t)20 << 30)

struct cut_thread {
	bool has_state; /* one was kept */
	bool finished;  /* its last state was removed */
	bool counted;   /* its first sample of counters was set to 0 */
	uint32_t cpu;   /* of its last kept event */
	uint8_t *type;  /* by id: TYPE_…. Owned */
	size_t n_types;
};
enum { TYPE_OPEN = 1, TYPE_COUNTED = 2 };

struct cut {
	const struct weft_tool_cut *how;
	struct tool_input *in;
	struct tool_output *out; /* NULL in the first pass */
	struct weft_tool_report *said;
	uint64_t from, to;
	bool shifted, break_states;
	bool spans_only;      /* a pass that looks for the earliest and the latest alone, in any order */
	uint64_t offset;      /* what is taken off all times */
	uint64_t first, last; /* of what was kept */
	uint64_t kept_bytes;
	struct cut_thread *thread; /* owned, by row */
	struct weft_map counter;   /* types that are hardware counters in the .pcf */
	struct weft_map id;        /* type -> its number in number[] */
	struct {
		uint64_t type;
		uint32_t id1; /* id + 1 */
	} recent[RECENT];
	WEFT_VEC(uint64_t) number;
	bool no_memory;
};

/* -- what is open -- */

static bool type_id(struct cut *c, uint64_t type, uint32_t *out)
{
	uint32_t slot = (uint32_t)(type ^ type >> 9) % RECENT;
	uint64_t id;
	if (c->recent[slot].type == type && c->recent[slot].id1) {
		*out = c->recent[slot].id1 - 1;
		return true;
	}
	if (!weft_map_get(&c->id, type, &id)) {
		id = c->number.n;
		if (weft_vec_push(&c->number, type) || weft_map_put(&c->id, type, id)) {
			c->no_memory = true;
			return false;
		}
	}
	*out = (uint32_t)id;
	c->recent[slot].type = type;
	c->recent[slot].id1 = *out + 1;
	return true;
}

static void note_value(struct cut *c, struct cut_thread *t, uint64_t type, int64_t value, bool counter)
{
	uint32_t id;
	if (!type_id(c, type, &id))
		return;
	if (id >= t->n_types) {
		size_t cap = t->n_types;
		if (weft_vec_grow(&t->type, &cap, id + 1, 1)) {
			c->no_memory = true;
			return;
		}
		memset(t->type + t->n_types, 0, cap - t->n_types);
		t->n_types = cap;
	}
	if (counter)
		t->type[id] |= TYPE_COUNTED;
	else
		t->type[id] = value ? TYPE_OPEN : 0;
}

static bool is_counter(const struct cut *c, uint64_t type)
{
	uint64_t v;
	return type >= COUNTERS_FIRST && type <= COUNTERS_LAST && weft_map_get(&c->counter, type, &v);
}

/* -- one record -- */

static bool chosen(const struct cut *c, int64_t task)
{
	for (size_t i = 0; i < c->how->task.n; i++)
		if ((uint64_t)task >= c->how->task.at[i].first && (uint64_t)task <= c->how->task.at[i].last)
			return true;
	return c->how->task.n == 0;
}

static void keep_span(struct cut *c, uint64_t first, uint64_t last)
{
	c->first = first < c->first ? first : c->first;
	c->last = last > c->last ? last : c->last;
}

static struct cut_thread *thread_of(struct cut *c, const int64_t *v)
{
	uint32_t row;
	if (v[TOOL_TIME] < 0 ||
	    !tool_head_thread(&c->in->head, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK], (uint64_t)v[TOOL_THREAD], &row)) {
		if (c->out && !c->said->odd_lines++)
			c->said->first_odd = c->in->lines;
		return NULL;
	}
	return &c->thread[row];
}

/* The line "K:…", whose first `kept` numbers are copied when it is plain, then v[kept] … v[kept + changed - 1], then its rest. */
static void write_patched(struct cut *c, unsigned kind, const char *at, const char *end, const int64_t *v, unsigned kept,
                          unsigned changed)
{
	struct tool_text *out = &c->out->text;
	const char *middle = tool_behind_colons(at, end, kept), *rest = tool_behind_colons(middle, end, changed);
	if (!tool_text_room(out, (size_t)(end - at) + 2 + 21 * (size_t)changed))
		return;
	memcpy(out->at + out->n, kind == 1 ? "1:" : "2:", 2);
	memcpy(out->at + out->n + 2, at, (size_t)(middle - at));
	out->n += 2 + (size_t)(middle - at);
	tool_text_fields(out, v + kept, changed, ':');
	tool_text_add(out, rest, (size_t)(end - rest));
	tool_text_char(out, '\n');
}

static void write_state(struct cut *c, const char *at, const char *end, bool plain, const int64_t v[TOOL_STATE_FIELDS])
{
	struct tool_text *out = &c->out->text;
	if (plain) {
		write_patched(c, 1, at, end, v, TOOL_TIME, 2);
	} else {
		tool_text_add(out, "1:", 2);
		tool_text_fields(out, v, TOOL_STATE_FIELDS, '\n');
	}
}

static bool cut_state(struct cut *c, const char *at, const char *end)
{
	const char *line = at;
	int64_t v[TOOL_STATE_FIELDS];
	struct cut_thread *t;
	bool plain = true;
	unsigned n = 0;
	while (n < TOOL_STATE_FIELDS && at < end)
		at = tool_number_plain(at, end, &v[n++], &plain);
	if (n < TOOL_STATE_FIELDS || !(t = thread_of(c, v)) || !chosen(c, v[TOOL_TASK]))
		return false;
	plain &= at == end;
	uint64_t begin = (uint64_t)v[TOOL_TIME], stop = v[TOOL_END] < v[TOOL_TIME] ? begin : (uint64_t)v[TOOL_END];
	bool endless = v[TOOL_END] < 0; /* -1: nobody saw its end */
	if (stop < c->from || begin > c->to)
		return false;
	if (begin < c->from && c->how->remove_first_states)
		return false;
	if (stop > c->to && begin < c->to && c->how->remove_last_states) {
		t->finished = true;
		return false;
	}
	if (c->break_states && begin < c->from)
		begin = c->from;
	if (c->break_states && stop > c->to)
		stop = c->to;
	if (!c->spans_only) /* workers share the threads */
		t->has_state = true;
	keep_span(c, begin, stop);
	if (c->out) {
		v[TOOL_TIME] = (int64_t)(begin - c->offset);
		v[TOOL_END] = endless ? v[TOOL_END] : (int64_t)(stop - c->offset);
		write_state(c, line, end, plain, v);
	}
	return true;
}

static bool keeps_event(const struct cut *c, const struct cut_thread *t, uint64_t time)
{
	if (time > c->to)
		return false;
	if (c->how->keep_events == WEFT_TOOL_KEEP_ALL)
		return true;
	if (time < c->from)
		return c->how->keep_events == WEFT_TOOL_KEEP_BOUNDARY && t->has_state;
	return !t->finished && (!c->how->remove_first_states || t->has_state);
}

/* Most events of a small cut: seen by their time, before anything else is looked at. */
static bool lies_outside(const struct cut *c, const char *at, const char *end)
{
	int64_t time;
	at = tool_behind_colons(at, end, TOOL_TIME);
	if (!at)
		return false;
	tool_number(at, end, &time);
	return time >= 0 && ((uint64_t)time < c->from || (uint64_t)time > c->to);
}

/*
 * Notes what the pairs open and close. A thread's first sample of hardware counters becomes 0, as what it counted began before
 * the cut: then, or when they are not plain, the line is not to be copied, and false is returned.
 */
static bool note_pairs(struct cut *c, struct cut_thread *t, const char *at, const char *end, bool *sample)
{
	bool plain = true;
	*sample = false;
	while (at < end) {
		int64_t type, value;
		at = tool_number_plain(at, end, &type, &plain);
		if (at == end)
			return false;
		at = tool_number_plain(at, end, &value, &plain);
		bool counter = is_counter(c, (uint64_t)type);
		plain &= type >= 0;
		*sample |= counter && !t->counted;
		note_value(c, t, (uint64_t)type, value, counter);
	}
	return plain && !*sample;
}

static void write_pairs(struct cut *c, const char *at, const char *end, bool sample)
{
	struct tool_text *out = &c->out->text;
	int64_t type, value;
	while (tool_pair(&at, end, &type, &value)) {
		tool_text_char(out, ':');
		tool_text_u64(out, (uint64_t)type);
		tool_text_char(out, ':');
		tool_text_i64(out, sample && is_counter(c, (uint64_t)type) ? 0 : value);
	}
}

static void write_event(struct cut *c, struct cut_thread *t, const char *line, const char *pairs, const char *end, bool plain,
                        const int64_t v[TOOL_EVENT_FIELDS])
{
	struct tool_text *out = &c->out->text;
	bool sample;
	plain &= note_pairs(c, t, pairs, end, &sample);
	if (plain) {
		write_patched(c, 2, line, end, v, TOOL_TIME, 1);
	} else {
		tool_text_add(out, "2:", 2);
		tool_text_fields(out, v, TOOL_EVENT_FIELDS, ':');
		if (!out->failed)
			out->n--; /* each pair brings its colon */
		write_pairs(c, pairs, end, sample);
		tool_text_char(out, '\n');
	}
	t->counted |= sample;
}

static bool cut_event(struct cut *c, const char *at, const char *end)
{
	const char *line = at;
	int64_t v[TOOL_EVENT_FIELDS];
	struct cut_thread *t;
	bool plain = true;
	unsigned n = 0;
	if (c->how->keep_events == WEFT_TOOL_KEEP_INSIDE && lies_outside(c, at, end))
		return false;
	while (n < TOOL_EVENT_FIELDS && at < end)
		at = tool_number_plain(at, end, &v[n++], &plain);
	if (n < TOOL_EVENT_FIELDS || at == end || !(t = thread_of(c, v)) || !chosen(c, v[TOOL_TASK]))
		return false;
	uint64_t time = (uint64_t)v[TOOL_TIME];
	if (!keeps_event(c, t, time))
		return false;
	keep_span(c, time, time);
	if (c->out) {
		v[TOOL_TIME] = (int64_t)(time - c->offset);
		t->cpu = (uint32_t)v[TOOL_CPU];
		write_event(c, t, line, at, end, plain, v);
	}
	return true;
}

static bool cut_comm(struct cut *c, const char *at, const char *end)
{
	static const unsigned char times[] = {TOOL_LOG_SEND, TOOL_PHY_SEND, TOOL_LOG_RECV, TOOL_PHY_RECV};
	int64_t v[TOOL_COMM_FIELDS];
	if (tool_numbers(&at, end, v, TOOL_COMM_FIELDS) < TOOL_COMM_FIELDS || !thread_of(c, v))
		return false;
	if (!chosen(c, v[TOOL_TASK]) && !chosen(c, v[TOOL_RECV_TASK]))
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (v[times[i]] < 0)
			return false;
	if ((uint64_t)v[TOOL_LOG_SEND] < c->from || (uint64_t)v[TOOL_LOG_RECV] < c->from || (uint64_t)v[TOOL_PHY_SEND] > c->to ||
	    (uint64_t)v[TOOL_PHY_RECV] > c->to)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		keep_span(c, (uint64_t)v[times[i]], (uint64_t)v[times[i]]);
		v[times[i]] -= (int64_t)c->offset;
	}
	if (c->out) {
		tool_text_add(&c->out->text, "3:", 2);
		tool_text_fields(&c->out->text, v, TOOL_COMM_FIELDS, '\n');
	}
	return true;
}

static bool cut_other(struct cut *c, struct weft_str line)
{
	if (line.n && line.at[0] == '#') {
		if (c->out) {
			tool_text_add(&c->out->text, line.at, line.n);
			tool_text_char(&c->out->text, '\n');
		}
		return true;
	}
	if (line.n && line.at[0] != '4' && c->out && !c->said->odd_lines++)
		c->said->first_odd = c->in->lines;
	return false;
}

/* -- a pass over all records -- */

static bool cut_line(struct cut *c, struct weft_str line)
{
	static bool (*const kinds[])(struct cut * c, const char *at, const char *end) = {cut_state, cut_event, cut_comm};
	unsigned kind = line.n > 1 && line.at[1] == ':' ? (unsigned)(line.at[0] - '1') : 3;
	return kind < 3 ? kinds[kind](c, line.at + 2, line.at + line.n) : cut_other(c, line);
}

static int cut_pass(struct cut *c, struct weft_err *err)
{
	struct weft_str line;
	int rc;
	c->kept_bytes = 0;
	memset(c->recent, 0, sizeof c->recent);
	while ((rc = tool_input_line(c->in, &line, err)) > 0) {
		if (!cut_line(c, line))
			continue;
		c->kept_bytes += line.n + 1;
		if (c->how->max_bytes && c->kept_bytes > c->how->max_bytes)
			break;
		if (c->out)
			tool_output_step(c->out);
		if (c->no_memory || (c->out && c->out->failed))
			break;
	}
	if (c->no_memory)
		return weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", c->in->path);
	return rc < 0 ? rc : rc == 0 ? tool_input_damage(c->in, err) : 0;
}

/* -- the same for the earliest and the latest alone, by several threads -- */

/* Whether what is kept says nothing about what is kept later. */
static bool has_no_memory(const struct weft_tool_cut *how)
{
	return !how->remove_first_states && !how->remove_last_states && how->keep_events != WEFT_TOOL_KEEP_BOUNDARY &&
	       !how->max_bytes;
}

static int span_of_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *none)
{
	struct cut *c = (struct cut *)arg + worker;
	const char *all = at + n;
	(void)none;
	while (at < all) {
		const char *end = memchr(at, '\n', (size_t)(all - at));
		end = end ? end : all;
		cut_line(c, (struct weft_str){at, (size_t)(end - at)});
		at = end + 1;
	}
	return 0;
}

static int find_span(struct cut *c, struct weft_err *err)
{
	struct tool_output none = {0};
	unsigned n = tool_map_threads(c->how->threads);
	struct cut *of_worker = malloc(n * sizeof *of_worker);
	if (!of_worker)
		return weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", c->in->path);
	for (unsigned i = 0; i < n; i++) {
		of_worker[i] = *c;
		of_worker[i].spans_only = true;
	}
	int rc = tool_map_run(&(struct tool_map){c->in, &none, n, span_of_block, of_worker}, err);
	for (unsigned i = 0; i < n && !rc; i++)
		if (of_worker[i].first <= of_worker[i].last)
			keep_span(c, of_worker[i].first, of_worker[i].last);
	free(of_worker);
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
static void write_head(struct cut *c)
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
	c->no_memory = n < 0;
	if (n > 0) {
		tool_text_add(out, note, (size_t)n);
		free(note);
	}
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
		if (t->type[i] && weft_vec_push(&open, (struct closing){c->number.at[i], t->type[i] & TYPE_COUNTED})) {
			free(open.at);
			return -ENOMEM;
		}
	if (open.n)
		qsort(open.at, open.n, sizeof *open.at, closing_order);
	for (size_t i = 0; i < open.n; i++) {
		int64_t v[] = {t->cpu, who[0], who[1], who[2], (int64_t)(c->last - c->offset), (int64_t)open.at[i].type, 0};
		if (!*begun)
			tool_text_add(out, "# Appending events with value 0\n", 32);
		*begun = true;
		tool_text_add(out, "2:", 2);
		tool_text_fields(out, v, 7, '\n');
	}
	tool_output_step(c->out);
	free(open.at);
	return 0;
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
	return 0;
}

/* -- the whole -- */

static int find_counters(struct cut *c, const char *in, struct weft_err *err)
{
	struct pcf p;
	int rc = tool_pcf_read(&p, in, err);
	for (size_t i = 0; !rc && i < p.type.n; i++)
		if (p.type.at[i].number >= COUNTERS_FIRST && p.type.at[i].number <= COUNTERS_LAST &&
		    weft_map_put(&c->counter, p.type.at[i].number, 1))
			rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	pcf_fini(&p);
	return rc;
}

static void note_unknown_task(const struct cut *c, const struct prv_header *h)
{
	c->said->greatest_task = 0;
	for (uint32_t app = 0; app < h->n_apps; app++)
		if (h->app[app].n_tasks > c->said->greatest_task)
			c->said->greatest_task = h->app[app].n_tasks;
	for (size_t i = 0; i < c->how->task.n && !c->said->unknown_task; i++)
		if (c->how->task.at[i].first > c->said->greatest_task)
			c->said->unknown_task = c->how->task.at[i].first;
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
	c->thread = calloc(input.head.n_threads ? input.head.n_threads : 1, sizeof *c->thread);
	if (!c->thread)
		rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	if (!rc && out) {
		note_unknown_task(c, &input.head);
		write_head(c);
	}
	c->first = UINT64_MAX;
	c->last = 0;
	if (!rc)
		rc = !out && has_no_memory(c->how) ? find_span(c, err) : cut_pass(c, err);
	if (c->first == UINT64_MAX)
		c->first = NOTHING_KEPT;
	if (!rc && out && close_all(c))
		rc = weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	for (uint32_t i = 0; c->thread && i < input.head.n_threads; i++)
		free(c->thread[i].type);
	free(c->thread);
	c->thread = NULL;
	tool_input_close(&input);
	return rc;
}

int weft_tool_cut(const char *in, const char *out, const struct weft_tool_cut *how, struct weft_tool_report *report,
                  struct weft_err *err)
{
	struct weft_tool_report unasked = {0};
	struct tool_output output;
	struct cut *c = calloc(1, sizeof *c);
	if (!c)
		return weft_err_set(err, -ENOMEM, "cannot cut '%s': no memory", in);
	c->how = how;
	c->said = report ? report : &unasked;
	c->shifted = !how->original_time;
	c->break_states = how->break_states && !how->original_time;
	int rc = find_counters(c, in, err);
	if (!rc && c->shifted) {
		rc = one_pass(c, in, NULL, err);
		c->offset = c->first;
	}
	if (!rc)
		rc = tool_output_open(&output, out, err);
	if (!rc) {
		rc = one_pass(c, in, &output, err);
		if (!rc)
			rc = tool_copy_beside(in, out, true, err);
		rc = tool_output_close(&output, rc, err);
	}
	free(c->number.at);
	weft_map_fini(&c->id);
	weft_map_fini(&c->counter);
	free(c);
	return rc;
}
