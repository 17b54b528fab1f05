/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of lines. Of a plain file, block i holds the lines that begin in [body + i*B, body + (i+1)*B): each worker finds its
 * own edges with one pread and no word with the others. Read, not mapped: as fast (9 against 10 GB/s), the text lies in the
 * worker's cache, and a file that is cut while we read gives a short read and not SIGBUS.
 * A packed file, or a pipe, is handed out in order, under a lock; what follows a block's last newline is carried into the next block.
 */
#include "text_input.h"
#include "base/fs.h"
#include "base/vec.h"
#include "text_unpack.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_STEP = 64 << 10 };

struct text_input {
	int fd;
	char *path; /* owned */
	size_t block_bytes;
	uint64_t bytes, body;       /* of the file; where block 0 begins */
	struct text_unpack *unpack; /* owned; NULL: plain */

	/* Text that was read and not handed out: carry.at[carried, carry.n), at `offset` in the text. */
	struct weft_buf carry;
	size_t carried, last_line; /* last_line: bytes of it, with its newline */
	uint64_t offset, read_to;  /* read_to: plain files, where the next pread of text_input_line goes */

	pthread_mutex_t lock; /* packed: over carry and the order of blocks; plain: over bytes_read */
	pthread_cond_t turn;
	uint64_t next_block, bytes_read;
	bool ended, failed;
	bool cut; /* the last byte so far is no newline */
};

static int no_memory(const struct text_input *in, struct weft_err *err)
{
	return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", in->path);
}

/* at: where it begins in the text. */
static int line_too_long(const struct text_input *in, uint64_t at, int most, struct weft_err *err)
{
	return weft_err_set(err, WEFT_E_SYNTAX, "%s: the line that byte %llu is in has no end within %d MiB", in->path,
	                    (unsigned long long)at, most >> 20);
}

/* -- open, close -- */

static int input_look(struct text_input *in, struct weft_err *err)
{
	uint8_t first[4] = {0}, last = '\n';
	struct stat st;
	in->fd = weft_open_regular(in->path, &st, err);
	if (in->fd < 0)
		return in->fd;
	in->bytes = (uint64_t)st.st_size;
	ssize_t n = pread(in->fd, first, sizeof first, 0);
	if (n < 0 || (n > 0 && pread(in->fd, &last, 1, st.st_size - 1) < 0))
		return weft_err_sys(err, errno, "cannot read '%s'", in->path);
	in->cut = last != '\n';
	if (text_unpack_knows(first, (size_t)n))
		return text_unpack_new(&in->unpack, in->fd, in->path, first, (size_t)n, false, err);
	return 0;
}

static struct text_input *input_new(int fd, const char *path, size_t block_bytes)
{
	struct text_input *in = calloc(1, sizeof *in);
	if (!in)
		return NULL;
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->turn, NULL);
	in->block_bytes = block_bytes;
	in->fd = fd;
	in->path = strdup(path);
	if (in->path)
		return in;
	in->fd = -1;
	text_input_close(in);
	return NULL;
}

int text_input_open(struct text_input **out, const char *path, size_t block_bytes, struct weft_err *err)
{
	*out = NULL;
	struct text_input *in = input_new(-1, path, block_bytes);
	if (!in)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", path);
	int rc = input_look(in, err);
	if (rc)
		text_input_close(in);
	else
		*out = in;
	return rc;
}

int text_input_open_stream(struct text_input **out, struct text_stream *from, const char *path, size_t block_bytes,
                           struct weft_err *err)
{
	*out = NULL;
	struct text_input *in = input_new(from->fd, path, block_bytes);
	int rc = in ? text_unpack_new(&in->unpack, in->fd, in->path, from->first, from->n_first, true, err)
	            : weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", path);
	if (!in)
		close(from->fd);
	from->fd = -1;
	if (rc)
		text_input_close(in);
	else
		*out = in;
	return rc;
}

void text_input_close(struct text_input *in)
{
	if (!in)
		return;
	text_unpack_free(in->unpack);
	if (in->fd >= 0)
		close(in->fd);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->turn);
	weft_buf_fini(&in->carry);
	free(in->path);
	free(in);
}

void text_block_fini(struct text_block *b)
{
	free(b->memory);
	*b = (struct text_block){0};
}

