/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of our own functions at once. Who records a call stack lies some frames deep in libraries of ours, and always on one of few ways: each is
 * remembered as where its return addresses lie, from the stack pointer on, and where the registers that were saved on it.
 *
 * A way is the one that was taken if all its return addresses are there. Nothing else can look like it: from the begin on, an address says
 * how large the next frame is, or that it counts from rbp, which is compared, too; and so where the next address lies.
 *
 * Ways are only added, by whoever comes first, and never changed; a table that is full stays as it is.
 */
#include "base/atomic.h"
#include "unwind_priv.h"
#include <string.h>

enum { WAYS = 128, SEARCHED = 8, FRAMES_MOST = 14, STEPS_MOST = 32, IS_SAME = INT32_MIN };
enum { WAY_FREE, WAY_FILLED, WAY_READY };

struct frame {
	uint64_t ip;
	int32_t at;
	int32_t bp,
		bp_at; /* where its place counts from rbp: what that was, and where it had been saved; IS_SAME: it is still there */
};
struct way {
	struct weft_atomic_u32 state;
	uint32_t n;
	uint64_t key, begin; /* begin: the address where it begins */
	int32_t sp, saved[UNWIND_SAVED];
	struct frame frame[FRAMES_MOST];
};
static struct way ways[WAYS];

static uint64_t key_of(const struct unwind_own *own)
{
	uint64_t key = (uint64_t)(uintptr_t)own->via;
	for (unsigned i = 0; i < UNWIND_OWN; i++)
		key = key * 31 + (uint64_t)(uintptr_t)own->object[i];
	return key;
}

static struct way *way_at(uint64_t key, unsigned n)
{
	return &ways[((key * UINT64_C(0x9e3779b97f4a7c15) >> 57) + n) % WAYS];
}

/* Words of frames below us that have not returned, so they are there; AddressSanitizer is not asked. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static uint64_t word_at(uint64_t sp, int32_t at)
{
	return *(const volatile uint64_t *)(uintptr_t)(sp + (uint64_t)(int64_t)at);
}

static bool way_fits(const struct way *w, uint64_t key, const struct unwind_regs *regs)
{
	if (weft_load_u32(&w->state) != WAY_READY || w->key != key || w->begin != regs->r[UNWIND_IP])
		return false;
	uint64_t sp = regs->r[UNWIND_SP];
	for (uint32_t i = 0; i < w->n; i++) {
		const struct frame *f = &w->frame[i];
		if (f->bp != IS_SAME &&
		    (f->bp_at == IS_SAME ? regs->r[UNWIND_BP] : word_at(sp, f->bp_at)) != sp + (uint64_t)(int64_t)f->bp)
			return false;
		if (word_at(sp, f->at) != f->ip)
			return false;
	}
	return true;
}

static void way_take(const struct way *w, struct unwind_regs *regs)
{
	uint64_t sp = regs->r[UNWIND_SP];
	for (unsigned i = 0; i < UNWIND_SAVED; i++)
		if (w->saved[i] != IS_SAME)
			regs->r[unwind_saved[i]] = word_at(sp, w->saved[i]);
	regs->r[UNWIND_SP] = sp + (uint64_t)(int64_t)w->sp;
	regs->r[UNWIND_IP] = w->frame[w->n - 1].ip;
}

static unsigned place_of_bp(void)
{
	unsigned i = 0;
	while (unwind_saved[i] != UNWIND_BP)
		i++;
	return i;
}

/* One frame more. False: the way cannot be remembered. */
static bool way_add(struct way *w, uint64_t sp, const struct unwind_rule *rule, const struct unwind_regs *before,
                    const struct unwind_regs *after)
{
	uint64_t place = after->r[UNWIND_SP] - sp, bp = before->r[UNWIND_BP] - sp;
	bool by_bp = rule->reg == UNWIND_BP || rule->from_bp;
	if (rule->kind != UNWIND_OFFSET || (rule->reg != UNWIND_SP && rule->reg != UNWIND_BP) || w->n == FRAMES_MOST ||
	    place > INT32_MAX / 2 || (by_bp && bp > INT32_MAX / 2))
		return false;
	w->sp = (int32_t)place;
	w->frame[w->n++] = (struct frame){after->r[UNWIND_IP], w->sp + rule->ra, by_bp ? (int32_t)bp : IS_SAME,
	                                  w->saved[place_of_bp()]};
	for (unsigned i = 0; i < UNWIND_SAVED; i++)
		if (rule->saved[i] != UNWIND_SAME)
			w->saved[i] = (rule->from_bp >> i & 1 ? (int32_t)bp : w->sp) + rule->saved[i];
	return true;
}

static void way_keep(const struct way *found)
{
	for (unsigned i = 0; i < SEARCHED; i++) {
		struct way *w = way_at(found->key, i);
		uint32_t state = WAY_FREE;
		if (!weft_cas_u32(&w->state, &state, WAY_FILLED))
			continue;
		w->n = found->n;
		w->key = found->key;
		w->begin = found->begin;
		w->sp = found->sp;
		memcpy(w->saved, found->saved, sizeof w->saved);
		memcpy(w->frame, found->frame, sizeof w->frame);
		weft_store_u32(&w->state, WAY_READY);
		return;
	}
}

static bool is_own(const struct unwind_own *own, uint64_t ip)
{
	uint64_t from, to;
	for (unsigned i = 0; i < UNWIND_OWN; i++)
		if (own->object[i] && unwind_object(own->object[i], &from, &to) && ip >= from && ip < to)
			return true;
	return false;
}

static __attribute__((noinline)) int step_out(struct unwind_regs *regs, const struct unwind_stack *stack,
                                              const struct unwind_own *own, bool *exact)
{
	struct way way = {.key = key_of(own), .begin = regs->r[UNWIND_IP]};
	uint64_t sp = regs->r[UNWIND_SP];
	bool keeps = true;
	for (unsigned i = 0; i < UNWIND_SAVED; i++)
		way.saved[i] = IS_SAME;
	for (unsigned steps = 0; steps < STEPS_MOST; steps++) {
		const struct unwind_regs before = *regs;
		struct unwind_rule rule;
		unwind_rule_at(regs->r[UNWIND_IP] - !*exact, &rule);
		int rc = unwind_step(regs, stack, exact);
		if (rc <= 0)
			return rc;
		keeps = keeps && way_add(&way, sp, &rule, &before, regs);
		if (is_own(own, regs->r[UNWIND_IP]))
			continue;
		if (keeps)
			way_keep(&way);
		return 1;
	}
	return -1;
}

int unwind_step_out(struct unwind_regs *regs, const struct unwind_stack *stack, const struct unwind_own *own, bool *exact)
{
	uint64_t key = key_of(own);
	for (unsigned i = 0; i < SEARCHED && *exact; i++) {
		const struct way *w = way_at(key, i);
		if (weft_load_relaxed_u32(&w->state) == WAY_FREE) /* nothing of this key lies behind it */
			break;
		if (way_fits(w, key, regs)) {
			way_take(w, regs);
			*exact = false;
			return 1;
		}
	}
	return step_out(regs, stack, own, exact);
}
