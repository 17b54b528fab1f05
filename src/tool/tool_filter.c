/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter: which records stay, and which pairs of an event line. No line knows of another, so blocks are filtered in
 * parallel. A type is looked up in the user's list once; then a worker's table of recent types knows what to do with it.
 * Lines of the usual look are read eight bytes at a time, and copied with their neighbours; what looks otherwise goes to the
 * slow path, number by number.
 */
#include "tool_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum verdict { ASK, DROP, KEEP, BY_VALUE };
enum { RECENT = 1024, MOST_STATES = 4096 };

struct recent {
	uint64_t type;
	enum verdict verdict;
};
struct worker {
	struct recent recent[RECENT];
	struct weft_tool_report report;
};
struct filter {
	const struct weft_tool_filter *f;
	bool *state; /* by number, below MOST_STATES: it stays. Owned */
	struct worker *worker;
};

/* -- which -- */

static enum verdict judge(const struct weft_tool_filter *f, uint64_t type)
{
	bool named = false;
	for (size_t i = 0; i < f->type.n; i++) {
		const struct weft_tool_types *t = &f->type.at[i];
		if (type < t->type.first || type > t->type.last)
			continue;
		if (!t->value.n)
			return f->types_discarded ? DROP : KEEP;
		named = true;
	}
	return named ? BY_VALUE : f->types_discarded ? KEEP : DROP;
}

static inline struct recent *recent_of(const struct filter *c, struct worker *w, uint64_t type)
{
	struct recent *r = &w->recent[(type ^ type >> 10 ^ type >> 20) % RECENT];
	if (r->type != type || r->verdict == ASK)
		*r = (struct recent){type, judge(c->f, type)};
	return r;
}

static bool keeps_pair(const struct filter *c, struct worker *w, uint64_t type, int64_t value)
{
	const struct recent *r = recent_of(c, w, type);
	if (r->verdict != BY_VALUE)
		return r->verdict == KEEP;
	return tool_types_have(&c->f->type, type, value, NULL) != c->f->types_discarded;
}

/* -- pairs of the usual look -- */

/* A type of up to eight digits and the colon behind it: where the value begins; NULL: it is none, look closely. */
static inline const char *quick_type(const char *at, uint64_t *type)
{
	uint64_t w = tool_word(at);
	unsigned n = tool_digits(w);
	if (n == 0 || at[n] != ':')
		return NULL;
	*type = tool_digits_value(w, n);
	return at + n + 1;
}

/* Where a value's digits end. */
static inline const char *behind_digits(const char *at)
{
	unsigned n;
	at += *at == '-';
	while ((n = tool_digits(tool_word(at))) == 8)
		at += 8;
	return at + n;
}

/* -- which lines -- */

static bool keeps_state(const struct filter *c, const char *at, const char *end)
{
	int64_t v[TOOL_STATE_FIELDS];
	if (c->f->discard_states)
		return false;
	if (!c->f->some_states && !c->f->min_state_time)
		return true;
	if (tool_numbers(&at, end, v, TOOL_STATE_FIELDS) < TOOL_STATE_FIELDS ||
	    (c->f->min_state_time && v[TOOL_END] - v[TOOL_TIME] < (int64_t)c->f->min_state_time))
		return false;
	return !c->f->some_states || ((uint64_t)v[TOOL_STATE] < MOST_STATES && c->state[v[TOOL_STATE]]);
}

static bool keeps_comm(const struct filter *c, const char *at, const char *end)
{
	int64_t size;
	if (c->f->discard_comms)
		return false;
	if (c->f->min_bytes <= 0)
		return true;
	at = tool_behind_colons(at, end, TOOL_SIZE);
	if (!at || at == end)
		return false;
	tool_number(at, end, &size);
	return size >= c->f->min_bytes;
}

/* -- event lines -- */

/* ":type:value", as it stands where it stands so; else its numbers. Returns where it ends. */
static char *put_pair(char *out, const char *pair, const char *value, const char *end, const int64_t v[2])
{
	*out++ = ':';
	if (value - pair > 1 && value[-1] == ':' && end > value && (unsigned char)(end[-1] - '0') < 10) {
		memcpy(out, pair, (size_t)(end - pair));
		return out + (end - pair);
	}
	out += weft_fmt_i64(out, v[0]);
	*out++ = ':';
	return out + weft_fmt_i64(out, v[1]);
}

