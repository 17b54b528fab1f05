/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of fields in options. */
#include "task_list.h"
#include <stdio.h>

int task_fields_parse(const struct weft_command *cmd, const char *option, const char *list, const struct task_field **field,
                      unsigned *n, unsigned most)
{
	const char *known[64];
	struct weft_str rest = weft_str(list), part;
	unsigned n_known = 0;
	for (unsigned i = 0; i < n_task_fields; i++)
		if (task_fields[i].needs != TASK_SPAN)
			known[n_known++] = task_fields[i].name;
	for (*n = 0; weft_str_cut(&rest, ',', &part);) {
		const struct task_field *f = task_field_find(part);
		char what[64], typed[64];
		snprintf(what, sizeof what, "option '%s': unknown field", option);
		snprintf(typed, sizeof typed, "%.*s", (int)(part.n < 60 ? part.n : 60), part.at);
		if (!f || f->needs == TASK_SPAN)
			return cli_unknown(cmd, what, typed, known, n_known);
		if (*n == most)
			return cli_usage(cmd, "option '%s': more than %u fields", option, most);
		field[(*n)++] = f;
	}
	return CLI_OK;
}
