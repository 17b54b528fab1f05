/* SPDX-License-Identifier: Apache-2.0 */
/* OTF2: by its library where the build had that (export_otf2.c), else a refusal (export_otf2_none.c). */
#ifndef WEFT_TRACE_EXPORT_OTF2_H
#define WEFT_TRACE_EXPORT_OTF2_H

#include "base/map.h"
#include "export_priv.h"

/* Writes the archive into a folder that is not there yet. */
int export_otf2(const struct weft_trace *t, const char *folder, const struct weft_export_how *how,
                struct weft_err *err) WEFT_MUST_CHECK;

#endif
