/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing and explaining a table of options. What differs between kinds (does it take an argument, how is it stored, what
 * is it called when it is wrong) is one row of `kinds`; the rest is the walk over argv.
 */
#include "opt.h"
#include "vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- what the kinds mean -- */

typedef int store_fn(void *at, const char *arg);

static int store_true(void *at, const char *arg)
{
	(void)arg;
	*(bool *)at = true;
	return 0;
}

static int store_false(void *at, const char *arg)
{
	(void)arg;
	*(bool *)at = false;
	return 0;
}

static int store_string(void *at, const char *arg)
{
	*(const char **)at = arg;
	return 0;
}

static int store_list(void *at, const char *arg)
{
	struct weft_opt_list *list = at;
	if (list->n == WEFT_OPT_LIST_MAX)
		return WEFT_E_LIMIT;
	list->at[list->n++] = arg;
	return 0;
}

static int store_u64(void *at, const char *arg)
{
	return weft_parse_u64(weft_str(arg), at);
}

static int store_bytes(void *at, const char *arg)
{
	return weft_parse_bytes(weft_str(arg), at);
}

static int store_ns(void *at, const char *arg)
{
	return weft_parse_ns(weft_str(arg), at);
}

static int store_double(void *at, const char *arg)
{
	return weft_parse_double(weft_str(arg), at);
}

static const struct {
	store_fn *store; /* NULL: not an option */
	const char *wanted;
} kinds[] = {
	[WEFT_OPT_FLAG] = {store_true, NULL},
	[WEFT_OPT_NOFLAG] = {store_false, NULL},
	[WEFT_OPT_STRING] = {store_string, NULL},
	[WEFT_OPT_LIST] = {store_list, NULL},
	[WEFT_OPT_U64] = {store_u64, "a whole number"},
	[WEFT_OPT_BYTES] = {store_bytes, "a size like 64M"},
	[WEFT_OPT_NS] = {store_ns, "a time like 10ms"},
	[WEFT_OPT_DOUBLE] = {store_double, "a number"},
	[WEFT_OPT_GROUP] = {NULL, NULL},
};

static bool opt_is_option(const struct weft_opt *o)
{
	return kinds[o->kind].store != NULL;
}

static bool opt_takes_arg(const struct weft_opt *o)
{
	return o->kind != WEFT_OPT_FLAG && o->kind != WEFT_OPT_NOFLAG;
}

/* -- parsing -- */

struct opt_walk {
	const struct weft_opt *table;
	char *into;
	int argc, i; /* i: the argument being read */
	char **argv;
	struct weft_err *err;
};

/* How the user wrote it: '-o' or '--output'. */
struct opt_name {
	const char *dashes;
	struct weft_str name;
};

#define NAME_FMT "'%s%.*s'"
#define NAME_ARGS(w) (w).dashes, (int)(w).name.n, (w).name.at

/* `arg` NULL: the option came without one. */
static int opt_store(struct opt_walk *w, const struct weft_opt *o, struct opt_name as, const char *arg)
{
	if (opt_takes_arg(o) && !arg) {
		if (w->i + 1 >= w->argc)
			return weft_err_set(w->err, WEFT_E_SYNTAX, "option " NAME_FMT " needs %s", NAME_ARGS(as),
			                    o->arg ? o->arg : "an argument");
		arg = w->argv[++w->i];
	}
	int rc = kinds[o->kind].store(w->into + o->offset, arg);
	if (!rc)
		return 0;
	if (rc == WEFT_E_LIMIT)
		return weft_err_set(w->err, WEFT_E_SYNTAX, "option " NAME_FMT ": given more than %d times", NAME_ARGS(as),
		                    WEFT_OPT_LIST_MAX);
	if (rc == -ERANGE)
		return weft_err_set(w->err, WEFT_E_SYNTAX, "option " NAME_FMT ": '%s' is out of range", NAME_ARGS(as), arg);
	return weft_err_set(w->err, WEFT_E_SYNTAX, "option " NAME_FMT ": expected %s, found '%s'", NAME_ARGS(as),
	                    kinds[o->kind].wanted, arg);
}

static int opt_unknown(struct opt_walk *w, struct weft_str name)
{
	WEFT_VEC(const char *) known = {0};
	const char *nearest = NULL;
	char typed[80];
	for (const struct weft_opt *o = w->table; o->kind; o++)
		if (opt_is_option(o) && o->name && weft_vec_push(&known, o->name))
			break; /* without memory there is no suggestion */
	if (name.n < sizeof typed) {
		memcpy(typed, name.at, name.n);
		typed[name.n] = '\0';
		nearest = weft_nearest(typed, known.at, known.n);
	}
	free(known.at);
	if (nearest)
		return weft_err_set(w->err, WEFT_E_SYNTAX, "unknown option '--%.*s' (did you mean '--%s'?)", (int)name.n, name.at,
		                    nearest);
	return weft_err_set(w->err, WEFT_E_SYNTAX, "unknown option '--%.*s'", (int)name.n, name.at);
}

