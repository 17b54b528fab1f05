/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks are multiples of their distance from time 0, so that pictures of two ranges of one trace
 * agree.
 */
#include "axis.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t weft_axis_step(uint64_t span_ns, unsigned most)
{
	static const uint64_t factor[] = {1, 2, 5};
	uint64_t room = span_ns / most, rest = span_ns % most;
	for (uint64_t power = 1;; power *= 10)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t step = factor[i] * power;
			if (room < step || (room == step && rest == 0) || step > UINT64_MAX / 2)
				return step;
		}
}

static const struct {
	const char *name;
	uint64_t ns;
	unsigned decimals; /* digits behind the point that a nanosecond has */
} units[] = {{"s", 1000000000, 9}, {"ms", 1000000, 6}, {"us", 1000, 3}, {"ns", 1, 0}};

char *weft_axis_label(char *out, uint64_t at_ns, uint64_t step_ns, uint64_t last_ns)
{
	unsigned u = 0;
	while (u < 3 && last_ns < units[u].ns)
		u++;
	/* So many decimals that the step is not rounded. */
	unsigned decimals = units[u].decimals;
	for (uint64_t step = step_ns; decimals > 0 && step > 0 && step % 10 == 0; step /= 10)
		decimals--;
	uint64_t rest = at_ns % units[u].ns;
	for (unsigned i = decimals; i < units[u].decimals; i++)
		rest /= 10;
	if (decimals)
		snprintf(out, 32, "%" PRIu64 ".%0*" PRIu64 " %s", at_ns / units[u].ns, (int)decimals, rest, units[u].name);
	else
		snprintf(out, 32, "%" PRIu64 " %s", at_ns / units[u].ns, units[u].name);
	return out;
}
