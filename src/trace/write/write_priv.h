/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of writing streams: write.c makes the folder and goes through traces and processes, write_thread.c decides what of a
 * thread stays and clips it, write_stream.c turns that into pages of one file, write_dictionary.c ends it with its definitions.
 */
#ifndef WEFT_TRACE_WRITE_PRIV_H
#define WEFT_TRACE_WRITE_PRIV_H

#include "base/progress.h"
#include "trace/filter/pick.h"
#include "write.h"
#include <stdio.h>

struct write_stream {               /* the stream of one process */
	const struct weft_trace *t; /* borrowed, as all below until the next comment */
	const struct weft_write_how *how;
	struct weft_progress *progress;
	uint32_t process, app_base; /* app_base: number of the trace's first application among those of all traces */
	uint64_t from, to;          /* what is kept, on the trace's axis */
	int64_t shift;              /* from the trace's axis to the new one */
	uint64_t end;               /* of the new axis */
	uint64_t realtime;          /* at its begin; 0: unknown */
	uint64_t salt;              /* keeps keys of flows of different traces apart; 0: keys stay */
	uint64_t message_base;      /* likewise of messages */
	bool first;                 /* of its trace: carries the notes */

	int fd;
	char *path, *buffer; /* owned */
	size_t buffered;
	struct weft_stream_head head; /* as it will be: with pages and sum */
	int failed;                   /* first error; nothing is written after it */
	struct weft_page page;
	struct weft_page_writer writer;
	uint32_t thread, seq, meta_seq;
	uint32_t *id[WEFT_CLASSES];            /* owned: the trace's id -> the stream's, 0: not used so far */
	WEFT_VEC(uint32_t) used[WEFT_CLASSES]; /* the stream's id - 1 -> the trace's */
	struct weft_map rank;                  /* (communicator, world rank) -> rank in it, of those that were asked for */
	struct weft_intern texts;              /* units, files: strings of the stream behind those of the trace */
};

/* write_stream.c */
int write_stream_open(struct write_stream *s, const char *dir, uint32_t number, struct weft_err *err) WEFT_MUST_CHECK;
int write_stream_close(struct write_stream *s, struct weft_err *err) WEFT_MUST_CHECK; /* also frees; does not sync */
void write_stream_abandon(struct write_stream *s);                                    /* frees; the file stays */
void write_begin_thread(struct write_stream *s, uint32_t number, uint64_t at);
void write_end_thread(struct write_stream *s);
/* An event of the trace, at `time` of the trace's axis. Errors stay in s->failed. */
void write_event(struct write_stream *s, uint32_t thread, uint64_t time, uint32_t what, uint64_t value);
void write_record(struct write_stream *s, const struct weft_record *r);
/* A record with text behind its words: cut to what a page holds, between characters. */
void write_text(struct write_stream *s, unsigned kind, uint32_t id, const uint64_t *words, unsigned n, const char *text,
                size_t bytes);
void write_meta_begin(struct write_stream *s);
void write_meta_end(struct write_stream *s);
uint32_t write_id(struct write_stream *s, enum weft_class c, uint64_t id); /* in the stream; made when new */
static inline uint64_t write_time(const struct write_stream *s, uint64_t time)
{
	return time + (uint64_t)s->shift;
}

/* write_dictionary.c */
void write_dictionary(struct write_stream *s);

/* write_thread.c */
bool write_thread_stays(const struct write_stream *s, uint32_t thread);
int write_thread(struct write_stream *s, uint32_t thread) WEFT_MUST_CHECK;

#endif
