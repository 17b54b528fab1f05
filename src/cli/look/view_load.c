/* SPDX-License-Identifier: Apache-2.0 */
/* Views of metric/library, with what is said of them on the terminal. */
#include "view_load.h"
#include "base/log.h"
#include "cli/common/cli.h"
#include "metric/cfg/view_need.h"
#include <stdlib.h>

int cli_view_fail(const struct weft_view *v, const struct weft_err *err)
{
	int status = cli_fail(err);
	if (v->caret)
		fprintf(stderr, "%s\n", v->caret);
	return status;
}

int cli_view_bind(struct weft_view *v, const char *name, const struct weft_space *s, struct weft_err *err)
{
	struct weft_buf missing = {0};
	int rc = weft_view_fit(v, name, s, &missing, err);
	if (!rc && missing.n && !missing.failed)
		weft_log(WEFT_LOG_WARN, "%s: the trace has no events of %s", name, missing.at);
	weft_buf_fini(&missing);
	if (!rc)
		cli_say_no_labels(s->trace);
	return rc;
}

int cli_space_init(struct weft_space *s, const struct weft_trace *t, const struct cli_common *c)
{
	return c->own_threads ? weft_space_init_whole(s, t) : weft_space_init(s, t);
}

void cli_view_say_large(const struct weft_view *v, const struct weft_space *s, const struct cli_common *c)
{
	struct weft_need need;
	/* Filters speak of regions and counters, views of the types that are made of them. */
	if (s->schema || weft_view_need(v, s, &need))
		return;
	cli_say_large(c, s->trace, &need);
	free((void *)need.type);
}
