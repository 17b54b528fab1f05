/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a pyramid. Each row's bursts go through a lane of its own: a chunk's worth is packed at a time into a buffer, and the
 * buffer is written to the next free place of the file, which lanes take by an atomic addition; so no lane waits for another.
 * The tables are written last, then the head, then the file gets its name: one that was not finished is never found.
 */
#include "pyramid_priv.h"
#include "base/clock.h"
#include "base/crc.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LANE_BYTES (1u << 20)
#define LEFT_OVER_NS (3600 * UINT64_C(1000000000))
#define BYTES_ALWAYS_ALLOWED (UINT64_C(256) << 20)

struct maker_row {
	WEFT_VEC(struct weft_pyramid_chunk) chunk;
	WEFT_VEC(struct weft_pyramid_sum) node; /* made at the end */
};
struct weft_pyramid_maker {
	const struct weft_trace *trace;
	char *key, *dir, *path, *temp; /* owned */
	size_t key_bytes;
	int fd;
	struct weft_atomic_u64 at, n_bursts;
	struct maker_row *row; /* owned */
	uint32_t n_rows;
};
struct weft_pyramid_lane {
	struct weft_pyramid_maker *maker;
	struct maker_row *row;
	double begin; /* of the chunk that is being filled */
	uint32_t n;
	struct weft_pyramid_bursts bursts;
	uint8_t *buffer;        /* owned */
	size_t used, unwritten; /* unwritten: the first chunk of the row whose bytes are in the buffer */
};

/* ---- what was left ---- */

struct old_file {
	char *path; /* owned */
	uint64_t bytes, mtime;
};

static int by_age(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;
	return x->mtime < y->mtime ? -1 : x->mtime > y->mtime;
}

static bool of_this_index(const struct weft_trace *t, const char *path)
{
	struct pyramid_head h;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	          !memcmp(h.pair, t->store->head->pair, sizeof h.pair);
	if (fd >= 0)
		close(fd);
	return is;
}

