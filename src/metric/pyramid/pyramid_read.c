/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a pyramid. Head, key and rows are checked at each opening; all that grows with the events
 * once, when the machine was started anew since it was written, as the blocks of the index. A
 * pyramid that does not hold is one that is not there. Whatever a chunk claims, what is read for it
 * lies in the file.
 */
#include "format/crc.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/wide.h"
#include "trace/store/index_files.h"
#include "pyramid_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

char *pyramid_dir(const struct weft_trace *t)
{
	return index_dir_of(t->path);
}

char *pyramid_path(const struct weft_trace *t, const char *key, size_t key_bytes)
{
	char *dir = pyramid_dir(t), *path = NULL;
	if (dir && asprintf(&path, "%s/" PYRAMID_PREFIX "%016llx", dir, (unsigned long long)weft_hash(key, key_bytes)) < 0)
		path = NULL;
	free(dir);
	return path;
}

bool pyramid_has_index(const struct weft_trace *t, const char *dir)
{
	struct store_tables_head h;
	char *path;
	if (asprintf(&path, "%s/" STORE_TABLES_NAME, dir) < 0)
		return false;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool has = fd >= 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	           !memcmp(h.pair, t->store->head->pair, sizeof h.pair);
	if (fd >= 0)
		close(fd);
	free(path);
	return has;
}

static bool width_is_valid(uint8_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8 || width == PYRAMID_RAW;
}

static bool head_is_valid(const struct pyramid_head *h, uint64_t bytes, const struct weft_trace *t, const char *key,
                          size_t key_bytes)
{
	struct pyramid_head copy = *h;
	copy.verified = 0;
	uint64_t padded = (h->key_bytes + 7) / 8 * 8, room = bytes - h->tables;
	if (memcmp(h->magic, PYRAMID_MAGIC, 8) != 0 || h->version != PYRAMID_VERSION ||
	    weft_crc32c(0, &copy, offsetof(struct pyramid_head, crc)) != h->crc ||
	    memcmp(h->pair, t->store->head->pair, sizeof h->pair) != 0)
		return false;
	if (h->tables > bytes || h->tables % 8 || h->data_end > bytes || h->data_end + PYRAMID_SLACK > h->tables ||
	    h->key_bytes != key_bytes || h->n_rows > UINT32_MAX || h->n_chunks > bytes || h->n_nodes > bytes ||
	    h->n_shares > bytes || padded > room)
		return false;
	return padded + h->n_rows * sizeof(struct weft_pyramid_row) + h->n_chunks * sizeof(struct weft_pyramid_chunk) +
	                       (h->n_chunks + h->n_nodes) *
	                               (sizeof(struct weft_pyramid_sums) + sizeof(struct weft_pyramid_shares)) +
	                       h->n_shares * sizeof(struct weft_pyramid_share) ==
	               room &&
	       memcmp((const char *)h + h->tables, key, key_bytes) == 0;
}

static bool rows_are_valid(const struct weft_pyramid *p, uint64_t n_shares)
{
	uint64_t chunk = 0, node = 0, share = 0;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		const struct weft_pyramid_row *r = &p->row[i];
		if (r->first_chunk != chunk || r->first_node != node || r->n_chunks > p->n_chunks - chunk ||
		    r->n_nodes > p->n_nodes - node || r->n_nodes != (r->n_chunks + WEFT_PYRAMID_FAN - 1) / WEFT_PYRAMID_FAN ||
		    r->first_share != share || r->n_shares > n_shares - share || r->n_bursts > p->n_bursts ||
		    r->n_chunks != (r->n_bursts + WEFT_PYRAMID_BURSTS - 1) / WEFT_PYRAMID_BURSTS)
			return false;
		chunk += r->n_chunks;
		node += r->n_nodes;
		share += r->n_shares;
	}
	return chunk == p->n_chunks && node == p->n_nodes && share == n_shares;
}

