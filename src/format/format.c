/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream format in code: the table of kinds made from events.def, the check of a page before it is read, and the writer of
 * whole pages that offline tools and tests use. libweft's own writer is inline in <weft/record.h>; both follow format.h.
 */
#include "format.h"
#include "crc.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define WEFT_EVENT(code, name_, label, of_, words_, args_, text_) \
	[code] = {.name = (label), .of = WEFT_CLASS_##of_, .words = (words_), .args = (args_), .text = (text_)},
const struct weft_kind_info weft_kind_info[256] = {
#include "events.def"
};
#undef WEFT_EVENT

const char *const weft_class_name[WEFT_CLASSES] = {
	[WEFT_CLASS_NONE] = "none",     [WEFT_CLASS_STRING] = "string",   [WEFT_CLASS_REGION] = "region",
	[WEFT_CLASS_TYPE] = "type",     [WEFT_CLASS_COUNTER] = "counter", [WEFT_CLASS_CATEGORY] = "category",
	[WEFT_CLASS_ATTR] = "attr",     [WEFT_CLASS_COMM] = "comm",       [WEFT_CLASS_FLOW] = "flow",
	[WEFT_CLASS_SET] = "set",       [WEFT_CLASS_DATA] = "data",       [WEFT_CLASS_STATE] = "state",
	[WEFT_CLASS_THREAD] = "thread", [WEFT_CLASS_PROCESS] = "process",
};

const char *const weft_state_name[WEFT_STATE_CLASSES] = {
	[WEFT_STATE_UNKNOWN] = "unknown",
	[WEFT_STATE_RUNNING] = "running",
	[WEFT_STATE_WAITING] = "waiting",
	[WEFT_STATE_COMMUNICATING] = "communicating",
	[WEFT_STATE_SYNCHRONIZING] = "synchronizing",
	[WEFT_STATE_IO] = "io",
	[WEFT_STATE_OVERHEAD] = "overhead",
	[WEFT_STATE_IDLE] = "idle",
	[WEFT_STATE_MEMORY] = "memory",
	[WEFT_STATE_SCHEDULING] = "scheduling",
};

/* The head with flags as they will be when sealed and without `crc`, then the records. */
uint32_t weft_page_crc(const struct weft_page *p, uint32_t used)
{
	struct weft_page head;
	memcpy(&head, p, WEFT_PAGE_HEAD);
	head.flags |= WEFT_PAGE_SEALED;
	head.used = used;
	uint32_t crc = weft_crc32c(0, &head, offsetof(struct weft_page, crc));
	return weft_crc32c(crc, p->word, used - WEFT_PAGE_HEAD);
}

void weft_page_seal(struct weft_page *p, uint32_t used)
{
	p->used = used;
	p->crc = weft_page_crc(p, used);
	/* Last, so that a page whose flag is set has its fields, whenever the process dies. */
	__atomic_store_n(&p->flags, p->flags | WEFT_PAGE_SEALED, __ATOMIC_RELEASE);
}

uint64_t weft_page_mark(const struct weft_page *p, uint64_t number)
{
	if (p->magic != WEFT_PAGE_MAGIC || !(p->flags & WEFT_PAGE_SEALED))
		return 0;
	uint64_t x = p->crc + number * 0x9e3779b97f4a7c15u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

uint64_t weft_stream_sum_begin(const struct weft_stream_head *h)
{
	/* Without `dropped`: a thread that goes on may add to it when all else is known. */
	struct weft_stream_head closed = {.state = h->state,
	                                  .reason = h->reason,
	                                  .helper_cpu_ns = h->helper_cpu_ns,
	                                  .end_ticks = h->end_ticks,
	                                  .pages = h->pages};
	size_t from = offsetof(struct weft_stream_head, state);
	return weft_crc32c(0, &closed.state, offsetof(struct weft_stream_head, sum) - from);
}

static bool page_is_zero(const struct weft_page *p)
{
	const uint64_t *at = (const uint64_t *)p;
	for (size_t i = 0; i < WEFT_PAGE_BYTES / 8; i++)
		if (at[i])
			return false;
	return true;
}

enum weft_page_verdict weft_page_begin(struct weft_page_walk *w, const struct weft_page *p, bool check_crc)
{
	*w = (struct weft_page_walk){0};
	if (p->magic == 0 && page_is_zero(p))
		return WEFT_PAGE_EMPTY;
	if (p->magic != WEFT_PAGE_MAGIC)
		return WEFT_PAGE_BAD;
	bool events = p->type == WEFT_PAGE_EVENTS && p->thread > 0;
	if (p->type == WEFT_PAGE_EVENTS && p->thread == 0 && p->seq == 0)
		return WEFT_PAGE_EMPTY; /* what it holds is gone already: the recorder took it for others */
	bool meta = p->type == WEFT_PAGE_META && p->thread == 0;
	if ((!events && !meta) || (p->flags & ~WEFT_PAGE_SEALED) || p->zero)
		return WEFT_PAGE_BAD;
	w->at = p->word;
	w->base = p->base;
	if (!(p->flags & WEFT_PAGE_SEALED)) {
		w->end = p->word + WEFT_PAGE_ROOM / 8;
		return WEFT_PAGE_OPEN;
	}
	if (p->used < WEFT_PAGE_HEAD || p->used > WEFT_PAGE_BYTES || p->used % 8)
		return WEFT_PAGE_BAD;
	if (check_crc && weft_page_crc(p, p->used) != p->crc)
		return WEFT_PAGE_BAD;
	w->end = p->word + (p->used - WEFT_PAGE_HEAD) / 8;
	return WEFT_PAGE_GOOD;
}

void weft_page_halve(struct weft_page_walk *w, struct weft_record *r, const uint64_t *head)
{
	if (w->entered == head) {
		r->kind = WEFT_EV_FLOW_IN;
		r->id >>= WEFT_BOTH_FLOW_SHIFT;
		return;
	}
	w->at = w->entered = head;
	r->kind = WEFT_EV_ENTER;
	r->id &= WEFT_BOTH_REGION;
	r->n = 0;
}

/* What may stand in a bundle: no record that stands for others, none that is applied to those behind it, none in the long form. */
static bool may_be_bundled(uint32_t head)
{
	unsigned kind = weft_head_kind(head);
	return kind && kind != WEFT_EV_BUNDLE && kind != WEFT_EV_ENTER_FLOW && kind != WEFT_EV_TIME &&
	       weft_head_words(head) != WEFT_WORDS_LONG;
}

/* Whether `n` words are just so many events. */
static bool is_bundle(const uint64_t *word, uint64_t n, uint32_t events)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < events; i += 2) {
		if (at >= n)
			return false;
		uint32_t first = (uint32_t)word[at], second = (uint32_t)(word[at] >> 32);
		bool both = i + 1 < events;
		if (!may_be_bundled(first) || (both ? !may_be_bundled(second) : second != 0))
			return false;
		at += 1 + weft_head_words(first) + weft_head_words(second);
	}
	return events && at == n;
}

