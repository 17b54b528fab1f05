/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tasks ran side by side, over time. A task gives the bins at its ends what it has of them, and to those between a full bin each,
 * as a difference that is summed up at the end: no sorting, and nothing that grows with a task's length.
 */
#include "graph.h"
#include <errno.h>
#include <stdlib.h>

/* Bins are as equal as whole ns allow: bin k begins at from + k * length / n. */
struct bins {
	uint64_t from, length;
	uint32_t n;
};

static uint64_t begin_of(const struct bins *b, uint32_t k)
{
	return b->from + (uint64_t)((unsigned __int128)b->length * k / b->n);
}

static uint32_t bin_of(const struct bins *b, uint64_t at)
{
	uint32_t k = (uint32_t)((unsigned __int128)(at - b->from) * b->n / b->length);
	while (k + 1 < b->n && begin_of(b, k + 1) <= at)
		k++;
	return k;
}

static void add(const struct bins *b, uint64_t begin, uint64_t end, uint64_t *partly, int64_t *fully)
{
	uint32_t first = bin_of(b, begin), last = bin_of(b, end - 1);
	if (first == last) {
		partly[first] += end - begin;
		return;
	}
	partly[first] += begin_of(b, first + 1) - begin;
	partly[last] += end - begin_of(b, last);
	fully[first + 1]++;
	fully[last]--;
}

int weft_graph_parallelism(const struct weft_graph_span *s, uint64_t from, uint64_t to, uint32_t n_bins, uint64_t **busy)
{
	struct bins b = {from, to > from ? to - from : 0, n_bins};
	uint64_t *partly = calloc((size_t)n_bins + 1, sizeof *partly);
	int64_t *fully = calloc((size_t)n_bins + 1, sizeof *fully), running = 0;
	*busy = partly;
	if (!partly || !fully) {
		free(partly);
		free(fully);
		*busy = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; b.length && n_bins && i < s->n; i++) {
		if (s->begin[i] == UINT64_MAX)
			continue;
		uint64_t begin = s->begin[i] > from ? s->begin[i] : from;
		uint64_t end = s->end ? s->end[i] : s->begin[i] + s->duration[i];
		end = end < to ? end : to;
		if (begin < end)
			add(&b, begin, end, partly, fully);
	}
	for (uint32_t k = 0; b.length && k < n_bins; k++) {
		running += fully[k];
		partly[k] += (uint64_t)running * (begin_of(&b, k + 1) - begin_of(&b, k));
	}
	free(fully);
	return 0;
}
