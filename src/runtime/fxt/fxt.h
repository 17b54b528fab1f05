/* SPDX-License-Identifier: Apache-2.0 */
/* Traces as StarPU's handbook makes them: asked for by STARPU_FXT_TRACE, one file a process, files of other tools made of it. */
#ifndef WEFT_RUNTIME_FXT_FXT_H
#define WEFT_RUNTIME_FXT_FXT_H

#include "runtime/task/machine.h"

/* What of the runtime's life is recorded (enum rt_trace_group), as STARPU_FXT_EVENTS says; `known`: without it. */
uint32_t rt_fxt_groups(const char *events, uint32_t known);

/* This process's rank as launchers say it, or -1; `n`: of how many, 0: not known. */
int rt_fxt_rank(int *n);

/* The file of this process: PREFIX/SUFFIX_RANK. 0 or -ENAMETOOLONG. */
int rt_fxt_file_name(char *out, size_t room, int rank) WEFT_MUST_CHECK;

/*
 * Runs a command of Weft's: `name`, which lies beside this library's folder lib, or is found by PATH, with these arguments (NULL at the
 * end). What it prints goes to stderr. 0; else a line has been said, and the result is negative.
 */
int rt_fxt_run(const char *name, const char *const *arguments) WEFT_MUST_CHECK;

/* A row of distrib.data each, malloc'd also after a failure; `activity` says what the workers are called. */
struct starpu_fxt_codelet_event;
int rt_fxt_codelets(const char *distribution, const char *activity, struct starpu_fxt_codelet_event **out,
                    long *n) WEFT_MUST_CHECK;

/* At the end of a recorded run: STARPU_GENERATE_TRACE. */
void rt_fxt_generate(const char *file);

#endif
