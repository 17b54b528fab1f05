/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread unpacks gzip (ISA-L: two to three times zlib's speed) or zstd into a ring of pieces, the reader copies out of it:
 *
 *     file ─ read ─> packed (256 KiB) ─ codec ─> piece 0 1 2 3 ─ copy ─> blocks of lines
 *                                                 ^made    ^taken
 *
 * What is not packed, but cannot be read at any place (a pipe), goes the same way, and is only copied.
 * Damage ends the text: what was unpacked before is good, and the codec's words are kept for the list of problems. Several
 * gzip members or zstd frames in one file are one text; zeros behind the last are padding.
 */
#include "text_unpack.h"
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { N_PIECES = 4, PIECE_BYTES = 1 << 20, PACKED_BYTES = 256 << 10 };

struct piece {
	uint8_t *at; /* owned, PIECE_BYTES */
	size_t n;
};

struct codec {
	const char *name;
	uint8_t magic[4];
	unsigned n_magic;
	int (*begin)(struct text_unpack *u);
	void (*end)(struct text_unpack *u);
	/* Unpacks from u->in[0, u->n_in) into the piece until one of them is used up. Returns false when the text ends here. */
	bool (*step)(struct text_unpack *u, struct piece *p);
};

struct text_unpack {
	const struct codec *codec;
	int fd;
	const char *path; /* borrowed */
	const char *damage;
	int failed; /* errno value of a read */

	/* the thread's own */
	uint8_t *packed; /* owned, PACKED_BYTES */
	const uint8_t *in;
	size_t n_in;
	bool file_ended, in_frame, after_frame;
	uint64_t n_read;            /* bytes of the file */
	struct inflate_state *gzip; /* owned */
	ZSTD_DStream *zstd;         /* owned */

	pthread_t thread;
	pthread_mutex_t lock; /* over the rest */
	pthread_cond_t changed;
	struct piece piece[N_PIECES];
	uint64_t made, used; /* pieces */
	uint64_t taken;      /* packed bytes */
	bool ended, stop;
	size_t at; /* in the piece that is being used; the reader's own */
};

/* -- gzip -- */

static int gzip_begin(struct text_unpack *u)
{
	u->gzip = malloc(sizeof *u->gzip);
	if (!u->gzip)
		return -ENOMEM;
	isal_inflate_init(u->gzip);
	u->gzip->crc_flag = ISAL_GZIP;
	return 0;
}

static void gzip_end(struct text_unpack *u)
{
	free(u->gzip);
}

/* The next member, if there is one. False at the end of the file, or of what can be read of it. */
static bool gzip_next_member(struct text_unpack *u)
{
	while (u->n_in && *u->in == 0) {
		u->in++;
		u->n_in--;
	}
	if (!u->n_in)
		return !u->file_ended; /* comes back with more of the file */
	if (*u->in != 0x1f) {
		u->damage = "bytes that are no gzip member follow the last one";
		return false;
	}
	isal_inflate_reset(u->gzip);
	u->gzip->crc_flag = ISAL_GZIP;
	u->after_frame = false;
	return true;
}

static bool gzip_step(struct text_unpack *u, struct piece *p)
{
	if (u->after_frame && !gzip_next_member(u))
		return false;
	if (u->after_frame)
		return true;
	struct inflate_state *z = u->gzip;
	z->next_in = (uint8_t *)u->in;
	z->avail_in = (uint32_t)u->n_in;
	z->next_out = p->at + p->n;
	z->avail_out = (uint32_t)(PIECE_BYTES - p->n);
	int rc = isal_inflate(z);
	bool stuck = z->avail_in == u->n_in && z->avail_out == PIECE_BYTES - p->n && u->n_in;
	u->in = z->next_in;
	u->n_in = z->avail_in;
	p->n = PIECE_BYTES - z->avail_out;
	if (rc == ISAL_DECOMP_OK && z->block_state == ISAL_BLOCK_FINISH) {
		u->after_frame = true;
		return true;
	}
	if ((rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT) || stuck) {
		u->damage = rc == ISAL_INCORRECT_CHECKSUM ? "the gzip checksum differs" : "the gzip stream is damaged";
		return false;
	}
	if (u->file_ended && !u->n_in && z->avail_out) {
		u->damage = "the gzip stream ends early";
		return false;
	}
	return true;
}

/* -- zstd -- */

static int zstd_begin(struct text_unpack *u)
{
	u->zstd = ZSTD_createDStream();
	return u->zstd ? 0 : -ENOMEM;
}

static void zstd_end(struct text_unpack *u)
{
	ZSTD_freeDStream(u->zstd);
}

static bool zstd_step(struct text_unpack *u, struct piece *p)
{
	ZSTD_inBuffer from = {u->in, u->n_in, 0};
	ZSTD_outBuffer to = {p->at, PIECE_BYTES, p->n};
	size_t rc = ZSTD_decompressStream(u->zstd, &to, &from);
	bool idle = from.pos == 0 && to.pos == p->n;
	u->in += from.pos;
	u->n_in -= from.pos;
	p->n = to.pos;
	if (ZSTD_isError(rc)) {
		u->damage = "the zstd stream is damaged";
		return false;
	}
	if (from.pos)
		u->in_frame = rc != 0;
	if (u->file_ended && !u->n_in && idle) {
		if (u->in_frame)
			u->damage = "the zstd stream ends early";
		return false;
	}
	return true;
}

/* -- no packing -- */

static int plain_begin(struct text_unpack *u)
{
	(void)u;
	return 0;
}

static void plain_end(struct text_unpack *u)
{
	(void)u;
}

static bool plain_step(struct text_unpack *u, struct piece *p)
{
	size_t n = u->n_in < PIECE_BYTES - p->n ? u->n_in : PIECE_BYTES - p->n;
	memcpy(p->at + p->n, u->in, n);
	u->in += n;
	u->n_in -= n;
	p->n += n;
	return u->n_in || !u->file_ended;
}

static const struct codec plain = {"", {0}, 0, plain_begin, plain_end, plain_step};
static const struct codec codecs[] = {
	{"gzip", {0x1f, 0x8b}, 2, gzip_begin, gzip_end, gzip_step},
	{"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_end, zstd_step},
};

static const struct codec *codec_of(const uint8_t *first, size_t n)
{
	for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
		if (n >= codecs[i].n_magic && !memcmp(first, codecs[i].magic, codecs[i].n_magic))
			return &codecs[i];
	return NULL;
}

int text_unpack_knows(const uint8_t *first, size_t n)
{
	return codec_of(first, n) != NULL;
}

/* -- the thread -- */

/* More of the file behind what is left of it. False when reading failed. */
static bool unpack_refill(struct text_unpack *u)
{
	memmove(u->packed, u->in, u->n_in);
	u->in = u->packed;
	while (u->n_in < PACKED_BYTES && !u->file_ended) {
		ssize_t got = read(u->fd, u->packed + u->n_in, PACKED_BYTES - u->n_in);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			u->failed = errno;
			return false;
		}
		u->file_ended = got == 0;
		u->n_in += (size_t)got;
		u->n_read += (size_t)got;
	}
	return true;
}

/* Fills one piece. False when it is the last. */
static bool fill_piece(struct text_unpack *u, struct piece *p)
{
	p->n = 0;
	while (p->n < PIECE_BYTES) {
		if (u->n_in < 64 && !u->file_ended && !unpack_refill(u))
			return false;
		if (!u->codec->step(u, p))
			return false;
	}
	return true;
}

static void *unpack_thread(void *arg)
{
	struct text_unpack *u = arg;
	bool more = true;
	while (more) {
		pthread_mutex_lock(&u->lock);
		while (u->made - u->used == N_PIECES && !u->stop)
			pthread_cond_wait(&u->changed, &u->lock);
		bool stop = u->stop;
		struct piece *p = &u->piece[u->made % N_PIECES];
		pthread_mutex_unlock(&u->lock);
		if (stop)
			break;
		more = fill_piece(u, p);
		pthread_mutex_lock(&u->lock);
		u->made++;
		u->ended = !more;
		u->taken = u->n_read - u->n_in;
		pthread_cond_broadcast(&u->changed);
		pthread_mutex_unlock(&u->lock);
	}
	return NULL;
}

/* -- outside -- */

static void unpack_release(struct text_unpack *u)
{
	for (unsigned i = 0; i < N_PIECES; i++)
		free(u->piece[i].at);
	u->codec->end(u);
	free(u->packed);
	free(u);
}

/* Everything but the thread. NULL: out of memory. */
static struct text_unpack *unpack_make(int fd, const char *path, const uint8_t *first, size_t n_first, bool were_taken)
{
	struct text_unpack *u = calloc(1, sizeof *u);
	if (!u)
		return NULL;
	const struct codec *codec = codec_of(first, n_first);
	*u = (struct text_unpack){.codec = codec ? codec : &plain, .fd = fd, .path = path};
	bool ok = u->codec->begin(u) == 0;
	u->packed = malloc(PACKED_BYTES);
	u->in = u->packed;
	ok &= u->packed != NULL;
	for (unsigned i = 0; i < N_PIECES; i++)
		ok &= (u->piece[i].at = malloc(PIECE_BYTES)) != NULL;
	if (!ok) {
		unpack_release(u);
		return NULL;
	}
	if (were_taken) {
		memcpy(u->packed, first, n_first);
		u->n_read = u->n_in = n_first;
	}
	return u;
}

size_t text_unpack_peek(const uint8_t *first, size_t n_first, char *to, size_t room)
{
	struct text_unpack *u = n_first <= PACKED_BYTES ? unpack_make(-1, "", first, n_first, true) : NULL;
	if (!u)
		return 0;
	u->file_ended = true; /* as far as we look */
	while (u->piece[0].n < room && u->codec->step(u, &u->piece[0]))
		;
	size_t n = u->piece[0].n < room ? u->piece[0].n : room;
	memcpy(to, u->piece[0].at, n);
	unpack_release(u);
	return n;
}

int text_unpack_new(struct text_unpack **out, int fd, const char *path, const uint8_t *first, size_t n_first, bool were_taken,
                    struct weft_err *err)
{
	*out = NULL;
	struct text_unpack *u = unpack_make(fd, path, first, n_first, were_taken);
	if (!u)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", path);
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->changed, NULL);
	int rc = pthread_create(&u->thread, NULL, unpack_thread, u);
	if (rc) {
		unpack_release(u);
		return weft_err_sys(err, rc, "cannot start a thread to unpack '%s'", path);
	}
	*out = u;
	return 0;
}

