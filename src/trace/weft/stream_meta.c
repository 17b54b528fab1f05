/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What meta pages say. Facts (threads, processes, clocks, machine) stay with the stream until all streams are known; definitions
 * go to the builder in three sweeps over the pages, because later ones are made of earlier ones: strings and categories, then
 * what has a name, then labels, sets and members. Records that are shorter than their kind are skipped and counted.
 */
#include "base/str.h"
#include "stream.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t low_half(uint64_t w)
{
	return (int32_t)(uint32_t)w;
}

static int32_t high_half(uint64_t w)
{
	return (int32_t)(uint32_t)(w >> 32);
}

/* The text of a record, in the stream's arena; "" when it does not fit. NULL when memory is out. */
static const char *text_at(struct stream *s, const struct weft_record *r, unsigned word)
{
	const char *at;
	uint32_t n;
	if (!weft_record_bytes(r, word, &at, &n) || n == 0)
		return "";
	return weft_arena_strndup(&s->arena, at, strnlen(at, n));
}

/* ---- facts ---- */

static int thread_by_number(const void *key, const void *at)
{
	uint32_t want = *(const uint32_t *)key, number = ((const struct stream_thread *)at)->number;
	return want < number ? -1 : want > number;
}

struct stream_thread *stream_thread_of(struct stream *s, uint32_t number)
{
	return s->thread.n ? bsearch(&number, s->thread.at, s->thread.n, sizeof *s->thread.at, thread_by_number) : NULL;
}

int stream_note_thread(struct stream *s, const struct weft_record *r)
{
	struct stream_thread *t = stream_thread_of(s, r->id);
	if (!t) { /* described, and has no pages: keeps its place in the order */
		struct stream_thread made = {.number = r->id, .row = WEFT_NONE, .tid = -1};
		if (weft_vec_push(&s->thread, made))
			return -ENOMEM;
		size_t at = s->thread.n - 1;
		for (; at && s->thread.at[at - 1].number > r->id; at--)
			s->thread.at[at] = s->thread.at[at - 1];
		s->thread.at[at] = made;
		t = &s->thread.at[at];
	}
	const char *name = text_at(s, r, 3);
	if (!name)
		return -ENOMEM;
	t->tid = (int64_t)r->payload[0];
	t->process = (uint32_t)low_half(r->payload[1]);
	t->own = high_half(r->payload[1]) == WEFT_THREAD_OF_WEFT;
	t->begin = r->payload[2];
	if (*name || !t->name)
		t->name = name;
	return 0;
}

static struct stream_process *process_of(struct stream *s, uint32_t number)
{
	for (size_t i = s->process.n; i-- > 0;)
		if (s->process.at[i].number == number)
			return &s->process.at[i];
	struct stream_process made = {.number = number,
	                              .row = WEFT_NONE,
	                              .pid = -1,
	                              .rank = -1,
	                              .begin_ns = WEFT_NEVER,
	                              .end_ns = WEFT_NEVER,
	                              .status = -1};
	return weft_vec_push(&s->process, made) ? NULL : &s->process.at[s->process.n - 1];
}

static int note_process(struct stream *s, const struct weft_record *r)
{
	struct stream_process *p = process_of(s, r->id);
	const char *name = text_at(s, r, 3);
	if (!p || !name)
		return -ENOMEM;
	p->pid = low_half(r->payload[0]);
	p->parent_pid = high_half(r->payload[0]);
	p->rank = low_half(r->payload[1]);
	p->app = (uint32_t)high_half(r->payload[1]);
	p->begin = r->payload[2];
	if (*name || !p->name)
		p->name = name;
	return 0;
}