/* Pyramids of an older index, and what makers that died have left; then the oldest, while all are more than the columns. */
static void clean_up(const struct weft_trace *t, const char *dir)
{
	WEFT_VEC(struct old_file) old = {0};
	char **names;
	uint64_t bytes = 0, most = t->store->head->columns_bytes;
	int n = weft_list_dir(dir, &names, NULL);
	for (int i = 0; i < n; i++) {
		struct old_file f = {NULL, 0, 0};
		struct stat st;
		bool temp = !strncmp(names[i], PYRAMID_TEMP, strlen(PYRAMID_TEMP));
		if ((!temp && strncmp(names[i], PYRAMID_PREFIX, strlen(PYRAMID_PREFIX)) != 0) ||
		    asprintf(&f.path, "%s/%s", dir, names[i]) < 0)
			continue;
		f.mtime = stat(f.path, &st) ? 0 : (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
		f.bytes = f.mtime ? (uint64_t)st.st_size : 0;
		bool keep = temp ? f.mtime + LEFT_OVER_NS > weft_realtime_ns() : of_this_index(t, f.path);
		if (!keep)
			unlink(f.path);
		if (!keep || temp || weft_vec_push(&old, f))
			free(f.path);
		else
			bytes += f.bytes;
	}
	if (n >= 0)
		weft_list_free(names, n);
	if (old.n)
		qsort(old.at, old.n, sizeof *old.at, by_age);
	for (size_t i = 0; i < old.n; i++) {
		if (bytes > (most > BYTES_ALWAYS_ALLOWED ? most : BYTES_ALWAYS_ALLOWED) && !unlink(old.at[i].path))
			bytes -= old.at[i].bytes;
		free(old.at[i].path);
	}
	free(old.at);
}

/* ---- begin ---- */

static void maker_free(struct weft_pyramid_maker *m)
{
	if (m->fd >= 0)
		close(m->fd);
	for (uint32_t i = 0; m->row && i < m->n_rows; i++) {
		free(m->row[i].chunk.at);
		free(m->row[i].node.at);
	}
	free(m->row);
	free(m->key);
	free(m->dir);
	free(m->path);
	free(m->temp);
	free(m);
}

int weft_pyramid_make(struct weft_pyramid_maker **out, const struct weft_trace *t, const char *key, size_t key_bytes,
                      uint32_t n_rows)
{
	struct weft_pyramid_maker *m = calloc(1, sizeof *m);
	int rc = -ENOMEM;
	*out = NULL;
	if (!m)
		return -ENOMEM;
	m->fd = -1;
	m->trace = t;
	m->n_rows = n_rows;
	m->key_bytes = key_bytes;
	m->key = malloc(key_bytes + 1);
	m->dir = pyramid_dir(t);
	m->path = pyramid_path(t, key, key_bytes);
	m->row = calloc((size_t)n_rows + 1, sizeof *m->row);
	if (!m->key || !m->dir || !m->path || !m->row || asprintf(&m->temp, "%s/" PYRAMID_TEMP "XXXXXX", m->dir) < 0)
		goto out;
	memcpy(m->key, key, key_bytes);
	rc = -ENOENT;
	if (!pyramid_has_index(t, m->dir))
		goto out;
	clean_up(t, m->dir);
	m->fd = mkostemp(m->temp, O_CLOEXEC);
	rc = m->fd < 0 || fchmod(m->fd, 0644) ? -errno : 0;
	weft_store_relaxed_u64(&m->at, PYRAMID_HEAD);
out:
	if (rc)
		maker_free(m);
	else
		*out = m;
	return rc;
}

void weft_pyramid_abandon(struct weft_pyramid_maker *m)
{
	if (!m)
		return;
	unlink(m->temp);
	maker_free(m);
}

/* ---- lanes ---- */

int weft_pyramid_lane_new(struct weft_pyramid_lane **out, struct weft_pyramid_maker *m, uint32_t row, double begin)
{
	struct weft_pyramid_lane *l = calloc(1, sizeof *l);
	*out = NULL;
	if (!l || !(l->buffer = malloc(LANE_BYTES))) {
		free(l);
		return -ENOMEM;
	}
	l->maker = m;
	l->row = &m->row[row];
	l->begin = begin;
	*out = l;
	return 0;
}

static int write_buffer(struct weft_pyramid_lane *l)
{
	/* Relaxed: each lane only wants a place of its own. */
	uint64_t at = weft_add_relaxed_u64(&l->maker->at, l->used);
	for (size_t i = l->unwritten; i < l->row->chunk.n; i++)
		l->row->chunk.at[i].offset += at;
	l->unwritten = l->row->chunk.n;
	int rc = weft_write_all(l->maker->fd, l->buffer, l->used, at);
	l->used = 0;
	return rc;
}

static bool is_whole(double v)
{
	return v == floor(v) && fabs(v) < 9007199254740992.0 && !(v == 0 && signbit(v));
}

/* The least width for whole numbers up to `most`. */
static uint8_t width_of(double most)
{
	return most < 256 ? 1 : most < 65536 ? 2 : most < 4294967296.0 ? 4 : 8;
}

/* Writes numbers - base in their width; returns the bytes. */
static size_t put_numbers(uint8_t *to, const double *v, uint32_t n, double base, uint8_t width)
{
	if (width == PYRAMID_RAW)
		memcpy(to, v, n * sizeof *v);
	for (uint32_t i = 0; i < n && width && width != PYRAMID_RAW; i++) {
		uint64_t x = (uint64_t)(v[i] - base);
		memcpy(to + (size_t)i * width, &x, width); /* the low bytes come first */
	}
	return pyramid_bytes(width, n);
}

static void sum_values(struct weft_pyramid_chunk *c, const double *v, uint32_t n)
{
	double max = v[0], least = v[0], min = 0;
	bool whole = true;
	c->sum.sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		max = v[i] > max ? v[i] : max;
		least = v[i] < least ? v[i] : least;
		min = v[i] != 0 && (min == 0 || v[i] < min) ? v[i] : min;
		whole &= is_whole(v[i]);
		c->sum.sum += v[i];
	}
	c->sum.max = max;
	c->sum.min = min;
	c->sum.n = n;
	whole &= max - least < 9007199254740992.0;
	c->sum.size = whole ? n * fmax(fabs(max), fabs(least)) : INFINITY;
	c->base = whole ? least : 0;
	c->value_width = !whole ? PYRAMID_RAW : max == least ? 0 : width_of(max - least);
}

