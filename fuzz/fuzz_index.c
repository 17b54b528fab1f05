/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index with any bytes changed: it is refused, or everything that is read of it is inside its bounds. The input is a list of
 * edits of a sound index that is made here: five bytes each, place (bit 31: in the columns, else in the tables) and new value.
 * A first byte with its lowest bit set has the checksums made right again afterwards: so the checks behind them are reached.
 */
#include "fuzz.h"

#include "format/crc.h"
#include "trace/store/builder.h"
#include "trace/store/cursor.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	uint8_t *at;
	size_t n;
};
static struct file tables, columns;

/* ---- the sound index ---- */

static void append_events(struct weft_builder *b, uint32_t thread)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	int rc = a ? 0 : -1;
	for (uint64_t i = 0; !rc && i < 300; i++) {
		uint64_t words[3] = {i, 2 * i, 3};
		uint64_t time = 100 * i + thread;
		struct weft_half_row half =
			{.time = time, .began = time, .size = i, .comm = 1, .peer = thread ? 0 : 1, .is_send = thread == 0};
		rc = weft_append(a, time, weft_what(WEFT_EV_ENTER, 1), 0);
		rc = rc ? rc : weft_append(a, time, weft_what(WEFT_EV_COUNTER, 1), i * i);
		rc = rc ? rc : weft_append(a, time, weft_what(WEFT_EV_POINT_S, 1), 1);
		rc = rc ? rc : weft_append(a, time, weft_what(WEFT_EV_CPU, 0), i % 2);
		rc = rc ? rc : weft_append_extra(a, time, weft_what(WEFT_EV_COUNTER_SET, 1), words, i % 4);
		rc = rc ? rc : weft_append_flow(a, time, 1, i, thread == 0);
		rc = rc ? rc : weft_append_half(a, &half);
	}
	FUZZ_REQUIRE(rc == 0);
}

static void make_objects(struct weft_builder *b)
{
	struct weft_def_row named = {.name = "named"};
	FUZZ_REQUIRE(weft_build_app(b, "app") == 0 && weft_build_node(b, "node") == 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct weft_process p =
			{.rank = (int32_t)i, .begin = WEFT_NEVER, .end = WEFT_NEVER, .name = "p", .command = "c", .host = "h"};
		struct weft_thread_row t = {.process = i, .begin = WEFT_NEVER, .end = WEFT_NEVER, .name = "t"};
		FUZZ_REQUIRE(weft_build_cpu(b, &(struct weft_cpu){.os = i}) == i);
		FUZZ_REQUIRE(weft_build_process(b, &p) == i && weft_build_thread(b, &t) == i);
	}
	for (unsigned c = 1; c < WEFT_CLASSES; c++)
		FUZZ_REQUIRE(weft_build_def(b, c, &named) == 1);
	FUZZ_REQUIRE(weft_build_label(b, 1, 5, "five") == 0 && weft_build_note(b, "key", "text") == 0);
	FUZZ_REQUIRE(weft_build_problem(b, &(struct weft_problem){.file = "f", .text = "x"}) == 0);
}

static struct file copy_of(int fd)
{
	struct stat st;
	struct file f = {0};
	FUZZ_REQUIRE(fstat(fd, &st) == 0);
	f.n = (size_t)st.st_size;
	f.at = malloc(f.n);
	FUZZ_REQUIRE(f.at && pread(fd, f.at, f.n, 0) == (ssize_t)f.n);
	return f;
}

static void make_sound(void)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_open_how how = {.no_index = true};
	FUZZ_REQUIRE(weft_builder_new(&b, "fuzz", "weft", &how, NULL) == 0);
	make_objects(b);
	append_events(b, 0);
	append_events(b, 1);
	FUZZ_REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	tables = copy_of(t->store->tables_fd);
	columns = copy_of(t->store->columns_fd);
	weft_trace_close(t);
}

/* ---- edits ---- */

static bool inside(const struct file *f, const struct store_extent *e)
{
	return e->offset <= f->n && e->row_bytes && e->rows <= (f->n - e->offset) / e->row_bytes && e->offset % 8 == 0;
}

