/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a view and reads it. What a file is, is seen from its content, as its suffix may be anything.
 */
#include "view_load.h"
#include "base/fs.h"
#include <stdlib.h>

int cli_view_load(struct weft_view *v, const char *name, struct weft_err *err)
{
	char *text;
	size_t n;
	*v = (struct weft_view){.n_windows = 0};
	int rc = weft_read_file(name, &text, &n, err);
	if (rc)
		return rc;
	if (weft_view_is_cfg(text, n))
		rc = weft_view_read(v, text, n, name, err);
	else
		rc = weft_err_set(err, WEFT_E_SYNTAX, "'%s' is no view", name);
	free(text);
	return rc;
}
