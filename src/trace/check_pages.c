/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records against the table of kinds: words, byte counts, definitions, strings, order of time, and that each kind stands in its
 * sort of page. What is found is summed up for a thread (or all meta pages): one finding a rule, with the first place and a count.
 */
#include "base/pool.h"
#include "check_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT, BYTES, PLACE, UNKNOWN, UNDEFINED, STRING, BACK, HELD, OPEN, TALLIES };

static const struct {
	const char *rule, *text; /* "3 records " and this */
} tally_text[TALLIES] = {
	[SHORT] = {"record-short", "records have fewer words than their kind"},
	[BYTES] = {"record-bytes", "records count more bytes than they have"},
	[PLACE] = {"record-place", "records stand in the wrong sort of page"},
	[UNKNOWN] = {"kind-unknown", "records are of kinds that this build does not know"},
	[UNDEFINED] = {"id-undefined", "records name something that is not defined"},
	[STRING] = {"string-undefined", "records name strings that are not defined"},
	[BACK] = {"time-back", "records are earlier than the one before"},
	[HELD] = {"clock-back", "times the clock went back, and times were held"},
	[OPEN] = {"page-open", "pages are not sealed"},
};

struct tally {
	uint64_t n, first; /* offset of the first */
	uint32_t kind, id;
};
struct lane {
	struct check *c;
	struct stream *s;
	const struct page_run *run;
	uint32_t n_runs, thread; /* 0: meta pages */
	struct tally tally[TALLIES];
	uint64_t n_records, n_definitions, last_ticks;
};

static void count(struct lane *l, unsigned what, uint64_t offset, const struct weft_record *r)
{
	struct tally *t = &l->tally[what];
	if (!t->n++) {
		t->first = offset;
		t->kind = r ? r->kind : 0;
		t->id = r ? r->id : 0;
	}
}

static bool is_defined(const struct stream *s, enum weft_class c, uint64_t id)
{
	return id == 0 || (id < s->map[c].id.n && s->map[c].id.at[id]);
}

/* The strings and categories that a definition names, by its letters; halves 'p' by kind. */
static bool names_exist(const struct stream *s, const struct weft_record *r)
{
	static const struct {
		uint8_t kind, word, high;
		enum weft_class of;
	} named[] = {
		{WEFT_EV_DEF_REGION, 0, 0, WEFT_CLASS_CATEGORY},  {WEFT_EV_DEF_REGION, 1, 0, WEFT_CLASS_STRING},
		{WEFT_EV_DEF_TYPE, 0, 0, WEFT_CLASS_CATEGORY},    {WEFT_EV_DEF_TYPE, 0, 1, WEFT_CLASS_STRING},
		{WEFT_EV_DEF_COUNTER, 0, 0, WEFT_CLASS_CATEGORY}, {WEFT_EV_DEF_COUNTER, 0, 1, WEFT_CLASS_STRING},
		{WEFT_EV_DEF_ATTR, 0, 0, WEFT_CLASS_CATEGORY},    {WEFT_EV_DEF_ATTR, 0, 1, WEFT_CLASS_STRING},
		{WEFT_EV_DEF_FLOW, 0, 0, WEFT_CLASS_CATEGORY},    {WEFT_EV_DEF_DATA, 0, 0, WEFT_CLASS_CATEGORY},
	};
	for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
		if (named[i].kind == r->kind &&
		    !is_defined(s, named[i].of, (uint32_t)(r->payload[named[i].word] >> 32 * named[i].high)))
			return false;
	return true;
}

/* Whether the record's payload is as its letters say. */
static void check_payload(struct lane *l, const struct weft_record *r, uint64_t offset)
{
	const struct weft_kind_info *info = &weft_kind_info[r->kind];
	for (unsigned i = 0; info->args[i] && i < r->n; i++) {
		const char *at;
		uint32_t n;
		if (info->args[i] == 's' && (r->payload[i] > WEFT_ID_MAX || !is_defined(l->s, WEFT_CLASS_STRING, r->payload[i])))
			count(l, STRING, offset, r);
		if (info->args[i] == 'b' && !weft_record_bytes(r, i, &at, &n))
			count(l, BYTES, offset, r);
	}
	if (!names_exist(l->s, r))
		count(l, STRING, offset, r);
}

static void check_record(struct lane *l, const struct weft_record *r, uint64_t offset)
{
	const struct weft_kind_info *info = &weft_kind_info[r->kind];
	bool definition = r->kind >= 64;
	l->n_records++;
	if (!info->name) {
		count(l, UNKNOWN, offset, r);
		return;
	}
	l->n_definitions += definition;
	if (definition != (l->thread == 0) && r->kind != WEFT_EV_THREAD)
		count(l, PLACE, offset, r);
	if (r->n < (uint32_t)(info->words >= 0 ? info->words : -info->words - 1)) {
		count(l, SHORT, offset, r);
		return;
	}
	if (!definition && info->of != WEFT_CLASS_NONE && !is_defined(l->s, info->of, r->id))
		count(l, UNDEFINED, offset, r);
	check_payload(l, r, offset);
	if (!definition && r->ticks < l->last_ticks)
		count(l, BACK, offset, r);
	if (r->kind == WEFT_EV_CLOCK_BACK)
		count(l, HELD, offset, r);
	if (!definition)
		l->last_ticks = r->ticks;
}

