/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of views, from inside.
 *
 *   text ─ lexer ─> tokens ─ parser (expressions, blocks, tables) ─> windows and tables, in the order in which they are named
 *
 * The parser makes windows as it goes: an expression is a value that is a number, a window that has
 * a name, or the definition of a window to be. What two values are combined of must be windows, so
 * a definition becomes one, without a name of its own.
 */
#ifndef WEFT_METRIC_TEXT_PRIV_H
#define WEFT_METRIC_TEXT_PRIV_H

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "metric/hist/hist.h"
#include "text_view.h"

/* ---- names ---- */

enum { TEXT_NAME = 64 };
/* What a function, a statistic is called in the text, into out (TEXT_NAME bytes). */
const char *text_func_name(enum weft_func_kind k, const struct weft_func *f, char *out);
const char *text_stat_name(const struct weft_stat *s, char *out);
const char *text_param_name(const struct weft_func *f, unsigned i, char *out);
/*
 * The other way; also by the name that Paraver has for it. NULL: there is none, and *near is the
 * nearest, or "".
 */
const struct weft_func *text_func_find(enum weft_func_kind k, struct weft_str name, char *near);
const struct weft_stat *text_stat_find(struct weft_str name, char *near);
/*
 * Does the thread function look at events, at states, or at neither? What its arguments without a
 * name are.
 */
enum text_args { TEXT_TYPES, TEXT_STATES, TEXT_NUMBERS };
enum text_args text_args_of(const struct weft_func *f);
/* Are the values of the function 0 and 1 only? */
bool text_is_flag(const struct weft_func *f);
/*
 * The number of a state of Paraver's, by its name ("Running", "Group_Communication"); false: there
 * is none.
 */
bool text_state_find(struct weft_str name, uint32_t *number);
const char *text_state_name(double number);    /* NULL: it has none that can stand without quotes */
const char *text_state_near(const char *name); /* NULL: there is none */
/*
 * Event types that have the same number in all traces; false: not of these. label: NULL when traces
 * name it in various ways.
 */
bool text_type_find(struct weft_str name, uint32_t *number);

extern const char *const text_levels[],
	*const text_units[], *const text_colors[], *const text_draws[], *const text_sorts[], *const text_limits[],
												     *const text_fields[];
/* Place of the word in a list that ends with NULL, or -1. */
int text_word(const char *const *words, struct weft_str s);

/* What stands in a filter for a label that the trace must have. */
#define TEXT_NO_TYPE 4294967295.0
#define TEXT_NO_VALUE (-9007199254740992.0)

/* A part of a text, terminated, for what wants that; out: TEXT_NAME bytes. */
char *text_typed(char *out, struct weft_str s);

/* The default colour of a window from text. */
enum weft_color text_color_of(const struct weft_window *w);

/* ---- tokens ---- */

enum text_kind {
	TEXT_END,
	TEXT_LINE, /* ends a statement: a newline, or ; */
	TEXT_WORD,
	TEXT_NUMBER,
	TEXT_STRING,
	TEXT_SIGN, /* an operator or a bracket */
};
struct text_token {
	enum text_kind kind;
	struct weft_str at;     /* as it stands in the text */
	struct weft_str string; /* of strings: what it says, in the arena */
	double number;
	uint32_t line, column;
};

struct text_ident {
	struct weft_str name;
	uint32_t window;
};
struct text {
	struct weft_view *view;
	const char *path, *at, *end, *line_at; /* where the lexer stands, and its line's begin */
	const char *counted_at;                /* of what column_of looked at last: its place and its column */
	uint32_t counted;
	const char *begin;
	uint32_t line;
	unsigned depth; /* of ( and [: newlines mean nothing inside */
	unsigned nested;
	struct weft_err *err;
	struct text_token now; /* the token in front */
	WEFT_VEC(struct weft_window) window;
	WEFT_VEC(struct weft_hist) hist;
	WEFT_VEC(struct weft_key_line) other, top_other;
	WEFT_VEC(struct weft_chosen) chosen;
	WEFT_VEC(struct text_ident) ident;
	WEFT_VEC(double) number; /* of the list that is being read */
	WEFT_VEC(const char *) label;
	struct weft_buf about;
	struct weft_str name; /* of the statement that is being read */
	uint32_t first;       /* window that it made */
};

int text_begin(struct text *p);
int text_next(struct text *p); /* reads the token in front */
/* All of these take the token in front when it is that. */
bool text_is(const struct text *p, const char *sign_or_word);
int text_take(struct text *p, const char *sign_or_word, bool *was); /* 0 or an error of the next token */
int text_expect(struct text *p, const char *sign);
int text_skip_lines(struct text *p);
bool text_ends(const struct text *p); /* at the end of a statement */

