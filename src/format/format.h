/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writer (src/record) and the reader (src/trace) of a stream share: layout, kinds, checks. No I/O policy.
 * docs/format.md says the same byte by byte, for people who write another reader.
 *
 *   stream file = pages of 4096 bytes
 *   +--------+------+------+------+------+--
 *   | header | page | page | page | page | ...       a page of zeros was reserved and never used
 *   +--------+------+------+------+------+--
 *   page     = weft_page (32 bytes), then records; the first head of 0 ends them
 *   record   = head (8 bytes), then `words` payload words
 *   head     = time:32 | id:20 | words:4 | kind:8      time: ticks since the page's base or the last TIME record
 *
 * A head is written after its payload and is never 0, the bytes behind it are 0 until then: so a page can be read at any
 * instant, also after a kill. Each page names its thread and its place in the thread's order, so that any page that
 * survives can be read without the others. A page may stand twice, with the same records: finished pages are copied to another
 * place of the file before theirs is used again, and the process may be killed in between. An open page without records, and a
 * page of zeros, hold nothing, whatever thread and seq they name; nor does a page of events with thread and seq 0, whatever else
 * stands in it.
 */
#ifndef WEFT_FORMAT_FORMAT_H
#define WEFT_FORMAT_FORMAT_H

#include "base/err.h"
#include <weft/states.h>
#include <stdbool.h>
#include <stdint.h>

#define WEFT_STREAM_MAGIC "WEFTSTR\n"
#define WEFT_STREAM_MISSING ".missing" /* "HOST-PID.missing": a link whose target says why the process has no stream */
#define WEFT_FORMAT_MAJOR 1
/* 1: ENTER_FLOW; flags in DEF_FLOW; 2: pages and sum in the header, STREAM; 3: CPU_TIME, USER_TIME; 4: BUNDLE */
#define WEFT_FORMAT_MINOR 4
#define WEFT_PAGE_BYTES 4096u
#define WEFT_PAGE_MAGIC 0x31504657u /* "WFP1" */
#define WEFT_PAGE_HEAD 32u
#define WEFT_PAGE_ROOM (WEFT_PAGE_BYTES - WEFT_PAGE_HEAD)
#define WEFT_WORDS_LONG 15u /* in the head: the first payload word holds the number of those that follow */
#define WEFT_WORDS_MAX ((WEFT_PAGE_ROOM - 16u) / 8u)
#define WEFT_STREAM_PAGES_MOST (UINT64_C(1) << 32)
#define WEFT_ID_MAX 0xfffffu    /* ids count from 1 in each class; 0 is "none" */
#define WEFT_BOTH_REGION 0xfffu /* the id of ENTER_FLOW: a region's in these bits, a flow's in those above */
#define WEFT_BOTH_FLOW_SHIFT 12

enum weft_kind {
#define WEFT_EVENT(code, name, label, of, words, args, text) WEFT_EV_##name = (code),
#include "events.def"
#undef WEFT_EVENT
};

/* What an id names. One space of ids for each class, in each stream. */
enum weft_class {
	WEFT_CLASS_NONE,
	WEFT_CLASS_STRING,
	WEFT_CLASS_REGION,
	WEFT_CLASS_TYPE,
	WEFT_CLASS_COUNTER,
	WEFT_CLASS_CATEGORY,
	WEFT_CLASS_ATTR,
	WEFT_CLASS_COMM,
	WEFT_CLASS_FLOW,
	WEFT_CLASS_SET,
	WEFT_CLASS_DATA,
	WEFT_CLASS_STATE,
	WEFT_CLASS_THREAD,
	WEFT_CLASS_PROCESS,
	WEFT_CLASSES
};

enum weft_clock_kind { WEFT_CLOCK_TSC = 1, WEFT_CLOCK_MONOTONIC = 2 };
enum weft_stream_state {
	WEFT_STREAM_OPEN = 1,   /* the process records, or was killed */
	WEFT_STREAM_CLOSED = 2, /* ended in order */
	WEFT_STREAM_FULL = 3,   /* recording ended early: no space, or the size limit was reached */
};
enum weft_thread_kind { /* in a THREAD record; readers take a kind that they do not know for the program's */
	                WEFT_THREAD_OF_PROGRAM = 0,
	                WEFT_THREAD_OF_WEFT = 1, /* Weft's own, in the program: the recorder's helper, the agent's */
};
enum weft_text {
	WEFT_TEXT_HOST = 1,
	WEFT_TEXT_COMMAND, /* arguments, each ended by a zero byte */
	WEFT_TEXT_EXE,
	WEFT_TEXT_KERNEL,
	WEFT_TEXT_CPU_MODEL,
	WEFT_TEXT_NOTE, /* free text: "weft record: ..." */
	WEFT_TEXT_NODE, /* the user's name of the node */
	WEFT_TEXT_CWD,
	WEFT_TEXT_BOOT_ID, /* processes with the same boot id (and time namespace) share a clock */
	WEFT_TEXT_APP,     /* name of the application */
	WEFT_TEXT_FOREIGN, /* what a foreign format said of the whole trace: key, a zero byte, text (weft_note) */
};

