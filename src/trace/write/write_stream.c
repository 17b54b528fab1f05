/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stream file, written from front to end: event pages thread by thread, then the meta pages with the definitions that the
 * events turned out to need. Ids are given in the order of first use, so that a part of a huge trace has a small dictionary. One
 * page and a buffer are all the memory that it takes beside the map of ids.
 */
#include "write_priv.h"
#include "format/crc.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_BUFFER (256u * WEFT_PAGE_BYTES)

static void stream_fail(struct write_stream *s, int code)
{
	if (!s->failed)
		s->failed = code;
}

static void stream_flush(struct write_stream *s)
{
	size_t at = 0;
	while (at < s->buffered && !s->failed) {
		ssize_t n = write(s->fd, s->buffer + at, s->buffered - at);
		if (n < 0 && errno != EINTR)
			stream_fail(s, -errno);
		else if (n > 0)
			at += (size_t)n;
	}
	s->buffered = 0;
}

static void stream_put(struct write_stream *s, const void *page)
{
	memcpy(s->buffer + s->buffered, page, WEFT_PAGE_BYTES);
	if (s->head.pages)
		s->head.sum += weft_page_mark(page, s->head.pages);
	s->head.pages++;
	s->buffered += WEFT_PAGE_BYTES;
	if (s->buffered == WRITE_BUFFER)
		stream_flush(s);
}

static void stream_put_head(struct write_stream *s)
{
	struct weft_stream_head h = {
		.magic = WEFT_STREAM_MAGIC,
		.major = WEFT_FORMAT_MAJOR,
		.minor = WEFT_FORMAT_MINOR,
		.page_bytes = WEFT_PAGE_BYTES,
		.pid = (uint32_t)s->t->process[s->process].pid,
		.clock = WEFT_CLOCK_MONOTONIC,
		.start_realtime = s->realtime,
		.ticks_per_ns = 1,
		.flags = WEFT_STREAM_OFFLINE,
		.state = WEFT_STREAM_CLOSED,
		.end_ticks = s->end,
	};
	h.crc = weft_crc32c(0, &h, offsetof(struct weft_stream_head, crc));
	union {
		struct weft_stream_head head;
		char bytes[WEFT_PAGE_BYTES];
	} page;
	memset(&page, 0, sizeof page);
	page.head = s->head = h;
	stream_put(s, &page);
}

static void stream_free(struct write_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	for (unsigned c = 0; c < WEFT_CLASSES; c++) {
		free(s->id[c]);
		free(s->used[c].at);
	}
	weft_map_fini(&s->rank);
	weft_intern_fini(&s->texts);
	free(s->path);
	free(s->buffer);
}

int write_stream_open(struct write_stream *s, const char *dir, uint32_t number, struct weft_err *err)
{
	s->fd = -1;
	if (asprintf(&s->path, "%s/%06u.stream", dir, number) < 0)
		s->path = NULL;
	s->buffer = malloc(WRITE_BUFFER);
	if (!s->path || !s->buffer) {
		stream_free(s);
		return weft_err_set(err, -ENOMEM, "cannot write a stream: out of memory");
	}
	s->fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->fd < 0) {
		int rc = weft_err_sys(err, errno, "cannot create '%s'", s->path);
		stream_free(s);
		return rc;
	}
	stream_put_head(s);
	return 0;
}

int write_stream_close(struct write_stream *s, struct weft_err *err)
{
	stream_flush(s);
	s->head.sum += weft_stream_sum_begin(&s->head);
	int rc = s->failed ? s->failed : weft_write_all(s->fd, &s->head, sizeof s->head, 0);
	if (rc)
		weft_err_set(err, rc, "cannot write '%s': %s", s->path, weft_err_name(rc));
	stream_free(s);
	return rc;
}

void write_stream_abandon(struct write_stream *s)
{
	stream_free(s);
}

/* ---- pages ---- */

static void page_begin(struct write_stream *s, unsigned type, uint64_t base)
{
	uint32_t *seq = type == WEFT_PAGE_META ? &s->meta_seq : &s->seq;
	weft_page_write_begin(&s->writer, &s->page, type, s->thread, (*seq)++, base);
}

static void page_end(struct write_stream *s)
{
	if (!s->writer.page)
		return;
	weft_page_write_end(&s->writer);
	stream_put(s, &s->page);
	s->writer.page = NULL;
}