/* The option of that name, or the only one whose name begins so. NULL: the error is set. */
static const struct weft_opt *opt_find_long(struct opt_walk *w, struct weft_str name)
{
	const struct weft_opt *begins = NULL, *second = NULL;
	for (const struct weft_opt *o = w->table; o->kind; o++) {
		if (!opt_is_option(o) || !o->name)
			continue;
		if (weft_str_eq(name, o->name))
			return o;
		if (name.n > 0 && strncmp(o->name, name.at, name.n) == 0) {
			second = begins && !second ? o : second;
			begins = begins ? begins : o;
		}
	}
	if (begins && !second)
		return begins;
	if (second)
		weft_err_set(w->err, WEFT_E_SYNTAX, "option '--%.*s' is ambiguous: '--%s' or '--%s'", (int)name.n, name.at,
		             begins->name, second->name);
	else
		opt_unknown(w, name);
	return NULL;
}

/* --name, --name=ARG, --name ARG */
static int opt_long(struct opt_walk *w, const char *text)
{
	struct weft_str rest = weft_str(text), name;
	weft_str_cut(&rest, '=', &name);
	const struct weft_opt *o = opt_find_long(w, name);
	if (!o)
		return WEFT_E_SYNTAX;
	if (rest.at && !opt_takes_arg(o))
		return weft_err_set(w->err, WEFT_E_SYNTAX, "option '--%s' takes no argument", o->name);
	return opt_store(w, o, (struct opt_name){"--", weft_str(o->name)}, rest.at);
}

static const struct weft_opt *opt_find_letter(const struct weft_opt *table, char letter)
{
	for (const struct weft_opt *o = table; o->kind; o++)
		if (opt_is_option(o) && o->letter == letter)
			return o;
	return NULL;
}

/* -a, -ab, -oARG, -o ARG */
static int opt_letters(struct opt_walk *w, const char *text)
{
	for (; *text; text++) {
		const struct weft_opt *o = opt_find_letter(w->table, *text);
		struct opt_name as = {"-", weft_str_n(text, 1)};
		if (!o)
			return weft_err_set(w->err, WEFT_E_SYNTAX, "unknown option " NAME_FMT, NAME_ARGS(as));
		if (opt_takes_arg(o))
			return opt_store(w, o, as, text[1] ? text + 1 : NULL);
		int rc = opt_store(w, o, as, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

int weft_opt_parse(const struct weft_opt *table, void *into, int argc, char **argv, unsigned flags, int *n_operands,
                   struct weft_err *err)
{
	struct opt_walk w = {.table = table, .into = into, .argc = argc, .i = 1, .argv = argv, .err = err};
	int n = 0;
	bool options = true;
	*n_operands = 0;
	for (; w.i < argc; w.i++) {
		char *arg = argv[w.i];
		if (!options || arg[0] != '-' || arg[1] == '\0') {
			argv[++n] = arg;
			options = options && !(flags & WEFT_OPT_STOP_AT_OPERAND);
		} else if (strcmp(arg, "--") == 0) {
			options = false;
		} else {
			int rc = arg[1] == '-' ? opt_long(&w, arg + 2) : opt_letters(&w, arg + 1);
			if (rc)
				return rc;
		}
	}
	if (n + 1 < argc)
		argv[n + 1] = NULL;
	*n_operands = n;
	return 0;
}

/* -- help -- */

enum { HELP_WIDTH = 80, HELP_COLUMN_MAX = 30 };

/* "  -o, --output=FILE"; returns the width. */
static int help_left(const struct weft_opt *o, char *out, size_t size)
{
	const char *arg = o->arg ? o->arg : "";
	if (!o->name)
		return snprintf(out, size, "  -%c%s%s", o->letter, *arg ? " " : "", arg);
	const char *equals = *arg ? "=" : "";
	if (o->letter)
		return snprintf(out, size, "  -%c, --%s%s%s", o->letter, o->name, equals, arg);
	return snprintf(out, size, "      --%s%s%s", o->name, equals, arg);
}

/* Words of `text` from `column` on, the cursor being there already. */
static void help_wrap(const char *text, int column, FILE *to)
{
	int at = column;
	while (*text) {
		int word = (int)strcspn(text, " ");
		if (at > column && at + 1 + word > HELP_WIDTH) {
			fprintf(to, "\n%*s", column, "");
			at = column;
		} else if (at > column) {
			fputc(' ', to);
			at++;
		}
		fwrite(text, 1, (size_t)word, to);
		at += word;
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

void weft_opt_help(const struct weft_opt *table, FILE *to)
{
	char left[120];
	int column = 0;
	for (const struct weft_opt *o = table; o->kind; o++) {
		int width = opt_is_option(o) ? help_left(o, left, sizeof left) + 2 : 0;
		if (width > column && width <= HELP_COLUMN_MAX)
			column = width;
	}
	for (const struct weft_opt *o = table; o->kind; o++) {
		if (!opt_is_option(o)) {
			fprintf(to, "%s%s\n", o == table ? "" : "\n", o->help);
			continue;
		}
		int width = help_left(o, left, sizeof left);
		if (width + 2 <= column)
			fprintf(to, "%-*s", column, left);
		else
			fprintf(to, "%s\n%*s", left, column, "");
		help_wrap(o->help, column, to);
	}
}
