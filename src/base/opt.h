/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command-line options as a table: one row drives parsing, --help, shell completion and the check that each option is in
 * the command's man page.
 *
 *     static const struct weft_opt opts[] = {
 *         {'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct args, output), "write to FILE instead of stdout"},
 *         {0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct args, json), "print JSON"},
 *         {0},
 *     };
 *
 * Accepted: -o FILE, -oFILE, --output FILE, --output=FILE, --out for --output when no other name begins so, -ab for -a -b,
 * -- ends the options, "-" is an operand, options and operands mixed unless WEFT_OPT_STOP_AT_OPERAND. --help and -h are
 * understood by the caller's table of commands.
 */
#ifndef WEFT_BASE_OPT_H
#define WEFT_BASE_OPT_H

#include "err.h"
#include "str.h"
#include <stdio.h>

enum weft_opt_kind {
	WEFT_OPT_END = 0,
	WEFT_OPT_FLAG,   /* bool: set to true */
	WEFT_OPT_NOFLAG, /* bool: set to false */
	WEFT_OPT_STRING, /* const char *: borrows from argv */
	WEFT_OPT_LIST,   /* struct weft_opt_list: appended; at most WEFT_OPT_LIST_MAX */
	WEFT_OPT_U64,    /* uint64_t */
	WEFT_OPT_BYTES,  /* uint64_t from "64M" */
	WEFT_OPT_NS,     /* uint64_t from "10ms" */
	WEFT_OPT_DOUBLE, /* double */
	WEFT_OPT_GROUP,  /* no option: `help` is a heading in --help */
};

#define WEFT_OPT_LIST_MAX 256
struct weft_opt_list {
	const char *at[WEFT_OPT_LIST_MAX]; /* borrow from argv */
	unsigned n;
};

struct weft_opt {
	char letter;      /* 0: none */
	const char *name; /* without the dashes */
	const char *arg;  /* what --help calls the argument; NULL: takes none */
	enum weft_opt_kind kind;
	size_t offset; /* of the member in the caller's struct */
	const char *help;
};

enum { WEFT_OPT_STOP_AT_OPERAND = 1 };

/*
 * Parses argv[1..argc); operands are moved to the front of argv (argv[0] stays) with a NULL behind them where there is room,
 * their count goes to *n_operands. When an option is repeated, the last one counts.
 * 0, or WEFT_E_SYNTAX with a text like "unknown option '--jsn' (did you mean '--json'?)".
 */
int weft_opt_parse(const struct weft_opt *table, void *into, int argc, char **argv, unsigned flags, int *n_operands,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* The options of a table as the aligned lines of a help text, wrapped at 80 columns. */
void weft_opt_help(const struct weft_opt *table, FILE *to);

#endif
