/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the reader of configurations share: dim_cfg_text.c makes fields of lines, dim_cfg.c makes a machine of fields. */
#ifndef WEFT_REPLAY_DIM_CFG_PRIV_H
#define WEFT_REPLAY_DIM_CFG_PRIV_H

#include "base/str.h"
#include "dim_cfg.h"

enum { CFG_FIELDS_MOST = 16 };
enum cfg_kind { CFG_TEXT, CFG_NUMBER, CFG_ARRAY };
struct cfg_field {
	enum cfg_kind kind;
	struct weft_str text;
	double number;
	uint32_t first, n; /* in reader.array */
};
struct cfg_reader {
	struct weft_replay_machine *m;
	const char *name;
	struct weft_err *err;
	unsigned line;
	struct cfg_field field[CFG_FIELDS_MOST];
	unsigned n_fields;
	double *array; /* owned */
	size_t n_array, array_cap;
	uint32_t n_sites_said;
	const char *scheduler, *collectives, *notice;
};
int cfg_wrong(struct cfg_reader *r, const char *what);
/* A record with its fields in r. */
int cfg_take(struct cfg_reader *r, struct weft_str name) WEFT_MUST_CHECK;
/* Makes node `at` of a kind a kind of its own; its number, or negative. */
int cfg_split_kind(struct cfg_reader *r, size_t kind, uint32_t at);

#endif
