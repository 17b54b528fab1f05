/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What begins and ends iterations: time, a counter, or the program (starpu_iteration_push). All is seen by samples: an iteration begins and
 * ends where a sample is, and those of the program that are over within one are not seen. The first sample begins one.
 */
#include "point_runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct pulse_value *runtime_bounds_instant(const struct runtime_live *l, const struct runtime_bounds *b, bool at_exit)
{
	if (b->method.bound != RUNTIME_ITERATION)
		return l->sample;
	return pulse_get(pulse_get(l->sample, "iterations"), at_exit ? "at_end" : "at_begin");
}

int runtime_bounds_add(struct runtime_live *l, const char *method, uint32_t *at, struct weft_err *err)
{
	struct runtime_bounds b = {.numbers = 0};
	for (*at = 0; *at < l->bounds.n; ++*at)
		if (strcmp(l->bounds.at[*at].text, method) == 0)
			return 0;
	b.text = strdup(method);
	int rc = b.text ? runtime_method(b.text, &b.method, err) : weft_err_set(err, -ENOMEM, "out of memory");
	if (!rc && weft_vec_push(&l->bounds, b))
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		free(b.text);
	return rc;
}

/* A sample may come a little early: at three quarters of the time it is the next one's. */
static bool is_over(const struct runtime_bounds *b, double value, uint64_t now_ns)
{
	if (b->method.bound == RUNTIME_EVERY_TIME)
		return now_ns - b->from_ns >= b->method.period_ns / 4 * 3;
	return value - b->from >= b->method.count;
}

static void look_at_own(struct runtime_bounds *b, const struct pulse_value *sample)
{
	const struct pulse_value *own = pulse_get(sample, "iterations");
	double begun = pulse_number(own, "begun", 0), ended = pulse_number(own, "ended", 0);
	bool another = begun != b->begun, is_open = begun > ended;
	/* Of two that have ended between samples only the last one's end is known, and that has not been seen to begin. */
	bool its_end = pulse_number(pulse_get(own, "at_end"), "number", -1) == (double)b->number;
	b->ends_now = b->is_open && (another || !is_open) && its_end;
	b->ended = b->number;
	b->begins_now = another && is_open;
	b->is_open = is_open && (b->is_open || another);
	if (b->begins_now)
		b->number = (uint64_t)pulse_number(own, "number", 0);
	b->begun = begun;
}

static void look_at_bounds(struct runtime_bounds *b, const struct pulse_value *sample)
{
	uint64_t now_ns = (uint64_t)pulse_number(sample, "at_ns", 0);
	double value = 0;
	b->ends_now = b->begins_now = false;
	if (b->method.bound == RUNTIME_ITERATION) {
		look_at_own(b, sample);
		return;
	}
	if (b->method.counter && !runtime_value(sample, b->method.counter, RUNTIME_NO_WORKER, &value))
		return; /* it is not counted yet */
	b->ends_now = b->is_open && is_over(b, value, now_ns);
	b->begins_now = !b->is_open || b->ends_now;
	if (!b->begins_now)
		return;
	b->ended = b->number;
	b->number = ++b->numbers;
	b->from = value;
	b->from_ns = now_ns;
	b->is_open = true;
}

void runtime_bounds_look(struct runtime_live *l)
{
	for (size_t i = 0; i < l->bounds.n; i++)
		look_at_bounds(&l->bounds.at[i], l->sample);
}

void runtime_bounds_lose(struct runtime_live *l)
{
	for (size_t i = 0; i < l->bounds.n; i++) {
		l->bounds.at[i].is_open = false;
		l->bounds.at[i].begun = 0;
	}
}

void runtime_bounds_free(struct runtime_live *l)
{
	for (size_t i = 0; i < l->bounds.n; i++)
		free(l->bounds.at[i].text);
	free(l->bounds.at);
}
