/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The column store of events: each thread has a list of blocks of up to 4096 events, sorted by time; a block is
 *
 *   col_head | col_entry × n_dict | extra words | long gaps | moves | gaps | places of long gaps | codes | values, entry after entry
 *
 * Times are gaps to the event before, in 1, 2, 3, 4 or 8 bytes; the few that do not fit stand apart. Where many events happen at
 * one instant, a bit each (moves) says which of them have a gap at all. Programs repeat themselves: where most codes are those of
 * `period` events before, a bit each says which are not, and only these stand there. `what` is a code into the
 * block's own dictionary, whose entries each have their own base and width for values: so a block of mixed counters costs what
 * each of them needs. A block's row in the table (col_block) says where it lies, which times and kinds it spans, and its CRC.
 * Blocks are self-contained but for what the row adds: an axis move or a renumbering changes rows, never blocks.
 */
#ifndef WEFT_TRACE_COLUMNS_PRIV_H
#define WEFT_TRACE_COLUMNS_PRIV_H

#include "base/map.h"
#include "cursor.h"
#include "spill.h"
#include <pthread.h>
#include <string.h>

#define COL_SLACK 65536u         /* readable bytes behind the last block: a decoder that is led astray stays inside them */
#define COL_MAX_EXTRA (1u << 17) /* words of extra payload after which a block is closed early */

struct col_block {            /* as it stands in the index */
	uint64_t first, last; /* times */
	uint64_t offset;      /* in the columns file, a multiple of 8 */
	uint64_t kinds;       /* 1 << kind */
	uint64_t whats;       /* weft_what_bit of all of them */
	uint64_t half_base;   /* added to the values of SEND and RECV: place in the map of halves */
	uint64_t flow_base;   /* the same of FLOW_OUT and FLOW_IN */
	uint32_t bytes, crc;
	uint32_t n, zero;
};

#define COL_PERIOD 15u
#define COL_PERIOD_MOST 64u
struct col_head {
	uint16_t n, n_dict, n_long;
	uint8_t gap_width, code_width; /* code_width 0: one entry only; COL_PERIOD + period: bits and literals */
	uint32_t extra_words;
	uint16_t n_moves; /* gaps; 0: each event has one, and there are no bits */
	uint16_t n_literals;
};
struct col_entry {
	uint32_t what;
	uint16_t count;
	uint8_t width, zero; /* of values: 0 to 8 bytes */
	uint64_t base;
};

/* Elements [from, to) of `bytes` each are those of a period before. What was copied is copied again, twice as much each time. */
static inline void col_repeat(void *array, size_t bytes, uint32_t from, uint32_t to, uint32_t period)
{
	char *at = array;
	for (uint32_t far = period; from < to; far *= 2) {
		uint32_t n = to - from < far ? to - from : far;
		memcpy(at + bytes * from, at + bytes * from - bytes * far, bytes * n);
		from += n;
	}
}

/*
 * Cuts a block where its period is broken: the end of the piece that begins at `at`. True: the piece is its first events, a period
 * of them, again and again; so what is done for an event can be done for all that lie whole periods behind it.
 */
static inline bool col_find_piece(const void *literals, uint32_t at, uint32_t n, uint32_t period, uint32_t *end)
{
	enum { WORTH = 4 };
	uint64_t bits = 0;
	uint32_t from = at + period, word = from / 64;
	*end = n;
	if (period && from < n)
		memcpy(&bits, (const char *)literals + 8 * word, sizeof bits);
	bits &= UINT64_MAX << from % 64;
	while (period && !bits && ++word * 64 < n)
		memcpy(&bits, (const char *)literals + 8 * word, sizeof bits);
	if (bits)
		*end = word * 64 + (uint32_t)__builtin_ctzll(bits);
	return period && *end - at >= WORTH * period;
}

/* What the value of an event is, by kind. */
enum col_value { COL_NONE, COL_WORD, COL_HALF, COL_FLOW, COL_EXTRA, COL_UNKNOWN };
enum col_value col_value_of(unsigned kind);

/* ---- where encoded blocks go: one file, appended by any thread ---- */

struct col_out {
	int fd; /* owned; -1: not open */
	pthread_mutex_t lock;
	char *buffer, *spare; /* owned; the one that is filled, and one that is free or being written */
	size_t n;
	uint64_t at; /* offset of buffer[0] */
	int failed;  /* first error of writing */
};
int col_out_init(struct col_out *o, int fd);
void col_out_fini(struct col_out *o);
/* Copies n bytes, padded to a multiple of 8; *offset is where they will stand. Thread-safe. */
int col_out_add(struct col_out *o, const void *at, size_t n, uint64_t *offset) WEFT_MUST_CHECK;
int col_out_finish(struct col_out *o, uint64_t *bytes) WEFT_MUST_CHECK; /* writes what is left, and the slack */