static uint32_t bursts_of(const struct weft_pyramid_row *r, uint64_t chunk)
{
	uint64_t rest = r->n_bursts - (chunk - r->first_chunk) * WEFT_PYRAMID_BURSTS;
	return rest < WEFT_PYRAMID_BURSTS ? (uint32_t)rest : WEFT_PYRAMID_BURSTS;
}

static bool chunk_holds(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c, uint32_t n)
{
	if (!width_is_valid(c->end_width) || (c->value_width && !width_is_valid(c->value_width)) || c->offset < PYRAMID_HEAD ||
	    c->offset > p->data_end)
		return false;
	uint32_t bytes = pyramid_bytes(c->end_width, n) + pyramid_bytes(c->value_width, n);
	return bytes <= p->data_end - c->offset && weft_crc32c(0, p->at + c->offset, bytes) == c->crc;
}

/* Columns follow each other: `all` entries in each. */
static uint32_t crc_of_sums(uint32_t crc, const struct weft_pyramid_sums *s, uint64_t all, uint64_t first, uint64_t n)
{
	for (unsigned k = 0; k < PYRAMID_COLUMNS && n; k++)
		crc = weft_crc32c(crc, s->end + k * all + first, n * sizeof *s->end);
	return crc;
}

static int check_row(void *arg, size_t i, unsigned worker)
{
	const struct weft_pyramid *p = arg;
	const struct weft_pyramid_row *r = &p->row[i];
	(void)worker;
	uint32_t crc = weft_crc32c(0, p->chunk + r->first_chunk, r->n_chunks * sizeof *p->chunk);
	crc = crc_of_sums(crc, &p->of_chunk, p->n_chunks, r->first_chunk, r->n_chunks);
	crc = crc_of_sums(crc, &p->of_node, p->n_nodes, r->first_node, r->n_nodes);
	crc = weft_crc32c(crc, p->chunk_shares + r->first_chunk, r->n_chunks * sizeof *p->chunk_shares);
	crc = weft_crc32c(crc, p->node_shares + r->first_node, r->n_nodes * sizeof *p->node_shares);
	crc = weft_crc32c(crc, p->share + r->first_share, r->n_shares * sizeof *p->share);
	bool good = crc == r->crc;
	for (uint64_t n = r->first_chunk; n < r->first_chunk + r->n_chunks && good; n++)
		good = chunk_holds(p, &p->chunk[n], bursts_of(r, n));
	return good ? 0 : WEFT_E_DAMAGED;
}

static void mark_verified(const char *path)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	uint64_t one = 1;
	if (fd < 0)
		return;
	ssize_t n = pwrite(fd, &one, sizeof one, offsetof(struct pyramid_head, verified));
	(void)n; /* then it is done again the next time */
	close(fd);
}

/* All rows, side by side, once after each start of the machine. */
static bool rows_hold(struct weft_pyramid *p, const struct pyramid_head *h, const char *path)
{
	uint8_t boot_id[16];
	store_boot_id(boot_id);
	if (h->verified == 1 || memcmp(boot_id, h->boot_id, sizeof boot_id) == 0)
		return true;
	if (weft_parallel(0, p->n_rows, check_row, p))
		return false;
	mark_verified(path);
	return true;
}

static struct weft_pyramid_sums sums_at(const double *at, uint64_t n)
{
	return (struct weft_pyramid_sums){at, at + n, at + 2 * n, at + 3 * n, at + 4 * n};
}

