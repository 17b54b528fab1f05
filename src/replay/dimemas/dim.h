/* SPDX-License-Identifier: Apache-2.0 */
/* Dimemas' text of a program (.dim): reading it, and writing it from a program. docs/replay.md says what its records mean. */
#ifndef WEFT_REPLAY_DIM_H
#define WEFT_REPLAY_DIM_H

#include "replay/program/program.h"
#include <stdio.h>

bool weft_replay_is_dim(const char *first, size_t n);
/*
 * -ENODATA, WEFT_E_SYNTAX with the line. A text that ends in the middle of a line is read up to there (a fault). memory: as in
 * struct weft_replay_from.
 */
int weft_replay_dim_read(struct weft_replay_program **out, const char *path, uint64_t memory,
                         struct weft_err *err) WEFT_MUST_CHECK;
int weft_replay_dim_parse(struct weft_replay_program **out, const char *at, size_t n, const char *name, uint64_t memory,
                          struct weft_err *err) WEFT_MUST_CHECK;

/* Names of MPI's calls by Extrae's numbers, "" for none: types 50000001 to 50000005, 90000001. */
const char *dim_call_name(int64_t value);
static inline bool dim_is_call_type(int64_t type)
{
	return (type >= 50000001 && type <= 50000005) || type == 90000001;
}
/* Begin of an outlined function of OpenMP, and of a parallel region. */
enum { DIM_OMP_FUNCTION = 60000018, DIM_OMP_PARALLEL = 60000001 };

#endif