static int check_page(struct lane *l, const struct weft_page *p, uint32_t page)
{
	struct weft_page_walk w;
	struct weft_record r;
	uint64_t offset = (uint64_t)page * WEFT_PAGE_BYTES;
	enum weft_page_verdict v = weft_page_begin(&w, p, true);
	if (v == WEFT_PAGE_BAD) {
		const struct page_fault *why = stream_page_fault(p);
		pthread_mutex_lock(&l->c->lock);
		l->c->r->n_pages_bad++;
		pthread_mutex_unlock(&l->c->lock);
		return check_find(l->c, why->rule, l->s->name, offset, WEFT_PAGE_BYTES, "page %u: %s; %u bytes skipped", page,
		                  why->text, WEFT_PAGE_BYTES);
	}
	if (v == WEFT_PAGE_EMPTY)
		return 0; /* it was not when the stream was scanned: the process still records */
	if (v == WEFT_PAGE_OPEN)
		count(l, OPEN, offset, NULL);
	int more;
	const uint64_t *head = w.at;
	while ((more = weft_page_next(&w, &r)) > 0) {
		check_record(l, &r, offset + (uint64_t)((const char *)head - (const char *)p));
		head = w.at;
	}
	if (more == 0 || !l->thread)
		return 0; /* meta pages: the reader has said so */
	uint64_t at = (uint64_t)((const char *)head - (const char *)p);
	return check_find(l->c, "record-torn", l->s->name, offset + at, WEFT_PAGE_BYTES - at,
	                  "page %u: no record at byte %llu; the rest is skipped", page, (unsigned long long)at);
}

static int report(struct lane *l)
{
	int rc = 0;
	char whose[40] = "definitions";
	if (l->thread)
		snprintf(whose, sizeof whose, "thread %u", l->thread);
	for (unsigned i = 0; !rc && i < TALLIES; i++) {
		const struct tally *t = &l->tally[i];
		const char *kind = weft_kind_info[t->kind].name;
		if (!t->n)
			continue;
		if (kind)
			rc = check_find(l->c, tally_text[i].rule, l->s->name, t->first, 0, "%s: %llu %s (first: %s #%u)", whose,
			                (unsigned long long)t->n, tally_text[i].text, kind, t->id);
		else
			rc = check_find(l->c, tally_text[i].rule, l->s->name, t->first, 0, "%s: %llu %s", whose,
			                (unsigned long long)t->n, tally_text[i].text);
	}
	pthread_mutex_lock(&l->c->lock);
	l->c->r->n_records += l->n_records;
	l->c->r->n_definitions += l->n_definitions;
	l->c->r->n_unknown += l->tally[UNKNOWN].n;
	l->c->r->n_pages_open += l->tally[OPEN].n;
	pthread_mutex_unlock(&l->c->lock);
	return rc;
}

static int check_lane(struct lane *l)
{
	struct weft_page *room = malloc(STREAM_PIECE_PAGES * sizeof *room);
	int rc = room ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < l->n_runs; i++)
		for (uint32_t done = 0, n; !rc && done < l->run[i].n; done += n) {
			uint32_t page = l->run[i].page + done;
			n = l->run[i].n - done < STREAM_PIECE_PAGES ? l->run[i].n - done : STREAM_PIECE_PAGES;
			const struct weft_page *p = stream_bytes_at(&l->s->bytes, (uint64_t)page * WEFT_PAGE_BYTES,
			                                            (size_t)n * WEFT_PAGE_BYTES, room);
			for (uint32_t k = 0; p && !rc && k < n; k++)
				rc = check_page(l, p + k, page + k);
			if (!p)
				rc = check_find(l->c, "page-unreadable", l->s->name, (uint64_t)page * WEFT_PAGE_BYTES,
				                (uint64_t)n * WEFT_PAGE_BYTES, "pages %u to %u: cannot be read", page,
				                page + n - 1);
		}
	free(room);
	return rc ? rc : report(l);
}

struct lanes {
	struct check *c;
	struct stream *s;
};

/* Thread i - 1 of the stream; 0: its meta pages. */
static int check_one(void *arg, size_t i, unsigned worker)
{
	const struct lanes *all = arg;
	struct stream *s = all->s;
	(void)worker;
	struct lane l = {.c = all->c, .s = s, .run = s->meta.at, .n_runs = (uint32_t)s->meta.n};
	if (i) {
		const struct stream_thread *t = &s->thread.at[i - 1];
		l.run = s->run.at + t->first_run;
		l.n_runs = t->n_runs;
		l.thread = t->number;
	}
	return check_lane(&l);
}

int check_pages(struct check *c, struct stream *s)
{
	struct lanes all = {c, s};
	return weft_parallel(c->threads, s->thread.n + 1, check_one, &all);
}