/* Checks what was mapped, and points to its parts. */
static bool take_parts(struct weft_pyramid *p, const struct weft_trace *t, const char *path, const char *key, size_t key_bytes)
{
	const struct pyramid_head *h = (const void *)p->at;
	if (p->bytes < PYRAMID_HEAD || !head_is_valid(h, p->bytes, t, key, key_bytes))
		return false;
	p->n_rows = (uint32_t)h->n_rows;
	p->n_chunks = h->n_chunks;
	p->n_nodes = h->n_nodes;
	p->n_bursts = h->n_bursts;
	p->data_end = h->data_end;
	p->row = (const void *)(p->at + h->tables + (h->key_bytes + 7) / 8 * 8);
	p->chunk = (const void *)(p->row + p->n_rows);
	const double *sums = (const void *)(p->chunk + p->n_chunks);
	p->of_chunk = sums_at(sums, p->n_chunks);
	p->of_node = sums_at(sums + PYRAMID_COLUMNS * p->n_chunks, p->n_nodes);
	p->chunk_shares = (const void *)(sums + PYRAMID_COLUMNS * (p->n_chunks + p->n_nodes));
	p->node_shares = p->chunk_shares + p->n_chunks;
	p->share = (const void *)(p->node_shares + p->n_nodes);
	size_t checked = (size_t)((const uint8_t *)p->chunk - (p->at + h->tables));
	return weft_crc32c(0, p->at + h->tables, checked) == h->tables_crc && rows_are_valid(p, h->n_shares) &&
	       rows_hold(p, h, path);
}

int pyramid_open_file(struct weft_pyramid **out, const struct weft_trace *t, const char *path, const char *key, size_t key_bytes)
{
	struct stat st;
	struct weft_pyramid *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return -ENOMEM;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), rc = fd < 0 || fstat(fd, &st) ? -ENOENT : 0;
	void *at = rc || st.st_size < PYRAMID_HEAD ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED) {
		free(p);
		return -ENOENT;
	}
	p->at = at;
	p->bytes = (uint64_t)st.st_size;
	if (!take_parts(p, t, path, key, key_bytes)) {
		weft_pyramid_close(p);
		return -ENOENT;
	}
	*out = p;
	return 0;
}

int weft_pyramid_open(struct weft_pyramid **out, const struct weft_trace *t, const char *key, size_t key_bytes)
{
	*out = NULL;
	char *path = pyramid_path(t, key, key_bytes);
	if (!path)
		return -ENOMEM;
	int rc = pyramid_open_file(out, t, path, key, key_bytes);
	free(path);
	return rc;
}

void weft_pyramid_close(struct weft_pyramid *p)
{
	if (!p)
		return;
	munmap((void *)(uintptr_t)p->at, p->bytes);
	free(p);
}

/* ---- bursts ---- */

/*
 * All places of a chunk are decoded, whether they have a burst or not: loops of a fixed length are
 * the fastest, and what is read behind the chunk is in the file (its slack).
 */
#define DECODE(type) \
	do { \
		for (unsigned i = 0; i < WEFT_PYRAMID_BURSTS; i++) { \
			type x; \
			memcpy(&x, at + i * sizeof x, sizeof x); \
			to[i] = base + (double)x; \
		} \
	} while (0)

WEFT_BODY decode_body(double *restrict to, const uint8_t *restrict at, uint8_t width, double base)
{
	switch (width) {
	case 0:
		for (unsigned i = 0; i < WEFT_PYRAMID_BURSTS; i++)
			to[i] = base;
		break;
	case 1:
		DECODE(uint8_t);
		break;
	case 2:
		DECODE(uint16_t);
		break;
	case 4:
		DECODE(uint32_t);
		break;
	case 8:
		DECODE(uint64_t);
		break;
	default:
		memcpy(to, at, WEFT_PYRAMID_BURSTS * sizeof *to);
	}
}
WEFT_WIDE(decode, (double *restrict to, const uint8_t *restrict at, uint8_t width, double base), (to, at, width, base))

/* What a chunk may claim: what lies in the file, with the slack behind the last one. */
static const uint8_t *bytes_of(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c)
{
	return p->at + (c->offset < p->data_end ? c->offset : p->data_end);
}

static uint8_t width_of(uint8_t width)
{
	return width < PYRAMID_RAW ? width : PYRAMID_RAW;
}