struct weft_stream_head {
	char magic[8];
	uint16_t major, minor;
	uint32_t page_bytes;
	uint8_t run_id[16]; /* the same in all streams of a run; zeros when unknown */
	uint32_t pid;
	uint32_t clock;           /* weft_clock_kind */
	uint64_t start_ticks;     /* when recording was set up */
	uint64_t start_realtime;  /* ns */
	uint64_t start_monotonic; /* ns */
	double ticks_per_ns;      /* first estimate; CLOCK records make it exact */
	uint32_t flags;           /* WEFT_STREAM_RING… */
	uint32_t crc;             /* CRC-32C of the bytes before this one */
	/* What follows changes while the process records, and is not checksummed. */
	uint32_t state;   /* weft_stream_state */
	uint32_t reason;  /* errno value when state is FULL */
	uint64_t dropped; /* events that could not be recorded, of all threads */
	uint64_t helper_cpu_ns;
	uint64_t end_ticks; /* when closed */
	uint64_t pages;     /* when closed: of the file, this one among them; 0: not known */
	uint64_t sum;       /* when closed: weft_stream_sum_begin, and the marks of all other pages; 0: not known */
};
enum {
	WEFT_STREAM_RING = 1,     /* flight recorder: old pages were overwritten */
	WEFT_STREAM_SNAPSHOT = 8, /* of a flight recorder: its process went on */
	WEFT_STREAM_PACKED = 2,   /* see docs/format.md */
	/*
	 * Written by a tool from another trace: ticks are ns of the trace's own axis, which begins at tick 0 and reaches end_ticks at
	 * least; all such streams of a folder share it, whatever their boot ids; CLOCK records only say what the time of day was.
	 */
	WEFT_STREAM_OFFLINE = 4,
};

enum { WEFT_FLOW_OWN = 1 }; /* a flag of DEF_FLOW: its keys are each process's own, and its arrows stay inside one */
enum { WEFT_PAGE_EVENTS = 1, WEFT_PAGE_META = 2 };
enum { WEFT_PAGE_SEALED = 1 };

struct weft_page {
	uint32_t magic;
	uint8_t type;  /* WEFT_PAGE_EVENTS, WEFT_PAGE_META */
	uint8_t flags; /* WEFT_PAGE_SEALED: `used` and `crc` are valid */
	uint16_t zero;
	uint32_t thread; /* number of the thread in this stream, from 1; 0 in meta pages */
	uint32_t seq;    /* page's number in its thread (in all meta pages), from 0 */
	uint64_t base;   /* ticks that the heads' times count from */
	uint32_t used;   /* bytes, with this header; 0 while open */
	uint32_t crc;    /* CRC-32C of bytes [0, 28) with flags as sealed, and [32, used) */
	uint64_t word[WEFT_PAGE_ROOM / 8];
};

_Static_assert(sizeof(struct weft_page) == WEFT_PAGE_BYTES, "page layout");
_Static_assert(sizeof(struct weft_stream_head) == 128, "stream header layout");

static inline unsigned weft_head_kind(uint64_t h)
{
	return h & 0xff;
}
static inline unsigned weft_head_words(uint64_t h)
{
	return h >> 8 & 0xf;
}
static inline unsigned weft_head_id(uint64_t h)
{
	return h >> 12 & 0xfffff;
}
static inline uint32_t weft_head_time(uint64_t h)
{
	return (uint32_t)(h >> 32);
}
static inline uint64_t weft_head_make(uint32_t time, unsigned id, unsigned words, unsigned kind)
{
	return (uint64_t)time << 32 | (uint64_t)id << 12 | words << 8 | kind;
}

struct weft_kind_info {
	const char *name; /* "enter"; NULL: this build does not know the kind */
	enum weft_class of;
	int words;
	const char *args, *text;
};
/* The table, by kind (256 rows). */
extern const struct weft_kind_info weft_kind_info[256];
extern const char *const weft_class_name[WEFT_CLASSES]; /* "region" */

extern const char *const weft_state_name[WEFT_STATE_CLASSES]; /* "running": enum weft_state_class of <weft/states.h> */

uint32_t weft_page_crc(const struct weft_page *p, uint32_t used);
/* Sets used, flags and crc of a finished page. */
void weft_page_seal(struct weft_page *p, uint32_t used);

