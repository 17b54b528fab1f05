/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of `weft table` by its options, in place of what the view says of them. */
#include "table_scale.h"
#include "cli/common/cli.h"
#include "metric/table/table_choose.h"
#include <math.h>

enum { COLUMNS_MOST = 1000000 };

static int read_number(const char *option, const char *text, double *out)
{
	if (!text || (!weft_parse_double(weft_str(text), out) && isfinite(*out)))
		return CLI_OK;
	return cli_usage(&weft_command_table, "option '--%s': expected a number, found '%s'", option, text);
}

int cli_table_scale_read(struct cli_table_scale *s)
{
	int status = read_number("min", s->min, &s->own_min);
	if (!status)
		status = read_number("max", s->max, &s->own_max);
	if (!status)
		status = read_number("delta", s->delta, &s->own_delta);
	if (status)
		return status;
	if (s->delta && !(s->own_delta > 0))
		return cli_usage(&weft_command_table, "option '--delta': expected a width greater than 0, found '%s'", s->delta);
	if (!s->columns || (s->columns > COLUMNS_MOST && s->columns != CLI_TABLE_COLUMNS_UNSAID))
		return cli_usage(&weft_command_table, "option '--columns': expected 1 to %d", COLUMNS_MOST);
	if (s->delta && s->columns != CLI_TABLE_COLUMNS_UNSAID)
		return cli_usage(&weft_command_table, "options '--delta' and '--columns' exclude each other");
	if (s->min && s->max && s->own_max < s->own_min)
		return cli_usage(&weft_command_table, "option '--max' (%s) is less than '--min' (%s)", s->max, s->min);
	return CLI_OK;
}

int cli_table_scale_set(const struct cli_table_scale *o, struct weft_hist *h)
{
	struct weft_err err = {0};
	struct weft_table_scale scale = {.has_min = o->min,
	                                 .has_max = o->max,
	                                 .has_delta = o->delta,
	                                 .min = o->own_min,
	                                 .max = o->own_max,
	                                 .delta = o->own_delta,
	                                 .columns = o->columns == CLI_TABLE_COLUMNS_UNSAID ? 0 : (uint32_t)o->columns};
	return weft_table_scale_set(&scale, h, &err) ? cli_usage(&weft_command_table, "%s", err.text) : CLI_OK;
}
