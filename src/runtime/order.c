/* SPDX-License-Identifier: Apache-2.0 */
/* Reading depends on the last writer; writing on the readers since then, or on the last writer when there are none. */
#include "order.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void lock(struct rt_handle *h)
{
	while (weft_swap_u32(&h->lock, 1))
		while (weft_load_relaxed_u32(&h->lock)) /* relaxed: the swap decides */
			__builtin_ia32_pause();
}

static void unlock(struct rt_handle *h)
{
	weft_store_u32(&h->lock, 0);
}

static bool is_done(rt_ref ref)
{
	return (weft_load_u64(&rt_job_at((uint32_t)ref)->succ) ^ ref) >> 32;
}

static rt_ref *readers(struct rt_handle *h)
{
	return h->cap ? h->more : h->reader;
}

/* Room for one more reader: those that are done leave; when that is not half of them, more memory. */
static int make_room(struct rt_handle *h)
{
	rt_ref *r = readers(h);
	uint32_t n = 0, cap = h->cap ? h->cap : RT_READERS;
	if (h->n_readers < cap)
		return 0;
	for (uint32_t i = 0; i < h->n_readers; i++)
		if (!is_done(r[i]))
			r[n++] = r[i];
	h->n_readers = (uint16_t)n;
	if (n <= cap / 2)
		return 0;
	if (cap >= UINT16_MAX / 2)
		return n < cap ? 0 : -ENOMEM;
	rt_ref *more = malloc(2 * cap * sizeof *more);
	if (!more)
		return n < cap ? 0 : -ENOMEM;
	memcpy(more, r, n * sizeof *more);
	free(h->more);
	h->more = more;
	h->cap = (uint16_t)(2 * cap);
	return 0;
}

static int depend(struct rt_handle *h, uint32_t mode, struct rt_refs *before)
{
	int rc = 0;
	if (!(mode & RT_WRITE) || !h->n_readers)
		return h->writer ? rt_refs_add(before, h->writer) : 0;
	for (uint32_t i = 0; i < h->n_readers && !rc; i++)
		rc = rt_refs_add(before, readers(h)[i]);
	return rc;
}

static void register_in(struct rt_handle *h, uint32_t mode, rt_ref self)
{
	if (mode & RT_WRITE) {
		h->writer = self;
		h->n_readers = 0;
	} else {
		readers(h)[h->n_readers++] = self;
	}
}

/* By address, and each handle once: two accesses to one are one of both modes. */
static unsigned sorted(const struct rt_job *job, struct rt_handle **h, uint32_t *mode)
{
	unsigned n = 0;
	for (unsigned i = 0; i < job->n_accesses; i++) {
		unsigned k = n;
		while (k > 0 && h[k - 1] > job->access[i])
			k--;
		if (k > 0 && h[k - 1] == job->access[i]) {
			mode[k - 1] |= job->mode[i];
			continue;
		}
		memmove(h + k + 1, h + k, (n - k) * sizeof *h);
		memmove(mode + k + 1, mode + k, (n - k) * sizeof *mode);
		h[k] = job->access[i];
		mode[k] = job->mode[i];
		n++;
	}
	return n;
}

int rt_order(struct rt_job *job, struct rt_refs *before)
{
	struct rt_handle *h[RT_ACCESSES];
	uint32_t mode[RT_ACCESSES];
	unsigned n = sorted(job, h, mode);
	rt_ref self = rt_job_ref(job);
	int rc = 0;
	for (unsigned i = 0; i < n; i++)
		lock(h[i]);
	for (unsigned i = 0; i < n && !rc; i++) {
		rc = mode[i] & RT_WRITE ? 0 : make_room(h[i]);
		rc = rc ? rc : depend(h[i], mode[i], before);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!rc)
			register_in(h[i], mode[i], self);
		unlock(h[i]);
	}
	return rc ? -ENOMEM : 0;
}