void write_begin_thread(struct write_stream *s, uint32_t number, uint64_t at)
{
	s->thread = number;
	s->seq = 0;
	page_begin(s, WEFT_PAGE_EVENTS, write_time(s, at));
}

void write_end_thread(struct write_stream *s)
{
	if (s->seq == 1 && s->writer.at == s->page.word)
		s->writer.page = NULL; /* nothing happened in it: the dictionary knows it */
	page_end(s);
}

void write_meta_begin(struct write_stream *s)
{
	s->thread = 0;
	page_begin(s, WEFT_PAGE_META, 0);
}

void write_meta_end(struct write_stream *s)
{
	page_end(s);
}

void write_record(struct write_stream *s, const struct weft_record *r)
{
	if (s->failed || weft_page_write(&s->writer, r) == 0)
		return;
	unsigned type = s->page.type;
	page_end(s);
	page_begin(s, type, r->ticks);
	if (weft_page_write(&s->writer, r))
		stream_fail(s, -E2BIG);
}

void write_text(struct write_stream *s, unsigned kind, uint32_t id, const uint64_t *words, unsigned n, const char *text,
                size_t bytes)
{
	uint64_t payload[WEFT_WORDS_MAX] = {0};
	size_t room = (WEFT_WORDS_MAX - n - 1) * 8;
	if (bytes > room)
		for (bytes = room; bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80;)
			bytes--;
	if (n)
		memcpy(payload, words, n * sizeof *words);
	payload[n] = bytes;
	memcpy(payload + n + 1, text, bytes);
	struct weft_record r = {.ticks = s->writer.base,
	                        .kind = kind,
	                        .id = id,
	                        .n = n + 1 + (uint32_t)((bytes + 7) / 8),
	                        .payload = payload};
	write_record(s, &r);
}

/* ---- ids ---- */

static uint32_t id_make(struct write_stream *s, enum weft_class c, uint32_t id)
{
	if (s->used[c].n >= WEFT_ID_MAX) {
		stream_fail(s, -E2BIG);
		return 0;
	}
	if (weft_vec_push(&s->used[c], id)) {
		stream_fail(s, -ENOMEM);
		return 0;
	}
	return s->id[c][id] = (uint32_t)s->used[c].n;
}

uint32_t write_id(struct write_stream *s, enum weft_class c, uint64_t id)
{
	uint32_t n = s->t->def[c].n;
	if (id == 0 || id >= n)
		return 0;
	if (!s->id[c] && !(s->id[c] = calloc(n, sizeof *s->id[c]))) {
		stream_fail(s, -ENOMEM);
		return 0;
	}
	uint32_t known = s->id[c][id];
	return known ? known : id_make(s, c, (uint32_t)id);
}

/* ---- payloads, by kind ---- */

struct write_source {
	uint32_t thread;
	uint64_t time, value;
	unsigned kind, id;
};

