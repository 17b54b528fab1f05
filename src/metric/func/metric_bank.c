/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One evaluation of a derived metric for all that are made of it. A row is a tree of streams, and a
 * metric that is used twice stands in it twice: cheap for the views that people write, but twenty
 * levels of a + a are a million streams. Where a tree would have more than a few, its derived
 * metrics are evaluated once, and each user takes the blocks from a queue:
 *
 *     source ──> [block] [block] [block] ──> users, each at its own place; the first block goes when all have taken it
 *
 * The price is memory for users that are far apart, which is why few uses are not shared. Users
 * pull by time, so most are a block or two apart; one that is shifted far ahead or behind gets a
 * bank of its own, and the number of those is bounded, as is what queues hold.
 */
#include "metric_work.h"
#include "base/map.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEW_USES = 32,         /* streams of derived metrics that a row may have without a bank */
	MOST_BANKS = 1024,     /* of one row */
	MOST_KEPT = 32 << 20,  /* intervals in the queues of one row: 16 bytes each */
	NEAR_SHIFT = 64 << 10, /* intervals that a user of a queue may be ahead or behind by its shift */
};

struct kept {
	uint32_t n, taken; /* taken: by how many users */
	double begin;
	double at[]; /* n ends, n values */
};
struct account { /* a metric of one object over one range */
	const struct weft_metric *metric;
	uint32_t object, n_users;
	double from, to;
	uint64_t next;                 /* account with the same hash, plus 1; 0: none */
	struct metric_stream *source;  /* owned; NULL: it could not be made */
	WEFT_VEC(struct kept *) queue; /* owned; queue.at[first] is number `base` */
	size_t first;
	uint64_t base;
	int rc; /* what the source said last */
};
struct metric_bank {
	struct metric_bank *root;
	WEFT_VEC(struct metric_bank *) branch; /* of the root: owned */
	WEFT_VEC(struct account *) account;    /* owned */
	struct weft_map of;                    /* hash -> account, plus 1 */
	uint64_t kept;                         /* of the root: intervals in all queues */
	bool sealed;                           /* of the root: no users will come */
};
struct user {
	struct metric_stream stream;
	struct metric_bank *root;
	struct account *of; /* borrowed: the bank outlives it */
	uint64_t at;        /* number of the block that it takes next */
};

/* ---- when ---- */

/* Counts no further than `most`. */
static unsigned count_derived(const struct weft_metric *m, unsigned most)
{
	unsigned n = 0;
	if (!m->parent[0])
		return 0;
	for (unsigned i = 0; i < 2 && n < most; i++)
		n += 1 + count_derived(m->parent[i], most - n);
	return n;
}

bool metric_bank_pays(const struct weft_metric *m)
{
	return count_derived(m, FEW_USES) >= FEW_USES;
}

bool metric_bank_takes(int32_t shift)
{
	return shift >= -NEAR_SHIFT && shift <= NEAR_SHIFT;
}

/* ---- banks ---- */

int metric_bank_new(struct metric_bank **out)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		return -ENOMEM;
	(*out)->root = *out;
	return 0;
}

int metric_bank_branch(struct metric_bank **out, struct metric_bank *of)
{
	struct metric_bank *b, *root = of->root;
	*out = NULL;
	if (root->branch.n >= MOST_BANKS)
		return WEFT_E_LIMIT;
	int rc = metric_bank_new(&b);
	if (!rc && (rc = weft_vec_push(&root->branch, b)))
		free(b);
	if (rc)
		return rc;
	b->root = root;
	*out = b;
	return 0;
}

void metric_bank_seal(struct metric_bank *b)
{
	b->root->sealed = true;
}

/* A source takes from accounts that were opened while it was made, so it goes before they do. */
static void account_close(struct account *a)
{
	metric_stream_free(a->source);
	a->source = NULL;
}

static void account_free(struct account *a)
{
	for (size_t i = a->first; i < a->queue.n; i++)
		free(a->queue.at[i]);
	free(a->queue.at);
	free(a);
}

void metric_bank_free(struct metric_bank *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->account.n; i++)
		account_close(b->account.at[i]);
	for (size_t i = 0; i < b->branch.n; i++)
		for (size_t k = 0; k < b->branch.at[i]->account.n; k++)
			account_close(b->branch.at[i]->account.at[k]);
	for (size_t i = 0; i < b->account.n; i++)
		account_free(b->account.at[i]);
	for (size_t i = 0; i < b->branch.n; i++)
		metric_bank_free(b->branch.at[i]);
	free(b->branch.at);
	free(b->account.at);
	weft_map_fini(&b->of);
	free(b);
}