/* ---- encoding ---- */

struct col_slot {
	uint32_t what;
	uint16_t code, era;
};
struct col_count {
	uint32_t what, n;
	uint64_t min, max;
	uint32_t first; /* of its values, in `parted` */
	uint8_t width;
	bool has_value;
};
#define COL_OVERRUN 128u

/* What one block's encoding needs; shared by writers that take turns (one a worker). */
struct col_encoder {
	struct col_slot slot[8192];
	struct col_count count[WEFT_BLOCK_EVENTS];
	uint16_t code[WEFT_BLOCK_EVENTS];
	uint64_t place[WEFT_BLOCK_EVENTS];      /* by code: where its next value goes */
	uint16_t often[WEFT_BLOCK_EVENTS];      /* by code: in a period */
	uint64_t parted[WEFT_BLOCK_EVENTS + 1]; /* values, entry after entry; the last takes those that nobody wants */
	uint64_t gap[WEFT_BLOCK_EVENTS], moves[WEFT_BLOCK_EVENTS / 64];
	uint64_t sort_time[WEFT_BLOCK_EVENTS], sort_value[WEFT_BLOCK_EVENTS];
	uint32_t sort_what[WEFT_BLOCK_EVENTS], order[WEFT_BLOCK_EVENTS], order_temp[WEFT_BLOCK_EVENTS];
	uint16_t era;
	uint8_t literal[WEFT_BLOCK_EVENTS];
	uint64_t literals[WEFT_BLOCK_EVENTS / 64];
	uint16_t seen_at[1024]; /* of a pair of codes, the last place and 1 */
	char *bytes;            /* owned; COL_OVERRUN more than a block takes */
	size_t cap;
};
struct col_encoder *col_encoder_new(void);
void col_encoder_free(struct col_encoder *e);

/* One end of a message or flow, to be matched when all are known. */
struct col_end {
	uint64_t time, began, size;
	uint64_t key;     /* flows: the key; messages: 0, or what pairs the two ends */
	uint64_t ordinal; /* of its event's value */
	uint32_t def;     /* communicator or kind of flow */
	uint32_t serial;  /* of the writer */
	int32_t peer, tag;
	uint32_t is_out, is_flow;
};
#define COL_ENDS 512u /* buffered by a writer before they go to the log */
#define COL_SIDES 4u  /* each has a log: receives, sends, ends and begins of flows */
static inline unsigned col_side(const struct col_end *e)
{
	return 2 * e->is_flow + e->is_out;
}

/* The events of one thread, or of a stretch of one: in, in any order; out, a list of blocks. */
struct col_writer {
	struct col_out *out; /* borrowed */
	WEFT_VEC(uint64_t) time;
	WEFT_VEC(uint32_t) what;
	WEFT_VEC(uint64_t) value;
	WEFT_VEC(uint64_t) extra; /* of the block that is being filled */
	WEFT_VEC(struct col_block) block;
	struct spill_log *ends; /* borrowed: where ends go, by col_side */
	struct col_end_vec {
		struct col_end *at;
		size_t n, cap;
	} end[COL_SIDES]; /* not there yet */
	uint32_t serial;
	struct weft_map count; /* what -> number of events */
	uint64_t n_events, n_halves, n_flows, dropped;
	unsigned period; /* at which the events of the block before came again; 0: they did not */
	bool unsorted;   /* the block that is being filled */
};
/* serial: names the writer in its ends. */
void col_writer_init(struct col_writer *w, struct col_out *out, struct spill_log *ends, uint32_t serial);
void col_writer_fini(struct col_writer *w);
/* One event; `enc` is asked for when a block is full. 0 or negative. */
int col_write_block(struct col_writer *w, struct col_encoder *enc) WEFT_MUST_CHECK; /* what is buffered becomes a block */

static inline bool col_full(const struct col_writer *w)
{
	return w->time.n >= WEFT_BLOCK_EVENTS || w->extra.n >= COL_MAX_EXTRA;
}
/* Room for `more` events, but no more than a block's, so that the loop of a reader needs no checks. */
int col_writer_reserve(struct col_writer *w, uint32_t more) WEFT_MUST_CHECK;
int col_put(struct col_writer *w, uint64_t time, uint32_t what, uint64_t value) WEFT_MUST_CHECK;
int col_put_extra(struct col_writer *w, uint64_t time, uint32_t what, const uint64_t *payload, uint32_t n) WEFT_MUST_CHECK;
/* Appends the event of an end, and the end (its ordinal and serial are set here). */
int col_put_end(struct col_writer *w, const struct col_end *e) WEFT_MUST_CHECK;
int col_flush_ends(struct col_writer *w) WEFT_MUST_CHECK;

