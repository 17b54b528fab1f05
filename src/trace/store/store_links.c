/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and flows in the tables file: columns that are written side by side, in pieces of some thousand links, which any
 * worker takes. A piece's part of each column goes to its place in the file and has a checksum of its own; these are joined in
 * the end. Links that come out of a file, or a map that goes through one, have one order, and are one worker's.
 */
#include "format/crc.h"
#include "base/fs.h"
#include "base/pool.h"
#include "store_write_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which link each end belongs to ---- */

/* By its place in the map: put there where all of the map may be in memory, else sorted. */
struct end_map {
	uint64_t n;
	uint32_t *link; /* owned; NULL: they are sorted */
	struct spill_sort sort;
};

static int map_init(struct end_map *map, uint64_t n, uint64_t memory)
{
	*map = (struct end_map){.n = n};
	spill_sort_init(&map->sort, SPILL_KEYS * 8, memory / 8);
	if (n > memory / 8 / sizeof *map->link)
		return 0;
	map->link = malloc((n + 1) * sizeof *map->link);
	if (map->link)
		memset(map->link, 0xff, n * sizeof *map->link);
	return map->link ? 0 : -ENOMEM;
}

static void map_fini(struct end_map *map)
{
	free(map->link);
	spill_sort_fini(&map->sort);
}

/* Different workers may put different places where map->link is there. */
static int map_put(struct end_map *map, uint64_t place, uint64_t number)
{
	if (place == UINT64_MAX)
		return 0;
	if (!map->link)
		return spill_sort_add(&map->sort, (const uint64_t[SPILL_KEYS]){place, number});
	if (place >= map->n)
		return -EINVAL;
	map->link[place] = (uint32_t)number;
	return 0;
}

static int write_sorted_map(struct table_writer *w, struct end_map *map, enum store_section s)
{
	const void *row;
	uint64_t at = 0;
	int rc = spill_sort_finish(&map->sort), more = 0;
	while (!rc && (more = spill_sort_next(&map->sort, &row)) > 0) {
		const uint64_t *r = row;
		uint32_t number = (uint32_t)r[1];
		if (r[0] != at++)
			rc = -EINVAL;
		store_put_rows(w, s, &number, 1);
	}
	return rc ? rc : more ? more : at == map->n ? 0 : -EINVAL;
}

/* -EINVAL: an end that was appended and belongs to nothing. */
static int write_map(struct table_writer *w, struct end_map *map, enum store_section s)
{
	store_begin_section(w, s);
	if (!map->link)
		return write_sorted_map(w, map, s);
	for (uint64_t i = 0; i < map->n; i++)
		if (map->link[i] == WEFT_NONE)
			return -EINVAL;
	store_put_rows(w, s, map->link, map->n);
	return 0;
}

/* ---- pieces ---- */

#define PIECE_LINKS 16384u

struct room { /* a worker's */
	const struct build_link *link[PIECE_LINKS];
	uint64_t value[PIECE_LINKS];
	struct build_link copy[]; /* PIECE_LINKS of them, where the links come out of a file */
};
struct pieces {
	const struct store_links *links;
	struct table_writer *w;
	struct end_map map;
	struct weft_atomic_u64 n_backward;
	uint32_t *crc;      /* by piece and column; owned */
	struct room **room; /* by worker; owned */
};

static struct room *room_of(struct pieces *x, unsigned worker)
{
	size_t copies = spill_sort_in_memory(x->links->sorted) ? 0 : PIECE_LINKS * sizeof(struct build_link);
	if (!x->room[worker])
		x->room[worker] = malloc(sizeof(struct room) + copies);
	return x->room[worker];
}

static int find_links(struct spill_sort *sorted, struct room *room, uint64_t from, uint32_t n)
{
	const void *row;
	int rc = 1;
	for (uint32_t i = 0; i < n && spill_sort_in_memory(sorted); i++)
		room->link[i] = spill_sort_at(sorted, from + i);
	for (uint32_t i = 0; i < n && !spill_sort_in_memory(sorted) && rc > 0; i++) {
		rc = spill_sort_next(sorted, &row);
		if (rc > 0)
			room->copy[i] = *(const struct build_link *)row;
		room->link[i] = &room->copy[i];
	}
	return rc < 0 ? rc : 0;
}