/* What a sealed page adds to the sum of its stream, `number` being its place in the file; 0 of any other page. */
uint64_t weft_page_mark(const struct weft_page *p, uint64_t number);
/* What the sum begins with: of the header, all that has no checksum of its own. Once `pages` is set. */
uint64_t weft_stream_sum_begin(const struct weft_stream_head *h);

/* One record as it stands in a page. */
struct weft_record {
	uint64_t ticks; /* absolute */
	uint32_t kind, id;
	uint32_t n;              /* payload words, the long count not among them */
	const uint64_t *payload; /* borrows from the page */
};
/*
 * A walk over a page's records; TIME records are applied, and not returned. ENTER_FLOW and BUNDLE are returned as the records that they
 * stand for, in their order: `at` moves on behind the last of them.
 */
struct weft_page_walk {
	const uint64_t *at, *end;
	uint64_t base;
	const uint64_t *entered; /* the last ENTER_FLOW whose ENTER was returned */
	struct weft_bundle_walk {
		uint32_t left;        /* events of a BUNDLE that come next; 0: in none */
		bool second;          /* of the two heads in `heads`, this one is next */
		uint64_t ticks;       /* of all of them */
		const uint64_t *next; /* word behind what was taken */
		const uint64_t *heads, *behind;
	} bundle;
};
enum weft_page_verdict { WEFT_PAGE_EMPTY, WEFT_PAGE_GOOD, WEFT_PAGE_OPEN, WEFT_PAGE_BAD };
/*
 * Checks magic, fields and (when sealed and `check_crc`) the checksum. OPEN: not sealed, readable up to the first zero head.
 * Never reads beyond the page, whatever its bytes say.
 */
enum weft_page_verdict weft_page_begin(struct weft_page_walk *w, const struct weft_page *p, bool check_crc);
/* 1: a record; 0: the end; WEFT_E_DAMAGED: what stands here is no record (the rest of the page is lost). */
static inline int weft_page_next(struct weft_page_walk *w, struct weft_record *r);

/* The half of an ENTER_FLOW, which `r` is, that comes next; `head` is where it stands. */
void weft_page_halve(struct weft_page_walk *w, struct weft_record *r, const uint64_t *head);
/* `r` is a BUNDLE, whose head stands at `head`: its first event. One that is none it leaves as it is, without words: too short. */
void weft_page_open_bundle(struct weft_page_walk *w, struct weft_record *r, const uint64_t *head);
void weft_page_unbundle(struct weft_page_walk *w, struct weft_record *r); /* the next event; there is one */

/* Defined here because it is the innermost loop of every reader. */
static inline int weft_page_next(struct weft_page_walk *w, struct weft_record *r)
{
	if (__builtin_expect(w->bundle.left, 0)) {
		weft_page_unbundle(w, r);
		return 1;
	}
	for (;;) {
		if (w->at >= w->end || *w->at == 0)
			return 0;
		const uint64_t *head = w->at++;
		uint64_t h = *head, n = weft_head_words(h);
		if (n == WEFT_WORDS_LONG) {
			if (w->at >= w->end)
				return WEFT_E_DAMAGED;
			n = *w->at++;
		}
		if (n > (uint64_t)(w->end - w->at))
			return WEFT_E_DAMAGED;
		const uint64_t *payload = w->at;
		w->at += n;
		if (weft_head_kind(h) == WEFT_EV_TIME && n == 1) {
			w->base = *payload;
			continue;
		}
		*r = (struct weft_record){w->base + weft_head_time(h), weft_head_kind(h), weft_head_id(h), (uint32_t)n, payload};
		if (__builtin_expect(r->kind == WEFT_EV_ENTER_FLOW, 0) && n)
			weft_page_halve(w, r, head);
		if (__builtin_expect(r->kind == WEFT_EV_BUNDLE, 0))
			weft_page_open_bundle(w, r, head);
		return 1;
	}
}

/* Bytes payload ("b" in the table): the first word counts them. Points into the payload; false when it does not fit. */
bool weft_record_bytes(const struct weft_record *r, unsigned first_word, const char **at, uint32_t *n);

/* Appends records to a page in memory (offline writers, tests): room check, time base, long form. */
struct weft_page_writer {
	struct weft_page *page;
	uint64_t *at;
	uint64_t base;
};
void weft_page_write_begin(struct weft_page_writer *w, struct weft_page *p, unsigned type, uint32_t thread, uint32_t seq,
                           uint64_t base);
/* 0, or -ENOSPC when the page is full (then seal it and begin the next). */
int weft_page_write(struct weft_page_writer *w, const struct weft_record *r) WEFT_MUST_CHECK;
void weft_page_write_end(struct weft_page_writer *w); /* seals */

#endif
