/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Radix sort of (key, ref) pairs, least significant byte first: stable, linear, and it skips bytes that are the same in all
 * keys, which with times is the upper half. What is in order already is left alone; a few are inserted one by one.
 */
#include "builder.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool in_order(const struct sort_pair *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (at[i].key < at[i - 1].key)
			return false;
	return true;
}

static void insert_pairs(struct sort_pair *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_pair late = at[i];
		size_t to = i;
		for (; to && at[to - 1].key > late.key; to--)
			at[to] = at[to - 1];
		at[to] = late;
	}
}

int sort_pairs(struct sort_pair *at, size_t n)
{
	enum { FEW = 32 };
	if (n < FEW) {
		insert_pairs(at, n);
		return 0;
	}
	if (in_order(at, n))
		return 0;
	struct sort_pair *temp = malloc(n * sizeof *temp);
	size_t(*count)[256] = calloc(8, sizeof *count);
	if (!temp || !count) {
		free(temp);
		free(count);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < 8; d++)
			count[d][at[i].key >> 8 * d & 0xff]++;
	struct sort_pair *from = at, *to = temp;
	for (unsigned d = 0; d < 8; d++) {
		if (count[d][from[0].key >> 8 * d & 0xff] == n)
			continue;
		size_t sum = 0;
		for (unsigned v = 0; v < 256; v++) {
			size_t c = count[d][v];
			count[d][v] = sum;
			sum += c;
		}
		for (size_t i = 0; i < n; i++)
			to[count[d][from[i].key >> 8 * d & 0xff]++] = from[i];
		struct sort_pair *swap = from;
		from = to;
		to = swap;
	}
	if (from != at)
		memcpy(at, from, n * sizeof *at);
	free(temp);
	free(count);
	return 0;
}
