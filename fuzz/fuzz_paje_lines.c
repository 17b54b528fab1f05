/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Paje trace as lines: refused with one line, or put in order, and then its times never go back and no line is lost; putting it in order again
 * changes nothing. Its states never end before they begin.
 */
#include "fuzz.h"

#include "taskfiles/paje_order.h"
#include "taskfiles/paje_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take(void *arg, const struct paje_state *s)
{
	(void)arg;
	FUZZ_REQUIRE(s->begin <= s->end && s->value && s->container && s->type);
	return 0;
}

static char *sorted(const char *at, size_t n, size_t *out_n, struct paje_order *o, int *rc, struct weft_err *err)
{
	char *out = NULL;
	FILE *to = open_memstream(&out, out_n);
	FUZZ_REQUIRE(to != NULL);
	*rc = paje_order_write(at, n, "fuzz", to, o, err);
	FUZZ_REQUIRE(fclose(to) == 0);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_err err = {0};
	struct paje_order o, again;
	struct text_lines *t;
	size_t first_n, second_n;
	int rc, states;
	FUZZ_REQUIRE(text_lines_open_memory(&t, (const char *)at, n, "fuzz", NULL) == 0);
	states = paje_states_read(t, take, NULL, &err);
	FUZZ_REQUIRE(states == err.code && !strchr(err.text, '\n'));
	text_lines_close(t);
	err = (struct weft_err){0};
	char *first = sorted((const char *)at, n, &first_n, &o, &rc, &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	if (!rc) {
		FUZZ_REQUIRE(first_n == n + (n && at[n - 1] != '\n'));
		char *second = sorted(first, first_n, &second_n, &again, &rc, &err);
		FUZZ_REQUIRE(!rc && again.stretches == 1 && again.lines == o.lines);
		FUZZ_REQUIRE(first_n == second_n && !memcmp(first, second, first_n));
		free(second);
	}
	free(first);
	return 0;
}