static int end_chunk(struct weft_pyramid_lane *l)
{
	struct weft_pyramid_chunk c = {.begin = l->begin};
	const struct weft_pyramid_bursts *b = &l->bursts;
	uint32_t n = l->n;
	bool whole = is_whole(l->begin);
	sum_values(&c, b->value, n);
	c.sum.end = b->end[n - 1];
	for (uint32_t i = 0; i < n; i++)
		whole &= is_whole(b->end[i]) && b->end[i] >= l->begin;
	double last = 0;
	for (uint32_t i = 0; i < n; i++)
		last = fmax(last, b->end[i] - l->begin);
	c.end_width = whole ? width_of(last) : PYRAMID_RAW;
	if (l->used + 2 * sizeof b->end > LANE_BYTES) {
		int rc = write_buffer(l);
		if (rc)
			return rc;
	}
	uint8_t *to = l->buffer + l->used;
	size_t bytes = put_numbers(to, b->end, n, l->begin, c.end_width);
	bytes += put_numbers(to + bytes, b->value, n, c.base, c.value_width);
	c.offset = l->used;
	c.crc = weft_crc32c(0, to, bytes);
	l->used += bytes;
	l->begin = c.sum.end;
	l->n = 0;
	return weft_vec_push(&l->row->chunk, c) ? -ENOMEM : 0;
}

int weft_pyramid_add(struct weft_pyramid_lane *l, uint32_t n, const double *end, const double *value)
{
	for (uint32_t i = 0, k; i < n; i += k) {
		k = WEFT_PYRAMID_BURSTS - l->n < n - i ? WEFT_PYRAMID_BURSTS - l->n : n - i;
		memcpy(l->bursts.end + l->n, end + i, k * sizeof *end);
		for (uint32_t j = 0; j < k; j++)
			l->bursts.value[l->n + j] = value[i + j] == value[i + j] ? value[i + j] : 0;
		l->n += k;
		int rc = l->n == WEFT_PYRAMID_BURSTS ? end_chunk(l) : 0;
		if (rc)
			return rc;
	}
	weft_add_relaxed_u64(&l->maker->n_bursts, n); /* relaxed: only counted */
	return 0;
}

int weft_pyramid_lane_end(struct weft_pyramid_lane *l)
{
	int rc = l->n ? end_chunk(l) : 0;
	if (!rc)
		rc = write_buffer(l);
	free(l->buffer);
	free(l);
	return rc;
}

/* ---- finish ---- */

/* What holds for the first n chunks from c on. */
static struct weft_pyramid_sum node_of(const struct weft_pyramid_chunk *c, size_t n)
{
	struct weft_pyramid_sum s = c[0].sum;
	for (size_t i = 1; i < n; i++) {
		const struct weft_pyramid_sum *t = &c[i].sum;
		s.end = t->end;
		s.max = t->max > s.max ? t->max : s.max;
		s.min = s.min == 0 || (t->min != 0 && t->min < s.min) ? t->min : s.min;
		s.sum += t->sum;
		s.size += t->size;
		s.n += t->n;
	}
	return s;
}

static int make_nodes(struct maker_row *row)
{
	for (size_t k = 0; k < row->chunk.n; k += WEFT_PYRAMID_FAN) {
		size_t n = row->chunk.n - k < WEFT_PYRAMID_FAN ? row->chunk.n - k : WEFT_PYRAMID_FAN;
		if (weft_vec_push(&row->node, node_of(row->chunk.at + k, n)))
			return -ENOMEM;
	}
	return 0;
}