/* Texts come in parts, in order; part 0 begins a new one, which takes the place of what was said before. */
static int note_text(struct stream *s, const struct weft_record *r)
{
	struct stream_process *p = process_of(s, r->id);
	const char *at;
	uint32_t n;
	if (!p)
		return -ENOMEM;
	if (!weft_record_bytes(r, 2, &at, &n)) {
		s->n_odd++;
		return 0;
	}
	uint64_t which = r->payload[0];
	if (which == WEFT_TEXT_FOREIGN)
		which = 0; /* the row of notes: each whole one goes to the builder at once */
	else if (which == 0 || which >= sizeof p->text / sizeof *p->text)
		return 0;
	struct weft_buf *b = &p->text[which];
	int32_t part = low_half(r->payload[1]), parts = high_half(r->payload[1]);
	if (part == 0)
		b->n = 0;
	weft_buf_add(b, at, n);
	if (b->failed)
		return -ENOMEM;
	if (which != 0 || part + 1 < parts || !b->n)
		return 0;
	size_t key = strnlen(b->at, b->n);
	weft_buf_putc(b, 0);
	return b->failed ? -ENOMEM : key + 1 < b->n ? weft_build_note(s->b, b->at, b->at + key + 1) : 0;
}

static int note_clock(struct stream *s, const struct weft_record *r)
{
	struct clock_sample c = {r->payload[0], r->payload[1], r->payload[2]};
	return weft_vec_push(&s->clock.sample, c);
}

static int note_sync(struct stream *s, const struct weft_record *r)
{
	struct clock_sync c = {r->payload[0], r->payload[1], r->payload[2]};
	return weft_vec_push(&s->clock.sync, c);
}

static int note_cpu(struct stream *s, const struct weft_record *r)
{
	struct weft_cpu c = {.os = (uint32_t)low_half(r->payload[0]),
	                     .numa = (uint32_t)high_half(r->payload[0]),
	                     .core = (uint32_t)low_half(r->payload[1]),
	                     .package = (uint32_t)high_half(r->payload[1])};
	c.name = text_at(s, r, 2);
	return c.name ? weft_vec_push(&s->cpu, c) : -ENOMEM;
}

static int note_module(struct stream *s, const struct weft_record *r)
{
	struct weft_module m = {.first = r->payload[0],
	                        .end = r->payload[1],
	                        .offset = r->payload[2],
	                        .path = text_at(s, r, 3),
	                        .build_id = ""};
	return m.path ? weft_vec_push(&s->module, m) : -ENOMEM;
}

/* Of the module that was last loaded there. */
static int note_build_id(struct stream *s, const struct weft_record *r)
{
	const char *at;
	uint32_t n;
	if (!weft_record_bytes(r, 1, &at, &n)) {
		s->n_odd++;
		return 0;
	}
	for (size_t i = s->module.n; i-- > 0;) {
		struct weft_module *m = &s->module.at[i];
		if (m->first != r->payload[0])
			continue;
		char *hex = weft_arena_alloc(&s->arena, 2 * (size_t)n + 1);
		for (uint32_t k = 0; hex && k < n; k++) {
			hex[2 * k] = "0123456789abcdef"[(unsigned char)at[k] >> 4];
			hex[2 * k + 1] = "0123456789abcdef"[(unsigned char)at[k] & 15];
		}
		m->build_id = hex ? hex : "";
		return hex ? 0 : -ENOMEM;
	}
	return 0;
}

/* ---- definitions ---- */

static uint32_t meta_mapped(const struct stream *s, enum weft_class c, uint32_t id)
{
	return id < s->map[c].id.n ? s->map[c].id.at[id] : 0;
}

static const char *string_of(const struct stream *s, int32_t id)
{
	return s->b->def[WEFT_CLASS_STRING].row.at[meta_mapped(s, WEFT_CLASS_STRING, (uint32_t)id)].row.name;
}

static int set_map(struct stream *s, enum weft_class c, uint32_t id, int64_t made)
{
	if (made < 0)
		return (int)made;
	if (weft_vec_reserve(&s->map[c].id, id + 1u))
		return -ENOMEM;
	while (s->map[c].id.n <= id)
		s->map[c].id.at[s->map[c].id.n++] = 0;
	s->map[c].id.at[id] = (uint32_t)made;
	return 0;
}

static int meta_define(struct stream *s, const struct weft_record *r, unsigned name_word, struct weft_def_row *row)
{
	enum weft_class c = weft_kind_info[r->kind].of;
	row->name = text_at(s, r, name_word);
	if (!row->name)
		return -ENOMEM;
	return r->id ? set_map(s, c, r->id, weft_build_def(s->b, c, row)) : 0;
}

