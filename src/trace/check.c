/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft check`: everything that can be held against something. First what the reader of streams says while it scans; then every
 * record of every page against the table of kinds (check_pages.c); then the trace that comes of it: regions, messages, flows,
 * clocks; and last the index, event by event, against that trace. Rules and their grades are a table.
 */
#include "open.h"
#include "base/fs.h"
#include "base/str.h"
#include "check_priv.h"
#include "trace/store/index_files.h"
#include "trace/weft/pack_frame.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const weft_check_grade_name[WEFT_CHECK_GRADES] = {"note", "warning", "error"};
const char *const weft_check_index_name[] = {"none", "good", "stale", "damaged"};

#define FINDINGS_KEPT 1000u
#define DRIFT_PPM 200.0 /* two samples of a clock that differ more from its mean rate are worth a word */

static const struct {
	const char *name;
	enum weft_check_grade grade;
} rules[] = {
	{"stream-open", WEFT_CHECK_NOTE},          {"stream-full", WEFT_CHECK_WARNING},
	{"stream-length", WEFT_CHECK_ERROR},       {"stream-checksum", WEFT_CHECK_ERROR},
	{"stream-missing", WEFT_CHECK_ERROR},      {"process-missing", WEFT_CHECK_WARNING},
	{"stream-other", WEFT_CHECK_ERROR},        {"stream-foreign", WEFT_CHECK_ERROR},
	{"events-missing", WEFT_CHECK_ERROR},      {"stream-unreadable", WEFT_CHECK_ERROR},
	{"header-damaged", WEFT_CHECK_ERROR},      {"file-end", WEFT_CHECK_ERROR},
	{"frame-missing", WEFT_CHECK_ERROR},       {"frame-damaged", WEFT_CHECK_ERROR},
	{"page-magic", WEFT_CHECK_ERROR},          {"page-checksum", WEFT_CHECK_ERROR},
	{"page-header", WEFT_CHECK_ERROR},         {"page-unreadable", WEFT_CHECK_ERROR},
	{"page-missing", WEFT_CHECK_ERROR},        {"page-twice", WEFT_CHECK_ERROR},
	{"page-changed", WEFT_CHECK_WARNING},      {"page-open", WEFT_CHECK_NOTE},
	{"record-torn", WEFT_CHECK_ERROR},         {"record-short", WEFT_CHECK_ERROR},
	{"record-bytes", WEFT_CHECK_ERROR},        {"record-place", WEFT_CHECK_ERROR},
	{"kind-unknown", WEFT_CHECK_NOTE},         {"id-undefined", WEFT_CHECK_ERROR},
	{"string-undefined", WEFT_CHECK_ERROR},    {"time-back", WEFT_CHECK_WARNING},
	{"dropped", WEFT_CHECK_WARNING},           {"clock-rejected", WEFT_CHECK_WARNING},
	{"clock-unknown", WEFT_CHECK_WARNING},     {"clock-drift", WEFT_CHECK_WARNING},
	{"leave-unmatched", WEFT_CHECK_WARNING},   {"enter-unclosed", WEFT_CHECK_WARNING},
	{"message-unmatched", WEFT_CHECK_WARNING}, {"message-ring", WEFT_CHECK_NOTE},
	{"message-backward", WEFT_CHECK_WARNING},  {"flow-unmatched", WEFT_CHECK_WARNING},
	{"index-stale", WEFT_CHECK_NOTE},          {"index-damaged", WEFT_CHECK_WARNING},
	{"index-differs", WEFT_CHECK_WARNING},     {"input", WEFT_CHECK_ERROR},
	{"end-missing", WEFT_CHECK_WARNING},       {"clock-back", WEFT_CHECK_WARNING},
};

static enum weft_check_grade grade_of(const char *rule)
{
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rules[i].name, rule) == 0)
			return rules[i].grade;
	WEFT_BUG("no rule '%s'", rule);
}

static int add_finding(struct check *c, const char *rule, const struct weft_problem *p)
{
	struct weft_check_report *r = c->r;
	struct weft_check_finding f = {.grade = c->moving ? WEFT_CHECK_NOTE : grade_of(rule), .rule = rule, .at = *p};
	if (c->moving)
		f.at.lost_bytes = 0;
	r->count[f.grade]++;
	r->lost_bytes += f.at.lost_bytes;
	if (r->finding.n >= FINDINGS_KEPT)
		return 0;
	f.at.file = weft_arena_strdup(&r->arena, p->file ? p->file : "");
	f.at.text = weft_arena_strdup(&r->arena, p->text);
	return f.at.file && f.at.text && !weft_vec_push(&r->finding, f) ? 0 : -ENOMEM;
}

int check_find(struct check *c, const char *rule, const char *file, uint64_t offset, uint64_t lost, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	weft_one_line(text);
	struct weft_problem p = {.file = file, .offset = offset, .lost_bytes = lost, .text = text};
	pthread_mutex_lock(&c->lock);
	int rc = add_finding(c, rule, &p);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

/* ---- streams ---- */

/* What the reader said since the last time. */
static int take_problems(struct check *c, struct weft_builder *b, size_t *done)
{
	int rc = 0;
	for (; !rc && *done < b->problem.n; (*done)++)
		rc = add_finding(c, b->problem.at[*done].rule, &b->problem.at[*done].p);
	return rc;
}

static int check_head(struct check *c, const struct stream *s, bool live)
{
	const struct weft_stream_head *h = &s->head;
	struct weft_check_report *r = c->r;
	int rc = 0;
	r->n_streams_open += s->head_good && h->state == WEFT_STREAM_OPEN;
	r->n_streams_live += live;
	r->n_streams_full += s->head_good && h->state == WEFT_STREAM_FULL;
	r->n_streams_bad += !s->run.n && !s->meta.n && (!s->head_good || s->n_bad_pages);
	r->dropped += h->dropped;
	if (s->head_good && h->state == WEFT_STREAM_OPEN)
		rc = check_find(c, "stream-open", s->name, 0, 0, "was not closed: process %u %s", h->pid,
		                live ? "still records" : "was killed, or another program took its place");
	if (!rc && s->head_good && h->state == WEFT_STREAM_FULL)
		rc = check_find(c, "stream-full", s->name, 0, 0, "recording ended early: %s",
		                h->reason ? weft_err_name(-(int)h->reason) : "the limit was reached");
	/* Of a stream that ended early it is clear from when on events are missing. */
	if (!rc && h->dropped)
		rc = check_find(c, h->state == WEFT_STREAM_FULL ? "dropped" : "events-missing", s->name, 0, 0,
		                "%llu events could not be recorded", (unsigned long long)h->dropped);
	return rc;
}

static int check_clock(struct check *c, const struct stream *s)
{
	int rc = 0;
	if (s->clock.drift_ppm > c->r->max_drift_ppm)
		c->r->max_drift_ppm = s->clock.drift_ppm;
	if (s->clock.n_rejected)
		rc = check_find(c, "clock-rejected", s->name, 0, 0, "%llu samples of the clock cannot be true",
		                (unsigned long long)s->clock.n_rejected);
	if (!rc && s->clock.guessed && s->run.n)
		rc = check_find(c, "clock-unknown", s->name, 0, 0, "nothing says how fast its clock is");
	if (!rc && s->clock.drift_ppm > DRIFT_PPM)
		rc = check_find(c, "clock-drift", s->name, 0, 0, "its clock drifts by up to %.0f ppm between two samples",
		                s->clock.drift_ppm);
	return rc;
}

static int check_stream(struct check *c, struct weft_builder *b, struct stream *s, size_t *done)
{
	bool live = s->head_good && pack_is_live(&s->bytes, &s->head);
	c->moving = live;
	int rc = stream_scan(s, false);
	if (!rc)
		rc = stream_read_meta(s);
	if (!rc)
		rc = stream_check_sum(s);
	if (!rc)
		rc = stream_define(s);
	if (!rc)
		rc = take_problems(c, b, done);
	c->moving = false;
	if (!rc)
		rc = check_head(c, s, live);
	c->r->n_pages += s->n_pages;
	c->r->n_pages_bad += s->n_bad_pages;
	c->r->n_pages_missing += s->n_missing_pages;
	c->r->n_pages_unused += s->n_unused_pages;
	c->moving = live;
	if (!rc)
		rc = check_pages(c, s);
	c->moving = false;
	return rc;
}

/* Processes that had no room for a stream. */
static int check_missing(struct check *c, const char *folder)
{
	char **names;
	int n = weft_list_dir(folder, &names, NULL), rc = 0;
	for (int i = 0; i < n && !rc; i++) {
		char *path, reason[100];
		if (!weft_glob("*" WEFT_STREAM_MISSING, names[i]) || asprintf(&path, "%s/%s", folder, names[i]) < 0)
			continue;
		ssize_t length = readlink(path, reason, sizeof reason - 1);
		reason[length > 0 ? length : 0] = '\0';
		rc = check_find(c, "process-missing", names[i], 0, 0, "a process could not be recorded: %s", reason);
		free(path);
	}
	if (n >= 0)
		weft_list_free(names, n);
	return rc;
}

static int check_streams(struct check *c, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct weft_builder *b;
	struct stream_set set = {0};
	struct clock_report clocks;
	size_t done = 0;
	int rc = weft_builder_new(&b, path, "weft", how, err);
	if (rc)
		return rc;
	rc = stream_set_open(&set, b, path, err);
	for (size_t i = 0; i < b->problem.n; i++)
		c->r->n_streams_bad += !strcmp(b->problem.at[i].rule, "stream-unreadable");
	c->r->n_streams = set.at.n + c->r->n_streams_bad;
	struct clock_stream **clock = calloc(set.at.n + 1, sizeof *clock);
	if (!rc && !clock)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < set.at.n; i++) {
		clock[i] = &set.at.at[i]->clock;
		rc = check_stream(c, b, set.at.at[i], &done);
	}
	if (!rc)
		rc = stream_set_check_list(&set);
	if (!rc)
		rc = take_problems(c, b, &done);
	if (!rc)
		rc = clock_align(clock, (uint32_t)set.at.n, &clocks);
	for (size_t i = 0; !rc && i < set.at.n; i++)
		rc = check_clock(c, set.at.at[i]);
	if (!rc)
		rc = check_missing(c, path);
	free(clock);
	stream_set_close(&set);
	weft_builder_free(b);
	return rc;
}

/* ---- the trace that comes of it ---- */

static int check_regions(struct check *c, const struct weft_trace *t, uint32_t thread)
{
	char label[40];
	struct weft_span_walk w;
	struct weft_cursor cursor;
	struct weft_block block;
	int rc = weft_cursor_begin(&cursor, t, thread, 0, WEFT_NEVER), more = 0;
	weft_span_begin(&w, t, thread, NULL, NULL);
	while (!rc && (more = weft_cursor_next(&cursor, &block)) > 0)
		rc = weft_span_feed(&w, &block);
	weft_cursor_end(&cursor);
	uint64_t leaves = w.unmatched_leaves;
	if (!rc)
		rc = more;
	int end = weft_span_end(&w, t->thread[thread].end);
	if (rc || end)
		return rc ? rc : end;
	uint64_t early = w.closed_early;
	c->r->unmatched_leaves += leaves;
	c->r->unclosed_enters += early;
	if (leaves)
		rc = check_find(c, "leave-unmatched", "", 0, 0, "thread %s: %llu regions are left that were not entered",
		                weft_thread_label(t, thread, label), (unsigned long long)leaves);
	if (!rc && early)
		rc = check_find(c, "enter-unclosed", "", 0, 0, "thread %s: %llu regions are not left",
		                weft_thread_label(t, thread, label), (unsigned long long)early);
	return rc;
}

static int check_links(struct check *c, const struct weft_trace *t)
{
	struct weft_check_report *r = c->r;
	const struct weft_messages *m = &t->message;
	for (uint64_t i = 0; i < m->n; i++)
		r->unmatched_messages += m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE;
	for (uint64_t i = 0; i < t->flow.n; i++)
		r->unmatched_flows += t->flow.from_thread[i] == WEFT_NONE || t->flow.to_thread[i] == WEFT_NONE;
	r->backward_messages = t->backward_messages;
	int rc = 0;
	if (r->unmatched_messages)
		rc = check_find(c, "message-unmatched", "", 0, 0, "%llu of %llu messages have one end only",
		                (unsigned long long)r->unmatched_messages, (unsigned long long)m->n);
	if (!rc && weft_trace_note(t, WEFT_NOTE_RINGS))
		rc = check_find(c, "message-ring", "", 0, 0, "%s", weft_trace_note(t, WEFT_NOTE_RINGS));
	if (!rc && r->backward_messages)
		rc = check_find(c, "message-backward", "", 0, 0,
		                "%llu messages come before they are sent: the clocks do not agree",
		                (unsigned long long)r->backward_messages);
	if (!rc && r->unmatched_flows)
		rc = check_find(c, "flow-unmatched", "", 0, 0, "%llu of %llu flows have one end only",
		                (unsigned long long)r->unmatched_flows, (unsigned long long)t->flow.n);
	return rc;
}

/* ---- the index ---- */

static bool same_extra(const struct weft_trace *a, const struct weft_trace *b, uint32_t thread, uint64_t x, uint64_t y)
{
	uint32_t n, m;
	const uint64_t *p = weft_extra(a, thread, x, &n), *q = weft_extra(b, thread, y, &m);
	return p && q && n == m && memcmp(p, q, n * sizeof *p) == 0;
}

static bool same_block(const struct weft_trace *a, const struct weft_trace *b, uint32_t thread, const struct weft_block *x,
                       const struct weft_block *y)
{
	if (x->n != y->n || memcmp(x->time, y->time, x->n * sizeof *x->time) != 0 ||
	    memcmp(x->what, y->what, x->n * sizeof *x->what) != 0)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->value[i] != y->value[i] && col_value_of(weft_what_kind(x->what[i])) != COL_EXTRA)
			return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (col_value_of(weft_what_kind(x->what[i])) == COL_EXTRA && !same_extra(a, b, thread, x->value[i], y->value[i]))
			return false;
	return true;
}

static bool same_thread(const struct weft_trace *a, const struct weft_trace *b, uint32_t thread)
{
	struct weft_cursor c, d;
	struct weft_block x, y;
	int more = weft_cursor_begin(&c, a, thread, 0, WEFT_NEVER), other = weft_cursor_begin(&d, b, thread, 0, WEFT_NEVER);
	bool same = !more && !other;
	while (same && (more = weft_cursor_next(&c, &x)) > 0)
		same = weft_cursor_next(&d, &y) > 0 && same_block(a, b, thread, &x, &y);
	same = same && more == 0 && weft_cursor_next(&d, &y) == 0;
	weft_cursor_end(&c);
	weft_cursor_end(&d);
	return same;
}

static bool same_trace(const struct weft_trace *a, const struct weft_trace *b)
{
	bool same = a->n_threads == b->n_threads && a->n_events == b->n_events && a->message.n == b->message.n &&
	            a->flow.n == b->flow.n && a->end == b->end && a->n_problems == b->n_problems;
	for (uint32_t i = 0; same && i < a->n_threads; i++)
		same = same_thread(a, b, i);
	return same;
}

static int check_index(struct check *c, const char *path, const struct weft_trace *t, const struct weft_open_how *how,
                       struct weft_err *err)
{
	struct index_stamps stamps;
	struct weft_trace *indexed = NULL;
	struct weft_err why = {0};
	struct weft_check_report *r = c->r;
	int rc = index_stamps_take(&stamps, path, err);
	if (rc)
		return rc;
	int opened = index_open(&indexed, path, &stamps, how ? how->memory : 0, &why);
	index_stamps_fini(&stamps);
	if (opened == -ENOENT) {
		r->index = WEFT_INDEX_NONE;
	} else if (opened == -ESTALE) {
		r->index = WEFT_INDEX_STALE;
		rc = check_find(c, "index-stale", "index", 0, 0, "older than the streams; will be made again");
	} else if (opened || index_verify(indexed, how ? how->threads : 0)) {
		r->index = WEFT_INDEX_DAMAGED;
		rc = check_find(c, "index-damaged", "index", 0, 0, "%s; will be made again",
		                opened ? why.text : "a block's checksum differs");
	} else if (!same_trace(t, indexed)) {
		r->index = WEFT_INDEX_DAMAGED;
		rc = check_find(c, "index-differs", "index", 0, 0,
		                "is not what the streams hold; 'weft index --rebuild' makes it again");
	} else {
		r->index = WEFT_INDEX_GOOD;
	}
	weft_trace_close(indexed);
	return rc;
}

/* A foreign trace has no pages: what its reader says. */
static int take_trace_problems(struct check *c, const struct weft_trace *t)
{
	uint64_t kept = t->n_problems < FINDINGS_KEPT ? t->n_problems : FINDINGS_KEPT;
	int rc = 0;
	for (uint64_t i = 0; !rc && i < kept; i++)
		rc = add_finding(c, "input", &t->problem[i]);
	c->r->count[WEFT_CHECK_ERROR] += t->n_problems - kept;
	c->r->n_records = t->n_events;
	return rc;
}

/* The end of the last state of all. */
static int last_state(const struct weft_trace *t, uint64_t from, uint64_t *last)
{
	int rc = 0;
	for (uint32_t i = 0; i < t->n_threads && !rc; i++) {
		struct weft_cursor c;
		struct weft_block b;
		rc = weft_cursor_begin(&c, t, i, from, WEFT_NEVER);
		weft_cursor_want(&c, (struct weft_wanted){.kinds = 1ull << WEFT_EV_STATE_END});
		while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
			rc = 0;
			for (uint32_t k = 0; k < b.n; k++)
				if (weft_what_kind(b.what[k]) == WEFT_EV_STATE_END && b.time[k] > *last)
					*last = b.time[k];
		}
		weft_cursor_end(&c);
	}
	return rc;
}

/* The states of a whole .prv reach its end in one thread at least; in one that was cut between two lines they do not. */
static int check_end(struct check *c, const struct weft_trace *t)
{
	char last_text[32], end_text[32];
	uint64_t n_states = 0, last = 0;
	const struct weft_def_table *states = &t->def[WEFT_CLASS_STATE];
	for (uint32_t i = 1; i < states->n; i++)
		n_states += states->at[i].n_events;
	if (strcmp(t->format, "prv") != 0 || n_states == 0)
		return 0;
	int rc = last_state(t, t->end, &last);
	if (rc || last >= t->end)
		return rc;
	rc = last_state(t, 0, &last);
	c->r->n_ends_missing++;
	return rc ? rc
	          : check_find(c, "end-missing", t->path, 0, 0,
	                       "the last state ends at %s of %s: the end of the file may be missing",
	                       weft_human_ns(last_text, last), weft_human_ns(end_text, t->end));
}

/* Workers find things in any order; people and scripts want them in the same one each time. */
static int by_place(const void *x, const void *y)
{
	const struct weft_check_finding *a = x, *b = y;
	int order = strcmp(a->at.file, b->at.file);
	if (order)
		return order;
	if (a->at.offset != b->at.offset)
		return a->at.offset < b->at.offset ? -1 : 1;
	order = strcmp(a->rule, b->rule);
	return order ? order : strcmp(a->at.text, b->at.text);
}

int weft_trace_check(const char *path, const struct weft_open_how *how, struct weft_check_report *r, struct weft_err *err)
{
	memset(r, 0, sizeof *r);
	struct check c = {.r = r, .threads = how ? how->threads : 0};
	struct weft_open_how fresh = how ? *how : (struct weft_open_how){0};
	struct weft_trace *t = NULL;
	fresh.no_index = true;
	if (pthread_mutex_init(&c.lock, NULL))
		return weft_err_set(err, -ENOMEM, "out of memory");
	int rc = weft_trace_open(&t, path, &fresh, err);
	if (!rc)
		rc = strcmp(t->format, "weft") == 0 ? check_streams(&c, path, &fresh, err) : take_trace_problems(&c, t);
	for (uint32_t i = 0; !rc && i < t->n_threads; i++)
		rc = check_regions(&c, t, i);
	if (!rc) {
		r->n_threads = t->n_threads;
		rc = check_links(&c, t);
	}
	if (!rc)
		rc = check_end(&c, t);
	if (!rc)
		rc = check_index(&c, path, t, how, err);
	if (r->finding.n)
		qsort(r->finding.at, r->finding.n, sizeof *r->finding.at, by_place);
	weft_trace_close(t);
	pthread_mutex_destroy(&c.lock);
	return rc && !(err && err->code) ? weft_err_set(err, rc, "cannot check '%s': %s", path, weft_err_name(rc)) : rc;
}

void weft_check_report_fini(struct weft_check_report *r)
{
	free(r->finding.at);
	weft_arena_fini(&r->arena);
	memset(r, 0, sizeof *r);
}
