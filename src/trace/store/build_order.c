/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From writers to one sorted list of blocks a thread. Blocks come sorted inside; what remains are neighbours that overlap: a
 * signal handler's events at the border of two blocks, a thread described by two streams, a foreign file in disorder. Such
 * blocks are merged: found as contiguous groups with a stack of intervals, each group cut into runs that are in order, and the
 * runs merged 16 at a time until one is left. What is in order already costs a comparison per block.
 */
#include "builder.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define FAN_IN 16u

struct block_vec {
	struct col_block *at;
	size_t n, cap;
};

/* Where a merge reads from: a stretch of blocks that are in order. */
struct run {
	const struct col_block *next, *end;
	struct col_scratch *scratch;
	uint32_t at, n;
};

struct repair {
	struct weft_builder *b;
	struct col_source source;
	struct col_scratch *scratch; /* FAN_IN of them */
	struct col_encoder *enc;
};

static int run_load(struct repair *r, struct run *run)
{
	run->at = run->n = 0;
	if (run->next == run->end)
		return 0;
	int rc = col_decode(&r->source, run->next, run->scratch);
	run->n = run->next->n;
	run->next++;
	return rc;
}

static int copy_event(struct repair *r, struct col_writer *to, const struct run *from)
{
	const struct col_scratch *s = from->scratch;
	uint32_t i = from->at;
	if (col_full(to)) {
		int rc = col_write_block(to, r->enc);
		if (rc)
			return rc;
	}
	if (col_value_of(weft_what_kind(s->what[i])) != COL_EXTRA)
		return col_put(to, s->time[i], s->what[i], s->value[i]);
	const uint64_t *words = (const uint64_t *)(const void *)(r->source.at + 8 * s->value[i]);
	return col_put_extra(to, s->time[i], s->what[i], words + 1, (uint32_t)words[0]);
}

/* The run whose next event is earliest, the first of equals; and the time at which another one takes over. */
static struct run *order_earliest(struct run *run, uint32_t n, uint64_t *until)
{
	struct run *best = NULL;
	*until = UINT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		if (run[i].at == run[i].n)
			continue;
		uint64_t time = run[i].scratch->time[run[i].at];
		if (!best) {
			best = &run[i];
			continue;
		}
		uint64_t best_time = best->scratch->time[best->at];
		if (time < best_time) {
			*until = best_time; /* `best` came before: at equal times it goes first */
			best = &run[i];
		} else if (time < *until) {
			*until = time == UINT64_MAX ? time : time + 1; /* comes after: at equal times it waits */
		}
	}
	return best;
}

static int merge_runs(struct repair *r, struct run *run, uint32_t n, struct col_writer *to)
{
	for (uint32_t i = 0; i < n; i++) {
		run[i].scratch = &r->scratch[i];
		int rc = run_load(r, &run[i]);
		if (rc)
			return rc;
	}
	for (;;) {
		uint64_t until;
		struct run *from = order_earliest(run, n, &until);
		if (!from)
			return col_write_block(to, r->enc);
		do {
			int rc = copy_event(r, to, from);
			if (!rc && ++from->at == from->n)
				rc = run_load(r, from);
			if (rc)
				return rc;
		} while (from->at < from->n && from->scratch->time[from->at] < until);
	}
}

static void order_unmap(struct col_source *s)
{
	if (s->at)
		munmap((void *)(uintptr_t)s->at, s->n + COL_SLACK);
	*s = (struct col_source){0};
}

