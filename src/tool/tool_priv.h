/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tools share: a trace's head, its lines one after the other or in blocks by several threads, and the way out.
 *
 *     tool_input ── tool_head: "#Paraver …", communicators ── tool_input_line ── a tool with state ── tool_text ── tool_output
 *                                                          └─ tool_map: blocks, in parallel, one text each ──────┘
 *
 * A record's fields are numbers between single characters; what a tool does not change it copies as it stands.
 */
#ifndef WEFT_TOOL_TOOL_PRIV_H
#define WEFT_TOOL_TOOL_PRIV_H

#include "base/fs.h"
#include "base/map.h"
#include "base/str.h"
#include "tool.h"
#include "trace/paraver/pcf.h"
#include "trace/paraver/prv_header.h"
#include "trace/text/text_input.h"
#include <endian.h>
#include <string.h>

/* -- text on its way out -- */

struct tool_text { /* grows; after a failed allocation it takes nothing more, and failed stays set */
	char *at;  /* owned */
	size_t n, cap;
	bool failed;
};
bool tool_text_grow(struct tool_text *t, size_t more);
/* Makes room for n bytes at t->at + t->n; false when memory is out. */
static inline bool tool_text_room(struct tool_text *t, size_t n)
{
	return t->cap - t->n >= n || tool_text_grow(t, n);
}
static inline void tool_text_add(struct tool_text *t, const char *at, size_t n)
{
	if (n && tool_text_room(t, n)) {
		memcpy(t->at + t->n, at, n);
		t->n += n;
	}
}
static inline void tool_text_char(struct tool_text *t, char c)
{
	if (tool_text_room(t, 1))
		t->at[t->n++] = c;
}
static inline void tool_text_u64(struct tool_text *t, uint64_t v)
{
	if (tool_text_room(t, 20))
		t->n += weft_fmt_u64(t->at + t->n, v);
}
static inline void tool_text_i64(struct tool_text *t, int64_t v)
{
	if (tool_text_room(t, 20))
		t->n += weft_fmt_i64(t->at + t->n, v);
}
/* Numbers with a colon before each but the first, and behind the last what `end` is. */
void tool_text_fields(struct tool_text *t, const int64_t *v, unsigned n, char end);

/* -- the way out (tool_output.c) -- */

