/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft replay` was asked: the machine, who is faster, where to write. */
#ifndef WEFT_CLI_REPLAY_OPTIONS_H
#define WEFT_CLI_REPLAY_OPTIONS_H

#include "replay/sweep/replay_sweep.h"
#include "replay_cli.h"

struct replay_args {
	struct cli_common common;
	const char *machine, *latency, *bandwidth, *cpu, *eager, *map, *output, *picture, *topology;
	struct weft_opt_list set, faster, rank_speed, sweep;
	bool ideal, force, drop_calls, no_threads, links;
};
struct replay_setup { /* what the options come to */
	const struct replay_args *args;
	struct weft_replay_settings settings;
	const char *cfg;                /* a configuration of Dimemas, or NULL */
	char path[4096];                /* of the machine's file */
	double *rank_ratio;             /* owned; NULL: none */
	double *place_speed;            /* owned; NULL: none */
	double *place_memory;           /* by place; NULL: the machine says */
	struct weft_topology *topology; /* owned; NULL: none */
	uint32_t *node;                 /* of ranks; owned; NULL: the machine's own mapping */
	uint32_t n_ranks;
	uint8_t rule; /* of the mapping, where it was said in a word */
	uint32_t per_node;
	bool has_rule;
	struct weft_replay_how how;
};
/* 0 or the exit status. */
int replay_setup_init(struct replay_setup *s, const struct replay_args *a);
int replay_setup_program(struct replay_setup *s, const struct weft_replay_program *p); /* what names ranks and regions */
void replay_setup_fini(struct replay_setup *s);
/* As the sweep asks: arg is a setup. */
int replay_make_machine(void *arg, const struct weft_replay_settings *settings, struct weft_replay_machine *m,
                        struct weft_err *err);

/* replay_table.c */
int replay_print(const struct replay_args *a, const struct weft_replay_program *p, const struct weft_replay_result *r,
                 bool memory); /* memory: memory limits somebody */
/* replay_links.c: what links of a topology were used for, and the busiest in a few words */
int replay_print_links(const struct replay_args *a, const struct weft_topology *t, const struct weft_replay_result *r);
void replay_say_links(const struct weft_topology *t, const struct weft_replay_result *r, unsigned most);
/* replay_points.c: a sweep */
int replay_sweep(struct replay_setup *s, const struct weft_replay_program *p);

extern const struct weft_command weft_command_replay;

#endif
