/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading depends on the last writer; writing on the readers since then, or on the last writer when there are none. Everything
 * else (groups that commute or reduce, accesses without a place) goes through place_specially, by one look at all bits.
 */
#include "life_detail.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(RT_NOPLAN >> 4 == RT_H_PLANNED, "place() shifts the one onto the other");

struct rt_order_hooks rt_order_hooks;

void rt_handle_init(struct rt_handle *h)
{
	*h = (struct rt_handle){0};
}

void rt_handle_fini(struct rt_handle *h)
{
	free(h->more);
}

int rt_refs_grow(struct rt_refs *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : 64;
	rt_ref *at = realloc(r->at, cap * sizeof *at);
	if (!at)
		return -ENOMEM;
	r->at = at;
	r->cap = cap;
	return 0;
}

static inline void order_spin(struct rt_handle *h)
{
	while (weft_swap_u32(&h->lock, 1))
		while (weft_load_relaxed_u32(&h->lock)) /* relaxed: the swap decides */
			__builtin_ia32_pause();
}

static inline void order_lock(struct rt_handle *h)
{
	if (WEFT_LIKELY(!rt_trace_has(RT_GROUP_LOCK))) {
		order_spin(h);
		return;
	}
	rt_detail_locking("order");
	order_spin(h);
	weft_leave(rt_detail.locking);
}

static inline void order_unlock(struct rt_handle *h)
{
	weft_store_u32(&h->lock, 0);
}

static void order_mark(struct rt_handle *h, uint32_t set, uint32_t clear)
{
	h->bits = (uint8_t)((h->bits & ~clear) | set);
}

void rt_handle_mark(struct rt_handle *h, uint32_t set, uint32_t clear)
{
	order_lock(h);
	order_mark(h, set, clear);
	order_unlock(h);
}

static rt_ref *order_readers(struct rt_handle *h)
{
	return h->log_cap ? h->more : h->reader;
}

bool rt_handle_is_idle(struct rt_handle *h)
{
	order_lock(h);
	bool idle = !h->writer || rt_ref_is_done(h->writer);
	for (uint32_t i = 0; i < h->n_readers && idle; i++)
		idle = rt_ref_is_done(order_readers(h)[i]);
	order_unlock(h);
	return idle;
}

enum { LOG_FIRST = 4, LOG_MOST = 15 };

/* Room for one more reader: those that are done leave; when that is not half of them, more memory. */
static int make_room(struct rt_handle *h)
{
	rt_ref *r = order_readers(h);
	uint32_t n = 0, cap = h->log_cap ? UINT32_C(1) << h->log_cap : RT_READERS;
	if (h->n_readers < cap)
		return 0;
	for (uint32_t i = 0; i < h->n_readers; i++)
		if (!rt_ref_is_done(r[i]))
			r[n++] = r[i];
	h->n_readers = (uint16_t)n;
	if (n <= cap / 2)
		return 0;
	uint8_t log_cap = h->log_cap ? h->log_cap + 1 : LOG_FIRST;
	rt_ref *more = log_cap > LOG_MOST ? NULL : malloc(sizeof *more << log_cap);
	if (!more)
		return n < cap ? 0 : -ENOMEM;
	memcpy(more, r, n * sizeof *more);
	free(h->more);
	h->more = more;
	h->log_cap = log_cap;
	return 0;
}

/* Edges will be hung on what the access depends on: the lines of all of them come at once, while the rest is seen to. */
static void order_prefetch(const struct rt_handle *h, uint32_t mode)
{
	if (mode & RT_WRITE && h->n_readers && !h->log_cap)
		for (uint32_t i = 0; i < h->n_readers; i++)
			__builtin_prefetch(rt_job_at((uint32_t)h->reader[i]), 1);
	else
		__builtin_prefetch(rt_job_at((uint32_t)h->writer), 1);
}

static int order_depend(struct rt_handle *h, uint32_t mode, struct rt_refs *before)
{
	int rc = 0;
	if (!(mode & RT_WRITE) || !h->n_readers)
		return h->writer ? rt_refs_add(before, h->writer) : 0;
	for (uint32_t i = 0; i < h->n_readers && !rc; i++)
		rc = rt_refs_add(before, order_readers(h)[i]);
	return rc;
}

static void register_in(struct rt_handle *h, uint32_t mode, rt_ref self)
{
	if (mode & RT_WRITE) {
		h->writer = self;
		h->n_readers = 0;
	} else {
		order_readers(h)[h->n_readers++] = self;
	}
}

enum { FEW = 16 };

/* An access that is one of several of the job to the same handle, by the handle's address. */
struct place {
	struct rt_handle *handle;
	uint32_t mode;
};

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct place *)a)->handle, y = (uintptr_t)((const struct place *)b)->handle;
	return x < y ? -1 : x > y;
}