/* Maps what has been written so far. */
static int map_columns(struct repair *r)
{
	uint64_t bytes;
	order_unmap(&r->source);
	int rc = col_out_finish(&r->b->out, &bytes);
	if (rc)
		return rc;
	void *at = mmap(NULL, bytes + COL_SLACK, PROT_READ, MAP_SHARED, r->b->out.fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	r->source = (struct col_source){at, bytes};
	return 0;
}

/* Cuts blocks [0, n) into runs that are in order; their number, at most `most`. *used: how many blocks they cover. */
static uint32_t find_runs(const struct col_block *block, size_t n, struct run *run, uint32_t most, size_t *used)
{
	uint32_t n_runs = 0;
	size_t i = 0;
	while (i < n && n_runs < most) {
		size_t from = i++;
		while (i < n && block[i].first >= block[i - 1].last)
			i++;
		run[n_runs++] = (struct run){.next = block + from, .end = block + i};
	}
	*used = i;
	return n_runs;
}

/* Merges a group until it is one run. Replaces its blocks in `list`. */
static int repair_group(struct repair *r, const struct col_block *block, size_t n, struct block_vec *to)
{
	struct block_vec now = {0};
	int rc = 0;
	for (;;) {
		struct run run[FAN_IN];
		struct col_writer w;
		col_writer_init(&w, &r->b->out, NULL, 0);
		size_t used = 0, at = 0;
		rc = map_columns(r);
		while (!rc && at < n) {
			uint32_t n_runs = find_runs(block + at, n - at, run, FAN_IN, &used);
			rc = merge_runs(r, run, n_runs, &w);
			at += used;
		}
		free(now.at);
		now = (struct block_vec){w.block.at, w.block.n, w.block.cap};
		w.block.at = NULL;
		col_writer_fini(&w);
		if (rc)
			break;
		block = now.at;
		n = now.n;
		find_runs(block, n, run, 1, &used);
		if (used == n)
			break;
	}
	for (size_t i = 0; !rc && i < now.n; i++)
		rc = weft_vec_push(to, now.at[i]);
	free(now.at);
	return rc;
}

struct group {
	size_t from, to;
	uint64_t first, last;
};
struct group_vec {
	struct group *at;
	size_t n, cap;
};

/* Groups of neighbours that overlap. */
static int find_groups(const struct block_vec *list, struct group_vec *groups)
{
	for (size_t i = 0; i < list->n; i++) {
		struct group g = {i, i + 1, list->at[i].first, list->at[i].last};
		while (groups->n && groups->at[groups->n - 1].last > g.first) {
			const struct group *top = &groups->at[--groups->n];
			g.from = top->from;
			g.first = top->first < g.first ? top->first : g.first;
			g.last = top->last > g.last ? top->last : g.last;
		}
		if (weft_vec_push(groups, g))
			return -ENOMEM;
	}
	return 0;
}

static int repair_begin(struct repair *r, struct weft_builder *b)
{
	if (r->b)
		return 0;
	*r = (struct repair){.b = b, .scratch = calloc(FAN_IN, sizeof *r->scratch), .enc = builder_take_encoder(b)};
	return r->scratch && r->enc ? 0 : -ENOMEM;
}

static void repair_end(struct repair *r)
{
	if (!r->b)
		return;
	order_unmap(&r->source);
	for (unsigned i = 0; r->scratch && i < FAN_IN; i++)
		col_scratch_fini(&r->scratch[i]);
	free(r->scratch);
	if (r->enc)
		builder_give_encoder(r->b, r->enc);
}

static int repair_list(struct repair *r, struct weft_builder *b, struct block_vec *list)
{
	size_t i = 1;
	while (i < list->n && list->at[i].first >= list->at[i - 1].last)
		i++;
	if (i >= list->n)
		return 0;
	struct group_vec groups = {0};
	struct block_vec fixed = {0};
	int rc = repair_begin(r, b);
	if (!rc)
		rc = find_groups(list, &groups);
	for (size_t g = 0; !rc && g < groups.n; g++) {
		const struct group *at = &groups.at[g];
		if (at->to - at->from == 1)
			rc = weft_vec_push(&fixed, list->at[at->from]);
		else
			rc = repair_group(r, list->at + at->from, at->to - at->from, &fixed);
	}
	free(groups.at);
	if (rc) {
		free(fixed.at);
		return rc;
	}
	free(list->at);
	*list = fixed;
	return 0;
}

/* The blocks of one writer go behind those that are there; its halves are counted on from theirs. */
static int take_blocks(struct build_thread_blocks *t, struct block_vec *list, struct col_writer *w, struct build_base *base)
{
	*base = (struct build_base){.half = t->n_halves, .flow = t->n_flows};
	for (size_t i = 0; i < w->block.n; i++) {
		struct col_block row = w->block.at[i];
		row.half_base += t->n_halves;
		row.flow_base += t->n_flows;
		if (weft_vec_push(list, row))
			return -ENOMEM;
	}
	t->n_events += w->n_events;
	t->n_halves += w->n_halves;
	t->n_flows += w->n_flows;
	t->dropped += w->dropped;
	free(w->block.at);
	w->block.at = NULL;
	w->block.n = w->block.cap = 0;
	return 0;
}

static int count_defs(struct weft_builder *b, const struct col_writer *w)
{
	size_t pos = 0;
	uint64_t what, n;
	while (weft_map_next(&w->count, &pos, &what, &n)) {
		enum weft_class c = weft_kind_info[weft_what_kind((uint32_t)what)].of;
		unsigned id = weft_what_id((uint32_t)what);
		if (id >= b->def[c].row.n && c != WEFT_CLASS_NONE)
			return -EINVAL; /* an event names a definition that was never made */
		if (c != WEFT_CLASS_NONE)
			b->def[c].row.at[id].row.n_events += n;
	}
	return 0;
}

static int order_thread(struct build_product *p, struct repair *r, struct weft_builder *b, struct weft_appender *a)
{
	struct block_vec list = {0};
	struct build_thread_blocks *t = &p->thread[a->thread];
	struct col_encoder *enc = builder_take_encoder(b);
	int rc = enc ? col_write_block(&a->own, enc) : -ENOMEM;
	if (enc)
		builder_give_encoder(b, enc);
	for (size_t i = 0; !rc && i <= a->part.n; i++) {
		struct col_writer *w = i < a->part.n ? a->part.at[i] : &a->own;
		rc = count_defs(b, w);
		if (!rc)
			rc = col_flush_ends(w);
		if (!rc)
			rc = take_blocks(t, &list, w, &p->base[w->serial]);
		p->base[w->serial].thread = a->thread;
	}
	if (!rc)
		rc = repair_list(r, b, &list);
	t->block.at = list.at;
	t->block.n = list.n;
	t->block.cap = list.cap;
	return rc;
}

int build_order(struct weft_builder *b, struct build_product *p)
{
	struct repair r = {0};
	int rc = 0;
	p->thread = calloc(b->thread.n + 1, sizeof *p->thread);
	p->base = calloc(b->n_serials + 1u, sizeof *p->base);
	if (!p->thread || !p->base)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < b->thread.n; i++) {
		struct build_thread_blocks *t = &p->thread[i];
		if (b->appender.at[i])
			rc = order_thread(p, &r, b, b->appender.at[i]);
		t->half_base = p->n_halves;
		t->flow_base = p->n_flow_ends;
		for (size_t k = 0; k < t->block.n; k++) {
			t->block.at[k].half_base += t->half_base;
			t->block.at[k].flow_base += t->flow_base;
		}
		p->n_halves += t->n_halves;
		p->n_flow_ends += t->n_flows;
		p->n_events += t->n_events;
		p->n_blocks += t->block.n;
	}
	repair_end(&r);
	return rc;
}
