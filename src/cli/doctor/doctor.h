/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of `weft doctor`: a row each, in a table for each area. A check fills in its report and returns; it runs in a
 * process of its own, so that it may hang, crash or leave things open without harm. It needs no privileges: what is not
 * allowed is its finding.
 */
#ifndef WEFT_CLI_DOCTOR_H
#define WEFT_CLI_DOCTOR_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doctor_answer { DOCTOR_NO, DOCTOR_PARTLY, DOCTOR_YES };

struct doctor_report {
	enum doctor_answer answer;
	char text[300]; /* what there is; when there is not, why, and what would help */
};

struct doctor_check {
	const char *name; /* "ptrace": also an operand of the command */
	const char *what; /* "attach to running programs" */
	void (*run)(struct doctor_report *r);
};
/* Each ends with a row without name. */
extern const struct doctor_check doctor_clock_checks[], doctor_counter_checks[], doctor_process_checks[], doctor_memory_checks[],
	doctor_library_checks[], doctor_program_checks[], doctor_recording_checks[];

/* All of them, one behind the other; NULL behind the last. */
const struct doctor_check *doctor_check_at(unsigned i);

void doctor_say(struct doctor_report *r, enum doctor_answer answer, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* The first line of a small file, without its newline; false when it cannot be read. */
bool doctor_read_line(const char *path, char *line, size_t size);
/* Where a program is in PATH; false when nowhere. */
bool doctor_find_program(const char *name, char *path, size_t size);
/* Runs a program and keeps the first line that it prints; its exit status, or -1. */
int doctor_first_line(const char *const *argv, char *line, size_t size);

/* Names of the benchmarks of `weft bench`; NULL behind the last. */
const char *machine_benchmark(unsigned i);

#endif