/* By address, and each handle once: two accesses to one are one of both modes. */
static unsigned order_sorted(struct rt_job *job, struct place *p)
{
	struct rt_handle **handle = rt_job_handles(job);
	const uint32_t *mode = rt_job_modes(job);
	unsigned n = 0;
	if (WEFT_UNLIKELY(job->n_accesses > FEW)) {
		for (unsigned i = 0; i < job->n_accesses; i++)
			p[i] = (struct place){handle[i], mode[i]};
		qsort(p, job->n_accesses, sizeof *p, by_address);
		for (unsigned i = 0; i < job->n_accesses; i++)
			if (n && p[n - 1].handle == p[i].handle)
				p[n - 1].mode |= p[i].mode;
			else
				p[n++] = p[i];
		return n;
	}
	for (unsigned i = 0; i < job->n_accesses; i++) {
		unsigned k = n;
		while (k > 0 && p[k - 1].handle > handle[i])
			k--;
		if (k > 0 && p[k - 1].handle == handle[i]) {
			p[k - 1].mode |= mode[i];
			continue;
		}
		memmove(p + k + 1, p + k, (n - k) * sizeof *p);
		p[k] = (struct place){handle[i], mode[i]};
		n++;
	}
	return n;
}

/* ---- what is not plain reading and writing ---- */

enum { GROUPS = RT_H_COMMUTES | RT_H_REDUCES, SPECIAL_MODES = RT_SCRATCH | RT_REDUX | RT_COMMUTE | RT_UNORDERED | RT_LAST };

/* The group that an access joins; a plain write joins none and is none. */
static uint32_t group_of(uint32_t mode)
{
	if (mode & RT_REDUX && !(mode & (RT_READ | RT_WRITE)))
		return RT_H_REDUCES;
	return mode & RT_COMMUTE && mode & RT_WRITE ? RT_H_COMMUTES : 0;
}

/* Contributions to a reduction always have a place: whoever wants the value must find all of them. */
static bool takes_no_place(uint32_t bits, uint32_t mode)
{
	if (group_of(mode) == RT_H_REDUCES)
		return false;
	return (bits & RT_H_UNORDERED) || mode & RT_UNORDERED || !(mode & (RT_READ | RT_WRITE | RT_REDUX));
}

/*
 * The open group ends: what comes next finds one job instead of it. A reduction that ends is put together by a job with a body;
 * of others there is a relay, unless the group has one member or none. -ENOMEM: nothing has changed.
 */
static int close_group(struct rt_submitter *s, struct rt_handle *h, uint32_t bits)
{
	bool reduces = bits & RT_H_REDUCES;
	if (!h->n_readers && !reduces)
		return 0;
	struct rt_refs before = {0};
	int rc = h->n_readers || !h->writer ? 0 : rt_refs_add(&before, h->writer);
	for (uint32_t i = 0; i < h->n_readers && !rc; i++)
		rc = rt_refs_add(&before, order_readers(h)[i]);
	rt_ref writer = 0;
	if (!rc && !reduces && before.n == 1)
		writer = before.at[0];
	else if (!rc)
		rc = rt_submit_between(s, &before, reduces ? h : NULL, &writer);
	free(before.at);
	if (rc)
		return -ENOMEM;
	h->writer = writer;
	h->n_readers = 0;
	order_mark(h, reduces ? RT_H_REDUCED : 0, GROUPS);
	return 0;
}

/* An access outside the order: only what a reduction has collected comes before it. */
static int depend_on_reduction(struct rt_submitter *s, struct rt_handle *h)
{
	int rc = h->bits & RT_H_REDUCES ? close_group(s, h, h->bits) : 0;
	if (!rc && h->bits & RT_H_REDUCED && h->writer)
		rc = rt_refs_add(&s->before, h->writer);
	return rc;
}

static int depend_outside(struct rt_submitter *s, struct rt_handle *h, uint32_t mode, rt_ref self)
{
	if (!(mode & (RT_READ | RT_WRITE)))
		return mode & RT_SCRATCH && rt_order_hooks.beside ? rt_order_hooks.beside(h, self) : 0;
	int rc = depend_on_reduction(s, h);
	return !rc && rt_order_hooks.watch ? rt_order_hooks.watch(s, h, self) : rc;
}

static int depend_specially(struct rt_submitter *s, struct rt_handle *h, uint32_t mode, rt_ref self)
{
	uint32_t bits = h->bits;
	int rc = mode & RT_LAST && rt_order_hooks.last ? rt_order_hooks.last(s, h) : 0;
	if (rc)
		return rc;
	if (takes_no_place(bits, mode))
		return depend_outside(s, h, mode, self);
	uint32_t group = group_of(mode), open = bits & GROUPS;
	bool is_write = mode & RT_WRITE && !group;
	bool joins = !is_write && group == open;
	/* A write needs no relay: it depends on all members itself. What a reduction collected is put together in any case. */
	if (!joins && (!is_write || open & RT_H_REDUCES))
		rc = close_group(s, h, bits);
	if (!rc && !is_write)
		rc = make_room(h);
	return rc ? rc : order_depend(h, is_write ? RT_WRITE : RT_READ, &s->before);
}