static uint64_t write_pair(int32_t low, int32_t high)
{
	return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

#define RANKS_KNOWN UINT32_MAX

static uint64_t rank_key(uint32_t comm, uint32_t rank)
{
	return (uint64_t)comm << 32 | rank;
}

static void ranks_learn(struct write_stream *s, uint32_t comm, const struct weft_def_row *c)
{
	int rc = weft_map_put(&s->rank, rank_key(comm, RANKS_KNOWN), 1);
	for (uint32_t i = c->n_members; i-- > 0 && rc == 0;)
		rc = weft_map_put(&s->rank, rank_key(comm, (uint32_t)c->member[i]), i);
	if (rc)
		stream_fail(s, rc);
}

/* The rank in a communicator of the process that has this thread; -1: not known. */
static int32_t rank_in(struct write_stream *s, uint32_t comm, uint32_t thread)
{
	if (thread == WEFT_NONE || comm >= s->t->def[WEFT_CLASS_COMM].n)
		return -1;
	int32_t rank = s->t->process[s->t->thread[thread].process].rank;
	const struct weft_def_row *c = &s->t->def[WEFT_CLASS_COMM].at[comm];
	if (rank < 0 || c->n_members == 0)
		return rank;
	uint64_t at;
	if (!weft_map_get(&s->rank, rank_key(comm, RANKS_KNOWN), &at))
		ranks_learn(s, comm, c);
	return weft_map_get(&s->rank, rank_key(comm, (uint32_t)rank), &at) ? (int32_t)at : -1;
}

static unsigned put_nothing(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	(void)s, (void)e, (void)word;
	return 0;
}

static unsigned put_word(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	(void)s;
	word[0] = e->value;
	return 1;
}

static unsigned put_string(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	word[0] = write_id(s, WEFT_CLASS_STRING, e->value);
	return 1;
}

static unsigned put_half(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	const struct weft_messages *m = &s->t->message;
	bool is_send = e->kind == WEFT_EV_SEND;
	uint64_t i = e->value;
	uint64_t began = is_send ? m->send_began[i] : m->recv_began[i];
	if (began == WEFT_NEVER)
		began = e->time;
	if (began < s->from)
		began = s->from;
	word[0] = write_pair(rank_in(s, m->comm[i], is_send ? m->recv_thread[i] : m->send_thread[i]), m->tag[i]);
	word[1] = m->size[i];
	word[2] = e->time - began;
	word[3] = s->message_base + i + 1;
	return 4;
}

static unsigned put_flow(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	uint64_t key = s->t->flow.key[e->value];
	/* Keys of each process's own meet nobody else's, and other records may name them. */
	bool own = s->t->def[WEFT_CLASS_FLOW].at[s->t->flow.flow[e->value]].key & WEFT_FLOW_OWN;
	word[0] = s->salt && !own ? weft_hash_u64(key ^ s->salt) : key;
	return 1;
}

static unsigned put_cpu(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	bool known = e->value < s->t->n_cpus;
	word[0] = known ? write_pair((int32_t)s->t->cpu[e->value].os, (int32_t)s->t->cpu[e->value].numa) : write_pair(-1, -1);
	return 1;
}

static unsigned put_extra(struct write_stream *s, const struct write_source *e, uint64_t *word)
{
	uint32_t n = 0;
	const uint64_t *at = weft_extra(s->t, e->thread, e->value, &n);
	if (n > WEFT_WORDS_MAX)
		n = WEFT_WORDS_MAX;
	if (n)
		memcpy(word, at, n * sizeof *word);
	return n;
}

/* Kinds that are not here carry nothing. */
static unsigned (*const put_payload[64])(struct write_stream *, const struct write_source *, uint64_t *) = {
	[WEFT_EV_POINT] = put_word,       [WEFT_EV_POINT_F] = put_word,      [WEFT_EV_POINT_S] = put_string,
	[WEFT_EV_COUNTER] = put_word,     [WEFT_EV_COUNTER_F] = put_word,    [WEFT_EV_SEND] = put_half,
	[WEFT_EV_RECV] = put_half,        [WEFT_EV_FLOW_OUT] = put_flow,     [WEFT_EV_FLOW_IN] = put_flow,
	[WEFT_EV_ATTR] = put_word,        [WEFT_EV_ATTR_F] = put_word,       [WEFT_EV_ATTR_S] = put_string,
	[WEFT_EV_COLLECTIVE] = put_extra, [WEFT_EV_COUNTER_SET] = put_extra, [WEFT_EV_SAMPLE] = put_extra,
	[WEFT_EV_CALLSTACK] = put_extra,  [WEFT_EV_DATA] = put_extra,        [WEFT_EV_DEPENDENCY] = put_extra,
	[WEFT_EV_STATE] = put_word,       [WEFT_EV_CPU] = put_cpu,           [WEFT_EV_DROPPED] = put_word,
	[WEFT_EV_FORK] = put_word,        [WEFT_EV_EXIT] = put_word,         [WEFT_EV_CLOCK_BACK] = put_word,
	[WEFT_EV_CPU_TIME] = put_word,    [WEFT_EV_USER_TIME] = put_word,
};

void write_event(struct write_stream *s, uint32_t thread, uint64_t time, uint32_t what, uint64_t value)
{
	struct write_source e = {thread, time, value, weft_what_kind(what), weft_what_id(what)};
	if (e.kind >= 64)
		return;
	if (s->how->count)
		s->how->count->events++;
	uint64_t word[WEFT_WORDS_MAX];
	enum weft_class of = weft_kind_info[e.kind].of;
	unsigned n = (put_payload[e.kind] ? put_payload[e.kind] : put_nothing)(s, &e, word);
	struct weft_record r = {
		.ticks = write_time(s, time),
		.kind = e.kind,
		.id = of == WEFT_CLASS_NONE ? e.id : write_id(s, of, e.id),
		.n = n,
		.payload = word,
	};
	write_record(s, &r);
}
