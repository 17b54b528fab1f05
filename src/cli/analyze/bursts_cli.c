/* SPDX-License-Identifier: Apache-2.0 */
#include "bursts_cli.h"
#include <string.h>

static int refuse(const struct weft_command *cmd, const char *text)
{
	static const char *const known[] = {"states", "compute", "regions", "type=NAME"};
	if (!cmd)
		return cli_fail_text("bursts can be states, compute, regions or type=NAME, not '%s'", text);
	return cli_unknown(cmd, "option '--of': unknown", text, known, 4);
}

int cli_bursts_of(const struct weft_command *cmd, const char *text, const struct weft_trace *t, struct weft_bursts_how *how)
{
	static const struct {
		const char *name;
		enum weft_bursts_of of;
	} names[] = {{"states", WEFT_BURSTS_STATES}, {"compute", WEFT_BURSTS_COMPUTE}, {"regions", WEFT_BURSTS_REGIONS}};
	how->of = WEFT_BURSTS_ANY;
	if (!text)
		return CLI_OK;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i].name)) {
			how->of = names[i].of;
			return CLI_OK;
		}
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