static void register_specially(struct rt_handle *h, uint32_t mode, rt_ref self)
{
	if ((mode & (RT_LAST | RT_OPEN)) == RT_LAST)
		order_mark(h, RT_H_REFUSED, 0);
	if (takes_no_place(h->bits, mode))
		return;
	uint32_t group = group_of(mode);
	bool writes = mode & RT_WRITE && !group;
	order_mark(h, group, GROUPS | (writes ? RT_H_REDUCED : 0));
	register_in(h, writes ? RT_WRITE : RT_READ, self);
}

static int place_specially(struct rt_submitter *s, struct place *p, unsigned n, rt_ref self)
{
	int rc = 0;
	for (unsigned i = 0; i < n && !rc; i++)
		rc = depend_specially(s, p[i].handle, p[i].mode, self);
	for (unsigned i = 0; i < n && !rc; i++)
		register_specially(p[i].handle, p[i].mode, self);
	return rc;
}

bool rt_handle_close(struct rt_handle *h, rt_ref last, bool (*others)(struct rt_handle *h, rt_ref last))
{
	order_lock(h);
	bool in_order = h->bits & RT_H_UNORDERED || (h->writer == last && !h->n_readers && !(h->bits & GROUPS));
	bool closes = in_order && !others(h, last);
	if (closes)
		order_mark(h, RT_H_REFUSED, 0);
	order_unlock(h);
	return closes;
}

bool rt_handle_version(struct rt_handle *h, rt_ref *out)
{
	order_lock(h);
	*out = h->writer;
	bool known = !(h->bits & (GROUPS | RT_H_UNORDERED));
	order_unlock(h);
	return known;
}

/* ---- both ---- */

enum { PLANNED = 1 };

/* PLANNED: a handle has one of the bits `asks`, and nothing was done. */
static int order_place(struct rt_submitter *s, struct rt_job *job, struct place *p, uint32_t asks)
{
	unsigned n = order_sorted(job, p);
	rt_ref self = rt_job_ref(job);
	uint32_t bits = 0;
	int rc = 0;
	for (unsigned i = 0; i < n; i++) {
		order_lock(p[i].handle);
		order_prefetch(p[i].handle, p[i].mode);
		/* RT_NOPLAN hides RT_H_PLANNED. */
		bits |= (p[i].handle->bits & ~(p[i].mode >> 4 & RT_H_PLANNED)) | (p[i].mode & SPECIAL_MODES) << 8;
	}
	if (WEFT_UNLIKELY(bits)) {
		rc = bits & asks ? PLANNED : bits & RT_H_REFUSED ? -EINVAL : place_specially(s, p, n, self);
		struct rt_handle *refuses = NULL;
		for (unsigned i = 0; i < n; i++) {
			refuses = p[i].handle->bits & RT_H_REFUSED ? p[i].handle : refuses;
			order_unlock(p[i].handle);
		}
		if (rc == -EINVAL && refuses && rt_order_hooks.refuse)
			rt_order_hooks.refuse(refuses);
		return rc;
	}
	for (unsigned i = 0; i < n && !rc; i++) {
		rc = p[i].mode & RT_WRITE ? 0 : make_room(p[i].handle);
		rc = rc ? rc : order_depend(p[i].handle, p[i].mode, &s->before);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!rc)
			register_in(p[i].handle, p[i].mode, self);
		order_unlock(p[i].handle);
	}
	return rc ? -ENOMEM : 0;
}

/* What is planned is asked about first, without a lock of ours; then it is the job's turn, before anybody changes a plan. */
static int place_asking(struct rt_submitter *s, struct rt_job *job, struct place *p)
{
	int rc = order_place(s, job, p, RT_H_PLANNED);
	if (WEFT_LIKELY(rc != PLANNED))
		return rc;
	rc = rt_order_hooks.plan(s, job);
	rc = rc ? rc : order_place(s, job, p, 0);
	rt_order_hooks.planned();
	return rc;
}

int rt_order(struct rt_submitter *s, struct rt_job *job)
{
	struct place few[FEW];
	if (WEFT_LIKELY(job->n_accesses <= FEW))
		return place_asking(s, job, few);
	struct place *p = malloc(job->n_accesses * sizeof *p);
	int rc = p ? place_asking(s, job, p) : -ENOMEM;
	free(p);
	return rc;
}
