/* SPDX-License-Identifier: Apache-2.0 */
/* Without TinyCC's library. */
#include "gen_priv.h"
#include <errno.h>

int tune_tcc(struct weft_spec *s, const struct tune_source *t, const char *path, struct weft_err *err)
{
	(void)s;
	(void)t;
	(void)path;
	return weft_err_set(err, -ENOSYS, "this build has no compiler of its own (libtcc)");
}
