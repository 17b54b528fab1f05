/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal's handler. All other signals are blocked in it, so that nobody leaves it half-way; it takes no lock and no memory, and
 * does not change errno. No wait of the program ends with EINTR by it: since Linux 5.11 the signal of a CPU clock is made when the thread
 * is on its way back to the program, never before it waits. (One by the wall clock may end waits.)
 */
#include "sample_priv.h"
#include <errno.h>

enum { MISSED_SHIFT = 4, MISSED_MOST = 0xffff, WORDS_LONG = 15 };

/* Where its stack lies: the main thread's is known by its end, others' from their begin; else pages are asked for. */
static struct unwind_stack stack_of(const struct sample_thread *t, uint64_t sp)
{
	struct unwind_stack none = {0, 0};
	if (t->is_main)
		(void)unwind_main_stack(sp, &none);
	else if (sp >= t->own.from && sp < t->own.to)
		none = (struct unwind_stack){sp, t->own.to};
	return none;
}

static void take(struct sample_thread *t, unsigned missed, const void *context)
{
	struct unwind_regs regs;
	enum unwind_end end;
	uint32_t on = *sample_category;
	if (!on)
		return;
	if (!t->told)
		weft_point(sample_period, (int64_t)sample_settings.period_ns);
	t->told = true;
	unwind_from_signal(&regs, context);
	struct unwind_stack stack = stack_of(t, regs.r[UNWIND_SP]);
	unsigned n = unwind_walk(&regs, &stack, t->word + 1, SAMPLE_FRAMES_MOST, &end);
	uint32_t id = (end == UNWIND_CUT ? WEFT_STACK_CUT : 0) | (end == UNWIND_LOST ? WEFT_STACK_LOST : 0) |
	              (sample_settings.wall ? WEFT_STACK_WALL : 0) |
	              (missed < MISSED_MOST ? missed : MISSED_MOST) << MISSED_SHIFT;
	uint32_t head = WEFT_HEAD_SAMPLE | id << 12;
	t->word[0] = n;
	if (n < WORDS_LONG)
		weft_record_head(sample_category, on, head | n << 8, n, t->word + 1, 0);
	else
		weft_record_head(sample_category, on, head | WORDS_LONG << 8, n + 1, t->word, 0);
}

void sample_tick(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	bool timer = info->si_code == SI_TIMER;
	if (timer && sample_thread_is_slot(info->si_value.sival_ptr)) {
		struct sample_thread *t = info->si_value.sival_ptr;
		take(t, info->si_overrun > 0 ? (unsigned)info->si_overrun : 0, context);
		if (sample_counts.has[LINK_AT_SAMPLES] && !t->busy)
			sample_count_take(t, LINK_AT_SAMPLES);
	} else if (!timer || info->si_value.sival_ptr != sample_settings.first_timer) {
		sample_settings.foreign(signal, info, context);
	}
	errno = error;
}