/* ---- at work ---- */

/* Lets go what all have taken. */
static void drop_taken(struct metric_bank *root, struct account *a)
{
	while (root->sealed && a->first < a->queue.n && a->queue.at[a->first]->taken == a->n_users) {
		root->kept -= a->queue.at[a->first]->n;
		free(a->queue.at[a->first++]);
		a->base++;
	}
	if (a->first == a->queue.n)
		a->first = a->queue.n = 0;
}

static int keep_block(struct metric_bank *root, struct account *a, const struct weft_intervals *b)
{
	if (root->kept + b->n > MOST_KEPT)
		return WEFT_E_LIMIT;
	if (a->first > a->queue.n / 2 && a->first) {
		memmove(a->queue.at, a->queue.at + a->first, (a->queue.n - a->first) * sizeof *a->queue.at);
		a->queue.n -= a->first;
		a->first = 0;
	}
	struct kept *k = malloc(sizeof *k + 2 * b->n * sizeof *k->at);
	if (!k || weft_vec_push(&a->queue, k)) {
		free(k);
		return -ENOMEM;
	}
	*k = (struct kept){.n = b->n, .taken = 1, .begin = b->begin};
	memcpy(k->at, b->end, b->n * sizeof *k->at);
	memcpy(k->at + b->n, b->value, b->n * sizeof *k->at);
	root->kept += b->n;
	return 0;
}

static int user_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct user *u = (struct user *)(void *)s;
	struct account *a = u->of;
	size_t place = a->first + (size_t)(u->at - a->base);
	if (place < a->queue.n) {
		struct kept *k = a->queue.at[place];
		b->n = k->n;
		b->begin = k->begin;
		memcpy(b->end, k->at, k->n * sizeof *k->at);
		memcpy(b->value, k->at + k->n, k->n * sizeof *k->at);
		k->taken++;
		u->at++;
		drop_taken(u->root, a);
		return 1;
	}
	if (a->rc <= 0)
		return a->rc;
	a->rc = a->source->next(a->source, b);
	if (a->rc > 0) {
		int rc = keep_block(u->root, a, b);
		if (rc)
			return a->rc = rc;
		u->at++;
		drop_taken(u->root, a);
	}
	return a->rc;
}

/* As if it had never been: nobody waits for it any more. */
static void user_free(struct metric_stream *s)
{
	struct user *u = (struct user *)(void *)s;
	struct account *a = u->of;
	for (size_t i = a->first; i < a->first + (size_t)(u->at - a->base); i++)
		a->queue.at[i]->taken--;
	a->n_users--;
	drop_taken(u->root, a);
	free(u);
}

static uint64_t hash_of(const struct metric_site *site)
{
	const struct {
		uint64_t metric, object;
		double from, to;
	} key = {(uintptr_t)site->metric, site->object, site->from, site->to};
	return weft_hash(&key, sizeof key);
}

static int open_account(struct account **out, struct metric_bank *b, const struct metric_site *site)
{
	uint64_t hash = hash_of(site), first = 0;
	weft_map_get(&b->of, hash, &first);
	for (uint64_t i = first; i; i = (*out)->next) {
		*out = b->account.at[i - 1];
		if ((*out)->metric == site->metric && (*out)->object == site->object && (*out)->from == site->from &&
		    (*out)->to == site->to)
			return (*out)->source ? 0 : -ENOMEM;
	}
	struct account *a = calloc(1, sizeof *a);
	if (!a || weft_vec_push(&b->account, a)) {
		free(a);
		return -ENOMEM;
	}
	*a = (struct account){.metric = site->metric,
	                      .object = site->object,
	                      .from = site->from,
	                      .to = site->to,
	                      .next = first,
	                      .rc = 1};
	*out = a;
	int rc = weft_map_put(&b->of, hash, b->account.n);
	return rc ? rc : metric_row_stream(&a->source, site);
}

int metric_bank_open(struct metric_stream **out, const struct metric_site *site)
{
	struct account *a;
	*out = NULL;
	int rc = open_account(&a, site->bank, site);
	if (rc)
		return rc;
	struct user *u = malloc(sizeof *u);
	if (!u)
		return -ENOMEM;
	/* Blocks that others have taken already are all still there: the bank is not sealed. */
	*u = (struct user){{user_next, user_free}, site->bank->root, a, a->base};
	a->n_users++;
	*out = &u->stream;
	return 0;
}
