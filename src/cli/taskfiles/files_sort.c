/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files sort`, starpu_paje_sort: each trace is replaced by itself in the order of its times; or one is written elsewhere. */
#include "files_cli.h"
#include "base/log.h"
#include "taskfiles/paje_order.h"
#include <string.h>

static int sort_file(const struct files_args *a, const char *path, const char *output)
{
	struct weft_map_file f;
	struct weft_out out;
	struct paje_order o;
	struct weft_err err = {0};
	const char *text;
	if (weft_map_file_open(&f, path, &err))
		return cli_fail(&err);
	text = f.n ? (const char *)f.at : "";
	int status = paje_order_write(text, f.n, path, NULL, &o, &err) ? cli_fail(&err) : CLI_OK;
	/* One that is in order already is left as it is, its time of change, too. */
	if (!status && (output || o.stretches > 1)) {
		struct files_args how = *a;
		how.force |= !output;
		status = files_begin(&how, output ? output : path, &out);
		if (!status) {
			status = paje_order_write(text, f.n, path, out.to, &o, &err) ? cli_fail(&err) : CLI_OK;
			status = files_end(&out, status);
		}
	}
	if (!status)
		weft_log(WEFT_LOG_INFO, "'%s': %llu lines, %llu stretches that were in order", path, (unsigned long long)o.lines,
		         (unsigned long long)o.stretches);
	weft_map_file_close(&f);
	return status;
}

int files_sort(const struct files_args *a, char **operand, int n)
{
	int status = CLI_OK;
	if (a->output && n > 1)
		return cli_usage(&weft_command_files, "option '--output' is for one trace");
	for (int i = 0; i < n && !status; i++)
		status = sort_file(a, operand[i], a->output);
	return status;
}
