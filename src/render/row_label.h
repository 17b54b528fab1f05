/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_RENDER_ROW_LABEL_H
#define WEFT_RENDER_ROW_LABEL_H

#include "metric/paraver/paraver_out.h"

/*
 * What a picture calls a row: weft_object_label of Paraver's traces; of others process and thread,
 * "heat 3 · helper", since threads of many processes have one name.
 */
void row_label(const struct weft_space *s, enum weft_level level, uint32_t object, struct weft_buf *out);

#endif
