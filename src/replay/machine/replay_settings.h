/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine in a few words, each with a name: what a machine's file holds line by line, what options override, and what a sweep goes
 * through.
 *
 *     # a cluster
 *     latency = 1.5us          bandwidth = 12GB/s        cpu = 1.2          eager = 16K          memory-share:solve* = 0.5
 */
#ifndef WEFT_REPLAY_SETTINGS_H
#define WEFT_REPLAY_SETTINGS_H

#include "base/str.h"
#include "replay_machine.h"

enum weft_setting {
	WEFT_SET_LATENCY,
	WEFT_SET_BANDWIDTH,
	WEFT_SET_CPU,
	WEFT_SET_LINKS_IN,
	WEFT_SET_LINKS_OUT,
	WEFT_SET_BUSES,
	WEFT_SET_NODE_LATENCY,
	WEFT_SET_NODE_BANDWIDTH,
	WEFT_SET_NODE_LINKS,
	WEFT_SET_NODE_BUSES,
	WEFT_SET_RANKS,
	WEFT_SET_RANKS_PER_NODE,
	WEFT_SET_CPUS,
	WEFT_SET_EAGER,
	WEFT_SET_COLLECTIVES,
	WEFT_SET_OVERHEAD,
	WEFT_SET_GAP,
	WEFT_SET_MEMORY_SHARE,
	WEFT_SETTINGS,
};
enum { WEFT_MEMORY_RULES = 16, WEFT_MEMORY_PATTERN = 120 };
enum weft_setting_kind { WEFT_SET_NS, WEFT_SET_RATE, WEFT_SET_RATIO, WEFT_SET_COUNT, WEFT_SET_BYTES, WEFT_SET_WORD };
struct weft_setting_row {
	const char *name, *text; /* text: for help */
	enum weft_setting_kind kind;
};
extern const struct weft_setting_row weft_setting_rows[WEFT_SETTINGS];

struct weft_replay_settings {
	double value[WEFT_SETTINGS]; /* ns, bytes per ns, …; NAN: not set. Words by their place in their list */
	struct {                     /* `topology = …`, the one setting that is a text */
		char text[512];      /* "": none */
		char folder[512];    /* of the machine's file; "": where we are */
	} topology;
	struct { /* `memory-share:REGION = …` */
		char pattern[WEFT_MEMORY_PATTERN];
		double share;
	} memory[WEFT_MEMORY_RULES];
	unsigned n_memory;
};
void weft_replay_settings_init(struct weft_replay_settings *s);
/* `topology`, if none is set already. -ENAMETOOLONG: it is too long. */
int weft_replay_settings_topology(struct weft_replay_settings *s, struct weft_str text, const char *file,
                                  struct weft_err *err) WEFT_MUST_CHECK;
/* Whether `name` is memory-share:REGION; then it is taken, behind those that are there. */
bool weft_replay_settings_memory(struct weft_replay_settings *s, struct weft_str name, struct weft_str value, int *rc,
                                 struct weft_err *err);
/* What it says for a region: the first that matches, or -1. */
double weft_replay_settings_memory_of(const struct weft_replay_settings *s, const char *region);
int weft_replay_setting_find(struct weft_str name); /* or -1 */
/* "2us", "10GB/s", "1.5", "16K", "logarithmic"; "0": none, no limit. 0 or WEFT_E_SYNTAX. */
int weft_replay_setting_parse(enum weft_setting which, struct weft_str text, double *out, struct weft_err *err) WEFT_MUST_CHECK;
/* As it is said, into out (40 bytes are enough). */
char *weft_replay_setting_print(enum weft_setting which, double value, char *out);
/* Lines "name = value"; # begins a comment. Those that are set already stay. */
int weft_replay_settings_parse(struct weft_replay_settings *s, const char *at, size_t n, const char *name,
                               struct weft_err *err) WEFT_MUST_CHECK;
int weft_replay_settings_read(struct weft_replay_settings *s, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* What is set changes the machine. */
void weft_replay_settings_apply(const struct weft_replay_settings *s, struct weft_replay_machine *m);

#endif