void text_unpack_free(struct text_unpack *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->stop = true;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	pthread_join(u->thread, NULL);
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->changed);
	unpack_release(u);
}

/* The piece to read from, or NULL at the end. */
static struct piece *wait_for_piece(struct text_unpack *u)
{
	pthread_mutex_lock(&u->lock);
	struct piece *p = &u->piece[u->used % N_PIECES];
	if (u->at && u->at == p->n) {
		u->used++;
		u->at = 0;
		pthread_cond_broadcast(&u->changed);
	}
	while (u->made == u->used && !u->ended)
		pthread_cond_wait(&u->changed, &u->lock);
	p = u->made > u->used ? &u->piece[u->used % N_PIECES] : NULL;
	pthread_mutex_unlock(&u->lock);
	return p;
}

int64_t text_unpack_read(struct text_unpack *u, char *at, size_t n, struct weft_err *err)
{
	size_t got = 0;
	while (got < n) {
		struct piece *p = wait_for_piece(u);
		if (!p || p->n == u->at) /* the last piece may be empty, or end here */
			break;
		size_t part = p->n - u->at < n - got ? p->n - u->at : n - got;
		memcpy(at + got, p->at + u->at, part);
		u->at += part;
		got += part;
	}
	if (!got && u->failed)
		return weft_err_sys(err, u->failed, "cannot read '%s'", u->path);
	return (int64_t)got;
}

uint64_t text_unpack_taken(struct text_unpack *u)
{
	pthread_mutex_lock(&u->lock);
	uint64_t taken = u->taken;
	pthread_mutex_unlock(&u->lock);
	return taken;
}

const char *text_unpack_damage(const struct text_unpack *u)
{
	return u->damage;
}
