/* SPDX-License-Identifier: Apache-2.0 */
/* .pcf: any bytes are read, with problems or without; what was read can be written and reads back the same, without problems. */
#include "fuzz.h"

#include "base/str.h"
#include "trace/paraver/pcf.h"

#include <inttypes.h>
#include <string.h>

static void check_text(const char *z)
{
	FUZZ_REQUIRE(z != NULL && !strchr(z, '\n'));
}

static void say_group(const struct pcf *p, uint32_t group, struct weft_buf *out)
{
	const struct pcf_group *g = &p->group.at[group];
	weft_buf_puts(out, "EVENT_TYPE\n");
	for (size_t i = 0; i < p->type.n; i++)
		if (p->type.at[i].group == group)
			weft_buf_printf(out, "%u %u %s\n", p->type.at[i].gradient, p->type.at[i].number, p->type.at[i].label);
	if (g->precision)
		weft_buf_printf(out, "PRECISION %u\n", g->precision);
	if (g->value.n)
		weft_buf_puts(out, "VALUES\n");
	for (size_t i = 0; i < g->value.n; i++)
		weft_buf_printf(out, "%" PRId64 " %s\n", g->value.at[i].value, g->value.at[i].text);
}

/* A .pcf that says the same. */
static void say(const struct pcf *p, struct weft_buf *out)
{
	for (size_t i = 0; i < p->option.n; i++)
		weft_buf_printf(out, "%s\n%s %s\n", p->option.at[i].semantic ? "DEFAULT_SEMANTIC" : "DEFAULT_OPTIONS",
		                p->option.at[i].key, p->option.at[i].value);
	weft_buf_puts(out, "STATES\n");
	for (size_t i = 0; i < p->state.n; i++)
		weft_buf_printf(out, "%" PRId64 " %s\n", p->state.at[i].value, p->state.at[i].text);
	weft_buf_puts(out, "STATES_COLOR\n");
	for (size_t i = 0; i < p->color.n; i++)
		weft_buf_printf(out, "%u {%u,%u,%u}\n", p->color.at[i].index, p->color.at[i].red, p->color.at[i].green,
		                p->color.at[i].blue);
	for (uint32_t i = 0; i < p->group.n; i++)
		say_group(p, i, out);
}

static void check_parsed(const struct pcf *p)
{
	FUZZ_REQUIRE(p->problem.n <= PCF_MOST_PROBLEMS && p->problem.n <= p->n_problems);
	for (size_t i = 0; i < p->problem.n; i++)
		check_text(p->problem.at[i].text);
	for (size_t i = 0; i < p->type.n; i++) {
		check_text(p->type.at[i].label);
		FUZZ_REQUIRE(p->type.at[i].group < p->group.n);
	}
	for (size_t i = 0; i < p->group.n; i++)
		FUZZ_REQUIRE(p->group.at[i].precision <= PCF_MOST_PRECISION);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct pcf p, again;
	struct weft_buf text = {0}, second = {0};
	FUZZ_REQUIRE(pcf_parse(&p, (const char *)at, n) == 0);
	check_parsed(&p);
	say(&p, &text);
	FUZZ_REQUIRE(pcf_parse(&again, text.at, text.n) == 0);
	say(&again, &second);
	FUZZ_REQUIRE(text.n == second.n && !memcmp(text.at, second.at, text.n));
	weft_buf_fini(&text);
	weft_buf_fini(&second);
	pcf_fini(&p);
	pcf_fini(&again);
	return 0;
}
