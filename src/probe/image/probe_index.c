/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chained hashing of names. The number of chains is given at the begin, and entries lie in one
 * array.
 */
#include "probe_index.h"
#include "probe_image.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define END UINT32_MAX

static uint32_t hash(const char *at, size_t n)
{
	uint32_t h = 2166136261u;
	for (size_t k = 0; k < n; k++)
		h = (h ^ (unsigned char)at[k]) * 16777619u;
	return h ^ h >> 15;
}

int probe_index_init(struct probe_index *x, size_t symbols)
{
	size_t chains = 64;
	while (chains < symbols && chains < 1u << 24)
		chains *= 2;
	*x = (struct probe_index){.mask = (uint32_t)chains - 1};
	x->head = malloc(chains * sizeof *x->head);
	if (!x->head || weft_vec_reserve(&x->entries, symbols)) {
		probe_index_fini(x);
		return -ENOMEM;
	}
	memset(x->head, 0xff, chains * sizeof *x->head);
	return 0;
}

void probe_index_fini(struct probe_index *x)
{
	free(x->head);
	free(x->entries.at);
	*x = (struct probe_index){0};
}

static int add(struct probe_index *x, const char *text, size_t n, uint32_t symbol)
{
	uint32_t *head = &x->head[hash(text, n) & x->mask];
	if (weft_vec_push(&x->entries, (struct probe_index_entry){symbol, *head}))
		return -ENOMEM;
	*head = (uint32_t)x->entries.n - 1;
	return 0;
}

/* Behind the last colon; all of it where there is none. */
static const char *last_part(const char *name)
{
	const char *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

int probe_index_add(struct probe_index *x, const char *name, uint32_t symbol)
{
	char qualified[512];
	size_t n = 0;
	while (name[n] && name[n] != '.' && name[n] != '@')
		n++;
	int rc = add(x, name, n, symbol);
	if (rc == 0 && name[n])
		rc = add(x, name, n + strlen(name + n), symbol);
	if (rc == 0 && probe_name_qualified(name, n, qualified, sizeof qualified))
		rc = add(x, last_part(qualified), strlen(last_part(qualified)), symbol);
	return rc;
}

bool probe_index_next(const struct probe_index *x, struct probe_index_walk *w, uint32_t *symbol)
{
	const char *last = last_part(w->asked);
	unsigned chains = last == w->asked ? 1 : 2;
	while (w->chains == 0 || (w->at == END && w->chains < chains)) {
		const char *text = w->chains == 0 ? last : w->asked;
		w->at = x->head[hash(text, strlen(text)) & x->mask];
		w->chains++;
	}
	if (w->at == END)
		return false;
	*symbol = x->entries.at[w->at].symbol;
	w->at = x->entries.at[w->at].next;
	return true;
}