/* Pairs of any look, from `at` to the line's end, one by one. Returns where the output ends. */
static char *slow_pairs(const struct filter *c, struct worker *w, const char *at, const char *end, char *to)
{
	while (at < end) {
		const char *pair = at, *value;
		int64_t v[2];
		at = value = tool_number(at, end, &v[0]);
		if (at == end)
			break;
		at = tool_number(at, end, &v[1]);
		if (keeps_pair(c, w, (uint64_t)v[0], v[1]))
			to = put_pair(to, pair, value, at < end || at[-1] == ':' ? at - 1 : at, v);
		else
			w->report.pairs_dropped++;
	}
	return to;
}

/* The same for those that look as they should, copied as stretches of neighbours that stay. */
static char *quick_pairs(const struct filter *c, struct worker *w, const char *at, const char *end, char *to)
{
	const char *kept = at; /* what stays and is not copied yet: [kept, at - 1), with a colon before it */
	while (at < end) {
		uint64_t type;
		const char *value = quick_type(at, &type), *stop = value ? behind_digits(value) : end;
		int64_t v;
		if (!value || stop > end || stop == value || stop[-1] == '-' || (stop < end && *stop != ':'))
			break;
		struct recent *r = recent_of(c, w, type);
		bool keep = r->verdict == KEEP;
		if (r->verdict == BY_VALUE) {
			tool_number(value, stop, &v);
			keep = keeps_pair(c, w, type, v);
		}
		if (!keep) {
			w->report.pairs_dropped++;
			if (at > kept) {
				*to++ = ':';
				memcpy(to, kept, (size_t)(at - 1 - kept));
				to += at - 1 - kept;
			}
			kept = stop + 1;
		}
		at = stop + 1;
	}
	if (at > kept) {
		*to++ = ':';
		memcpy(to, kept, (size_t)(at - 1 - kept));
		to += at - 1 - kept;
	}
	return at < end ? slow_pairs(c, w, at, end, to) : to;
}

/* line: from "2:" to its end. Leaves out the pairs that go; the whole line when none is left. */
static void filter_event(const struct filter *c, struct worker *w, const char *line, const char *end, struct tool_text *out)
{
	const char *at = tool_behind_colons(line + 2, end, TOOL_EVENT_FIELDS);
	/* Fields that are empty become a 0: a pair of two characters may have four. */
	if (!at || !tool_text_room(out, 2 * (size_t)(end - line) + 64))
		return;
	size_t head = (size_t)(at - 1 - line);
	char *begin = out->at + out->n + head;
	memcpy(out->at + out->n, line, head);
	char *to = quick_pairs(c, w, at, end, begin);
	if (to == begin)
		return;
	*to++ = '\n';
	out->n = (size_t)(to - out->at);
	w->report.events.kept++;
}

/* -- lines -- */

/* Whether a line that is no event with pairs to look at stays. */
static bool counted(struct weft_tool_kept *of, bool keeps)
{
	of->read++;
	of->kept += keeps;
	return keeps;
}

static bool keeps_line(const struct filter *c, struct worker *w, const char *line, const char *end)
{
	if (end - line > 1 && line[0] == '1')
		return counted(&w->report.states, keeps_state(c, line + 2, end));
	if (end - line > 1 && line[0] == '2')
		return counted(&w->report.events, !c->f->discard_events);
	if (end - line > 1 && line[0] == '3')
		return counted(&w->report.comms, keeps_comm(c, line + 2, end));
	if (end - line > 1 && line[0] == '4')
		return !c->f->discard_comms;
	if (end > line && line[0] == '#')
		return true;
	w->report.odd_lines += end > line;
	return false;
}

