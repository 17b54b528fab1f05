/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities for people, in three significant digits and the unit that keeps the number below 1000 (bytes: below 1024).
 * Computed in integers: no rounding shows 1000 of a unit, and nothing asks the locale.
 */
#include "str.h"
#include <stdio.h>

struct human_unit {
	const char *name;
	uint64_t scale;
};

static const struct human_unit ns_units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

static const struct human_unit byte_units[] = {{"B", 1},
                                               {"KiB", 1ull << 10},
                                               {"MiB", 1ull << 20},
                                               {"GiB", 1ull << 30},
                                               {"TiB", 1ull << 40},
                                               {"PiB", 1ull << 50},
                                               {"EiB", 1ull << 60}};

static const struct human_unit count_units[] = {{"", 1},
                                                {"k", 1000},
                                                {"M", 1000000},
                                                {"G", 1000000000},
                                                {"T", 1000000000000},
                                                {"P", 1000000000000000},
                                                {"E", 1000000000000000000}};

enum { HUMAN_SIZE = 32 };

/* v / scale, rounded half up, times 10^decimals. */
static uint64_t scaled(uint64_t v, uint64_t scale, unsigned decimals)
{
	static const unsigned pow10[] = {1, 10, 100};
	return (uint64_t)(((unsigned __int128)v * pow10[decimals] + scale / 2) / scale);
}

static char *human(char *out, uint64_t v, const struct human_unit *unit, size_t n_units, uint64_t base)
{
	size_t i = 0;
	while (i + 1 < n_units && scaled(v, unit[i].scale, 0) >= base)
		i++;
	const char *blank = unit[i].name[0] ? " " : "";
	if (unit[i].scale == 1) {
		snprintf(out, HUMAN_SIZE, "%llu%s%s", (unsigned long long)v, blank, unit[i].name);
		return out;
	}
	unsigned decimals = 2;
	while (decimals > 0 && scaled(v, unit[i].scale, decimals) >= 1000)
		decimals--;
	uint64_t digits = scaled(v, unit[i].scale, decimals);
	unsigned one = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	if (decimals == 0)
		snprintf(out, HUMAN_SIZE, "%llu%s%s", (unsigned long long)digits, blank, unit[i].name);
	else
		snprintf(out, HUMAN_SIZE, "%llu.%0*llu%s%s", (unsigned long long)(digits / one), (int)decimals,
		         (unsigned long long)(digits % one), blank, unit[i].name);
	return out;
}

char *weft_human_ns(char *out, uint64_t ns)
{
	static const uint64_t second = 1000000000;
	if (ns < 60 * second - second / 20) /* what three digits do not round to 60 */
		return human(out, ns, ns_units, sizeof ns_units / sizeof ns_units[0], 1000);
	uint64_t s = scaled(ns, second, 0);
	uint64_t min = scaled(s, 60, 0);
	if (s < 3600)
		snprintf(out, HUMAN_SIZE, "%llu min %02llu s", (unsigned long long)(s / 60), (unsigned long long)(s % 60));
	else
		snprintf(out, HUMAN_SIZE, "%llu h %02llu min", (unsigned long long)(min / 60), (unsigned long long)(min % 60));
	return out;
}

char *weft_human_bytes(char *out, uint64_t bytes)
{
	return human(out, bytes, byte_units, sizeof byte_units / sizeof byte_units[0], 1024);
}

char *weft_human_count(char *out, uint64_t n)
{
	return human(out, n, count_units, sizeof count_units / sizeof count_units[0], 1000);
}
