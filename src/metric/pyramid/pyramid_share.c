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
	s->n = 0;
	s->unknown = false;
	memset(s->slot, 0, sizeof s->slot);
}

static void add_time(struct pyramid_sharing *s, int32_t twice, uint64_t time, uint32_t most)
{
	uint32_t i = (uint32_t)twice * 2654435769u >> 25; /* seven bits */
	while (s->slot[i] && s->twice[s->slot[i] - 1] != twice)
		i = (i + 1) % PYRAMID_SLOTS;
	if (!s->slot[i]) {
		if (s->n == most) {
			s->unknown = true;
			return;
		}
		s->twice[s->n] = twice;
		s->time[s->n] = 0;
		s->slot[i] = (uint8_t)++s->n;
	}
	s->time[s->slot[i] - 1] += time;
}

/* Whether a burst can be told by its value twice and a whole time. */
static bool is_told(double v, double time)
{
	double twice = 2 * v;
	return fabs(twice) <= INT32_MAX && twice == (int32_t)twice && time >= 0 && time < 0x1p53 &&
	       time == (double)(uint64_t)time;
}

void pyramid_sharing_add(struct pyramid_sharing *s, struct pyramid_sharing *all, double begin,
                         const struct weft_pyramid_bursts *b, uint32_t n)
{
	for (uint32_t i = 0; i < n && !s->unknown; i++) {
		double time = b->end[i] - begin;
		if (!is_told(b->value[i], time))
			s->unknown = true;
		else if (time > 0)
			add_time(s, (int32_t)(2 * b->value[i]), (uint64_t)time, CHUNK_MOST);
		begin = b->end[i];
	}
	all->unknown |= s->unknown;
	for (uint32_t i = 0; i < s->n && !all->unknown; i++)
		add_time(all, s->twice[i], s->time[i], WEFT_PYRAMID_SHARES_MOST);
}

/* Appends them; *of says where they are. */
static int push_shares(struct pyramid_row_shares *r, const struct pyramid_sharing *s, struct weft_pyramid_shares *of)
{
	size_t first = r->share.n;
	bool known = !s->unknown && first < UINT32_MAX - WEFT_PYRAMID_SHARES_MOST;
	for (uint32_t i = 0; i < s->n; i++)
		known &= s->time[i] <= UINT32_MAX;
	*of = (struct weft_pyramid_shares){known ? (uint32_t)first : 0, known ? s->n : 0};
	for (uint32_t i = 0; i < of->n; i++)
		if (weft_vec_push(&r->share, ((struct weft_pyramid_share){(uint32_t)s->time[i], s->twice[i]})))
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