/* The n values of a column, to room->value. */
static void gather(const struct store_column *c, struct room *room, uint32_t n, uint64_t shift)
{
	uint32_t *narrow = (uint32_t *)room->value;
	for (uint32_t i = 0; c->width == sizeof *narrow && i < n; i++)
		memcpy(&narrow[i], (const char *)room->link[i] + c->from, sizeof *narrow);
	for (uint32_t i = 0; c->width == sizeof *room->value && i < n; i++)
		memcpy(&room->value[i], (const char *)room->link[i] + c->from, sizeof *room->value);
	for (uint32_t i = 0; c->is_time && i < n; i++) {
		uint64_t t = room->value[i];
		room->value[i] = t == WEFT_NEVER ? t : t > shift ? t - shift : 0;
	}
}

static int write_piece(void *arg, size_t piece, unsigned worker)
{
	struct pieces *x = arg;
	const struct store_links *links = x->links;
	struct room *room = room_of(x, worker);
	uint64_t from = piece * PIECE_LINKS, left = links->sorted->n_rows - from, n_backward = 0;
	uint32_t n = left < PIECE_LINKS ? (uint32_t)left : PIECE_LINKS;
	int rc = room ? find_links(links->sorted, room, from, n) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < n; i++) {
		const struct build_link *l = room->link[i];
		n_backward += l->out_began != WEFT_NEVER && l->in_time != WEFT_NEVER && l->in_time < l->out_began;
		rc = map_put(&x->map, l->out_place, from + i);
		if (!rc)
			rc = map_put(&x->map, l->in_place, from + i);
	}
	weft_add_relaxed_u64(&x->n_backward, n_backward); /* only counted */
	for (unsigned k = 0; !rc && k < links->n_columns; k++) {
		const struct store_column *c = &links->column[k];
		gather(c, room, n, links->shift);
		x->crc[piece * links->n_columns + k] = weft_crc32c(0, room->value, (size_t)n * c->width);
		rc = weft_write_all(x->w->fd, room->value, (size_t)n * c->width,
		                    x->w->head.section[c->section].offset + from * c->width);
	}
	return rc;
}

/* The places of the columns, one behind the other. */
static void begin_columns(struct table_writer *w, const struct store_links *links)
{
	for (unsigned k = 0; k < links->n_columns; k++) {
		store_begin_section(w, links->column[k].section);
		store_flush(w);
		w->at += links->sorted->n_rows * links->column[k].width;
	}
}

static void end_columns(const struct pieces *x, size_t n_pieces)
{
	const struct store_links *links = x->links;
	for (unsigned k = 0; k < links->n_columns; k++) {
		struct store_extent *e = &x->w->head.section[links->column[k].section];
		for (size_t i = 0; i < n_pieces; i++) {
			uint64_t left = links->sorted->n_rows - e->rows, n = left < PIECE_LINKS ? left : PIECE_LINKS;
			e->crc = weft_crc32c_join(e->crc, x->crc[i * links->n_columns + k], n * links->column[k].width);
			e->rows += n;
		}
	}
}

int store_write_links(struct table_writer *w, struct store_links *links)
{
	struct pieces x = {.links = links, .w = w};
	size_t n_pieces = (size_t)((links->sorted->n_rows + PIECE_LINKS - 1) / PIECE_LINKS);
	int rc = map_init(&x.map, links->n_ends, w->memory);
	bool any_order = spill_sort_in_memory(links->sorted) && x.map.link;
	unsigned threads = !any_order ? 1 : links->threads ? links->threads : weft_pool_width();
	x.crc = calloc(n_pieces * links->n_columns + 1, sizeof *x.crc);
	x.room = calloc(threads, sizeof(struct room *));
	if (!x.crc || !x.room)
		rc = -ENOMEM;
	begin_columns(w, links);
	if (!rc)
		rc = weft_parallel(threads, n_pieces, write_piece, &x);
	if (!rc)
		end_columns(&x, n_pieces);
	links->n_backward = weft_load_u64(&x.n_backward);
	spill_sort_fini(links->sorted);
	if (!rc)
		rc = write_map(w, &x.map, links->map);
	for (unsigned i = 0; x.room && i < threads; i++)
		free(x.room[i]);
	free(x.room);
	free(x.crc);
	map_fini(&x.map);
	return rc;
}
