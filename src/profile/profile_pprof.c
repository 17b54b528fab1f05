/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protobuf that pprof reads, packed by gzip. Numbers of fields are of its profile.proto:
 *
 *     Profile    sample_type 1, sample 2, mapping 3, location 4, function 5, string_table 6, period_type 11, period 12
 *     Sample     location_id 1 (innermost first), value 2            ValueType  type 1, unit 2
 *     Location   id 1, mapping_id 2, address 3, line 4 (innermost first)
 *     Line       function_id 1, line 2                               Function   id 1, name 2, system_name 3, filename 4
 *     Mapping    id 1, memory_start 2, memory_limit 3, file_offset 4, filename 5, build_id 6; has functions 7, filenames 8, lines 9, inlined 10
 *
 * A location is a node's function and line, or, where nodes are addresses, an address with all functions that are one in the other there; ids
 * count from 1. A mapping is a module, said when an address first lies in it: that of the first process that has the file; addresses of others are
 * moved to where they would be in that. The string table's first is "".
 */
#include "profile_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct pprof {
	const struct weft_profile *p;
	struct weft_buf out, part, inner;
	struct weft_intern text;
	struct weft_map function; /* function << 32 | file -> id */
	struct weft_map location; /* hash of function id, line, module, address -> id */
	struct weft_map mapping;  /* module -> id */
	uint64_t n_functions, n_locations, n_mappings;
	bool failed;
};

static void put_varint(struct weft_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		weft_buf_putc(b, (char)(v | 0x80));
	weft_buf_putc(b, (char)v);
}

