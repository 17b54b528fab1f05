/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spilling. The log writes its whole buffer to the file when it is full. The sorter sorts what it holds (an order of places, by
 * radix on each key word from the last to the first), writes it as a run, and in the end merges the runs through small buffers.
 */
#include "spill.h"
#include "builder.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE_BYTES (1u << 18)

int spill_file(void)
{
	const char *dir[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	for (unsigned i = 0; i < sizeof dir / sizeof *dir; i++) {
		int fd = dir[i] ? open(dir[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
		if (fd >= 0) {
			/* It is read in pieces from many places: what the kernel read ahead at each would fill a small control group. */
			(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
			return fd;
		}
	}
	int fd = memfd_create("weft", MFD_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

/* ---- the log ---- */

int spill_log_init(struct spill_log *l, uint32_t row_bytes, uint64_t bound)
{
	*l = (struct spill_log){.row_bytes = row_bytes, .bound = bound, .fd = -1};
	return -pthread_mutex_init(&l->lock, NULL);
}

void spill_log_fini(struct spill_log *l)
{
	if (!l->row_bytes)
		return;
	free(l->memory.at);
	free(l->piece);
	if (l->fd >= 0)
		close(l->fd);
	pthread_mutex_destroy(&l->lock);
	*l = (struct spill_log){.fd = -1};
}

static int log_spill(struct spill_log *l)
{
	if (l->fd < 0 && (l->fd = spill_file()) < 0)
		return l->fd;
	int rc = weft_write_all(l->fd, l->memory.at, l->memory.n, l->in_file);
	l->in_file += l->memory.n;
	l->memory.n = 0;
	return rc;
}

int spill_log_add(struct spill_log *l, const void *rows, size_t n)
{
	size_t bytes = n * l->row_bytes;
	int rc = 0;
	pthread_mutex_lock(&l->lock);
	if (l->memory.n && l->memory.n + bytes > l->bound)
		rc = log_spill(l);
	if (!rc && weft_vec_reserve(&l->memory, l->memory.n + bytes))
		rc = -ENOMEM;
	if (!rc && bytes) {
		memcpy(l->memory.at + l->memory.n, rows, bytes);
		l->memory.n += bytes;
		l->n_rows += n;
	}
	pthread_mutex_unlock(&l->lock);
	return rc;
}

int64_t spill_log_next(struct spill_log *l, const void **rows)
{
	if (l->read_at < l->in_file) {
		uint64_t most = PIECE_BYTES / l->row_bytes * l->row_bytes, left = l->in_file - l->read_at;
		size_t n = left < most ? (size_t)left : (size_t)most;
		if (!l->piece && !(l->piece = malloc(most)))
			return -ENOMEM;
		int rc = weft_read_all(l->fd, l->piece, n, l->read_at);
		l->read_at += n;
		*rows = l->piece;
		return rc ? rc : (int64_t)(n / l->row_bytes);
	}
	size_t n = l->memory.n - (size_t)(l->read_at - l->in_file);
	*rows = l->memory.at;
	l->read_at += n;
	return (int64_t)(n / l->row_bytes);
}

/* ---- the sorter ---- */

void spill_sort_init(struct spill_sort *s, uint32_t row_bytes, uint64_t bound)
{
	*s = (struct spill_sort){.row_bytes = row_bytes, .keys = SPILL_KEYS, .bound = bound, .fd = -1};
}

static void drop_memory(struct spill_sort *s)
{
	free(s->row.at);
	free(s->order);
	s->row.at = NULL;
	s->row.n = s->row.cap = 0;
	s->order = NULL;
}

void spill_sort_fini(struct spill_sort *s)
{
	if (!s->row_bytes)
		return;
	drop_memory(s);
	for (size_t i = 0; i < s->run.n; i++)
		free(s->run.at[i].buffer);
	free(s->run.at);
	free(s->heap.at);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct spill_sort){.fd = -1};
}

static size_t row_words(const struct spill_sort *s)
{
	return s->row_bytes / 8;
}

static uint64_t row_key(const struct spill_sort *s, size_t at, unsigned word)
{
	return s->row.at[s->order[at].ref * row_words(s) + word];
}

/* Orders n rows from the place `from` on by their key words from `word` on: by this one, then what is equal by the next. */
static int order_rows(struct spill_sort *s, size_t from, size_t n, unsigned word)
{
	struct sort_pair *at = s->order + from;
	for (size_t i = 0; i < n; i++)
		at[i].key = row_key(s, from + i, word);
	int rc = sort_pairs(at, n);
	for (size_t i = 0, end; !rc && word + 1 < s->keys && i < n; i = end) {
		for (end = i + 1; end < n && at[end].key == at[i].key;)
			end++;
		if (end - i > 1)
			rc = order_rows(s, from + i, end - i, word + 1);
	}
	return rc;
}

/* The order of the rows in memory. */
static int make_order(struct spill_sort *s)
{
	size_t n = s->row.n / row_words(s);
	s->order = malloc((n + 1) * sizeof *s->order);
	if (!s->order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->order[i].ref = i;
	return s->keys ? order_rows(s, 0, n, 0) : 0;
}

static int write_run(struct spill_sort *s)
{
	size_t n = s->row.n / row_words(s), filled = 0;
	char *piece = malloc(PIECE_BYTES);
	int rc = piece ? make_order(s) : -ENOMEM;
	if (!rc && s->fd < 0 && (s->fd = spill_file()) < 0)
		rc = s->fd;
	struct spill_run run = {.at = s->in_file};
	for (size_t i = 0; !rc && i < n; i++) {
		memcpy(piece + filled, &s->row.at[s->order[i].ref * row_words(s)], s->row_bytes);
		filled += s->row_bytes;
		if (filled + s->row_bytes <= PIECE_BYTES && i + 1 < n)
			continue;
		rc = weft_write_all(s->fd, piece, filled, s->in_file);
		s->in_file += filled;
		filled = 0;
	}
	run.end = s->in_file;
	if (!rc)
		rc = weft_vec_push(&s->run, run);
	free(piece);
	free(s->order);
	s->order = NULL;
	s->row.n = 0;
	return rc;
}

/* What so many rows take in memory: beside them, sorting has two arrays of order. */
static uint64_t rows_cost(const struct spill_sort *s, uint64_t n)
{
	return (s->row_bytes + 2 * sizeof(struct sort_pair)) * n;
}

void *spill_sort_extend(struct spill_sort *s, uint64_t n)
{
	size_t at = s->row.n;
	if (!n || s->run.n || n > s->bound || rows_cost(s, at / row_words(s) + n) > s->bound ||
	    weft_vec_reserve(&s->row, at + n * row_words(s)))
		return NULL;
	s->row.n = at + n * row_words(s);
	s->n_rows += n;
	return s->row.at + at;
}

int spill_sort_add(struct spill_sort *s, const void *row)
{
	size_t n = s->row.n;
	if (n && rows_cost(s, n / row_words(s) + 1) > s->bound) {
		int rc = write_run(s);
		if (rc)
			return rc;
		n = 0;
	}
	if (weft_vec_reserve(&s->row, n + row_words(s)))
		return -ENOMEM;
	memcpy(&s->row.at[n], row, s->row_bytes);
	s->row.n = n + row_words(s);
	s->n_rows++;
	return 0;
}

static const uint64_t *run_row(const struct spill_sort *s, const struct spill_run *r)
{
	return (const uint64_t *)(const void *)(r->buffer + (size_t)r->next * s->row_bytes);
}

/* Fills the buffer of a run; n is 0 at its end. */
static int run_fill(struct spill_sort *s, struct spill_run *r)
{
	uint64_t bytes = r->end - r->at, most = (uint64_t)s->buffer_rows * s->row_bytes;
	bytes = bytes < most ? bytes : most;
	r->next = 0;
	r->n = (uint32_t)(bytes / s->row_bytes);
	int rc = bytes ? weft_read_all(s->fd, r->buffer, bytes, r->at) : 0;
	r->at += bytes;
	return rc;
}

static bool row_before(const struct spill_sort *s, uint32_t x, uint32_t y)
{
	const uint64_t *a = run_row(s, &s->run.at[x]), *b = run_row(s, &s->run.at[y]);
	for (unsigned i = 0; i < s->keys; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return x < y;
}

static void sift_down(struct spill_sort *s, size_t at)
{
	uint32_t moved = s->heap.at[at];
	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= s->heap.n)
			break;
		if (child + 1 < s->heap.n && row_before(s, s->heap.at[child + 1], s->heap.at[child]))
			child++;
		if (!row_before(s, s->heap.at[child], moved))
			break;
		s->heap.at[at] = s->heap.at[child];
		at = child;
	}
	s->heap.at[at] = moved;
}

int spill_sort_finish(struct spill_sort *s)
{
	if (!s->run.n)
		return make_order(s);
	int rc = s->row.n ? write_run(s) : 0;
	drop_memory(s);
	uint64_t rows = s->bound / s->run.n / s->row_bytes;
	s->buffer_rows = rows < 16 ? 16 : rows > PIECE_BYTES / s->row_bytes ? PIECE_BYTES / s->row_bytes : (uint32_t)rows;
	for (size_t i = 0; !rc && i < s->run.n; i++) {
		struct spill_run *r = &s->run.at[i];
		r->buffer = malloc((size_t)s->buffer_rows * s->row_bytes);
		rc = r->buffer ? run_fill(s, r) : -ENOMEM;
		if (!rc)
			rc = weft_vec_push(&s->heap, (uint32_t)i);
	}
	for (size_t i = s->heap.n / 2; !rc && i-- > 0;)
		sift_down(s, i);
	return rc;
}

int spill_sort_next(struct spill_sort *s, const void **row)
{
	if (!s->run.n) {
		if (s->next == s->row.n / row_words(s))
			return 0;
		*row = spill_sort_at(s, s->next++);
		return 1;
	}
	if (s->next) { /* the row that was given out last is done with */
		struct spill_run *r = &s->run.at[s->heap.at[0]];
		int rc = ++r->next == r->n ? run_fill(s, r) : 0;
		if (rc)
			return rc;
		if (!r->n)
			s->heap.at[0] = s->heap.at[--s->heap.n];
		if (s->heap.n)
			sift_down(s, 0);
	}
	if (!s->heap.n)
		return 0;
	s->next = 1;
	*row = run_row(s, &s->run.at[s->heap.at[0]]);
	return 1;
}

/* ---- rows by number ---- */

void spill_rows_init(struct spill_rows *r, uint32_t row_bytes, uint64_t bound)
{
	*r = (struct spill_rows){.row_bytes = row_bytes, .bound = bound, .fd = -1};
}

static size_t rows_chunk_bytes(const struct spill_rows *r)
{
	return (size_t)SPILL_CHUNK_ROWS * r->row_bytes;
}

static void rows_drop(struct spill_rows *r, size_t chunk)
{
	if (chunk < r->n_heap)
		free(r->chunk.at[chunk]);
	else if (r->chunk.at[chunk])
		munmap(r->chunk.at[chunk], rows_chunk_bytes(r));
	r->chunk.at[chunk] = NULL;
}

void spill_rows_done(struct spill_rows *r, uint64_t before)
{
	for (size_t i = before / SPILL_CHUNK_ROWS; i-- > 0 && r->chunk.at[i];)
		rows_drop(r, i);
}

void spill_rows_fini(struct spill_rows *r)
{
	for (size_t i = 0; i < r->chunk.n; i++)
		rows_drop(r, i);
	free(r->chunk.at);
	if (r->fd >= 0)
		close(r->fd);
	spill_rows_init(r, r->row_bytes, r->bound);
}

/* The next piece of the file. When as much of it is resident as may be, the older pieces are let go: they are read again if need be. */
static char *rows_map(struct spill_rows *r)
{
	size_t bytes = rows_chunk_bytes(r), in_file = r->chunk.n - r->n_heap;
	if (r->fd < 0 && (r->fd = spill_file()) < 0)
		return NULL;
	if ((r->n_kept + 1) * bytes > r->bound && r->n_kept > 1) {
		for (size_t i = r->chunk.n - r->n_kept; i < r->chunk.n; i++)
			madvise(r->chunk.at[i], bytes, MADV_DONTNEED);
		r->n_kept = 0;
	}
	if (posix_fallocate(r->fd, (off_t)(in_file * bytes), (off_t)bytes)) /* a full disk is an error here, not a signal later */
		return NULL;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, (off_t)(in_file * bytes));
	if (at == MAP_FAILED)
		return NULL;
	r->n_kept++;
	return at;
}

void *spill_rows_add(struct spill_rows *r)
{
	if (r->n == (uint64_t)r->chunk.n * SPILL_CHUNK_ROWS) {
		bool heap = r->chunk.n < 2 || (r->chunk.n == r->n_heap && (r->n_heap + 1) * rows_chunk_bytes(r) <= r->bound);
		if (weft_vec_reserve(&r->chunk, r->chunk.n + 1))
			return NULL;
		char *chunk = heap ? malloc(rows_chunk_bytes(r)) : rows_map(r);
		if (!chunk)
			return NULL;
		r->n_heap += heap;
		r->chunk.at[r->chunk.n++] = chunk;
	}
	return spill_rows_at(r, r->n++);
}