enum { TOOL_OUTPUT_FLUSH = 1 << 20 };
struct tool_output {
	struct weft_out file;
	FILE *packed; /* owned; NULL: the output is plain */
	struct tool_text text;
	const char *path; /* borrowed */
	int failed;
};
int tool_output_open(struct tool_output *o, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void tool_output_write(struct tool_output *o, const char *at, size_t n);
void tool_output_flush(struct tool_output *o); /* o->text */
static inline void tool_output_step(struct tool_output *o)
{
	if (o->text.n >= TOOL_OUTPUT_FLUSH)
		tool_output_flush(o);
}
/* rc 0: the file appears; else it does not. Frees. Returns rc, or what writing failed with. */
int tool_output_close(struct tool_output *o, int rc, struct weft_err *err) WEFT_MUST_CHECK;
/* A small file: the whole text. */
int tool_output_whole(const char *path, const struct weft_buf *text, struct weft_err *err) WEFT_MUST_CHECK;

/* -- a trace's head and lines (tool_input.c, tool_head.c) -- */

struct tool_input {
	const char *path; /* borrowed */
	struct text_input *text;
	struct prv_header head;
	struct weft_buf line;    /* the header line */
	struct weft_buf comms;   /* the communicator lines, each with its newline */
	size_t date, date_end;   /* in line: what stands between the parentheses */
	size_t end_at, end_rest; /* in line: the end time with its unit; what follows it */
	struct text_block block;
	uint64_t next_block, lines; /* lines so far */
	size_t at;                  /* in block */
};
int tool_input_open(struct tool_input *in, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
void tool_input_close(struct tool_input *in);
/* The next line of the body, without newline, valid until the next call: 1, 0 at the end, negative. */
int tool_input_line(struct tool_input *in, struct weft_str *line, struct weft_err *err) WEFT_MUST_CHECK;
int tool_input_damage(const struct tool_input *in, struct weft_err *err) WEFT_MUST_CHECK; /* of a packed file, at its end */

/* The header line as the tools write it again: with another end, the date as it stands or in the long form. */
void tool_head_write(const struct tool_input *in, uint64_t end, bool long_date, struct tool_text *out);
/* Row of a thread (tasks: first_task + task, and so on); false when the header has no such object. Numbers from 1. */
bool tool_head_cpu(const struct prv_header *h, uint64_t cpu); /* 0: unknown; a header without resources has any */
bool tool_head_thread(const struct prv_header *h, uint64_t app, uint64_t task, uint64_t thread, uint32_t *row);

/* The .pcf beside a trace; an absent one is empty. Then pcf_fini all the same. */
int tool_pcf_read(struct pcf *p, const char *prv, struct weft_err *err) WEFT_MUST_CHECK;
/* Copies .pcf and .row; absent ones are fine (and then are not there beside `out` either). */
int tool_copy_beside(const char *in, const char *out, bool pcf, struct weft_err *err) WEFT_MUST_CHECK;

/* -- fields -- */

/*
 * Eight bytes at a time. Lines have TEXT_PAD bytes behind them that may be read, the first of them a newline: a word may reach
 * beyond its line, digits do not.
 */
#define TOOL_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t tool_word(const char *at)
{
	uint64_t w;
	memcpy(&w, at, sizeof w);
	return le64toh(w);
}
/* The high bit of each byte that is a colon; of each that is no digit. */
static inline uint64_t tool_colons(uint64_t w)
{
	uint64_t z = w ^ TOOL_EACH(':');
	return ~(((z & TOOL_EACH(0x7f)) + TOOL_EACH(0x7f)) | z) & TOOL_EACH(0x80);
}
static inline uint64_t tool_no_digits(uint64_t w)
{
	uint64_t z = w ^ TOOL_EACH('0');
	return (((z & TOOL_EACH(0x7f)) + TOOL_EACH(0x76)) | z) & TOOL_EACH(0x80);
}
/* How many digits a word begins with; the number that its first n are, 1 <= n <= 8. */
static inline unsigned tool_digits(uint64_t w)
{
	uint64_t stop = tool_no_digits(w);
	return stop ? (unsigned)__builtin_ctzll(stop) >> 3 : 8;
}
static inline uint64_t tool_digits_value(uint64_t w, unsigned n)
{
	w = (w - TOOL_EACH('0')) << (64 - 8 * n);
	w = (w * 10) + (w >> 8);
	return (((w & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064)) +
	        (((w >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001))) >>
	       32;
}

/* What stands behind the n-th colon from `at` on; NULL when the line ends before. */
static inline const char *tool_behind_colons(const char *at, const char *end, unsigned n)
{
	for (; at < end; at += 8) {
		uint64_t found = tool_colons(tool_word(at));
		unsigned k = (unsigned)((found >> 7) * TOOL_EACH(1) >> 56);
		if (k < n) {
			n -= k;
			continue;
		}
		while (--n)
			found &= found - 1;
		at += (__builtin_ctzll(found) >> 3) + 1;
		return at <= end ? at : NULL;
	}
	return NULL;
}

/* Where the digits from `at` on stop, and the number that they are; overflow wraps. */
static inline const char *tool_digits_end(const char *at, uint64_t *out)
{
	static const uint32_t power[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64_t w = tool_word(at), v = 0;
	unsigned n;
	while ((n = tool_digits(w)) > 0) {
		v = v * power[n] + tool_digits_value(w, n);
		at += n;
		if (n < 8)
			break;
		w = tool_word(at);
	}
	*out = v;
	return at;
}

/* A number and the character behind it. at <= end always, and no digit stands at `end`; overflow wraps. */
static inline const char *tool_number(const char *at, const char *end, int64_t *out)
{
	bool minus = at < end && *at == '-';
	uint64_t v;
	at = tool_digits_end(at + minus, &v);
	*out = (int64_t)(minus ? 0 - v : v);
	return at < end ? at + 1 : end;
}

/* The same; *plain becomes false unless it stands there as we would write it, with a colon or the line's end behind it. */
static inline const char *tool_number_plain(const char *at, const char *end, int64_t *out, bool *plain)
{
	enum { SAFE_DIGITS = 18 };
	bool minus = at < end && *at == '-';
	uint64_t v;
	const char *digits = at + minus, *stop = tool_digits_end(digits, &v);
	*plain &= stop > digits && stop - digits <= SAFE_DIGITS && (*digits != '0' || (stop == digits + 1 && !minus)) &&
	          (stop >= end || (*stop == ':' && stop + 1 < end));
	*out = (int64_t)(minus ? 0 - v : v);
	return stop < end ? stop + 1 : end;
}

/* The next type:value of an event line. False: there is none, or a type without a value. */
static inline bool tool_pair(const char **rest, const char *end, int64_t *type, int64_t *value)
{
	if (*rest >= end)
		return false;
	*rest = tool_number(*rest, end, type);
	if (*rest == end)
		return false;
	*rest = tool_number(*rest, end, value);
	return true;
}

/* Up to `most` of them; how many there were. *rest is what follows. */
static inline unsigned tool_numbers(const char **rest, const char *end, int64_t *out, unsigned most)
{
	unsigned n = 0;
	const char *at = *rest;
	while (n < most && at < end)
		at = tool_number(at, end, &out[n++]);
	*rest = at;
	return n;
}

/* What stands behind "K:" of a record. */
enum { TOOL_CPU, TOOL_APP, TOOL_TASK, TOOL_THREAD, TOOL_TIME, TOOL_END, TOOL_STATE, TOOL_STATE_FIELDS };
enum { TOOL_EVENT_FIELDS = TOOL_TIME + 1 };
enum {
	TOOL_LOG_SEND = 4,
	TOOL_PHY_SEND,
	TOOL_RECV_CPU,
	TOOL_RECV_APP,
	TOOL_RECV_TASK,
	TOOL_RECV_THREAD,
	TOOL_LOG_RECV,
	TOOL_PHY_RECV,
	TOOL_SIZE,
	TOOL_TAG,
	TOOL_COMM_FIELDS
};

/* -- blocks in parallel (tool_map.c) -- */

struct tool_map {
	struct tool_input *in;
	struct tool_output *out;
	unsigned threads;
	/* Whole lines in, text out. No two blocks with the same worker, below tool_map_workers(threads), are at work at once. */
	int (*block)(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *out);
	/*
	 * NULL, or called with the same of each block again, in their order by one thread, while no block is at work, before the
	 * worker gets another: may make another text of it. 1: what comes behind this block is left out.
	 */
	int (*settle)(void *arg, unsigned worker, const char *at, size_t n, struct tool_text *out);
	void *arg;
};
unsigned tool_map_threads(unsigned threads); /* 0: as many as the process may use */
enum { TOOL_MAP_BLOCKS = 2 };                /* at work, or waiting to be settled, for each thread */
static inline unsigned tool_map_workers(unsigned threads)
{
	return threads * TOOL_MAP_BLOCKS;
}
int tool_map_run(const struct tool_map *m, struct weft_err *err) WEFT_MUST_CHECK;

/* -- types (tool_options.c) -- */

/* Whether the list has the pair; `at` of the entry goes to *which (may be NULL). */
bool tool_types_have(const struct weft_tool_type_list *l, uint64_t type, int64_t value, size_t *which);
bool tool_types_name(const struct weft_tool_type_list *l, uint64_t type); /* some value of it */

/* -- labels (tool_labels.c) -- */

struct tool_label_type {
	uint64_t type;
	const char *label;
	const struct pcf_label *value; /* borrowed */
	size_t n_values;
	uint32_t precision;
};
/* Writes a .pcf: options, states and colours of p, and these types. */
void tool_labels_write(const struct pcf *p, const struct tool_label_type *type, size_t n, struct weft_buf *out);

#endif
