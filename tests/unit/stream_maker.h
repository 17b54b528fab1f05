/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams for tests: records go to pages in memory, in any order of threads; the result is written to a file, or used where it
 * is. Fails by abandoning the test.
 */
#ifndef WEFT_TESTS_STREAM_MAKER_H
#define WEFT_TESTS_STREAM_MAKER_H

#include "format/crc.h"
#include "base/vec.h"
#include "format/format.h"
#include "harness.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker_lane {
	struct weft_page_writer w;
	uint32_t page, seq; /* page: its place in maker.page; 0: none is open */
};
struct maker {
	struct weft_stream_head head;
	WEFT_VEC(struct weft_page) page; /* [0] stands for the header's */
	struct maker_lane lane[65];      /* [0]: meta */
	bool leave_open;                 /* pages stay unsealed */
};

static inline void maker_begin(struct maker *m, uint32_t pid)
{
	memset(m, 0, sizeof *m);
	memcpy(m->head.magic, WEFT_STREAM_MAGIC, 8);
	m->head.major = WEFT_FORMAT_MAJOR;
	m->head.page_bytes = WEFT_PAGE_BYTES;
	m->head.pid = pid;
	m->head.clock = WEFT_CLOCK_TSC;
	m->head.ticks_per_ns = 1;
	m->head.state = WEFT_STREAM_CLOSED;
	REQUIRE(weft_vec_push(&m->page, (struct weft_page){0}) == 0);
}

static inline void maker_end_page(struct maker *m, unsigned thread)
{
	struct maker_lane *l = &m->lane[thread];
	if (!l->page)
		return;
	if (!m->leave_open) { /* the page may have moved since it was begun */
		size_t used = (size_t)((char *)l->w.at - (char *)l->w.page);
		weft_page_seal(&m->page.at[l->page], (uint32_t)used);
	}
	l->page = 0;
}

static inline void maker_put(struct maker *m, unsigned thread, const struct weft_record *r)
{
	struct maker_lane *l = &m->lane[thread];
	for (unsigned round = 0; round < 2; round++) {
		if (l->page) {
			struct weft_page *now = &m->page.at[l->page];
			l->w.at = now->word + (l->w.at - l->w.page->word);
			l->w.page = now;
			if (weft_page_write(&l->w, r) == 0)
				return;
			maker_end_page(m, thread);
		}
		REQUIRE(weft_vec_push(&m->page, (struct weft_page){0}) == 0);
		l->page = (uint32_t)m->page.n - 1;
		weft_page_write_begin(&l->w, &m->page.at[l->page], thread ? WEFT_PAGE_EVENTS : WEFT_PAGE_META, thread, l->seq++,
		                      r->ticks);
	}
	REQUIRE(!"record fits a page");
}

/* An event of `thread`; words: its payload. */
static inline void maker_event(struct maker *m, unsigned thread, uint64_t ticks, unsigned kind, unsigned id, unsigned n,
                               const uint64_t *words)
{
	maker_put(m, thread, &(struct weft_record){ticks, kind, id, n, words});
}

/* A record of a meta page; text: NULL, or what follows the words. */
static inline void maker_meta(struct maker *m, unsigned kind, unsigned id, unsigned n, const uint64_t *words, const char *text)
{
	uint64_t payload[WEFT_WORDS_MAX] = {0};
	if (n)
		memcpy(payload, words, n * sizeof *words);
	if (text) {
		size_t bytes = strlen(text);
		payload[n] = bytes;
		memcpy(&payload[n + 1], text, bytes);
		n += 1 + (unsigned)(bytes + 7) / 8;
	}
	maker_put(m, 0, &(struct weft_record){0, kind, id, n, payload});
}

static inline uint64_t maker_pair(int32_t low, int32_t high)
{
	return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

static inline void maker_region(struct maker *m, unsigned id, const char *name)
{
	maker_meta(m, WEFT_EV_DEF_REGION, id, 2, (uint64_t[]){maker_pair(0, WEFT_STATE_RUNNING), 0}, name);
}

static inline void maker_type(struct maker *m, unsigned id, const char *name)
{
	maker_meta(m, WEFT_EV_DEF_TYPE, id, 2, (uint64_t[]){0, 0}, name);
}

static inline void maker_comm(struct maker *m, unsigned id, uint64_t key, const char *name)
{
	maker_meta(m, WEFT_EV_DEF_COMM, id, 2, (uint64_t[]){0, key}, name);
}

static inline void maker_process(struct maker *m, unsigned id, int32_t pid, int32_t rank, uint64_t begin, const char *name)
{
	maker_meta(m, WEFT_EV_PROCESS, id, 3, (uint64_t[]){maker_pair(pid, 1), maker_pair(rank, 1), begin}, name);
}

static inline void maker_text(struct maker *m, unsigned process, enum weft_text which, const char *text)
{
	maker_meta(m, WEFT_EV_PROCESS_TEXT, process, 2, (uint64_t[]){which, maker_pair(0, 1)}, text);
}

static inline void maker_thread(struct maker *m, unsigned id, int64_t tid, unsigned process, uint64_t begin, const char *name)
{
	maker_meta(m, WEFT_EV_THREAD, id, 3, (uint64_t[]){(uint64_t)tid, process, begin}, name);
}

static inline void maker_clock(struct maker *m, uint64_t ticks, uint64_t monotonic, uint64_t realtime)
{
	maker_meta(m, WEFT_EV_CLOCK, 0, 3, (uint64_t[]){ticks, monotonic, realtime}, NULL);
}

/* Seals what is open; the stream's bytes are m->page then. */
static inline void maker_finish(struct maker *m)
{
	for (unsigned t = 0; t < sizeof m->lane / sizeof *m->lane; t++)
		maker_end_page(m, t);
	m->head.crc = weft_crc32c(0, &m->head, offsetof(struct weft_stream_head, crc));
	memcpy(&m->page.at[0], &m->head, sizeof m->head);
}

static inline size_t maker_bytes(const struct maker *m)
{
	return m->page.n * WEFT_PAGE_BYTES;
}

static inline void maker_save(struct maker *m, const char *path)
{
	maker_finish(m);
	FILE *f = fopen(path, "wb");
	REQUIRE(f != NULL);
	CHECK(fwrite(m->page.at, WEFT_PAGE_BYTES, m->page.n, f) == m->page.n);
	CHECK(fclose(f) == 0);
}

static inline void maker_end(struct maker *m)
{
	free(m->page.at);
	m->page.at = NULL;
}

#endif