/* Room for n bytes of text between the pads; what was there stays. */
static int block_reserve(const struct text_input *in, struct text_block *b, size_t n, struct weft_err *err)
{
	if (n > SIZE_MAX / 2)
		return no_memory(in, err);
	size_t need = n + 2 * TEXT_PAD;
	if (need <= b->cap)
		return 0;
	char *more = realloc(b->memory, need);
	if (!more)
		return no_memory(in, err);
	if (!b->memory)
		memset(more, '\n', TEXT_PAD);
	b->memory = more;
	b->cap = need;
	return 0;
}

/* -- reading -- */

/* Up to n bytes at `from` of a plain file; fewer only at its end. */
static int64_t plain_read(const struct text_input *in, uint64_t from, char *at, size_t n, struct weft_err *err)
{
	size_t got = 0;
	while (got < n) {
		ssize_t part = pread(in->fd, at + got, n - got, (off_t)(from + got));
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return weft_err_sys(err, errno, "cannot read '%s'", in->path);
		if (part == 0)
			break;
		got += (size_t)part;
	}
	return (int64_t)got;
}

/* Appends more text to carry. Count, 0 at the end, negative. */
static int64_t carry_more(struct text_input *in, size_t want, struct weft_err *err)
{
	if (in->carried) {
		memmove(in->carry.at, in->carry.at + in->carried, in->carry.n - in->carried);
		in->carry.n -= in->carried;
		in->carried = 0;
	}
	if (weft_vec_reserve(&in->carry, in->carry.n + want + 1))
		return no_memory(in, err);
	char *to = in->carry.at + in->carry.n;
	int64_t n = in->unpack ? text_unpack_read(in->unpack, to, want, err) : plain_read(in, in->read_to, to, want, err);
	if (n > 0) {
		in->carry.n += (size_t)n;
		in->read_to += (size_t)n;
		if (in->unpack)
			in->cut = in->carry.at[in->carry.n - 1] != '\n';
	}
	return n;
}

int text_input_line(struct text_input *in, struct weft_str *line, struct weft_err *err)
{
	*line = weft_str_n(NULL, 0);
	size_t looked = 0;
	for (;;) {
		size_t have = in->carry.n - in->carried;
		const char *at = in->carry.at ? in->carry.at + in->carried : NULL;
		const char *end = have > looked ? memchr(at + looked, '\n', have - looked) : NULL;
		if (!end) {
			looked = have;
			if (have > TEXT_HEAD_LINE_MOST)
				return line_too_long(in, in->offset, TEXT_HEAD_LINE_MOST, err);
			int64_t n = carry_more(in, LINE_STEP, err);
			if (n < 0)
				return (int)n;
			if (n > 0)
				continue;
			if (!have)
				return 0;
			at = in->carry.at + in->carried;
			end = at + have;
		}
		size_t step = (size_t)(end - at) + (end < at + have);
		*line = weft_str_n(at, (size_t)(end - at));
		in->carried += step;
		in->offset += step;
		in->body = in->offset;
		in->last_line = step;
		return 1;
	}
}

void text_input_unread(struct text_input *in)
{
	in->carried -= in->last_line;
	in->offset -= in->last_line;
	in->body = in->offset;
	in->last_line = 0;
}

/* Where the first line at or behind `from` begins in at[0, n); n when none does. */
static size_t line_begin(const char *at, size_t n, size_t from)
{
	const char *end = from < n ? memchr(at + from, '\n', n - from) : NULL;
	return end ? (size_t)(end - at) + 1 : n;
}

/* Reads on until the line that stands at `edge` of the block's text has ended. n: bytes that are there. Their count, or negative. */
static int64_t plain_extend(struct text_input *in, uint64_t from, struct text_block *b, size_t n, size_t edge,
                            struct weft_err *err)
{
	size_t step = LINE_STEP, begin = edge;
	while (!memchr(b->memory + TEXT_PAD + edge, '\n', n - edge)) {
		if (n - begin > TEXT_LINE_MOST)
			return line_too_long(in, from + begin, TEXT_LINE_MOST, err);
		int rc = block_reserve(in, b, n + step, err);
		if (rc)
			return rc;
		int64_t got = plain_read(in, from + n, b->memory + TEXT_PAD + n, step, err);
		if (got <= 0)
			return got < 0 ? got : (int64_t)n;
		edge = n;
		n += (size_t)got;
		step *= 2;
	}
	return (int64_t)n;
}

