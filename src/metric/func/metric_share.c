/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over a thread for two rows. Both parents of a derived metric often begin with the same
 * thread function ("the burst time of useful" times "useful"); then the records are read once, and
 * the parent that is behind takes its blocks from a queue.
 *
 *     thread stream ──> parent that is ahead
 *                  └──> queue ──> parent that is behind       a block or two, as both are pulled by time
 *
 * Only for operations that pull their parents evenly: plain ones without shifts.
 */
#include "metric_work.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct shared {                       /* a thread's stream */
	struct metric_stream *source; /* owned */
	uint32_t object;
	double from, to;
	WEFT_VEC(struct weft_intervals *) queue; /* owned; for the one that is behind */
	WEFT_VEC(struct weft_intervals *) spare; /* owned */
	size_t first;                            /* of the queue */
	int ahead;                               /* which of the two */
	bool alive[2], sealed;
};
struct metric_share {
	WEFT_VEC(struct shared *) of; /* owned */
};
struct sharer {
	struct metric_stream stream;
	struct shared *of; /* borrowed: the share outlives it */
	int which;
};

/* ---- may it be? ---- */

static bool same_list(struct weft_list a, struct weft_list b)
{
	return a.n == b.n && (!a.n || !memcmp(a.at, b.at, a.n * sizeof *a.at));
}

static bool same_call(const struct weft_call *a, const struct weft_call *b)
{
	bool same = a->func == b->func;
	for (unsigned i = 0; i < WEFT_PARAMS; i++)
		same &= same_list(a->param[i], b->param[i]);
	return same;
}

static bool same_filter(const struct weft_record_filter *a, const struct weft_record_filter *b)
{
	bool same = a->logical == b->logical && a->physical == b->physical && a->intra == b->intra && a->inter == b->inter &&
	            a->or_from_to == b->or_from_to && a->or_tag_size == b->or_tag_size && a->or_type_value == b->or_type_value;
	for (unsigned i = 0; i < WEFT_FILTERS; i++)
		same &= a->test[i].kind == b->test[i].kind && same_list(a->test[i].list, b->test[i].list);
	return same;
}

static bool may_share(const struct weft_metric *a, const struct weft_metric *b)
{
	return !a->parent[0] && !b->parent[0] && a->level == b->level && !weft_level_of_resources(a->level) &&
	       a->unit == b->unit && same_call(&a->of_level[WEFT_THREAD], &b->of_level[WEFT_THREAD]) &&
	       same_filter(&a->filter, &b->filter);
}

int metric_share_new(struct metric_share **out, const struct weft_metric *a, const struct weft_metric *b)
{
	*out = NULL;
	if (!may_share(a, b))
		return 0;
	*out = calloc(1, sizeof **out);
	return *out ? 0 : -ENOMEM;
}

static void shared_free(struct shared *s)
{
	metric_stream_free(s->source);
	for (size_t i = s->first; i < s->queue.n; i++)
		free(s->queue.at[i]);
	for (size_t i = 0; i < s->spare.n; i++)
		free(s->spare.at[i]);
	free(s->queue.at);
	free(s->spare.at);
	free(s);
}

void metric_share_free(struct metric_share *h)
{
	for (size_t i = 0; h && i < h->of.n; i++)
		shared_free(h->of.at[i]);
	if (h)
		free(h->of.at);
	free(h);
}

/* A stream that only one parent asked for keeps nothing. */
void metric_share_seal(struct metric_share *h)
{
	for (size_t i = 0; h && i < h->of.n; i++)
		h->of.at[i]->sealed = true;
}

/* ---- at work ---- */

static int keep(struct shared *s, const struct weft_intervals *b)
{
	struct weft_intervals *copy = s->spare.n ? s->spare.at[--s->spare.n] : malloc(sizeof *copy);
	if (!copy)
		return -ENOMEM;
	copy->n = b->n;
	copy->begin = b->begin;
	memcpy(copy->end, b->end, b->n * sizeof *b->end);
	memcpy(copy->value, b->value, b->n * sizeof *b->value);
	if (s->first == s->queue.n)
		s->first = s->queue.n = 0;
	/* A place to put it back to is made now, while failing is possible. */
	if (!weft_vec_reserve(&s->spare, s->spare.n + s->queue.n - s->first + 1) && !weft_vec_push(&s->queue, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

static int take_kept(struct shared *s, struct weft_intervals *b)
{
	struct weft_intervals *kept = s->queue.at[s->first++];
	b->n = kept->n;
	b->begin = kept->begin;
	memcpy(b->end, kept->end, kept->n * sizeof *b->end);
	memcpy(b->value, kept->value, kept->n * sizeof *b->value);
	s->spare.at[s->spare.n++] = kept;
	return 1;
}

static int share_next(struct metric_stream *stream, struct weft_intervals *b)
{
	struct sharer *r = (struct sharer *)(void *)stream;
	struct shared *s = r->of;
	if (r->which != s->ahead && s->first < s->queue.n)
		return take_kept(s, b);
	s->ahead = r->which;
	int rc = s->source->next(s->source, b);
	if (rc > 0 && (s->alive[!r->which] || !s->sealed)) {
		int failed = keep(s, b);
		rc = failed ? failed : rc;
	}
	return rc;
}

static void share_free(struct metric_stream *stream)
{
	struct sharer *r = (struct sharer *)(void *)stream;
	r->of->alive[r->which] = false;
	free(r);
}

/* The stream that is there for the thread and the range, and has one user so far; NULL: none. */
static struct shared *find(const struct metric_share *h, const struct metric_site *site)
{
	for (size_t i = 0; i < h->of.n; i++) {
		struct shared *s = h->of.at[i];
		if (s->object == site->object && s->from == site->from && s->to == site->to && !s->alive[1])
			return s;
	}
	return NULL;
}

int metric_share_open(struct metric_stream **out, const struct metric_site *site)
{
	struct metric_share *h = site->share;
	struct sharer *r = calloc(1, sizeof *r);
	struct shared *s = find(h, site);
	int rc = r ? 0 : -ENOMEM;
	*out = NULL;
	if (!rc && !s) {
		s = calloc(1, sizeof *s);
		rc = s ? weft_vec_push(&h->of, s) : -ENOMEM;
		if (rc)
			free(s);
		if (!rc) {
			s->object = site->object;
			s->from = site->from;
			s->to = site->to;
			rc = metric_thread_new(&s->source, site);
		}
	}
	if (rc) {
		free(r);
		return rc;
	}
	*r = (struct sharer){{share_next, share_free}, s, s->alive[0]};
	s->alive[r->which] = true;
	*out = &r->stream;
	return 0;
}
