/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion: the scripts of shells ask `weft completion words`, which knows the tables of commands, options and values. Thus there
 * is one list of what may stand where, and a shell's script only says how the shell is told.
 *
 *     shell, word being typed -> completion_scripts.c -> weft completion words -- … -> completion_words.c
 *                                                                                     options, completion_values.c
 */
#ifndef WEFT_CLI_COMPLETION_H
#define WEFT_CLI_COMPLETION_H

#include "cli/common/cli.h"

/* What the shell itself completes beside the words that are printed; a line `:files` and the like at the end. */
enum completion_rest { REST_NOTHING, REST_FILES, REST_FOLDERS, REST_COMMANDS };

struct completion {
	struct weft_str typed; /* of the word so far: what is offered begins so */
	struct weft_str kept;  /* stands before each word: "--by=", "region," */
	FILE *to;
};

/* Offers the word if it begins with what was typed. about: for shells that show it, or NULL. */
void completion_offer(struct completion *c, const char *word, const char *about);
/* The same of many, with blanks between. */
void completion_offer_all(struct completion *c, const char *words);

/* The values of a command's option. `typed` may be cut at a comma. */
enum completion_rest completion_values(struct completion *c, const char *command, const struct weft_opt *o);
/* What may stand as operand `index`, from 0; first: the operand 0, or NULL. */
enum completion_rest completion_operands(struct completion *c, const char *command, unsigned index, const char *first);

/* The words behind "weft", the last of which is being typed: prints what it may be. */
void completion_print(char **word, int n, FILE *to);

struct completion_shell {
	const char *name, *script;
};
extern const struct completion_shell completion_shells[]; /* ends with name NULL */

#endif