static int plain_block(struct text_input *in, uint64_t i, struct text_block *b, struct weft_err *err)
{
	if (in->body >= in->bytes || i > (in->bytes - in->body) / in->block_bytes)
		return 0;
	uint64_t from = in->body + i * in->block_bytes;
	if (from >= in->bytes)
		return 0;
	/* One byte before the block says whether a line begins at its first. */
	size_t before = i ? 1 : 0, want = before + in->block_bytes;
	int rc = block_reserve(in, b, want + 512, err);
	if (rc)
		return rc;
	char *at = b->memory + TEXT_PAD;
	int64_t n = plain_read(in, from - before, at, want + 512, err);
	if (n > 0 && (size_t)n == want + 512) {
		n = plain_extend(in, from - before, b, (size_t)n, want - 1, err);
		at = b->memory + TEXT_PAD;
	}
	if (n < 0)
		return (int)n;
	size_t first = before ? line_begin(at, (size_t)n, 0) : 0;
	size_t last = (size_t)n > want ? line_begin(at, (size_t)n, want - 1) : (size_t)n;
	if (first > want - 1 && before)
		first = last; /* no line begins in this block */
	b->at = at + first;
	b->n = last - first;
	b->offset = from - before + first;
	pthread_mutex_lock(&in->lock);
	in->bytes_read += in->block_bytes;
	pthread_mutex_unlock(&in->lock);
	return 1;
}

/* The next lines of a packed file. The lock is held. */
static int packed_block(struct text_input *in, struct text_block *b, struct weft_err *err)
{
	size_t want = in->block_bytes, looked = 0, end = 0;
	for (;;) {
		size_t have = in->carry.n - in->carried;
		const char *at = in->carry.at ? in->carry.at + in->carried : NULL;
		const char *found = have > looked ? memrchr(at + looked, '\n', have - looked) : NULL;
		if (found)
			end = (size_t)(found - at) + 1;
		if (in->ended)
			end = have;
		if (in->ended || (end && have >= want))
			break;
		looked = have;
		if (!end && have > TEXT_LINE_MOST)
			return line_too_long(in, in->offset, TEXT_LINE_MOST, err);
		int64_t n = carry_more(in, have < want ? want - have : want, err);
		if (n < 0)
			return (int)n;
		in->ended = n == 0;
	}
	if (!end)
		return 0;
	int rc = block_reserve(in, b, end, err);
	if (rc)
		return rc;
	b->at = b->memory + TEXT_PAD;
	b->n = end;
	b->offset = in->offset;
	memcpy(b->at, in->carry.at + in->carried, end);
	in->carried += end;
	in->offset += end;
	in->bytes_read = text_unpack_taken(in->unpack);
	return 1;
}

/* Waits for its turn. */
static int packed_turn(struct text_input *in, uint64_t i, struct text_block *b, struct weft_err *err)
{
	pthread_mutex_lock(&in->lock);
	while (in->next_block != i && !in->failed)
		pthread_cond_wait(&in->turn, &in->lock);
	int rc = in->failed ? weft_err_set(err, -ECANCELED, "cannot read '%s': reading an earlier part failed", in->path)
	                    : packed_block(in, b, err);
	in->failed |= rc < 0;
	in->next_block = i + 1;
	pthread_cond_broadcast(&in->turn);
	pthread_mutex_unlock(&in->lock);
	return rc;
}

int text_input_block(struct text_input *in, uint64_t i, struct text_block *b, struct weft_err *err)
{
	b->n = 0;
	int rc = in->unpack ? packed_turn(in, i, b, err) : plain_block(in, i, b, err);
	if (rc > 0)
		memset(b->at + b->n, '\n', TEXT_PAD);
	return rc;
}

void text_input_set_block(struct text_input *in, size_t block_bytes)
{
	in->block_bytes = block_bytes;
}

/* -- what it is -- */

uint64_t text_input_offset(const struct text_input *in)
{
	return in->offset;
}

bool text_input_is_cut(const struct text_input *in)
{
	return in->cut;
}

bool text_input_packed(const struct text_input *in)
{
	return in->unpack != NULL;
}

uint64_t text_input_bytes(const struct text_input *in)
{
	return in->bytes;
}

uint64_t text_input_bytes_read(const struct text_input *in)
{
	struct text_input *it = (struct text_input *)in;
	pthread_mutex_lock(&it->lock);
	uint64_t n = in->bytes_read < in->bytes || !in->bytes ? in->bytes_read : in->bytes;
	pthread_mutex_unlock(&it->lock);
	return n;
}

const char *text_input_damage(const struct text_input *in)
{
	return in->unpack ? text_unpack_damage(in->unpack) : NULL;
}
