/* SPDX-License-Identifier: Apache-2.0 */
/* `weft convert --like extrae`. */
#include "convert_like.h"
#include "base/log.h"
#include "likeextrae/like.h"
#include "trace/write/export.h"
#include <errno.h>
#include <string.h>

int cli_write_extrae_trace(const struct cli_common *c, const struct weft_trace *t, const char *output, const char *symbols,
                           const struct weft_extrae_how *words)
{
	struct weft_symbols_how where = {.root = symbols};
	struct weft_extrae_how how = *words;
	struct weft_export_how export = {.progress = !c->quiet, .force = true, .memory = c->memory};
	struct weft_symbols *s;
	struct weft_trace *like = NULL;
	struct weft_err err = {0};
	how.memory = c->memory;
	how.own_threads = c->own_threads;
	if (weft_symbols_new(&s, t, &where))
		return cli_fail_code(-ENOMEM);
	int rc = weft_extrae_make(&like, t, s, &how, &err);
	for (uint32_t i = 0; !rc && i < weft_symbols_n_problems(s); i++)
		weft_log(WEFT_LOG_WARN, "%s", weft_symbols_problem(s, i));
	weft_symbols_free(s);
	if (!rc)
		rc = weft_export_prv(like, output, &export, &err);
	weft_trace_close(like);
	return rc ? cli_fail(&err) : CLI_OK;
}

int cli_write_extrae(const struct cli_common *c, const char *path, const char *output, const char *symbols,
                     const struct weft_extrae_how *words)
{
	struct weft_trace *t;
	int status = cli_open(c, path, &t, NULL);
	if (status)
		return status;
	if (t->def[WEFT_CLASS_STATE].n > 1 && !strcmp(t->format, "prv"))
		status = cli_fail_text("'%s' is a trace of Paraver already", path);
	else
		status = cli_write_extrae_trace(c, t, output, symbols, words);
	weft_trace_close(t);
	return status;
}