void weft_page_open_bundle(struct weft_page_walk *w, struct weft_record *r, const uint64_t *head)
{
	if (!is_bundle(r->payload, r->n, r->id)) {
		r->n = 0;
		return;
	}
	w->bundle = (struct weft_bundle_walk){.left = r->id, .ticks = r->ticks, .next = r->payload, .behind = w->at};
	w->at = head;
	weft_page_unbundle(w, r);
}

void weft_page_unbundle(struct weft_page_walk *w, struct weft_record *r)
{
	struct weft_bundle_walk *b = &w->bundle;
	if (!b->second)
		b->heads = b->next++;
	uint32_t h = b->second ? (uint32_t)(*b->heads >> 32) : (uint32_t)*b->heads;
	*r = (struct weft_record){b->ticks, weft_head_kind(h), weft_head_id(h), weft_head_words(h), b->next};
	b->next += r->n;
	b->second = !b->second;
	if (!--b->left)
		w->at = b->behind;
}

bool weft_record_bytes(const struct weft_record *r, unsigned first_word, const char **at, uint32_t *n)
{
	*at = NULL;
	*n = 0;
	if (first_word >= r->n)
		return false;
	uint64_t bytes = r->payload[first_word];
	if (bytes > (uint64_t)(r->n - first_word - 1) * 8)
		return false;
	*at = (const char *)(r->payload + first_word + 1);
	*n = (uint32_t)bytes;
	return true;
}

void weft_page_write_begin(struct weft_page_writer *w, struct weft_page *p, unsigned type, uint32_t thread, uint32_t seq,
                           uint64_t base)
{
	memset(p, 0, sizeof *p);
	p->magic = WEFT_PAGE_MAGIC;
	p->type = (uint8_t)type;
	p->thread = thread;
	p->seq = seq;
	p->base = base;
	*w = (struct weft_page_writer){.page = p, .at = p->word, .base = base};
}

int weft_page_write(struct weft_page_writer *w, const struct weft_record *r)
{
	const uint64_t *end = w->page->word + WEFT_PAGE_ROOM / 8;
	bool far = r->ticks < w->base || r->ticks - w->base > UINT32_MAX;
	bool is_long = r->n >= WEFT_WORDS_LONG;
	size_t need = (far ? 2u : 0u) + 1u + (is_long ? 1u : 0u) + r->n;
	if (need > (size_t)(end - w->at))
		return -ENOSPC;
	/* Heads last, as libweft does: `weft record` writes its own stream so, in place, and may be killed at any instant. */
	if (far) {
		w->at[1] = w->base = r->ticks;
		__atomic_store_n(&w->at[0], weft_head_make(0, 0, 1, WEFT_EV_TIME), __ATOMIC_RELEASE);
		w->at += 2;
	}
	uint64_t *head = w->at++;
	if (is_long)
		*w->at++ = r->n;
	if (r->n)
		memcpy(w->at, r->payload, r->n * sizeof *r->payload);
	w->at += r->n;
	__atomic_store_n(head, weft_head_make((uint32_t)(r->ticks - w->base), r->id, is_long ? WEFT_WORDS_LONG : r->n, r->kind),
	                 __ATOMIC_RELEASE);
	return 0;
}

void weft_page_write_end(struct weft_page_writer *w)
{
	weft_page_seal(w->page, (uint32_t)((const char *)w->at - (const char *)w->page));
}
