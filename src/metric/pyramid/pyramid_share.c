/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long which value lasts in a chunk: a small table of sums. Values are keyed by what they are
 * twice, since a region's value has a half where its thread computes.
 */
#include "pyramid_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MOST = 32 }; /* more values than that in a chunk, and its bursts are as quick to read */

void pyramid_sharing_begin(struct pyramid_sharing *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->is_used[s->slot[i]] = false;
	s->n = 0;
	s->unknown = false;
}

static inline void add_time(struct pyramid_sharing *s, int32_t twice, double time, uint32_t most)
{
	uint32_t i = (uint32_t)twice % PYRAMID_SLOTS;
	while (s->is_used[i] && s->twice[i] != twice)
		i = (i + 1) % PYRAMID_SLOTS;
	if (s->is_used[i]) {
		s->time[i] += time;
	} else if (s->n == most) {
		s->unknown = true;
	} else {
		s->is_used[i] = true;
		s->twice[i] = twice;
		s->time[i] = time;
		s->slot[s->n++] = (uint8_t)i;
	}
}

void pyramid_sharing_add(struct pyramid_sharing *s, struct pyramid_sharing *all, double begin,
                         const struct weft_pyramid_bursts *b, uint32_t n)
{
	for (uint32_t i = 0; i < n && !s->unknown; i++) {
		const double time = b->end[i] - begin, twice = 2 * b->value[i];
		if (!(fabs(twice) <= INT32_MAX) || twice != (int32_t)twice || !(time >= 0))
			s->unknown = true;
		else if (time > 0)
			add_time(s, (int32_t)twice, time, CHUNK_MOST);
		begin = b->end[i];
	}
	all->unknown |= s->unknown;
	for (uint32_t i = 0; i < s->n && !all->unknown; i++)
		add_time(all, s->twice[s->slot[i]], s->time[s->slot[i]], WEFT_PYRAMID_SHARES_MOST);
}

/* Appends them; *of says where they are. */
static int push_shares(struct pyramid_row_shares *r, const struct pyramid_sharing *s, struct weft_pyramid_shares *of)
{
	size_t first = r->share.n;
	bool known = !s->unknown && first < UINT32_MAX - WEFT_PYRAMID_SHARES_MOST;
	for (uint32_t i = 0; i < s->n; i++)
		known &= s->time[s->slot[i]] <= UINT32_MAX;
	*of = (struct weft_pyramid_shares){known ? (uint32_t)first : 0, known ? s->n : 0};
	for (uint32_t i = 0; i < of->n; i++)
		if (weft_vec_push(&r->share, ((struct weft_pyramid_share){(uint32_t)s->time[s->slot[i]], s->twice[s->slot[i]]})))
			return -ENOMEM;
	return 0;
}

int pyramid_shares_push_chunk(struct pyramid_row_shares *r, const struct pyramid_sharing *s)
{
	struct weft_pyramid_shares of;
	return push_shares(r, s, &of) || weft_vec_push(&r->of_chunk, of) ? -ENOMEM : 0;
}

int pyramid_shares_push_node(struct pyramid_row_shares *r, const struct pyramid_sharing *s)
{
	struct weft_pyramid_shares of;
	return push_shares(r, s, &of) || weft_vec_push(&r->of_node, of) ? -ENOMEM : 0;
}

void pyramid_shares_fini(struct pyramid_row_shares *r)
{
	free(r->share.at);
	free(r->of_chunk.at);
	free(r->of_node.at);
}
