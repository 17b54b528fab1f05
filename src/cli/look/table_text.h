/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_CLI_TABLE_TEXT_H
#define WEFT_CLI_TABLE_TEXT_H

#include "metric/table/table_sheet.h"

/* Aligned text, at most `width` characters wide where that is possible. */
int cli_sheet_text(const struct weft_sheet *p, unsigned width, FILE *to) WEFT_MUST_CHECK;

#endif