/* Lines that stay as they are, with their newlines, are copied in one. */
static int filter_block(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *out)
{
	struct filter *c = arg;
	struct worker *w = &c->worker[worker];
	const char *end = at + n, *kept = at; /* [kept, at): stays, is not copied yet */
	bool by_pairs = c->f->type.n && !c->f->discard_events;
	while (at < end) {
		const char *found = memchr(at, '\n', (size_t)(end - at)), *line_end = found ? found : end;
		const char *next = line_end + 1, *stop = line_end;
		while (stop > at && stop[-1] == '\r')
			stop--;
		bool plain = found && stop == line_end;
		bool pairs = by_pairs && stop - at > 1 && at[0] == '2';
		bool keep = !pairs && keeps_line(c, w, at, stop);
		if (!keep || !plain) {
			tool_text_add(out, kept, (size_t)(at - kept));
			kept = next;
		}
		if (pairs) {
			w->report.events.read++;
			filter_event(c, w, at, stop, out);
		} else if (keep && !plain) {
			tool_text_add(out, at, (size_t)(stop - at));
			tool_text_char(out, '\n');
		}
		at = next;
	}
	if (kept < end)
		tool_text_add(out, kept, (size_t)(end - kept));
	return 0;
}

/* -- the whole -- */

/* The states whose name is a part of this one; how many. */
static size_t choose_named(struct filter *c, const struct pcf *p, const char *name)
{
	size_t n = 0;
	for (size_t i = 0; i < p->state.n; i++)
		if (p->state.at[i].text[0] && strstr(name, p->state.at[i].text) && (uint64_t)p->state.at[i].value < MOST_STATES) {
			c->state[p->state.at[i].value] = true;
			n++;
		}
	return n;
}

static void say_unknown(const struct pcf *p, const char *name, struct weft_tool_report *report)
{
	const char **known = calloc(p->state.n + 1, sizeof *known);
	for (size_t i = 0; known && i < p->state.n; i++)
		known[i] = p->state.at[i].text;
	const char *near = known ? weft_nearest(name, known, p->state.n) : NULL;
	snprintf(report->unknown_state, sizeof report->unknown_state, "%s", name);
	snprintf(report->nearest_state, sizeof report->nearest_state, "%s", near ? near : "");
	free(known);
}

static int choose_states(struct filter *c, const char *in, struct weft_tool_report *report, struct weft_err *err)
{
	struct pcf p;
	int rc = tool_pcf_read(&p, in, err);
	for (size_t k = 0; !rc && k < c->f->state.n; k++)
		if (!choose_named(c, &p, c->f->state.at[k]) && report && !report->unknown_state[0])
			say_unknown(&p, c->f->state.at[k], report);
	pcf_fini(&p);
	return rc;
}

static int filter_file(struct filter *c, const char *in, const char *out, unsigned threads, struct weft_err *err)
{
	struct tool_input input;
	struct tool_output output;
	int rc = tool_input_open(&input, in, err);
	if (rc)
		return rc;
	rc = tool_output_open(&output, out, err);
	if (!rc) {
		struct tool_map map = {.in = &input, .out = &output, .threads = threads, .block = filter_block, .arg = c};
		tool_head_write(&input, input.head.end, false, &output.text);
		tool_output_flush(&output);
		rc = tool_map_run(&map, err);
		if (!rc)
			rc = tool_copy_beside(in, out, true, err);
		rc = tool_output_close(&output, rc, err);
	}
	tool_input_close(&input);
	return rc;
}

static void add_kept(struct weft_tool_kept *to, const struct weft_tool_kept *more)
{
	to->read += more->read;
	to->kept += more->kept;
}

static void add_report(struct weft_tool_report *to, const struct weft_tool_report *more)
{
	to->odd_lines += more->odd_lines;
	to->pairs_dropped += more->pairs_dropped;
	add_kept(&to->states, &more->states);
	add_kept(&to->events, &more->events);
	add_kept(&to->comms, &more->comms);
}

int weft_tool_filter(const char *in, const char *out, const struct weft_tool_filter *f, unsigned threads,
                     struct weft_tool_report *report, struct weft_err *err)
{
	threads = tool_map_threads(threads);
	const unsigned workers = tool_map_workers(threads);
	struct filter c = {.f = f, .state = calloc(MOST_STATES, sizeof *c.state), .worker = calloc(workers, sizeof *c.worker)};
	int rc = c.state && c.worker ? 0 : weft_err_set(err, -ENOMEM, "cannot filter '%s': no memory", in);
	if (!rc && f->some_states)
		rc = choose_states(&c, in, report, err);
	if (!rc)
		rc = filter_file(&c, in, out, threads, err);
	for (unsigned i = 0; !rc && report && i < workers; i++)
		add_report(report, &c.worker[i].report);
	free(c.state);
	free(c.worker);
	return rc;
}
