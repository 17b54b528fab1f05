/* SPDX-License-Identifier: Apache-2.0 */
#include "bursts_cli.h"
#include "analyze/burst/burst_csv.h"
#include "base/fs.h"
#include <stdlib.h>
#include <string.h>

static int refuse(const struct weft_command *cmd, const char *text)
{
	static const char *const known[] = {"states", "compute", "regions", "type=NAME", "csv=FILE"};
	if (!cmd)
		return cli_fail_text("bursts can be states, compute, regions, type=NAME or csv=FILE, not '%s'", text);
	return cli_unknown(cmd, "option '--of': unknown", text, known, 5);
}

static int read_list(const char *path, const struct weft_trace *t, struct weft_bursts_how *how, struct weft_burst_row **rows)
{
	struct weft_err err = {0};
	char *text;
	size_t n;
	if (weft_read_input(path, &text, &n, &err))
		return cli_fail(&err);
	int rc = weft_burst_csv_parse(rows, &how->n_rows, t, path, text, n, &err);
	free(text);
	how->of = WEFT_BURSTS_LISTED;
	how->row = *rows;
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}

int cli_bursts_of(const struct weft_command *cmd, const char *text, const struct weft_trace *t, struct weft_bursts_how *how,
                  struct weft_burst_row **rows)
{
	static const struct {
		const char *name;
		enum weft_bursts_of of;
	} names[] = {{"states", WEFT_BURSTS_STATES}, {"compute", WEFT_BURSTS_COMPUTE}, {"regions", WEFT_BURSTS_REGIONS}};
	*rows = NULL;
	how->of = WEFT_BURSTS_ANY;
	if (!text)
		return CLI_OK;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i].name)) {
			how->of = names[i].of;
			return CLI_OK;
		}
	if (!strncmp(text, "csv=", 4))
		return read_list(text + 4, t, how, rows);
	if (strncmp(text, "type=", 5) != 0)
		return refuse(cmd, text);
	how->of = WEFT_BURSTS_TYPE;
	how->type = weft_counters_type(t, text + 5);
	return how->type ? CLI_OK : cli_fail_text("'%s' has no type '%s'", t->path, text + 5);
}

bool cli_prefixed(char *room, size_t n, const char *output, const char *ending)
{
	static const char *const known[] = {".prv.gz", ".prv.zst", ".prv", ".weft"};
	size_t length = strlen(output);
	while (length > 1 && output[length - 1] == '/')
		length--;
	for (unsigned i = 0; i < 4; i++) {
		size_t k = strlen(known[i]);
		if (length > k && !memcmp(output + length - k, known[i], k)) {
			length -= k;
			break;
		}
	}
	int used = snprintf(room, n, "%.*s%s", (int)length, output, ending);
	return used >= 0 && (size_t)used < n;
}
