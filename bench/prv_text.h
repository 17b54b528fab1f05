/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .prv of the kind that MPI programs give, of any size: 16 processes on 4 nodes, states, calls with two hardware counters,
 * point-to-point messages, now and then a user function. In the order of time, the same at each run.
 */
#ifndef WEFT_BENCH_PRV_TEXT_H
#define WEFT_BENCH_PRV_TEXT_H

#include "base/str.h"

#include <stdint.h>
#include <string.h>

enum { PRV_TEXT_TASKS = 16, PRV_TEXT_NODES = 4 };

struct prv_text {
	struct weft_buf out;
	uint64_t seed, records;
	struct prv_text_task {
		uint64_t now, before, call; /* before: when the call began, if it is in one */
	} task[PRV_TEXT_TASKS];
};

static inline uint64_t prv_text_random(struct prv_text *t, uint64_t below)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return (t->seed >> 11) % below;
}

/* ":a:b:c", the last number ended by `end`. */
static inline void prv_text_line(struct prv_text *t, const uint64_t *field, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		weft_buf_u64(&t->out, field[i]);
		weft_buf_putc(&t->out, i + 1 < n ? ':' : '\n');
	}
	t->records++;
}
#define PRV_TEXT_LINE(t, ...) \
	prv_text_line((t), (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Behind a call: computing until the next one. */
static inline void prv_text_compute(struct prv_text *t, uint64_t cpu, struct prv_text_task *k)
{
	static const uint64_t calls[] = {1, 2, 3, 4, 5, 31, 32};
	uint64_t until = k->now + 500 + prv_text_random(t, 200000);
	PRV_TEXT_LINE(t, 1, cpu, 1, cpu, 1, k->now, until, 1);
	if (prv_text_random(t, 8) == 0)
		PRV_TEXT_LINE(t, 2, cpu, 1, cpu, 1, k->now, 60000019, 1 + prv_text_random(t, 40));
	k->now = until;
	k->call = calls[prv_text_random(t, 7)];
}

static inline void prv_text_enter(struct prv_text *t, uint64_t cpu, struct prv_text_task *k)
{
	uint64_t until = k->now + 300 + prv_text_random(t, 30000);
	PRV_TEXT_LINE(t, 1, cpu, 1, cpu, 1, k->now, until, k->call == 1 ? 4 : k->call == 2 ? 3 : 13);
	PRV_TEXT_LINE(t, 2, cpu, 1, cpu, 1, k->now, 50000001, k->call, 42000050, prv_text_random(t, 3000000), 42000059,
	              prv_text_random(t, 900000));
	k->before = k->now;
	k->now = until;
}

static inline void prv_text_leave(struct prv_text *t, uint64_t cpu, struct prv_text_task *k)
{
	PRV_TEXT_LINE(t, 2, cpu, 1, cpu, 1, k->now, 50000001, 0, 42000050, prv_text_random(t, 9000), 42000059,
	              prv_text_random(t, 5000));
	if (k->call == 1) {
		uint64_t to = 1 + prv_text_random(t, PRV_TEXT_TASKS), arrives = k->now + prv_text_random(t, 40000);
		PRV_TEXT_LINE(t, 3, cpu, 1, cpu, 1, k->before, k->now, to, 1, to, 1, k->before + prv_text_random(t, 300), arrives,
		              prv_text_random(t, 1 << 16), prv_text_random(t, 8));
	}
	k->before = 0;
	prv_text_compute(t, cpu, k);
}

/* The header, then calls in turn until there are `bytes`. */
static inline void prv_text_make(struct prv_text *t, uint64_t bytes)
{
	*t = (struct prv_text){.seed = 88172645463325252u};
	weft_buf_printf(&t->out, "#Paraver (20/11/2026 at 11:30):1000000000000_ns:%d(4,4,4,4):1:%d(", PRV_TEXT_NODES,
	                PRV_TEXT_TASKS);
	for (unsigned i = 0; i < PRV_TEXT_TASKS; i++)
		weft_buf_printf(&t->out, "%s1:%u", i ? "," : "", i / (PRV_TEXT_TASKS / PRV_TEXT_NODES) + 1);
	weft_buf_puts(&t->out, "),0\n");
	for (unsigned i = 0; i < PRV_TEXT_TASKS; i++)
		prv_text_compute(t, i + 1, &t->task[i]);
	while (t->out.n < bytes && !t->out.failed) {
		unsigned first = 0;
		for (unsigned i = 1; i < PRV_TEXT_TASKS; i++)
			if (t->task[i].now < t->task[first].now)
				first = i;
		if (t->task[first].before)
			prv_text_leave(t, first + 1, &t->task[first]);
		else
			prv_text_enter(t, first + 1, &t->task[first]);
	}
}

#endif