int text_fail(struct text *p, const char *fmt, ...) WEFT_PRINTF(2, 3); /* at the token in front */
int text_fail_at(struct text *p, const struct text_token *t, const char *fmt, ...) WEFT_PRINTF(3, 4);
/*
 * A key of a block: the row of `table` (its rows begin with their key, a const char *) that the
 * text names, which is taken. `such_as`: for the error.
 */
int text_key(struct text *p, const void *table, unsigned n_rows, size_t row_bytes, const char *such_as, unsigned *row);
int text_unknown(struct text *p, const struct text_token *t, const char *what, const char *near);
int text_memory(struct text *p);
const char *text_keep(struct text *p, struct weft_str s);

/* A number with its sign; an error when there is none. */
int text_number(struct text *p, double *out);
int text_count(struct text *p, uint32_t *out);
int text_choice(struct text *p, const char *const *words, const char *what, int *out);

/* ---- expressions ---- */

struct text_value {
	bool is_number;
	bool shared;     /* its list of extra functions belongs to another window, too */
	double number;   /* the number, or the factor of a window */
	int32_t shift;   /* of its row */
	uint32_t window; /* WEFT_NONE: `w` defines it */
	struct weft_window w;
};
int text_expression(struct text *p, struct text_value *out);
void text_value_init(struct text_value *v);
/* The definition that the value stands for. */
const struct weft_window *text_definition(const struct text *p, const struct text_value *v);
/* The value becomes a definition of its own: in place of a reference, of a factor or a shift. */
int text_inline(struct text *p, struct text_value *v);
/* The value as a window, with a name made of the statement's. */
int text_window(struct text *p, struct text_value *v, uint32_t *out);
int text_push_window(struct text *p, const struct weft_window *w, uint32_t *out);
/*
 * A compose function on top, by its call or by Paraver's name with n (0 to 2) parameters of a value
 * each.
 */
int text_apply(struct text *p, struct text_value *v, const struct weft_call *call);
int text_compose(struct text *p, struct text_value *v, const char *paraver, unsigned n, const double *param);
/* | function, | level: function */
int text_stage(struct text *p, struct text_value *v);
int text_derive(struct text *p, const char *operation, struct text_value *a, struct text_value *b);
/* a + b and its like, with numbers as well; the result in *a. */
int text_combine(struct text *p, const char *sign, struct text_value *a, struct text_value *b);
int text_flag(struct text *p, struct text_value *v); /* 0 or 1 */

/* Function and parameters behind its name; named by the token. */
int text_call(struct text *p, enum weft_func_kind k, const struct text_token *name, struct weft_call *out);
int text_params(struct text *p, struct weft_call *out);
/* A thread function behind its name: (types and parameters), [filter]. */
int text_source(struct text *p, const struct weft_func *f, struct weft_window *w);
int text_state_list(struct text *p, struct weft_list *out); /* one, or several in brackets */
bool text_window_named(const struct text *p, struct weft_str name, uint32_t *window);
void text_window_init(struct weft_window *w);
/* Takes the numbers that were gathered into the arena. */
int text_list(struct text *p, struct weft_list *out);

/* ---- blocks ---- */

int text_window_block(struct text *p, struct weft_window *w);
int text_table(struct text *p); /* behind "table" */
/* "key value", of a key that no table (of cfg_parts.h; NULL: none) has. */
struct cfg_key;
int text_paraver_line(struct text *p, const struct cfg_key *table, struct weft_key_line *out);

/* Does a metric of level `to` on top of level `base` pass the level `l`? */
bool text_on_path(enum weft_level l, enum weft_level base, enum weft_level to);

/* ---- printing ---- */

struct text_print {
	const struct weft_view *view;
	struct weft_print_how how;
	struct weft_intern used; /* names of metrics */
	uint32_t *ident;         /* by window: place in `used` */
	enum weft_level *level;  /* by window: as bind will have it */
	struct weft_buf *out;
	bool failed;
};
void text_put_number(struct weft_buf *o, double v);
void text_put_string(struct weft_buf *o, const char *z);
void text_put_call(struct weft_buf *o, enum weft_func_kind k, const struct weft_call *c);
void text_put_source(struct text_print *p, const struct weft_window *w);
/* Are there labels for the field that do not go together with its numbers? */
bool text_labels_differ(const struct weft_window *w, enum weft_filter_of field);
void text_put_block(struct text_print *p, uint32_t window);
/* The lines of a block in braces, unless there are none, and the end of the line; frees them. */
void text_put_braces(struct text_print *p, struct weft_buf *block);
void text_put_table(struct text_print *p, const struct weft_hist *h);

#endif