static int def_string(struct stream *s, const struct weft_record *r)
{
	return meta_define(s, r, 0, &(struct weft_def_row){0});
}

static uint32_t category_of(const struct stream *s, const struct weft_record *r)
{
	return meta_mapped(s, WEFT_CLASS_CATEGORY, (uint32_t)low_half(r->payload[0]));
}

static int def_region(struct stream *s, const struct weft_record *r)
{
	struct weft_def_row row = {.category = category_of(s, r),
	                           .state = (uint32_t)high_half(r->payload[0]) < WEFT_STATE_CLASSES
	                                            ? (uint32_t)high_half(r->payload[0])
	                                            : 0,
	                           .file = string_of(s, low_half(r->payload[1])),
	                           .line = (uint32_t)high_half(r->payload[1])};
	return meta_define(s, r, 2, &row);
}

static int def_type(struct stream *s, const struct weft_record *r)
{
	struct weft_def_row row = {.category = category_of(s, r),
	                           .unit = string_of(s, high_half(r->payload[0])),
	                           .code = (int64_t)r->payload[1]};
	return meta_define(s, r, 2, &row);
}

static int def_counter(struct stream *s, const struct weft_record *r)
{
	struct weft_def_row row = {.category = category_of(s, r),
	                           .unit = string_of(s, high_half(r->payload[0])),
	                           .key = r->payload[1]};
	return meta_define(s, r, 2, &row);
}

static int def_attr(struct stream *s, const struct weft_record *r)
{
	struct weft_def_row row = {.category = category_of(s, r), .unit = string_of(s, high_half(r->payload[0]))};
	return meta_define(s, r, 1, &row);
}

static int def_flow(struct stream *s, const struct weft_record *r)
{
	return meta_define(s, r, 1,
	                   &(struct weft_def_row){.category = category_of(s, r), .key = (uint32_t)high_half(r->payload[0])});
}

static int def_data(struct stream *s, const struct weft_record *r)
{
	return meta_define(s, r, 1, &(struct weft_def_row){.category = category_of(s, r)});
}

static int def_comm(struct stream *s, const struct weft_record *r)
{
	return meta_define(s, r, 2, &(struct weft_def_row){.code = (int64_t)r->payload[0], .key = r->payload[1]});
}

static int def_state(struct stream *s, const struct weft_record *r)
{
	return meta_define(s, r, 1, &(struct weft_def_row){.code = (int64_t)r->payload[0]});
}

static int def_value(struct stream *s, const struct weft_record *r)
{
	uint32_t type = meta_mapped(s, WEFT_CLASS_TYPE, r->id);
	const char *text = text_at(s, r, 1);
	if (!text)
		return -ENOMEM;
	return type ? weft_build_label(s->b, type, (int64_t)r->payload[0], text) : 0;
}

/* A set has no name of its own: its counters' names, in order, are what makes it the same as another. */
static int def_set(struct stream *s, const struct weft_record *r)
{
	struct weft_buf name = {0};
	uint64_t member[WEFT_WORDS_MAX];
	for (uint32_t i = 0; i < r->n; i++) {
		member[i] = meta_mapped(s, WEFT_CLASS_COUNTER, (uint32_t)(r->payload[i] <= WEFT_ID_MAX ? r->payload[i] : 0));
		weft_buf_puts(&name, i ? "," : "");
		weft_buf_puts(&name, s->b->def[WEFT_CLASS_COUNTER].row.at[member[i]].row.name);
	}
	struct weft_def_row row = {.name = name.n ? name.at : "", .member = member, .n_members = r->n};
	int rc = name.failed ? -ENOMEM
	         : r->id     ? set_map(s, WEFT_CLASS_SET, r->id, weft_build_def(s->b, WEFT_CLASS_SET, &row))
	                     : 0;
	weft_buf_fini(&name);
	return rc;
}

