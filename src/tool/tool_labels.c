/* SPDX-License-Identifier: Apache-2.0 */
/* A .pcf as the foreign tools write one anew: every option in a column of 20, tabs behind numbers of states and colours. */
#include "tool_priv.h"

static const char *const options[] = {"LEVEL", "UNITS", "LOOK_BACK", "SPEED", "FLAG_ICONS", "NUM_OF_STATE_COLORS", "YMAX_SCALE"};

static const char *option(const struct pcf *p, const char *key, const char *absent)
{
	for (size_t i = 0; i < p->option.n; i++)
		if (!strcmp(p->option.at[i].key, key))
			return p->option.at[i].value;
	return absent;
}

static void write_type(const struct tool_label_type *t, struct weft_buf *out)
{
	weft_buf_printf(out, "0   %llu    %s\n", (unsigned long long)t->type, t->label);
	if (t->precision)
		weft_buf_printf(out, "PRECISION %u\n", t->precision);
	if (t->n_values)
		weft_buf_puts(out, "VALUES\n");
	for (size_t i = 0; i < t->n_values; i++)
		weft_buf_printf(out, "%lld  %s\n", (long long)t->value[i].value, t->value[i].text);
}

static bool alone(const struct tool_label_type *t)
{
	return t->n_values || t->precision;
}

void tool_labels_write(const struct pcf *p, const struct tool_label_type *type, size_t n, struct weft_buf *out)
{
	weft_buf_puts(out, "DEFAULT_OPTIONS\n");
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		weft_buf_printf(out, "%-20s%s\n", options[i], option(p, options[i], strstr(options[i], "NUM_OF") ? "0" : ""));
	weft_buf_printf(out, "\nDEFAULT_SEMANTIC\n%-20s%s\n\nSTATES\n", "THREAD_FUNC", option(p, "THREAD_FUNC", ""));
	for (size_t i = 0; i < p->state.n; i++)
		weft_buf_printf(out, "%lld\t%s\n", (long long)p->state.at[i].value, p->state.at[i].text);
	weft_buf_puts(out, "\nSTATES_COLOR\n");
	for (size_t i = 0; i < p->color.n; i++)
		weft_buf_printf(out, "%u\t{%u,%u,%u}\n", p->color.at[i].index, p->color.at[i].red, p->color.at[i].green,
		                p->color.at[i].blue);
	weft_buf_putc(out, '\n');
	for (size_t i = 0; i < n; i++) { /* a group for each type with values, one for all that stand together without */
		if (i == 0 || alone(&type[i]) || alone(&type[i - 1]))
			weft_buf_puts(out, "EVENT_TYPE\n");
		write_type(&type[i], out);
		if (i + 1 == n || alone(&type[i]) || alone(&type[i + 1]))
			weft_buf_putc(out, '\n');
	}
}