static void put_number(struct weft_buf *b, unsigned field, uint64_t v)
{
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_bytes(struct weft_buf *b, unsigned field, const char *at, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	weft_buf_add(b, at, n);
}

static uint64_t text_of(struct pprof *o, const char *z)
{
	uint32_t id = 0;
	o->failed |= weft_intern_add(&o->text, weft_str(z), &id) != 0;
	return id;
}

static void put_value_type(struct pprof *o, unsigned field, const char *type, const char *unit)
{
	o->part.n = 0;
	put_number(&o->part, 1, text_of(o, type));
	put_number(&o->part, 2, text_of(o, unit));
	put_bytes(&o->out, field, o->part.at, o->part.n);
}

static uint64_t function_id(struct pprof *o, const struct weft_profile_node *n)
{
	uint64_t id, key = (uint64_t)n->function << 32 | n->file;
	if (weft_map_get(&o->function, key, &id))
		return id;
	id = ++o->n_functions;
	o->failed |= weft_map_put(&o->function, key, id) != 0;
	uint64_t name = text_of(o, weft_symbols_function(o->p->symbols, n->function)->name);
	o->part.n = 0;
	put_number(&o->part, 1, id);
	put_number(&o->part, 2, name);
	put_number(&o->part, 3, name);
	put_number(&o->part, 4, text_of(o, weft_symbols_text(o->p->symbols, n->file)));
	put_bytes(&o->out, 5, o->part.at, o->part.n);
	return id;
}

static uint64_t mapping_id(struct pprof *o, uint32_t module)
{
	enum { HAS_FIRST = 7, HAS_LAST = 10 };
	uint64_t id;
	if (!module)
		return 0;
	if (weft_map_get(&o->mapping, module, &id))
		return id;
	id = ++o->n_mappings;
	o->failed |= weft_map_put(&o->mapping, module, id) != 0;
	const struct weft_module *m = &o->p->trace->module[module - 1];
	o->part.n = 0;
	put_number(&o->part, 1, id);
	put_number(&o->part, 2, m->first);
	put_number(&o->part, 3, m->end);
	put_number(&o->part, 4, m->offset);
	put_number(&o->part, 5, text_of(o, m->path));
	put_number(&o->part, 6, text_of(o, m->build_id));
	for (unsigned has = HAS_FIRST; has <= HAS_LAST; has++) /* it is not to be looked up again */
		put_number(&o->part, has, 1);
	put_bytes(&o->out, 3, o->part.at, o->part.n);
	return id;
}

/* The node that stands around this one at the same address; 0: none. */
static uint32_t around(const struct pprof *o, uint32_t node)
{
	const struct weft_profile_node *n = &o->p->node[node], *m = &o->p->node[n->parent];
	return n->address && n->inlined && n->parent && m->address == n->address && m->module == n->module ? n->parent : 0;
}

/* *node becomes the outermost of the location. */
static uint64_t location_id(struct pprof *o, uint32_t *node)
{
	const struct weft_profile_node *n = &o->p->node[*node];
	uint64_t key = function_id(o, n) << 32 | n->line, id;
	if (n->address)
		key = weft_hash_u64(key) ^ weft_hash_u64(n->address + n->module);
	bool known = weft_map_get(&o->location, key, &id);
	uint64_t mapping = known ? 0 : mapping_id(o, n->module);
	struct weft_buf lines = {0};
	for (uint32_t k = *node; k; k = around(o, k)) {
		*node = k;
		if (known)
			continue;
		uint64_t function = function_id(o, &o->p->node[k]);
		o->inner.n = 0;
		put_number(&o->inner, 1, function);
		put_number(&o->inner, 2, o->p->node[k].line);
		put_bytes(&lines, 4, o->inner.at, o->inner.n);
	}
	if (!known) {
		id = ++o->n_locations;
		o->failed |= weft_map_put(&o->location, key, id) != 0;
		o->part.n = 0;
		put_number(&o->part, 1, id);
		if (n->address) {
			put_number(&o->part, 2, mapping);
			put_number(&o->part, 3, n->address);
		}
		weft_buf_add(&o->part, lines.at, lines.n);
		put_bytes(&o->out, 4, o->part.at, o->part.n);
	}
	o->failed |= lines.failed;
	weft_buf_fini(&lines);
	return id;
}

static void put_stack(struct pprof *o, uint32_t node)
{
	struct weft_buf sample = {0}, list = {0};
	for (uint32_t k = node; k; k = o->p->node[k].parent) {
		uint64_t id = location_id(o, &k);
		put_varint(&list, id);
	}
	put_bytes(&sample, 1, list.at, list.n);
	list.n = 0;
	put_varint(&list, o->p->node[node].calls);
	uint64_t self = o->p->node[node].self;
	put_varint(&list, o->p->of == WEFT_PROFILE_SAMPLES ? self * o->p->period_ns : self);
	put_bytes(&sample, 2, list.at, list.n);
	put_bytes(&o->out, 2, sample.at, sample.n);
	o->failed |= sample.failed || list.failed;
	weft_buf_fini(&sample);
	weft_buf_fini(&list);
}

static int put_packed(const struct weft_buf *b, FILE *to)
{
	z_stream z = {0};
	unsigned char room[1 << 15];
	int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	if (rc != Z_OK)
		return -ENOMEM;
	const char *at = b->at, *end = b->at + b->n;
	do {
		size_t n = (size_t)(end - at) < (1u << 30) ? (size_t)(end - at) : 1u << 30;
		z.next_in = (unsigned char *)(uintptr_t)at;
		z.avail_in = (unsigned)n;
		at += n;
		do {
			z.next_out = room;
			z.avail_out = sizeof room;
			rc = deflate(&z, at == end ? Z_FINISH : Z_NO_FLUSH);
			fwrite(room, 1, sizeof room - z.avail_out, to);
		} while (z.avail_out == 0);
	} while (at < end);
	deflateEnd(&z);
	return rc == Z_STREAM_END ? 0 : -EIO;
}

int profile_write_pprof(const struct weft_profile *p, const char *title, FILE *to)
{
	struct pprof o = {.p = p};
	bool samples = p->of == WEFT_PROFILE_SAMPLES;
	(void)title;
	text_of(&o, "");
	put_value_type(&o, 1, samples ? "samples" : "calls", "count");
	put_value_type(&o, 1, samples ? "cpu" : "wall", "nanoseconds");
	for (uint32_t i = 1; i < p->n_nodes; i++)
		if (p->node[i].self || p->node[i].calls)
			put_stack(&o, i);
	if (samples && p->period_ns) {
		put_value_type(&o, 11, "cpu", "nanoseconds");
		put_number(&o.out, 12, p->period_ns);
	}
	for (size_t i = 0; i < o.text.n; i++)
		put_bytes(&o.out, 6, o.text.name[i], o.text.len[i]);
	int rc = o.failed || o.out.failed || o.part.failed || o.inner.failed ? -ENOMEM : put_packed(&o.out, to);
	weft_buf_fini(&o.out);
	weft_buf_fini(&o.part);
	weft_buf_fini(&o.inner);
	weft_map_fini(&o.function);
	weft_map_fini(&o.location);
	weft_map_fini(&o.mapping);
	weft_intern_fini(&o.text);
	return rc;
}
