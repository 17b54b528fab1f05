/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meta pages at the end of a stream: the process, its threads, the machine, and every definition that the stream's events
 * name, each after those that it names itself. A definition has one row here that says how its words are made.
 */
#include "origin.h"
#include "write_priv.h"
#include <errno.h>
#include <string.h>

#define PART_BYTES 3900u /* of a text about a process */
#define PART_WORDS 480u  /* of a list of ranks */

static uint64_t pair(int64_t low, int64_t high)
{
	return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

static void put_words(struct write_stream *s, unsigned kind, uint32_t id, const uint64_t *words, uint32_t n)
{
	struct weft_record r = {.ticks = s->writer.base, .kind = kind, .id = id, .n = n, .payload = words};
	write_record(s, &r);
}

static void put_named(struct write_stream *s, unsigned kind, uint32_t id, const uint64_t *words, unsigned n, const char *name)
{
	write_text(s, kind, id, words, n, name, strlen(name));
}

/* The id of a text that the trace has no string for: units, files. Its record is written at once. 0 is "". */
static uint32_t text_id(struct write_stream *s, const char *text)
{
	uint32_t id, known = (uint32_t)s->texts.n;
	if (!*text)
		return 0;
	if (weft_intern_add(&s->texts, weft_str(text), &id)) {
		s->failed = s->failed ? s->failed : -ENOMEM;
		return 0;
	}
	id += (uint32_t)s->used[WEFT_CLASS_STRING].n + 1;
	if (id > WEFT_ID_MAX) {
		s->failed = s->failed ? s->failed : -E2BIG;
		return 0;
	}
	if (s->texts.n > known)
		put_named(s, WEFT_EV_DEF_STRING, id, NULL, 0, text);
	return id;
}

static uint64_t category_and(struct write_stream *s, const struct weft_def_row *d, uint32_t other)
{
	return pair(write_id(s, WEFT_CLASS_CATEGORY, d->category), other);
}

/* ---- one function for each class ---- */

static void put_string(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	put_named(s, WEFT_EV_DEF_STRING, id, NULL, 0, d->name);
}

static void put_category(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	put_named(s, WEFT_EV_DEF_CATEGORY, id, NULL, 0, d->name);
}

static void put_region(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w[2] = {category_and(s, d, d->state), pair(text_id(s, d->file), d->line)};
	put_named(s, WEFT_EV_DEF_REGION, id, w, 2, d->name);
}

static void put_type(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w[2] = {category_and(s, d, text_id(s, d->unit)), (uint64_t)d->code};
	put_named(s, WEFT_EV_DEF_TYPE, id, w, 2, d->name);
	for (uint32_t i = 0; i < d->n_labels; i++) {
		uint64_t value = (uint64_t)d->label[i].value;
		put_named(s, WEFT_EV_DEF_VALUE, id, &value, 1, d->label[i].text);
	}
}

static void put_counter(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w[2] = {category_and(s, d, text_id(s, d->unit)), d->key};
	put_named(s, WEFT_EV_DEF_COUNTER, id, w, 2, d->name);
}

static void put_attr(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w = category_and(s, d, text_id(s, d->unit));
	put_named(s, WEFT_EV_DEF_ATTR, id, &w, 1, d->name);
}

static void put_comm(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w[2] = {(uint64_t)d->code, d->key};
	put_named(s, WEFT_EV_DEF_COMM, id, w, 2, d->name);
	for (uint32_t i = 0; i < d->n_members; i += PART_WORDS) {
		uint64_t part[PART_WORDS + 1] = {i};
		uint32_t n = d->n_members - i < PART_WORDS ? d->n_members - i : PART_WORDS;
		memcpy(part + 1, d->member + i, n * sizeof *part);
		put_words(s, WEFT_EV_DEF_RANKS, id, part, n + 1);
	}
}

static void put_flow(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w = category_and(s, d, (uint32_t)d->key);
	put_named(s, WEFT_EV_DEF_FLOW, id, &w, 1, d->name);
}

static void put_data(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w = category_and(s, d, 0);
	put_named(s, WEFT_EV_DEF_DATA, id, &w, 1, d->name);
}

static void put_state(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t w = (uint64_t)d->code;
	put_named(s, WEFT_EV_DEF_STATE, id, &w, 1, d->name);
}

static void put_set(struct write_stream *s, uint32_t id, const struct weft_def_row *d)
{
	uint64_t counter[WEFT_WORDS_MAX];
	uint32_t n = d->n_members < WEFT_WORDS_MAX ? d->n_members : WEFT_WORDS_MAX;
	for (uint32_t i = 0; i < n; i++)
		counter[i] = write_id(s, WEFT_CLASS_COUNTER, d->member[i]);
	put_words(s, WEFT_EV_DEF_SET, id, counter, n);
}

/* In the order in which they are written. */
static const struct {
	enum weft_class of;
	void (*put)(struct write_stream *, uint32_t, const struct weft_def_row *);
} rows[] = {
	{WEFT_CLASS_CATEGORY, put_category}, {WEFT_CLASS_STRING, put_string}, {WEFT_CLASS_COUNTER, put_counter},
	{WEFT_CLASS_SET, put_set},           {WEFT_CLASS_REGION, put_region}, {WEFT_CLASS_TYPE, put_type},
	{WEFT_CLASS_ATTR, put_attr},         {WEFT_CLASS_COMM, put_comm},     {WEFT_CLASS_FLOW, put_flow},
	{WEFT_CLASS_DATA, put_data},         {WEFT_CLASS_STATE, put_state},
};

/* Gives ids to what the used definitions name: counters of sets first, for they too have a category. */
static void close_over(struct write_stream *s)
{
	const struct weft_def_table *def = s->t->def;
	for (size_t i = 0; i < s->used[WEFT_CLASS_SET].n; i++) {
		const struct weft_def_row *d = &def[WEFT_CLASS_SET].at[s->used[WEFT_CLASS_SET].at[i]];
		for (uint32_t k = 0; k < d->n_members; k++)
			write_id(s, WEFT_CLASS_COUNTER, d->member[k]);
	}
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		for (size_t i = 0; i < s->used[c].n && c != WEFT_CLASS_CATEGORY; i++)
			write_id(s, WEFT_CLASS_CATEGORY, def[c].at[s->used[c].at[i]].category);
}

/* ---- what is no definition ---- */

static void put_text(struct write_stream *s, enum weft_text which, const char *text, size_t bytes)
{
	uint32_t parts = (uint32_t)((bytes + PART_BYTES - 1) / PART_BYTES);
	for (uint32_t i = 0; i < parts; i++) {
		uint64_t w[2] = {which, pair(i, parts)};
		size_t n = i + 1 < parts ? PART_BYTES : bytes - (size_t)i * PART_BYTES;
		write_text(s, WEFT_EV_PROCESS_TEXT, 1, w, 2, text + (size_t)i * PART_BYTES, n);
	}
}

static void put_note(struct write_stream *s, const char *key, const char *text)
{
	struct weft_buf b = {0};
	weft_buf_add(&b, key, strlen(key) + 1);
	weft_buf_puts(&b, text);
	if (b.failed)
		s->failed = s->failed ? s->failed : -ENOMEM;
	else
		put_text(s, WEFT_TEXT_FOREIGN, b.at, b.n);
	weft_buf_fini(&b);
}

static void put_notes(struct write_stream *s)
{
	const char *origin = s->how->origin;
	for (uint32_t i = 0; i < s->t->n_notes && s->first; i++)
		if (!origin || strcmp(s->t->note[i].key, WEFT_NOTE_ORIGIN) != 0)
			put_note(s, s->t->note[i].key, s->t->note[i].text);
	if (origin && s->first)
		put_note(s, WEFT_NOTE_ORIGIN, origin);
}

/* When a time is before the new axis begins, or never came, it is its begin. */
static uint64_t begin_time(const struct write_stream *s, uint64_t begin)
{
	return write_time(s, begin == WEFT_NEVER || begin < s->from ? s->from : begin);
}

static void put_process(struct write_stream *s)
{
	const struct weft_process *p = &s->t->process[s->process];
	uint64_t w[3] = {pair(p->pid, p->parent_pid), pair(p->rank, s->app_base + p->app), begin_time(s, p->begin)};
	put_named(s, WEFT_EV_PROCESS, 1, w, 3, p->name);
	put_text(s, WEFT_TEXT_HOST, p->host, strlen(p->host));
	if (*p->command)
		put_text(s, WEFT_TEXT_COMMAND, p->command, strlen(p->command) + 1);
	if (p->node != WEFT_NONE)
		put_text(s, WEFT_TEXT_NODE, s->t->node[p->node].name, strlen(s->t->node[p->node].name));
	const char *app = p->app < s->t->n_apps ? s->t->app[p->app].name : NULL;
	if (app)
		put_text(s, WEFT_TEXT_APP, app, strlen(app));
	put_notes(s);
}

static void put_machine(struct write_stream *s)
{
	uint32_t node = s->t->process[s->process].node;
	if (node == WEFT_NONE)
		return;
	const struct weft_node *n = &s->t->node[node];
	for (uint32_t i = n->first_cpu; i < n->first_cpu + n->n_cpus; i++) {
		const struct weft_cpu *c = &s->t->cpu[i];
		uint64_t w[2] = {pair(c->os, c->numa), pair(c->core, c->package)};
		if (c->name && *c->name)
			put_named(s, WEFT_EV_CPU_AT, 0, w, 2, c->name);
		else
			put_words(s, WEFT_EV_CPU_AT, 0, w, 2);
	}
}

static void put_threads(struct write_stream *s)
{
	const struct weft_process *p = &s->t->process[s->process];
	for (uint32_t i = p->first_thread; i < p->first_thread + p->n_threads; i++) {
		const struct weft_thread_row *row = &s->t->thread[i];
		if (!write_thread_stays(s, i))
			continue;
		uint64_t w[3] = {(uint64_t)row->tid, pair(1, row->own ? WEFT_THREAD_OF_WEFT : WEFT_THREAD_OF_PROGRAM),
		                 begin_time(s, row->begin)};
		put_named(s, WEFT_EV_THREAD, row->number, w, 3, row->name);
	}
}

static unsigned hex_digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static void put_modules(struct write_stream *s)
{
	for (uint32_t i = 0; i < s->t->n_modules; i++) {
		const struct weft_module *m = &s->t->module[i];
		uint64_t w[3] = {m->first, m->end, m->offset};
		size_t n = strlen(m->build_id) / 2;
		char id[128];
		if (m->process != s->process)
			continue;
		put_named(s, WEFT_EV_MODULE, 0, w, 3, m->path);
		for (size_t k = 0; k < n && n <= sizeof id; k++)
			id[k] = (char)(hex_digit(m->build_id[2 * k]) << 4 | hex_digit(m->build_id[2 * k + 1]));
		if (n && n <= sizeof id)
			write_text(s, WEFT_EV_BUILD_ID, 0, w, 1, id, n);
	}
}

static void put_clock(struct write_stream *s)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at = i ? s->end : 0;
		uint64_t w[3] = {at, at, s->realtime ? s->realtime + at : 0};
		put_words(s, WEFT_EV_CLOCK, 0, w, 3);
	}
}

void write_dictionary(struct write_stream *s)
{
	close_over(s);
	write_meta_begin(s);
	put_process(s);
	put_clock(s);
	put_machine(s);
	put_threads(s);
	put_modules(s);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
		for (size_t i = 0; i < s->used[rows[r].of].n && !s->failed; i++)
			rows[r].put(s, (uint32_t)i + 1, &s->t->def[rows[r].of].at[s->used[rows[r].of].at[i]]);
	write_meta_end(s);
}
