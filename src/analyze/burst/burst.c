/* SPDX-License-Identifier: Apache-2.0 */
/* Threads in parallel, each into columns of its own; then all by the time at which a burst is over. */
#include "base/pool.h"
#include "burst_priv.h"
#include "key_order.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct part { /* of one thread; owned */
	struct burst_list list;
	double *count; /* n × counters, one counter after the other */
	size_t n;
};
struct making {
	const struct weft_trace *t;
	const struct weft_bursts_how *how;
	struct weft_space space;
	struct part *part; /* by thread */
	uint32_t n_counters;
};

enum weft_bursts_of weft_bursts_any(const struct weft_trace *t)
{
	const struct weft_def_table *states = &t->def[WEFT_CLASS_STATE];
	for (uint32_t i = 1; i < states->n; i++)
		if (states->at[i].code == 1 && states->at[i].n_events)
			return WEFT_BURSTS_STATES;
	return WEFT_BURSTS_COMPUTE;
}

void weft_bursts_fini(struct weft_bursts *b)
{
	free(b->thread);
	free(b->begin);
	free(b->end);
	free(b->region);
	free(b->value);
	free(b->count);
	*b = (struct weft_bursts){0};
}

/* ---- one thread ---- */

/* Whether the trace counts from event to event: then a burst without one at its end was not counted. */
static bool counts_by_event(const struct making *m)
{
	return !strcmp(m->t->format, "prv");
}

static int count_thread(struct making *m, struct part *p, uint32_t thread)
{
	const struct weft_bursts_how *how = m->how;
	struct weft_count_line *line = calloc(m->n_counters + (size_t)1, sizeof *line);
	p->count = malloc((p->n * m->n_counters + 1) * sizeof *p->count);
	int rc = line && p->count ? weft_counts_read(how->counters, thread, line) : -ENOMEM;
	for (uint32_t c = 0; c < m->n_counters && !rc; c++)
		for (size_t i = 0; i < p->n; i++) {
			const struct burst *b = &p->list.at[i];
			double at = weft_count_at(&line[c], b->end), between = weft_count_between(&line[c], b->begin, b->end);
			if (!counts_by_event(m))
				p->count[c * p->n + i] = between;
			else
				p->count[c * p->n + i] = how->at_end_only || isnan(at) || isnan(between) ? at : between;
		}
	for (uint32_t c = 0; c < m->n_counters && line; c++)
		weft_count_line_fini(&line[c]);
	free(line);
	return rc;
}

static int make_thread(void *arg, size_t thread, unsigned worker)
{
	struct making *m = arg;
	struct part *p = &m->part[thread];
	(void)worker;
	if (m->t->thread[thread].own && !m->how->own_threads)
		return 0;
	int rc = burst_find(&p->list, m->t, &m->space, (uint32_t)thread, m->how);
	p->n = p->list.n;
	if (!rc && m->n_counters && p->n)
		rc = count_thread(m, p, (uint32_t)thread);
	return rc;
}

/* ---- all ---- */

/* key, and which burst it is among all, threads one after the other. Those without a next stand behind all that have one. */
static void fill_keys(const struct making *m, uint64_t *key, uint32_t *index)
{
	size_t at = 0;
	for (uint32_t t = 0; t < m->t->n_threads; t++) {
		const struct part *p = &m->part[t];
		for (size_t i = 0; i < p->n; i++, at++) {
			uint64_t next = i + 1 < p->n ? p->list.at[i + 1].begin : m->t->end + 1;
			key[at] = next <= m->t->end ? next : m->t->end + 1;
			index[at] = (uint32_t)at;
		}
	}
}

static int make_room(struct weft_bursts *out, size_t n, uint32_t n_counters)
{
	out->thread = malloc((n + 1) * sizeof *out->thread);
	out->begin = malloc((n + 1) * sizeof *out->begin);
	out->end = malloc((n + 1) * sizeof *out->end);
	out->region = malloc((n + 1) * sizeof *out->region);
	out->value = malloc((n + 1) * sizeof *out->value);
	out->count = malloc((n * n_counters + 1) * sizeof *out->count);
	out->n = n;
	out->n_counters = n_counters;
	return out->thread && out->begin && out->end && out->region && out->value && out->count ? 0 : -ENOMEM;
}

/* rank[k]: where burst k of all goes. */
static void fill(struct weft_bursts *out, const struct making *m, const uint32_t *rank)
{
	size_t at = 0;
	for (uint32_t t = 0; t < m->t->n_threads; t++) {
		const struct part *p = &m->part[t];
		for (size_t i = 0; i < p->n; i++, at++) {
			uint32_t to = rank[at];
			out->thread[to] = t;
			out->begin[to] = p->list.at[i].begin;
			out->end[to] = p->list.at[i].end;
			out->region[to] = p->list.at[i].region;
			out->value[to] = p->list.at[i].value;
			for (uint32_t c = 0; c < m->n_counters; c++)
				out->count[c * out->n + to] = p->count[c * p->n + i];
		}
	}
}

static int gather(struct weft_bursts *out, const struct making *m)
{
	size_t n = 0;
	for (uint32_t t = 0; t < m->t->n_threads; t++)
		n += m->part[t].n;
	if (n >= UINT32_MAX)
		return -ERANGE;
	uint64_t *key = malloc((n + 1) * sizeof *key);
	uint32_t *index = malloc((n + 1) * sizeof *index), *rank = malloc((n + 1) * sizeof *rank);
	int rc = key && index && rank ? make_room(out, n, m->n_counters) : -ENOMEM;
	if (!rc) {
		fill_keys(m, key, index);
		rc = weft_key_order(key, index, n, weft_key_bits(m->t->end + 1));
	}
	for (size_t i = 0; i < n && !rc; i++)
		rank[index[i]] = (uint32_t)i;
	if (!rc)
		fill(out, m, rank);
	free(key);
	free(index);
	free(rank);
	return rc;
}

static void free_parts(struct making *m)
{
	for (uint32_t t = 0; m->part && t < m->t->n_threads; t++) {
		free(m->part[t].list.at);
		free(m->part[t].count);
	}
	free(m->part);
}

int weft_bursts_make(struct weft_bursts *out, const struct weft_trace *t, const struct weft_bursts_how *how, struct weft_err *err)
{
	struct weft_bursts_how known = *how;
	struct making m = {.t = t, .how = &known, .n_counters = how->counters ? how->counters->n : 0};
	*out = (struct weft_bursts){0};
	known.of = how->of == WEFT_BURSTS_ANY ? weft_bursts_any(t) : how->of;
	m.part = calloc(t->n_threads + (size_t)1, sizeof *m.part);
	int rc = m.part ? 0 : -ENOMEM;
	if (known.of == WEFT_BURSTS_COMPUTE)
		rc = rc ? rc : how->own_threads ? weft_space_init_whole(&m.space, t) : weft_space_init(&m.space, t);
	rc = rc ? rc : weft_parallel(how->threads, t->n_threads, make_thread, &m);
	rc = rc ? rc : gather(out, &m);
	if (known.of == WEFT_BURSTS_COMPUTE)
		weft_space_fini(&m.space);
	free_parts(&m);
	if (rc)
		weft_bursts_fini(out);
	return rc ? weft_err_set(err, rc, "cannot find bursts in '%s': %s", t->path, weft_err_name(rc)) : 0;
}