/* ---- decoding ---- */

struct col_dict { /* an entry while its block is decoded */
	const uint8_t *at;
	uint64_t base, mask;
	uint32_t what;
	uint16_t width;
	bool chosen; /* by col_choose */
};
struct col_parts { /* of a block */
	struct col_head head;
	const uint8_t *entries, *longs, *moves, *gaps, *places, *codes, *values;
	const uint8_t *literals; /* where codes stood as those of a period before: a bit for each other one */
	uint32_t n_gaps, period; /* 0: they stood as they are */
};
#define COL_WORDS (WEFT_BLOCK_EVENTS / 64)
/* A block from which events are picked, perhaps several times: all that is found before anybody says which. */
struct col_opened {
	struct col_parts p;
	const struct col_block *row; /* NULL: none */
	bool summed;                 /* the times of the gaps are there, and this: */
	uint16_t before[COL_WORDS];  /* moves in front of each word of them */
	/*
	 * Where the times of picked events go. Borrowed: room for a block, or the scratch's own, where they take the place of what they
	 * are made of: then there can be one pick only.
	 */
	uint64_t *time;
	bool remembers; /* the events that were picked last: their number and bits */
	uint32_t n;
	uint64_t picked[COL_WORDS];
};
/* Where a block is decoded to; begins as zeros and grows to the largest block that it has seen. */
struct col_scratch {
	uint64_t *time, *value; /* owned, in one piece with what; `cap` of each */
	uint32_t *what;         /* COL_PERIOD_MOST of them stand before the first: what code 0 means */
	uint8_t *code;          /* where they are not in the block as they are; COL_PERIOD_MOST zeros stand before them */
	struct col_dict *entry; /* owned; dict_cap */
	uint32_t n_dict, cap, dict_cap;
	const uint8_t *codes; /* of the block that was decoded whole, a byte an event; NULL: there are none */
	bool zero_values;     /* value[] holds zeros */
	bool alike;           /* all that was picked is of one entry */
};
void col_scratch_fini(struct col_scratch *s);
uint64_t col_scratch_bytes(uint32_t n); /* what a scratch takes for blocks of n events, about */

struct col_source {
	const uint8_t *at; /* the columns file, mapped, with its slack */
	uint64_t n;        /* bytes, without the slack */
};
/*
 * Decodes a block into s; values of SEND, RECV, FLOW_* are places in the maps, of COL_EXTRA word offsets in the file. Whatever
 * the bytes say, reads stay in the file and writes in s. 0, WEFT_E_DAMAGED or -ENOMEM.
 */
int col_decode(const struct col_source *src, const struct col_block *row, struct col_scratch *s) WEFT_MUST_CHECK;
/*
 * The same of the events alone for whose `what` the choice is true: *n of them. Values of what is not chosen are not looked at,
 * so this is several times faster when most is not.
 */
int col_choose(const struct col_source *src, const struct col_block *row, const struct weft_choice *choice, struct col_scratch *s,
               uint32_t *n) WEFT_MUST_CHECK;
/*
 * The two halves of it, for several that choose from one block. What is found of the block is in `o` and `s`; the chosen events
 * go to `to`, but for their times, which stay in o->time until the next pick.
 */
int col_open(const struct col_source *src, const struct col_block *row, struct col_opened *o,
             struct col_scratch *s) WEFT_MUST_CHECK;
int col_pick(struct col_opened *o, struct col_scratch *s, const struct weft_choice *choice, struct col_scratch *to,
             uint32_t *n) WEFT_MUST_CHECK;
/* The places of the events whose code is chosen (0 or 1), and a bit for each; place: n and COL_PLACES_MORE of them. */
enum { COL_PLACES_MORE = 32 };
uint32_t col_find_places(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place, uint64_t bits[COL_WORDS]);
/* The same on any machine: what the other is tested against. */
uint32_t col_find_places_portable(const uint8_t *codes, uint32_t n, const uint8_t chosen[256], uint16_t *place,
                                  uint64_t bits[COL_WORDS]);
bool col_block_intact(const struct col_source *src, const struct col_block *row); /* bounds and checksum */

#endif
