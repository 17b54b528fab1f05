/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a pyramid. The tables are checked at each opening, rows side by side; the chunks' bytes once, when the machine was
 * started anew since they were written, as those of the index. A pyramid that does not hold is one that is not there.
 */
#include "base/crc.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/wide.h"
#include "index_priv.h"
#include "pyramid_priv.h"
#include <errno.h>
#include <fcntl.h>
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
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool has = fd >= 0 && pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	           !memcmp(h.pair, t->store->head->pair, sizeof h.pair);
	if (fd >= 0)
		close(fd);
	free(path);
	return has;
}

static uint32_t chunk_bytes(const struct weft_pyramid_chunk *c)
{
	return pyramid_bytes(c->end_width, c->sum.n) + pyramid_bytes(c->value_width, c->sum.n);
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
	    h->key_bytes != key_bytes || h->n_rows > UINT32_MAX || h->n_chunks > bytes || h->n_nodes > bytes || padded > room)
		return false;
	return padded + h->n_rows * sizeof(struct weft_pyramid_row) + h->n_chunks * sizeof(struct weft_pyramid_chunk) +
	                       h->n_nodes * sizeof(struct weft_pyramid_sum) ==
	               room &&
	       memcmp((const char *)h + h->tables, key, key_bytes) == 0;
}

static bool rows_are_valid(const struct weft_pyramid *p)
{
	uint64_t chunk = 0, node = 0;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		const struct weft_pyramid_row *r = &p->row[i];
		if (r->first_chunk != chunk || r->first_node != node || r->n_chunks > p->n_chunks - chunk ||
		    r->n_nodes > p->n_nodes - node || r->n_nodes != (r->n_chunks + WEFT_PYRAMID_FAN - 1) / WEFT_PYRAMID_FAN)
			return false;
		chunk += r->n_chunks;
		node += r->n_nodes;
	}
	return chunk == p->n_chunks && node == p->n_nodes;
}

static bool chunk_is_valid(const struct weft_pyramid_chunk *c, uint64_t data_end)
{
	return c->sum.n > 0 && c->sum.n <= WEFT_PYRAMID_BURSTS && width_is_valid(c->end_width) &&
	       (!c->value_width || width_is_valid(c->value_width)) && c->offset >= PYRAMID_HEAD && c->offset <= data_end &&
	       chunk_bytes(c) <= data_end - c->offset;
}

struct checking {
	const struct weft_pyramid *p;
	uint64_t data_end;
	bool bytes; /* also the chunks' */
};

/* A row's part of the tables is read once: it stays in the cache. */
static int check_row(void *arg, size_t i, unsigned worker)
{
	const struct checking *k = arg;
	const struct weft_pyramid_row *r = &k->p->row[i];
	const struct weft_pyramid_chunk *c = k->p->chunk + r->first_chunk;
	(void)worker;
	uint32_t crc = weft_crc32c(0, c, r->n_chunks * sizeof *c);
	crc = weft_crc32c(crc, k->p->node + r->first_node, r->n_nodes * sizeof *k->p->node);
	bool good = crc == r->crc;
	for (uint64_t n = 0; n < r->n_chunks && good; n++)
		good = chunk_is_valid(&c[n], k->data_end) &&
		       (!k->bytes || weft_crc32c(0, k->p->at + c[n].offset, chunk_bytes(&c[n])) == c[n].crc);
	return good ? 0 : WEFT_E_DAMAGED;
}

static void mark_verified(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	uint64_t one = 1;
	if (fd < 0)
		return;
	ssize_t n = pwrite(fd, &one, sizeof one, offsetof(struct pyramid_head, verified));
	(void)n; /* then it is done again the next time */
	close(fd);
}

/* All rows, side by side; the chunks' bytes once after each start of the machine. */
static bool rows_hold(const struct weft_pyramid *p, const struct pyramid_head *h, const char *path)
{
	uint8_t boot_id[16];
	store_boot_id(boot_id);
	struct checking k = {p, h->data_end, h->verified != 1 && memcmp(boot_id, h->boot_id, sizeof boot_id) != 0};
	if (weft_parallel(0, p->n_rows, check_row, &k))
		return false;
	if (k.bytes)
		mark_verified(path);
	return true;
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
	p->row = (const void *)(p->at + h->tables + (h->key_bytes + 7) / 8 * 8);
	p->chunk = (const void *)(p->row + p->n_rows);
	p->node = (const void *)(p->chunk + p->n_chunks);
	size_t checked = (size_t)((const uint8_t *)p->chunk - (p->at + h->tables));
	return weft_crc32c(0, p->at + h->tables, checked) == h->tables_crc && rows_are_valid(p) && rows_hold(p, h, path);
}

int pyramid_open_file(struct weft_pyramid **out, const struct weft_trace *t, const char *path, const char *key, size_t key_bytes)
{
	struct stat st;
	struct weft_pyramid *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return -ENOMEM;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 || fstat(fd, &st) ? -ENOENT : 0;
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
 * All places of a chunk are decoded, whether they have a burst or not: loops of a fixed length are the fastest, and what is
 * read behind the chunk is in the file (its slack).
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

void weft_pyramid_load(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c, struct weft_pyramid_bursts *b)
{
	const uint8_t *at = p->at + c->offset;
	decode(b->end, at, c->end_width, c->begin);
	decode(b->value, at + pyramid_bytes(c->end_width, c->sum.n), c->value_width, c->base);
}

double weft_pyramid_last(const struct weft_pyramid *p, const struct weft_pyramid_chunk *c)
{
	uint32_t last = c->sum.n - 1;
	const uint8_t *at = p->at + c->offset + pyramid_bytes(c->end_width, c->sum.n) + pyramid_bytes(c->value_width, last);
	uint64_t x = 0;
	double v;
	if (c->value_width == PYRAMID_RAW) {
		memcpy(&v, at, sizeof v);
		return v;
	}
	memcpy(&x, at, c->value_width);
	return c->base + (double)x;
}

uint64_t weft_pyramid_find(const struct weft_pyramid *p, uint32_t row, double time)
{
	const struct weft_pyramid_row *r = &p->row[row];
	uint64_t low = r->first_chunk, high = low + r->n_chunks;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (p->chunk[mid].sum.end <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