/* Members come in stretches, each with its first position: appended to what the communicator has, in order. */
static int def_ranks(struct stream *s, const struct weft_record *r)
{
	uint32_t id = meta_mapped(s, WEFT_CLASS_COMM, r->id);
	struct weft_def_row *row = &s->b->def[WEFT_CLASS_COMM].row.at[id].row;
	if (!id || r->n < 1 || r->payload[0] != row->n_members)
		return 0; /* of another stream's, which said it before; or with a gap */
	uint32_t n = row->n_members + r->n - 1;
	uint64_t *member = weft_arena_alloc(&s->b->arena, (n + n / 2 + 1) * sizeof *member);
	if (!member)
		return -ENOMEM;
	if (row->n_members)
		memcpy(member, row->member, row->n_members * sizeof *member);
	memcpy(member + row->n_members, r->payload + 1, (r->n - 1) * sizeof *member);
	row->member = member;
	row->n_members = n;
	return 0;
}

static int note_stream(struct stream *s, const struct weft_record *r)
{
	const char *name;
	uint32_t n;
	struct stream_listed l = {.pages = r->payload[0], .sum = r->payload[1]};
	if (!weft_record_bytes(r, 2, &name, &n))
		return 0;
	if (l.pages > WEFT_STREAM_PAGES_MOST)
		l.pages = 0;
	l.name = weft_arena_strndup(&s->arena, name, n);
	return l.name && !weft_vec_push(&s->listed, l) ? 0 : -ENOMEM;
}

/* ---- the walk ---- */

#define FACTS 0u
static const struct meta_row {
	int (*fn)(struct stream *s, const struct weft_record *r);
	unsigned sweep;
} meta_rows[256] = {
	[WEFT_EV_THREAD] = {stream_note_thread, FACTS},
	[WEFT_EV_PROCESS] = {note_process, FACTS},
	[WEFT_EV_PROCESS_TEXT] = {note_text, FACTS},
	[WEFT_EV_CLOCK] = {note_clock, FACTS},
	[WEFT_EV_SYNC] = {note_sync, FACTS},
	[WEFT_EV_CPU_AT] = {note_cpu, FACTS},
	[WEFT_EV_MODULE] = {note_module, FACTS},
	[WEFT_EV_BUILD_ID] = {note_build_id, FACTS},
	[WEFT_EV_STREAM] = {note_stream, FACTS},
	[WEFT_EV_DEF_STRING] = {def_string, 1},
	[WEFT_EV_DEF_CATEGORY] = {def_string, 1},
	[WEFT_EV_DEF_REGION] = {def_region, 2},
	[WEFT_EV_DEF_TYPE] = {def_type, 2},
	[WEFT_EV_DEF_COUNTER] = {def_counter, 2},
	[WEFT_EV_DEF_ATTR] = {def_attr, 2},
	[WEFT_EV_DEF_FLOW] = {def_flow, 2},
	[WEFT_EV_DEF_DATA] = {def_data, 2},
	[WEFT_EV_DEF_COMM] = {def_comm, 2},
	[WEFT_EV_DEF_STATE] = {def_state, 2},
	[WEFT_EV_DEF_VALUE] = {def_value, 3},
	[WEFT_EV_DEF_SET] = {def_set, 3},
	[WEFT_EV_DEF_RANKS] = {def_ranks, 3},
};

/* The fewest words that a kind has. */
static uint32_t least_words(unsigned kind)
{
	int words = weft_kind_info[kind].words;
	return words >= 0 ? (uint32_t)words : (uint32_t)(-words - 1);
}

static int walk_page(struct stream *s, uint32_t page, const struct weft_page *p, unsigned sweep)
{
	struct weft_page_walk w;
	struct weft_record r;
	int rc = 0, more = 0;
	enum weft_page_verdict v = weft_page_begin(&w, p, true);
	if (v != WEFT_PAGE_GOOD && v != WEFT_PAGE_OPEN)
		return 0; /* the scan has said so, or it changed since */
	while (!rc && (more = weft_page_next(&w, &r)) > 0) {
		const struct meta_row *row = &meta_rows[r.kind];
		if (!row->fn || row->sweep != sweep)
			continue;
		if (r.n < least_words(r.kind))
			s->n_odd++;
		else
			rc = row->fn(s, &r);
	}
	if (!rc && more < 0 && sweep == FACTS) {
		uint64_t at = (uint64_t)((const char *)w.at - (const char *)p);
		rc = stream_problem(s, "record-torn", (uint64_t)page * WEFT_PAGE_BYTES + at, WEFT_PAGE_BYTES - at,
		                    "page %u: no record at byte %llu; the rest is skipped", page, (unsigned long long)at);
	}
	return rc;
}

