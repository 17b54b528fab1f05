/* SPDX-License-Identifier: Apache-2.0 */
/* Opening for `weft critical`, `weft waits`, `weft what-if`. */
#include "whatif_common.h"
#include "cli/common/left_out.h"

int whatif_open(const struct cli_common *common, const char *path, struct weft_trace **t, struct weft_causal *c)
{
	struct weft_err err = {0};
	struct weft_filter *filter;
	struct weft_causal_how how = {.threads = (unsigned)common->threads};
	int status = cli_open(common, path, t, &filter);
	if (status)
		return status;
	weft_filter_free(filter);
	cli_left_out_warn(*t, "that time counts as computing, and its messages wait for nobody");
	if (weft_causal_load(*t, &how, c, &err)) {
		weft_trace_close(*t);
		return cli_fail(&err);
	}
	if (c->n_threads && c->end > c->begin)
		return CLI_OK;
	whatif_close(*t, c);
	return cli_fail_text("'%s' has no thread that did anything", path);
}

void whatif_close(struct weft_trace *t, struct weft_causal *c)
{
	weft_causal_free(c);
	weft_trace_close(t);
}

const char *whatif_path_name(const struct weft_causal *c, uint32_t path, bool whole, struct weft_buf *to)
{
	uint32_t chain[64];
	unsigned n = 0;
	to->n = 0;
	if (!whole || c->path[path].region == 0)
		return weft_causal_region_of(c, path)->name;
	for (uint32_t p = path; p != WEFT_CAUSAL_NONE && n < sizeof chain / sizeof *chain; p = c->path[p].parent)
		if (c->path[p].region)
			chain[n++] = p;
	while (n-- > 0) {
		weft_buf_puts(to, weft_causal_region_of(c, chain[n])->name);
		if (n)
			weft_buf_puts(to, " / ");
	}
	return to->failed || !to->at ? "" : to->at;
}