/* Gives every checksum the value that it should have for what is there now. */
static void mend(struct file *t, const struct file *c)
{
	struct store_tables_head *h = (void *)t->at;
	struct store_extent *blocks = &h->section[STORE_BLOCKS];
	if (inside(t, blocks) && blocks->row_bytes == sizeof(struct col_block))
		for (uint64_t i = 0; i < blocks->rows; i++) {
			struct col_block *b = (struct col_block *)(void *)(t->at + blocks->offset) + i;
			if (b->bytes <= c->n && b->offset <= c->n - b->bytes)
				b->crc = weft_crc32c(0, c->at + b->offset, b->bytes);
		}
	for (unsigned i = 0; i < STORE_SECTIONS; i++)
		if (inside(t, &h->section[i]))
			h->section[i].crc = weft_crc32c(0, t->at + h->section[i].offset,
			                                h->section[i].rows * h->section[i].row_bytes);
	uint64_t verified = h->verified;
	h->verified = 0;
	h->crc = weft_crc32c(0, h, offsetof(struct store_tables_head, crc));
	h->verified = verified;
}

static struct file edited(const struct file *f, const uint8_t *at, size_t n, bool in_columns)
{
	struct file to = {malloc(f->n), f->n};
	FUZZ_REQUIRE(to.at != NULL);
	memcpy(to.at, f->at, f->n);
	for (; n >= 5; at += 5, n -= 5) {
		uint32_t place;
		memcpy(&place, at, 4);
		if (place >> 31 == in_columns)
			to.at[(place & INT32_MAX) % f->n] = at[4];
	}
	return to;
}

static int as_file(const struct file *f)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_REQUIRE(fd >= 0 && write(fd, f->at, f->n) == (ssize_t)f->n);
	return fd;
}

/* ---- reading ---- */

static uint64_t read_thread(const struct weft_trace *t, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t sum = 0;
	FUZZ_REQUIRE(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &b) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			uint32_t n;
			FUZZ_REQUIRE(kind < 64 && weft_kind_info[kind].name);
			if (weft_kind_info[kind].of != WEFT_CLASS_NONE) /* other ids are numbers, and name nothing */
				sum += t->def[weft_kind_info[kind].of].at[weft_what_id(b.what[i])].line;
			if (kind == WEFT_EV_SEND || kind == WEFT_EV_RECV)
				sum += t->message.size[b.value[i]];
			if (kind == WEFT_EV_FLOW_OUT || kind == WEFT_EV_FLOW_IN)
				sum += t->flow.key[b.value[i]];
			if (kind == WEFT_EV_POINT_S)
				sum += strlen(t->def[WEFT_CLASS_STRING].at[b.value[i]].name);
			if (kind == WEFT_EV_CPU && b.value[i] != WEFT_NONE)
				sum += t->cpu[b.value[i]].os;
			const uint64_t *words = col_value_of(kind) == COL_EXTRA ? weft_extra(t, thread, b.value[i], &n) : NULL;
			for (uint32_t k = 0; words && k < n; k++)
				sum += words[k];
		}
	weft_cursor_end(&c);
	return sum;
}

static uint64_t read_all(const struct weft_trace *t)
{
	uint64_t sum = 0;
	char place[40];
	for (uint32_t i = 0; i < t->n_threads; i++)
		sum += read_thread(t, i) + strlen(weft_thread_label(t, i, place)) + strlen(t->thread[i].name);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		for (uint32_t i = 0; i < t->def[c].n; i++) {
			const struct weft_def_row *d = &t->def[c].at[i];
			sum += strlen(d->name) + strlen(d->unit) + strlen(d->file) + d->category;
			for (uint32_t k = 0; k < d->n_members; k++)
				sum += d->member[k];
			const char *label = weft_value_label(d, 5);
			sum += label ? strlen(label) : 0;
		}
	for (uint64_t i = 0; i < t->message.n; i++)
		sum += t->message.send_thread[i] == WEFT_NONE ? 0 : t->thread[t->message.send_thread[i]].n_events;
	for (uint64_t i = 0; i < t->n_problems && i < 1000; i++)
		sum += strlen(t->problem[i].text) + strlen(t->problem[i].file);
	for (uint32_t i = 0; i < t->n_processes; i++)
		sum += strlen(t->process[i].host) + t->app[t->process[i].app].n_processes;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	if (!tables.at)
		make_sound();
	bool mended = n && at[0] & 1;
	struct file c = edited(&columns, at + (n > 0), n - (n > 0), true), s = edited(&tables, at + (n > 0), n - (n > 0), false);
	if (mended)
		mend(&s, &c);
	int rc = store_open(&t, as_file(&s), as_file(&c), "fuzz", 1 << 20, &err);
	FUZZ_REQUIRE((rc == 0) == (err.text[0] == 0));
	if (!rc) {
		volatile uint64_t sum = read_all(t);
		(void)sum;
		weft_trace_close(t);
	}
	free(c.at);
	free(s.at);
	return 0;
}
