/* SPDX-License-Identifier: Apache-2.0 */
/* A build without the library of OTF2. */
#include "export_otf2.h"
#include <errno.h>

int export_otf2(const struct weft_trace *t, const char *folder, const struct weft_export_how *how, struct weft_err *err)
{
	(void)t, (void)how;
	return weft_err_set(err, -ENOTSUP,
	                    "cannot write '%s': this weft was built without the library of OTF2 (libotf2-trace-dev)", folder);
}