static int sweep_meta(struct stream *s, unsigned sweep)
{
	struct weft_page *room = malloc(sizeof *room);
	int rc = room ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < s->meta.n; i++)
		for (uint32_t k = 0; !rc && k < s->meta.at[i].n; k++) {
			uint32_t page = s->meta.at[i].page + k;
			const struct weft_page *p = stream_bytes_at(&s->bytes, (uint64_t)page * WEFT_PAGE_BYTES, WEFT_PAGE_BYTES,
			                                            room);
			if (p)
				rc = walk_page(s, page, p, sweep);
		}
	free(room);
	return rc;
}

/* libweft's threads describe themselves in the first page that they write. */
static int read_first_pages(struct stream *s)
{
	struct weft_page *room = malloc(sizeof *room);
	struct weft_page_walk w;
	struct weft_record r;
	int rc = room ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < s->run.n; i++) {
		if (i && s->run.at[i].thread == s->run.at[i - 1].thread)
			continue;
		const struct weft_page *p = stream_bytes_at(&s->bytes, (uint64_t)s->run.at[i].page * WEFT_PAGE_BYTES,
		                                            WEFT_PAGE_BYTES, room);
		enum weft_page_verdict v = p ? weft_page_begin(&w, p, true) : WEFT_PAGE_BAD;
		if (v != WEFT_PAGE_GOOD && v != WEFT_PAGE_OPEN)
			continue;
		while (!rc && weft_page_next(&w, &r) > 0)
			if (r.kind == WEFT_EV_THREAD && r.n >= least_words(r.kind) && r.id == s->run.at[i].thread)
				rc = stream_note_thread(s, &r);
	}
	free(room);
	return rc;
}

int stream_read_meta(struct stream *s)
{
	int rc = sweep_meta(s, FACTS);
	if (!rc)
		rc = read_first_pages(s);
	if (!rc && !s->process.n && s->thread.n) {
		struct stream_process *p = process_of(s, 1);
		if (!p)
			return -ENOMEM;
		p->pid = s->head_good ? (int64_t)s->head.pid : -1;
		p->begin = s->head.start_ticks;
	}
	for (size_t i = 0; i < s->process.n; i++)
		if ((s->head_good && s->process.at[i].pid == (int64_t)s->head.pid) ||
		    (s->process.n == 1 && (!s->head_good || s->clock.offline)))
			s->own_process = (uint32_t)i;
	if (s->process.n)
		s->clock.domain = s->process.at[0].text[WEFT_TEXT_BOOT_ID].n ? s->process.at[0].text[WEFT_TEXT_BOOT_ID].at
		                                                             : s->name;
	else
		s->clock.domain = s->name;
	return rc;
}

int stream_define(struct stream *s)
{
	int rc = 0;
	for (unsigned sweep = 1; !rc && sweep <= 3; sweep++)
		rc = sweep_meta(s, sweep);
	return rc;
}

int64_t stream_id(struct stream *s, enum weft_class c, uint32_t id)
{
	uint32_t known = meta_mapped(s, c, id);
	if (known || !id)
		return known;
	uint64_t key = (uint64_t)c << 20 | id, made;
	pthread_mutex_lock(&s->lock);
	if (!weft_map_get(&s->undefined, key, &made)) {
		char name[64];
		snprintf(name, sizeof name, "%s #%u of %.30s", weft_class_name[c], id, s->name);
		pthread_mutex_lock(&s->b->lock);
		int64_t rc = weft_build_def(s->b, c, &(struct weft_def_row){.name = name});
		pthread_mutex_unlock(&s->b->lock);
		made = rc > 0 ? (uint64_t)rc : 0;
		if (weft_map_put(&s->undefined, key, made))
			made = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return (int64_t)made;
}
