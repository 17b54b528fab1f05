/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of probes by libweft, the recorder in this process: written into the pages of the thread
 * that hits, as libweft's own inline path does it (<weft/record.h>, ABI 1), so that they are lost
 * only where its are, and stand in the order of its.
 *
 *     agent_record_event   a hit without values: 8 bytes, one reading of the clock, no call
 *     agent_record_put     everything else: values, and what the inline path leaves to libweft's slow one, called with all vector state kept
 *
 * libweft is not linked with the agent: a process in which nothing is recorded shall not have it.
 * Where the program has it already, it is that one; else it is loaded from beside the agent. So
 * there is one recorder, and one stream, in a process.
 */
#ifndef WEFT_AGENT_RECORD_PRIV_H
#define WEFT_AGENT_RECORD_PRIV_H

#include "agent_priv.h"
#include <weft/record.h>

struct agent_recorder {
	int64_t block; /* the thread's struct weft_thread, from its thread pointer */
	struct weft_atomic_u32 on;
	/* Of libweft. */
	void (*slow)(uint32_t head, unsigned n, const uint64_t *payload);
	uint32_t (*string)(const char *text);
	weft_region (*region)(const char *name, enum weft_state_class state, weft_category category);
	weft_type (*type)(const char *name, const char *unit, weft_category category);
	uint64_t text, text_end; /* its code */
};
extern AGENT_HIDDEN struct agent_recorder agent_recorder;

#define AGENT_TEXT_WORDS (1 + LINK_TEXT_BYTES / 8)

struct agent_values {
	unsigned n;
	struct {
		const volatile uint32_t *definition;
		uint32_t kind; /* as in place for a head */
		uint64_t word;
	} at[LINK_PROGRAM_VALUES];
	uint64_t text[AGENT_TEXT_WORDS + 1]; /* length, bytes; room for a 0 behind them */
};

static inline struct weft_thread *agent_record_block(void)
{
	uint64_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	return (struct weft_thread *)(self + (uint64_t)agent_recorder.block);
}

/*
 * Of a program that has `plain`. False: not written; agent_record_put does it. See weft_record for
 * why the switch is read twice, and the head stored last.
 */
static inline bool agent_record_event(const struct agent_program *p)
{
	uint32_t on = *p->plain;
	if (WEFT_UNLIKELY(!on))
		return true;
	struct weft_thread *t = agent_record_block();
	uintptr_t at = *(volatile uintptr_t *)&t->at, end = at + 8;
	if (WEFT_UNLIKELY(end > t->limit || t->clock != 1))
		return false;
	uint64_t since = __builtin_ia32_rdtsc() - t->base;
	if (WEFT_UNLIKELY((since >> 32) != 0 || *t->cpu != t->last_cpu || *p->plain != on || !weft_claim(&t->at, at, end)))
		return false;
	__atomic_store_n((uint64_t *)at, since << 32 | on | p->event_kind, __ATOMIC_RELEASE);
	return true;
}

/* ---- agent_record.c ---- */

/* One more value; where the next text is to be read to. */
AGENT_HIDDEN uint64_t *agent_record_value(struct agent_values *v, const struct link_op *op, uint64_t acc);
/*
 * The program's event with these values, or NULL: without; caller: the address that the function
 * was called from.
 */
AGENT_HIDDEN void agent_record_put(struct agent_thread *t, uint64_t caller, const struct agent_program *p,
                                   const struct agent_values *v);

#endif