void weft_pyramid_packed(const struct weft_pyramid *p, uint32_t row, uint64_t chunk, struct weft_pyramid_packed *out)
{
	const struct weft_pyramid_row *r = &p->row[row];
	const struct weft_pyramid_chunk *c = &p->chunk[chunk];
	*out = (struct weft_pyramid_packed){.end = bytes_of(p, c),
	                                    .begin = chunk > r->first_chunk ? p->of_chunk.end[chunk - 1] : r->begin,
	                                    .base = c->base,
	                                    .n = bursts_of(r, chunk),
	                                    .end_width = width_of(c->end_width),
	                                    .value_width = width_of(c->value_width)};
	out->value = out->end + pyramid_bytes(out->end_width, out->n);
}

void weft_pyramid_fetch(const struct weft_pyramid *p, uint64_t chunk)
{
	const struct weft_pyramid_chunk *c = &p->chunk[chunk];
	const uint8_t *at = bytes_of(p, c);
	uint32_t n = pyramid_bytes(width_of(c->end_width), WEFT_PYRAMID_BURSTS) +
	             pyramid_bytes(width_of(c->value_width), WEFT_PYRAMID_BURSTS);
	for (uint32_t i = 0; i < n; i += 64)
		__builtin_prefetch(at + i);
}

void weft_pyramid_ends(const struct weft_pyramid_packed *c, double *end)
{
	decode(end, c->end, c->end_width, c->begin);
}

void weft_pyramid_values(const struct weft_pyramid_packed *c, double *value)
{
	decode(value, c->value, c->value_width, c->base);
}

static double number_at(const uint8_t *at, uint32_t i, uint8_t width, double base)
{
	uint64_t x;
	double v;
	if (width == PYRAMID_RAW) {
		memcpy(&v, at + (size_t)i * sizeof v, sizeof v);
		return v;
	}
	memcpy(&x, at + (size_t)i * width, sizeof x); /* more than it is, which is in the file, too */
	return base + (double)(int64_t)(width ? x & UINT64_MAX >> (64 - 8 * width) : 0);
}

double weft_pyramid_end(const struct weft_pyramid_packed *c, uint32_t i)
{
	return number_at(c->end, i, c->end_width, c->begin);
}

double weft_pyramid_value(const struct weft_pyramid_packed *c, uint32_t i)
{
	return number_at(c->value, i, c->value_width, c->base);
}

uint32_t weft_pyramid_shares(const struct weft_pyramid *p, uint32_t row, const struct weft_pyramid_shares *of,
                             const struct weft_pyramid_share **out)
{
	const struct weft_pyramid_row *r = &p->row[row];
	*out = p->share + r->first_share + of->first;
	return of->first <= r->n_shares && of->n <= r->n_shares - of->first ? of->n : 0;
}

/* Halved without a jump: which way it goes cannot be foretold. */
#define COUNT_BELOW(type, most) \
	do { \
		const type limit = (type)(most); \
		for (uint32_t half; n > 0; n -= half) { \
			type x; \
			half = (n + 1) / 2; \
			memcpy(&x, c->end + (low + half - 1) * sizeof x, sizeof x); \
			low += half & -(uint32_t)(x < limit); \
		} \
	} while (0)

uint32_t weft_pyramid_before(const struct weft_pyramid_packed *c, double time)
{
	uint32_t low = 0, n = c->n;
	double above = c->end_width == PYRAMID_RAW ? time : fmax(time - c->begin, 0);
	switch (c->end_width) {
	case 1:
		COUNT_BELOW(uint8_t, fmin(above, UINT8_MAX));
		break;
	case 2:
		COUNT_BELOW(uint16_t, fmin(above, UINT16_MAX));
		break;
	case 4:
		COUNT_BELOW(uint32_t, fmin(above, UINT32_MAX));
		break;
	case 8:
		COUNT_BELOW(uint64_t, fmin(above, 1.8e19));
		break;
	default:
		COUNT_BELOW(double, above);
	}
	return low;
}

uint64_t weft_pyramid_find(const struct weft_pyramid *p, uint32_t row, double time)
{
	const struct weft_pyramid_row *r = &p->row[row];
	uint64_t low = r->first_chunk, high = low + r->n_chunks;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (p->of_chunk.end[mid] <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
