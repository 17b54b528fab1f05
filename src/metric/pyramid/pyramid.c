/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a pyramid. Each row's bursts go through a lane of its own: a chunk's worth is packed at a
 * time into the slab that the lane has. A slab that is full goes to the next free place of the
 * file, one that is not goes to the next lane; until the end, chunks say in which slab they are.
 * What is left in slabs and the tables are written last, then the head, then the file gets its
 * name: one that was not finished is never found.
 */
#include "pyramid_priv.h"
#include "base/clock.h"
#include "format/crc.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLAB_BYTES (2u << 20)
#define LEFT_OVER_NS (3600 * UINT64_C(1000000000))
#define BYTES_ALWAYS_ALLOWED (UINT64_C(256) << 20)

enum { SUM_END, SUM_MAX, SUM_MIN, SUM_SUM, SUM_SIZE, SUMS };
_Static_assert((int)SUMS == (int)PYRAMID_COLUMNS, "struct weft_pyramid_sums in its order");

struct slab {
	struct slab *next; /* that nobody has */
	uint64_t number;
	uint32_t used;
	uint8_t at[SLAB_BYTES];
};
struct maker_sums {
	double *column[SUMS]; /* owned */
	size_t n, cap[SUMS];
};
struct maker_row {
	WEFT_VEC(struct weft_pyramid_chunk) chunk;
	struct maker_sums of_chunk, of_node; /* nodes: made at the end */
	struct pyramid_row_shares shares;
	uint64_t n_bursts;
	double begin;
};
struct weft_pyramid_maker {
	const struct weft_trace *trace;
	char *key, *dir, *path; /* owned */
	struct weft_replace file;
	size_t key_bytes;
	struct maker_row *row; /* owned */
	uint32_t n_rows;
	pthread_mutex_t lock;     /* of the rest */
	struct slab *idle;        /* owned */
	WEFT_VEC(uint64_t) place; /* of each slab in the file */
	uint64_t n_full;
};
struct weft_pyramid_lane {
	struct weft_pyramid_maker *maker;
	struct maker_row *row;
	double begin; /* of the chunk that is being filled */
	uint32_t n;
	struct weft_pyramid_bursts bursts;
	struct pyramid_sharing of_chunk, of_node;
	struct slab *slab;
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
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is = fd >= 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	          !memcmp(h.pair, t->store->head->pair, sizeof h.pair);
	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Pyramids of an older index, and what makers that died have left; then the oldest, while all are
 * more than the columns.
 */
static void clean_up(const struct weft_trace *t, const char *dir)
{
	WEFT_VEC(struct old_file) old = {0};
	char **names;
	uint64_t bytes = 0, most = t->store->head->columns_bytes;
	int n = weft_list_dir(dir, &names, NULL);
	for (int i = 0; i < n; i++) {
		struct old_file f = {NULL, 0, 0};
		struct stat st;
		bool temp = weft_glob(WEFT_REPLACE_GLOB, names[i]);
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

static void sums_fini(struct maker_sums *s)
{
	for (unsigned k = 0; k < SUMS; k++)
		free(s->column[k]);
}

static void maker_free(struct weft_pyramid_maker *m)
{
	weft_replace_abandon(&m->file);
	for (uint32_t i = 0; m->row && i < m->n_rows; i++) {
		free(m->row[i].chunk.at);
		sums_fini(&m->row[i].of_chunk);
		sums_fini(&m->row[i].of_node);
		pyramid_shares_fini(&m->row[i].shares);
	}
	for (struct slab *s = m->idle, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	pthread_mutex_destroy(&m->lock);
	free(m->place.at);
	free(m->row);
	free(m->key);
	free(m->dir);
	free(m->path);
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
	pthread_mutex_init(&m->lock, NULL); /* does not fail here */
	m->trace = t;
	m->n_rows = n_rows;
	m->key_bytes = key_bytes;
	m->key = malloc(key_bytes + 1);
	m->dir = pyramid_dir(t);
	m->path = pyramid_path(t, key, key_bytes);
	m->row = calloc((size_t)n_rows + 1, sizeof *m->row);
	if (!m->key || !m->dir || !m->path || !m->row)
		goto out;
	memcpy(m->key, key, key_bytes);
	rc = -ENOENT;
	if (!pyramid_has_index(t, m->dir))
		goto out;
	clean_up(t, m->dir);
	rc = index_file_begin(&m->file, m->dir, strrchr(m->path, '/') + 1);
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
	maker_free(m);
}

/* ---- slabs ---- */

/* A number of its own for what is put into the slab next. */
static int slab_begin(struct weft_pyramid_maker *m, struct slab *s)
{
	pthread_mutex_lock(&m->lock);
	s->number = m->place.n;
	int rc = weft_vec_push(&m->place, 0);
	pthread_mutex_unlock(&m->lock);
	s->used = 0;
	return rc ? -ENOMEM : 0;
}

static void slab_give_back(struct weft_pyramid_maker *m, struct slab *s)
{
	pthread_mutex_lock(&m->lock);
	s->next = m->idle;
	m->idle = s;
	pthread_mutex_unlock(&m->lock);
}

/* One that has room, as far as there is one. */
static int slab_take(struct weft_pyramid_maker *m, struct slab **out)
{
	pthread_mutex_lock(&m->lock);
	*out = m->idle;
	if (*out)
		m->idle = (*out)->next;
	pthread_mutex_unlock(&m->lock);
	if (*out)
		return 0;
	struct slab *s = calloc(1, sizeof *s);
	int rc = s ? slab_begin(m, s) : -ENOMEM;
	if (rc)
		free(s);
	else
		*out = s;
	return rc;
}

/* The first piece of a file that has slabs is the head's alone. */
static int slab_write(struct weft_pyramid_maker *m, struct slab *s)
{
	pthread_mutex_lock(&m->lock);
	uint64_t at = ++m->n_full * SLAB_BYTES;
	m->place.at[s->number] = at;
	pthread_mutex_unlock(&m->lock);
	int rc = weft_write_all(m->file.fd, s->at, SLAB_BYTES, at);
	return rc ? rc : slab_begin(m, s);
}

/* ---- lanes ---- */

int weft_pyramid_lane_new(struct weft_pyramid_lane **out, struct weft_pyramid_maker *m, uint32_t row, double begin)
{
	struct weft_pyramid_lane *l = calloc(1, sizeof *l);
	*out = NULL;
	if (!l || slab_take(m, &l->slab)) {
		free(l);
		return -ENOMEM;
	}
	l->maker = m;
	l->row = &m->row[row];
	l->begin = l->row->begin = begin;
	pyramid_sharing_begin(&l->of_node);
	*out = l;
	return 0;
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

static int push_sums(struct maker_sums *s, const double sum[SUMS])
{
	for (unsigned k = 0; k < SUMS; k++) {
		if (s->n == s->cap[k] && weft_vec_grow(&s->column[k], &s->cap[k], s->n + 1, sizeof *sum))
			return -ENOMEM;
		s->column[k][s->n] = sum[k];
	}
	s->n++;
	return 0;
}

static void sum_values(struct weft_pyramid_chunk *c, double sums[SUMS], const double *v, uint32_t n)
{
	double max = v[0], least = v[0], min = 0, sum = 0;
	bool whole = true;
	for (uint32_t i = 0; i < n; i++) {
		max = v[i] > max ? v[i] : max;
		least = v[i] < least ? v[i] : least;
		min = v[i] != 0 && (min == 0 || v[i] < min) ? v[i] : min;
		whole &= is_whole(v[i]);
		sum += v[i];
	}
	whole &= max - least < 9007199254740992.0;
	sums[SUM_MAX] = max;
	sums[SUM_MIN] = min;
	sums[SUM_SUM] = sum;
	sums[SUM_SIZE] = whole ? n * fmax(fabs(max), fabs(least)) : INFINITY;
	c->base = whole ? least : 0;
	c->value_width = !whole ? PYRAMID_RAW : max == least ? 0 : width_of(max - least);
}

static uint8_t width_of_ends(const double *end, uint32_t n, double begin)
{
	bool whole = is_whole(begin);
	double last = 0;
	for (uint32_t i = 0; i < n; i++) {
		whole &= is_whole(end[i]) && end[i] >= begin;
		last = fmax(last, end[i] - begin);
	}
	return whole ? width_of(last) : PYRAMID_RAW;
}

/* How long its values last; also of the node that it is in, when it is the last of it. */
static int end_shares(struct weft_pyramid_lane *l, bool whole)
{
	pyramid_sharing_begin(&l->of_chunk);
	l->of_chunk.unknown = !whole;
	pyramid_sharing_add(&l->of_chunk, &l->of_node, l->begin, &l->bursts, l->n);
	int rc = pyramid_shares_push_chunk(&l->row->shares, &l->of_chunk);
	if (!rc && l->row->shares.of_chunk.n % WEFT_PYRAMID_FAN == 0) {
		rc = pyramid_shares_push_node(&l->row->shares, &l->of_node);
		pyramid_sharing_begin(&l->of_node);
	}
	return rc;
}

static int end_chunk(struct weft_pyramid_lane *l)
{
	struct weft_pyramid_chunk c = {0};
	const struct weft_pyramid_bursts *b = &l->bursts;
	uint32_t n = l->n;
	double sums[SUMS] = {[SUM_END] = b->end[n - 1]};
	sum_values(&c, sums, b->value, n);
	c.end_width = width_of_ends(b->end, n, l->begin);
	if (l->slab->used + 2 * sizeof b->end > SLAB_BYTES) {
		int rc = slab_write(l->maker, l->slab);
		if (rc)
			return rc;
	}
	uint8_t *to = l->slab->at + l->slab->used;
	size_t bytes = put_numbers(to, b->end, n, l->begin, c.end_width);
	bytes += put_numbers(to + bytes, b->value, n, c.base, c.value_width);
	c.offset = l->slab->number * SLAB_BYTES + l->slab->used;
	c.crc = weft_crc32c(0, to, bytes);
	l->slab->used += (uint32_t)bytes;
	int rc = end_shares(l, c.end_width != PYRAMID_RAW);
	l->row->n_bursts += n;
	l->begin = sums[SUM_END];
	l->n = 0;
	return rc || weft_vec_push(&l->row->chunk, c) || push_sums(&l->row->of_chunk, sums) ? -ENOMEM : 0;
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
	return 0;
}

int weft_pyramid_lane_end(struct weft_pyramid_lane *l)
{
	int rc = l->n ? end_chunk(l) : 0;
	if (!rc && l->row->chunk.n % WEFT_PYRAMID_FAN)
		rc = pyramid_shares_push_node(&l->row->shares, &l->of_node);
	slab_give_back(l->maker, l->slab);
	free(l);
	return rc;
}

/* ---- finish ---- */

/* What holds for n chunks from the first on. */
static void sums_of_node(double node[SUMS], double *const column[SUMS], size_t first, size_t n)
{
	for (unsigned k = 0; k < SUMS; k++)
		node[k] = column[k][first];
	for (size_t i = first + 1; i < first + n; i++) {
		double max = column[SUM_MAX][i], min = column[SUM_MIN][i];
		node[SUM_END] = column[SUM_END][i];
		node[SUM_MAX] = max > node[SUM_MAX] ? max : node[SUM_MAX];
		node[SUM_MIN] = node[SUM_MIN] == 0 || (min != 0 && min < node[SUM_MIN]) ? min : node[SUM_MIN];
		node[SUM_SUM] += column[SUM_SUM][i];
		node[SUM_SIZE] += column[SUM_SIZE][i];
	}
}

static int make_nodes(struct maker_row *row)
{
	for (size_t k = 0; k < row->chunk.n; k += WEFT_PYRAMID_FAN) {
		size_t n = row->chunk.n - k < WEFT_PYRAMID_FAN ? row->chunk.n - k : WEFT_PYRAMID_FAN;
		double node[SUMS];
		sums_of_node(node, row->of_chunk.column, k, n);
		if (push_sums(&row->of_node, node))
			return -ENOMEM;
	}
	return 0;
}

/* What is written at the end, one after the other, up to the next multiple of a slab at a time. */
struct tail {
	int fd, rc;
	uint64_t at; /* where the file goes on */
	size_t used;
	uint8_t *buffer; /* owned; SLAB_BYTES */
};

static void tail_flush(struct tail *t)
{
	if (!t->rc)
		t->rc = weft_write_all(t->fd, t->buffer, t->used, t->at - t->used);
	t->used = 0;
}

static void tail_put(struct tail *t, const void *from, size_t n)
{
	for (size_t k; n; n -= k, from = (const uint8_t *)from + k) {
		size_t room = SLAB_BYTES - t->at % SLAB_BYTES;
		k = n < room ? n : room;
		memcpy(t->buffer + t->used, from, k);
		t->used += k;
		t->at += k;
		if (k == room)
			tail_flush(t);
	}
}

/* The same of what the head's checksum is of. */
static void tail_put_checked(struct tail *t, struct pyramid_head *h, const void *from, size_t n)
{
	h->tables_crc = weft_crc32c(h->tables_crc, from, n);
	tail_put(t, from, n);
}

static void put_slabs(struct weft_pyramid_maker *m, struct tail *t)
{
	for (const struct slab *s = m->idle; s; s = s->next) {
		m->place.at[s->number] = t->at;
		tail_put(t, s->at, s->used);
	}
}

static void place_chunks(const struct weft_pyramid_maker *m, struct maker_row *row)
{
	for (size_t i = 0; i < row->chunk.n; i++) {
		uint64_t *offset = &row->chunk.at[i].offset;
		*offset = m->place.at[*offset / SLAB_BYTES] + *offset % SLAB_BYTES;
	}
}

static uint32_t crc_of_sums(uint32_t crc, const struct maker_sums *s)
{
	for (unsigned k = 0; k < SUMS && s->n; k++)
		crc = weft_crc32c(crc, s->column[k], s->n * sizeof *s->column[k]);
	return crc;
}

static uint32_t crc_of_shares(uint32_t crc, const struct pyramid_row_shares *s)
{
	crc = weft_crc32c(crc, s->of_chunk.at, s->of_chunk.n * sizeof *s->of_chunk.at);
	crc = weft_crc32c(crc, s->of_node.at, s->of_node.n * sizeof *s->of_node.at);
	return weft_crc32c(crc, s->share.at, s->share.n * sizeof *s->share.at);
}

static int put_rows(struct weft_pyramid_maker *m, struct pyramid_head *h, struct tail *t)
{
	int rc = 0;
	for (uint32_t i = 0; i < m->n_rows && !rc; i++) {
		struct maker_row *of = &m->row[i];
		place_chunks(m, of);
		rc = make_nodes(of);
		struct weft_pyramid_row row = {.first_chunk = h->n_chunks,
		                               .n_chunks = of->chunk.n,
		                               .first_node = h->n_nodes,
		                               .n_nodes = of->of_node.n,
		                               .n_bursts = of->n_bursts,
		                               .first_share = h->n_shares,
		                               .n_shares = of->shares.share.n,
		                               .begin = of->begin};
		row.crc = weft_crc32c(0, of->chunk.at, of->chunk.n * sizeof *of->chunk.at);
		row.crc = crc_of_sums(crc_of_sums(row.crc, &of->of_chunk), &of->of_node);
		row.crc = crc_of_shares(row.crc, &of->shares);
		h->n_chunks += of->chunk.n;
		h->n_nodes += of->of_node.n;
		h->n_shares += of->shares.share.n;
		h->n_bursts += of->n_bursts;
		tail_put_checked(t, h, &row, sizeof row);
	}
	return rc;
}

static void put_tables(const struct weft_pyramid_maker *m, struct tail *t)
{
	for (uint32_t i = 0; i < m->n_rows; i++)
		tail_put(t, m->row[i].chunk.at, m->row[i].chunk.n * sizeof *m->row[i].chunk.at);
	for (unsigned k = 0; k < SUMS; k++)
		for (uint32_t i = 0; i < m->n_rows; i++)
			tail_put(t, m->row[i].of_chunk.column[k], m->row[i].of_chunk.n * sizeof(double));
	for (unsigned k = 0; k < SUMS; k++)
		for (uint32_t i = 0; i < m->n_rows; i++)
			tail_put(t, m->row[i].of_node.column[k], m->row[i].of_node.n * sizeof(double));
	for (uint32_t i = 0; i < m->n_rows; i++)
		tail_put(t, m->row[i].shares.of_chunk.at, m->row[i].shares.of_chunk.n * sizeof(struct weft_pyramid_shares));
	for (uint32_t i = 0; i < m->n_rows; i++)
		tail_put(t, m->row[i].shares.of_node.at, m->row[i].shares.of_node.n * sizeof(struct weft_pyramid_shares));
	for (uint32_t i = 0; i < m->n_rows; i++)
		tail_put(t, m->row[i].shares.share.at, m->row[i].shares.share.n * sizeof(struct weft_pyramid_share));
}

static int write_tail(struct weft_pyramid_maker *m, struct pyramid_head *h, struct tail *t)
{
	static const uint8_t nothing[PYRAMID_SLACK + 8];
	put_slabs(m, t);
	h->data_end = t->at;
	tail_put(t, nothing, PYRAMID_SLACK + (8 - t->at % 8) % 8);
	h->tables = t->at;
	tail_put_checked(t, h, m->key, m->key_bytes);
	tail_put_checked(t, h, nothing, (8 - m->key_bytes % 8) % 8);
	int rc = put_rows(m, h, t);
	if (!rc)
		put_tables(m, t);
	tail_flush(t);
	return rc ? rc : t->rc;
}

static int write_rest(struct weft_pyramid_maker *m)
{
	struct pyramid_head h = {.magic = PYRAMID_MAGIC,
	                         .version = PYRAMID_VERSION,
	                         .key_bytes = m->key_bytes,
	                         .n_rows = m->n_rows};
	struct tail t = {.fd = m->file.fd,
	                 .at = m->n_full ? (m->n_full + 1) * SLAB_BYTES : PYRAMID_HEAD,
	                 .buffer = malloc(SLAB_BYTES)};
	memcpy(h.pair, m->trace->store->head->pair, sizeof h.pair);
	store_boot_id(h.boot_id);
	int rc = t.buffer ? write_tail(m, &h, &t) : -ENOMEM;
	free(t.buffer);
	h.crc = weft_crc32c(0, &h, offsetof(struct pyramid_head, crc));
	return rc ? rc : weft_write_all(m->file.fd, &h, sizeof h, 0);
}

int weft_pyramid_finish(struct weft_pyramid_maker *m, struct weft_pyramid **out)
{
	*out = NULL;
	int rc = write_rest(m);
	if (!rc)
		rc = weft_replace_commit(&m->file, WEFT_REPLACE_PLAIN);
	if (rc) {
		weft_pyramid_abandon(m);
		return rc;
	}
	rc = pyramid_open_file(out, m->trace, m->path, m->key, m->key_bytes);
	maker_free(m);
	return rc;
}