/* A part of the tables behind the ones before it. */
static int put_table(struct weft_pyramid_maker *m, uint64_t *at, const void *from, size_t bytes)
{
	int rc = weft_write_all(m->fd, from, bytes, *at);
	*at += bytes;
	return rc;
}

/* The same of those that the head's checksum is of. */
static int put_checked(struct weft_pyramid_maker *m, struct pyramid_head *h, uint64_t *at, const void *from, size_t bytes)
{
	h->tables_crc = weft_crc32c(h->tables_crc, from, bytes);
	return put_table(m, at, from, bytes);
}

static int put_rows(struct weft_pyramid_maker *m, struct pyramid_head *h, uint64_t *at)
{
	struct weft_pyramid_row *row = calloc((size_t)m->n_rows + 1, sizeof *row);
	int rc = row ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < m->n_rows && !rc; i++) {
		struct maker_row *of = &m->row[i];
		rc = make_nodes(of);
		row[i] = (struct weft_pyramid_row){h->n_chunks, of->chunk.n, h->n_nodes, of->node.n, 0, 0};
		row[i].crc = weft_crc32c(0, of->chunk.at, of->chunk.n * sizeof *of->chunk.at);
		row[i].crc = weft_crc32c(row[i].crc, of->node.at, of->node.n * sizeof *of->node.at);
		h->n_chunks += of->chunk.n;
		h->n_nodes += of->node.n;
	}
	if (!rc)
		rc = put_checked(m, h, at, row, m->n_rows * sizeof *row);
	free(row);
	return rc;
}

static int write_tables(struct weft_pyramid_maker *m)
{
	static const uint8_t nothing[PYRAMID_SLACK];
	uint64_t end = weft_load_relaxed_u64(&m->at);
	struct pyramid_head h = {.magic = PYRAMID_MAGIC,
	                         .version = PYRAMID_VERSION,
	                         .key_bytes = m->key_bytes,
	                         .n_rows = m->n_rows,
	                         .n_bursts = weft_load_relaxed_u64(&m->n_bursts),
	                         .data_end = end,
	                         .tables = (end + PYRAMID_SLACK + 7) / 8 * 8};
	memcpy(h.pair, m->trace->store->head->pair, sizeof h.pair);
	store_boot_id(h.boot_id);
	uint64_t at = h.tables;
	int rc = weft_write_all(m->fd, nothing, sizeof nothing, end);
	if (!rc)
		rc = put_checked(m, &h, &at, m->key, m->key_bytes);
	if (!rc)
		rc = put_checked(m, &h, &at, nothing, (8 - m->key_bytes % 8) % 8);
	if (!rc)
		rc = put_rows(m, &h, &at);
	for (uint32_t i = 0; i < m->n_rows && !rc; i++)
		rc = put_table(m, &at, m->row[i].chunk.at, m->row[i].chunk.n * sizeof *m->row[i].chunk.at);
	for (uint32_t i = 0; i < m->n_rows && !rc; i++)
		rc = put_table(m, &at, m->row[i].node.at, m->row[i].node.n * sizeof *m->row[i].node.at);
	h.crc = weft_crc32c(0, &h, offsetof(struct pyramid_head, crc));
	return rc ? rc : weft_write_all(m->fd, &h, sizeof h, 0);
}

int weft_pyramid_finish(struct weft_pyramid_maker *m, struct weft_pyramid **out)
{
	*out = NULL;
	int rc = write_tables(m);
	if (!rc && rename(m->temp, m->path))
		rc = -errno;
	if (rc) {
		weft_pyramid_abandon(m);
		return rc;
	}
	rc = pyramid_open_file(out, m->trace, m->path, m->key, m->key_bytes);
	maker_free(m);
	return rc;
}
