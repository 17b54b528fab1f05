/* SPDX-License-Identifier: Apache-2.0 */
/* Dimemas' configuration (.cfg) and its file of collective operations, as a machine. docs/replay.md lists the records. */
#ifndef WEFT_REPLAY_DIM_CFG_H
#define WEFT_REPLAY_DIM_CFG_H

#include "replay/machine/replay_machine.h"

bool weft_replay_is_cfg(const char *first, size_t n);
/* `m` is made; after a failure there is nothing to free. An old record of nodes is said in *notice (a literal, or NULL). */
int weft_replay_cfg_read(struct weft_replay_machine *m, const char *path, const char **notice,
                         struct weft_err *err) WEFT_MUST_CHECK;
int weft_replay_cfg_parse(struct weft_replay_machine *m, const char *at, size_t n, const char *name, const char **notice,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* The lines of a file of collective operations, policies and flight times change `m`. */
int weft_replay_collectives_read(struct weft_replay_machine *m, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
int weft_replay_collectives_parse(struct weft_replay_machine *m, const char *at, size_t n, const char *name,
                                  struct weft_err *err) WEFT_MUST_CHECK;

#endif
