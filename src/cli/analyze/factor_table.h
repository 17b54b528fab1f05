/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of runs beside each other: for people, as CSV and JSON, in the form of basic analysis' modelfactors.csv, as a coloured table. */
#ifndef WEFT_CLI_FACTOR_TABLE_H
#define WEFT_CLI_FACTOR_TABLE_H

#include "factor_run.h"
#include "render/draw/picture.h"

/* Prints; the exit status. hybrid: also the models that tell processes and threads apart. all: also balances, messages. */
int factor_table_print(const struct factor_run *run, uint32_t n, bool hybrid, bool all, const struct cli_common *c);
/* What basic analysis writes: rows with ';' between, percents with six decimals, then times in us. */
void factor_table_csv(const struct factor_run *run, uint32_t n, struct weft_buf *out);
int factor_table_picture(const struct factor_run *run, uint32_t n, bool hybrid, enum weft_picture_form form,
                         struct weft_buf *out) WEFT_MUST_CHECK;
/* The colour of an efficiency: red up to a half, over yellow to green at 1, all of them light enough for black text. */
uint32_t factor_heat(double part);

#endif
