/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a .cfg, inside: a table of keys for windows and one for histograms; the scanner of their
 * values.
 */
#ifndef WEFT_METRIC_CFG_PRIV_H
#define WEFT_METRIC_CFG_PRIV_H

#include "base/str.h"
#include "base/vec.h"
#include "metric/view/view.h"

struct cfg {
	struct weft_view *view;
	const char *path;
	uint64_t line;
	struct weft_err *err;
	WEFT_VEC(struct weft_window) window;
	WEFT_VEC(struct weft_hist) hist;
	WEFT_VEC(struct weft_key_line) other; /* of what is being read */
	WEFT_VEC(struct weft_chosen) chosen;  /* of the window that is being read */
	WEFT_VEC(struct weft_call) extra;     /* likewise */
	struct weft_buf description;
	bool in_window, in_hist, in_description;
	uint32_t announced; /* windows; 0: not said */
	bool hist_is_wrong; /* the error is one of a histogram */
};

struct cfg_key {
	const char *name;
	int (*read)(struct cfg *c, struct weft_str value);
};
extern const struct cfg_key cfg_window_keys[], cfg_hist_keys[];
/*
 * Keys that choose a table's rows, which a text has as they are in a .cfg; -EINVAL: the value is
 * none.
 */
bool cfg_is_row_key(struct weft_str key);
int cfg_set_rows(struct weft_hist *h, struct weft_arena *arena, struct weft_str key, struct weft_str value) WEFT_MUST_CHECK;

/* Words for values of an enum; ended by NULL. */
extern const char *const cfg_level_names[],
	*const cfg_unit_names[], *const cfg_color_names[], *const cfg_draw_names[], *const cfg_sort_names[],
											    *const cfg_limit_names[],
												    *const cfg_filter_names[];
int cfg_word(struct cfg *c, struct weft_str value, const char *const *names, const char *what);

int cfg_fail(struct cfg *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
/*
 * "line N: unknown WHAT 'NAME' (did you mean 'X'?)", or, where none is like it, "(the nearest is
 * 'X')"
 */
int cfg_unknown(struct cfg *c, const char *what, const char *name, const char *const *known, size_t n_known);
const char *cfg_keep(struct cfg *c, struct weft_str s); /* a copy in the view's arena, NULL when memory is out */
int cfg_other(struct cfg *c, const char *key, struct weft_str value);

/* Scanning a value: each takes its part off the front of *s. */
bool cfg_take_number(struct weft_str *s, double *out);
bool cfg_take_count(struct weft_str *s, uint32_t *out);
struct weft_str cfg_take_token(struct weft_str *s); /* up to a blank */
bool cfg_take_char(struct weft_str *s, char ch);    /* after blanks */
int cfg_take_list(struct cfg *c, struct weft_str *s, uint32_t n, struct weft_list *out);
int cfg_bool(struct cfg *c, struct weft_str value, bool *out);
int cfg_number(struct cfg *c, struct weft_str value, double *out);
int cfg_count(struct cfg *c, struct weft_str value, uint32_t *out);

/* The functions of a window: cfg_funcs.c */
int cfg_selected_functions(struct cfg *c, struct weft_str value);
int cfg_compose_functions(struct cfg *c, struct weft_str value);
int cfg_semantic_module(struct cfg *c, struct weft_str value);
int cfg_filter_module(struct cfg *c, struct weft_str value);

/* What is being read; NULL: nothing yet. */
struct weft_window *cfg_window(struct cfg *c);
struct weft_hist *cfg_hist(struct cfg *c);
int cfg_close_window(struct cfg *c) WEFT_MUST_CHECK; /* what was gathered becomes the window's */
int cfg_close_hist(struct cfg *c) WEFT_MUST_CHECK;

#endif
