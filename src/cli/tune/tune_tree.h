/* SPDX-License-Identifier: Apache-2.0 */
/* Collectors of a tuned run: between the analyzer and the controllers of this and other hosts. */
#ifndef WEFT_CLI_TUNE_TREE_H
#define WEFT_CLI_TUNE_TREE_H

#include "base/opt.h"
#include "tune/collect/collect.h"
#include <sys/types.h>

enum { TUNE_COLLECTORS_MAX = 32 };

struct tune_tree {
	pid_t pid[TUNE_COLLECTORS_MAX];         /* of collectors here, and of the commands that run those elsewhere */
	const char *place[TUNE_COLLECTORS_MAX]; /* NAME=COMMAND, or NULL: it is here */
	unsigned n, n_here;
	int life; /* our end: closed, they end; -1: there is no tree */
	struct weft_secret secret;
	char address[TUNE_COLLECTORS_MAX][WIRE_PEER_BYTES];
};

struct tune_tree_how {
	const char *collectors;             /* "auto", a number, NULL: auto */
	const char *listen;                 /* for those of other hosts; NULL: 127.0.0.1 */
	const struct weft_opt_list *places; /* NAME=COMMAND, which is to run what follows it on the host NAME */
	const char *agents;                 /* the folder in which agents connect */
	bool waits;                         /* struct control_how, of controllers elsewhere */
};

/*
 * Puts collectors between up[0] (the controller's end of a stream) and up[1] (the analyzer's), whose other ends then are theirs.
 * Does nothing when none are wanted. The caller closes what it has.
 */
int tune_tree_begin(struct tune_tree *t, const struct tune_tree_how *how, int up[2], struct weft_err *err) WEFT_MUST_CHECK;
/* A process of ours has ended. Which place's command it was, NAME=COMMAND; NULL: none. */
const char *tune_tree_ended(struct tune_tree *t, pid_t pid);
/* After the analyzer and the controller have ended. */
void tune_tree_end(struct tune_tree *t);

/* `weft tune-collector`: one of another host. */
int cli_tune_collector(int argc, char **argv);

#endif
