/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of `weft table` by its options, in place of what the view says of them. */
#include "table_scale.h"
#include "cli/common/cli.h"
#include "metric/hist/hist.h"
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
	struct weft_scale *s = &h->scale;
	if (!o->min && !o->max && !o->delta && o->columns == CLI_TABLE_COLUMNS_UNSAID)
		return CLI_OK;
	if (weft_stat_of_comms(h->stat))
		return cli_usage(&weft_command_table, "columns of '%s' are partners, which have no scale",
		                 weft_stat_name(h->stat));
	s->keep_min = o->min != NULL;
	s->keep_max = o->max != NULL;
	s->min = o->min ? o->own_min : s->min;
	s->max = o->max ? o->own_max : s->max;
	if (o->delta) {
		s->delta = o->own_delta;
		s->fixed_delta = true;
		s->n = 0;
	}
	if (o->columns != CLI_TABLE_COLUMNS_UNSAID) {
		s->n = (uint32_t)o->columns;
		s->fixed_delta = false;
		s->keep_n = true;
	}
	if (!s->compute && s->max < s->min)
		return cli_usage(&weft_command_table, "the columns would go from %g to %g: say both --min and --max", s->min,
		                 s->max);
	return CLI_OK;
}
