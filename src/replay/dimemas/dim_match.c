/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of messages by channel. Tasks are read one after the other, so of a message one end comes long before the other: what waits
 * is a chain through an array beside the messages, 8 bytes each.
 */
#include "dim_match.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };
#define NOTHING UINT32_MAX

void dim_match_fini(struct dim_match *m)
{
	free(m->channel.at);
	free(m->slot);
	free(m->link.at);
	free(m->wait_link.at);
	*m = (struct dim_match){0};
}

static uint64_t hash(const struct dim_channel_key *k)
{
	uint64_t x = ((uint64_t)k->from << 32 | k->to) * UINT64_C(0x9e3779b97f4a7c15);
	x ^= ((uint64_t)(uint32_t)k->tag << 32 | k->comm) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 29 ^ x >> 47;
}

static bool same(const struct dim_channel_key *a, const struct dim_channel_key *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

static int grow(struct dim_match *m)
{
	const uint64_t n = m->slot ? 2 * (m->mask + 1) : FIRST_SLOTS;
	uint32_t *slot = calloc(n, sizeof *slot);
	if (!slot)
		return -ENOMEM;
	free(m->slot);
	m->slot = slot;
	m->mask = n - 1;
	for (size_t i = 0; i < m->channel.n; i++) {
		uint64_t h = hash(&m->channel.at[i].key) & m->mask;
		while (slot[h])
			h = (h + 1) & m->mask;
		slot[h] = (uint32_t)i + 1;
	}
	return 0;
}

static struct dim_channel *find(struct dim_match *m, const struct dim_channel_key *key, bool make)
{
	if (m->last < m->channel.n && same(&m->channel.at[m->last].key, key))
		return &m->channel.at[m->last];
	if (2 * (m->channel.n + 1) > (m->slot ? m->mask + 1 : 0) && grow(m))
		return NULL;
	uint64_t h = hash(key) & m->mask;
	while (m->slot[h] && !same(&m->channel.at[m->slot[h] - 1].key, key))
		h = (h + 1) & m->mask;
	if (!m->slot[h]) {
		const struct dim_chain none = {NOTHING, NOTHING};
		if (!make || weft_vec_push(&m->channel, (struct dim_channel){*key, none, none, none}))
			return NULL;
		m->slot[h] = (uint32_t)m->channel.n;
	}
	m->last = m->slot[h] - 1;
	return &m->channel.at[m->last];
}

static void put(struct dim_chain *c, uint32_t *link, uint32_t message)
{
	link[message] = NOTHING;
	if (c->head == NOTHING)
		c->head = message;
	else
		link[c->tail] = message;
	c->tail = message;
}

static uint32_t take(struct dim_chain *c, const uint32_t *link)
{
	const uint32_t message = c->head;
	if (message != NOTHING)
		c->head = link[message];
	return message;
}

static int64_t new_message(struct dim_match *m, struct weft_replay_builder *b, const struct dim_channel_key *key, uint64_t bytes)
{
	const struct weft_replay_message row = {.bytes = bytes,
	                                        .from = WEFT_NONE,
	                                        .to = WEFT_NONE,
	                                        .tag = key->tag,
	                                        .comm = key->comm};
	const int64_t n = weft_replay_build_message(b, &row);
	if (n < 0)
		return n;
	if (n >= NOTHING)
		return -E2BIG;
	if (weft_vec_push(&m->link, NOTHING) || weft_vec_push(&m->wait_link, NOTHING))
		return -ENOMEM;
	return n;
}

int64_t dim_match_send(struct dim_match *m, struct weft_replay_builder *b, const struct dim_channel_key *key, uint64_t bytes)
{
	struct dim_channel *c = find(m, key, true);
	if (!c)
		return -ENOMEM;
	int64_t n = take(&c->unsent, m->link.at);
	const bool is_new = n == NOTHING;
	if (is_new && (n = new_message(m, b, key, bytes)) < 0)
		return n;
	if (is_new)
		put(&c->unreceived, m->link.at, (uint32_t)n);
	struct weft_replay_message *row = &weft_replay_built(b)->message[n];
	row->from = weft_replay_built(b)->n_threads - 1;
	row->bytes = bytes; /* what is sent counts */
	return n;
}

int64_t dim_match_receive(struct dim_match *m, struct weft_replay_builder *b, const struct dim_channel_key *key, uint64_t bytes,
                          bool posted)
{
	struct dim_channel *c = find(m, key, true);
	if (!c)
		return -ENOMEM;
	int64_t n = take(&c->unreceived, m->link.at);
	const bool is_new = n == NOTHING;
	if (is_new && (n = new_message(m, b, key, bytes)) < 0)
		return n;
	if (is_new)
		put(&c->unsent, m->link.at, (uint32_t)n);
	weft_replay_built(b)->message[n].to = weft_replay_built(b)->n_threads - 1;
	if (posted)
		put(&c->unwaited, m->wait_link.at, (uint32_t)n);
	return n;
}

int64_t dim_match_wait(struct dim_match *m, const struct dim_channel_key *key)
{
	struct dim_channel *c = m->slot ? find(m, key, false) : NULL;
	const uint32_t n = c ? take(&c->unwaited, m->wait_link.at) : NOTHING;
	return n == NOTHING ? -ENOENT : (int64_t)n;
}
