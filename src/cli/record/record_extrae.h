/* SPDX-License-Identifier: Apache-2.0 */
/* Extrae's settings, its XML file and its variables, as options of `weft record`. */
#ifndef WEFT_CLI_RECORD_EXTRAE_H
#define WEFT_CLI_RECORD_EXTRAE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/opt.h"
#include "base/vec.h"
#include <stdbool.h>

struct record_extrae {
	struct weft_arena arena;       /* of all texts */
	const struct weft_opt *known;  /* what `weft record` has */
	WEFT_VEC(char *) option;       /* "--off=mpi" */
	WEFT_VEC(const char *) remark; /* "extrae.xml:31: <network>: ..." */
	const char *folder, *prefix;   /* of the trace; NULL: not said */
	const char *merged;            /* the .prv that is wanted at the end; "": called as the program; NULL: none */
	bool off, circular, no_memory; /* off: nothing is to be recorded */
	bool bursts;                   /* the mode to begin with */
	char threshold[64];            /* of bursts; empty: not said */
	unsigned long callers;         /* the most levels that some kind of calls wants */
	uint64_t buffer_events;
	struct weft_buf sets, at, turn, more; /* --counters: lists, where they are read, how long each; those of the process */
};

/* What `file` says. */
int record_extrae_xml(struct record_extrae *e, const char *file, struct weft_err *err) WEFT_MUST_CHECK;
/* The variables, which count where there is no file. */
int record_extrae_environment(struct record_extrae *e, struct weft_err *err) WEFT_MUST_CHECK;
void record_extrae_fini(struct record_extrae *e);

/* Counters of the process that Extrae reads when it writes its buffers. */
#define EXTRAE_NETWORK "net-rx,net-tx"
#define EXTRAE_USAGE \
	"user-time,system-time,minor-faults,major-faults,blocks-read,blocks-written,voluntary-switches,involuntary-switches"
#define EXTRAE_MEMORY "heap,heap-brk,heap-mmap,heap-used,heap-free"

/* Computation that lasts as long is a burst, where no threshold is said. */
#define EXTRAE_BURST "10ms"

/* ---- for both readers ---- */

bool extrae_has_option(const struct record_extrae *e, const char *name);
/* False: `weft record` has no such option; NULL: it takes no value. */
bool extrae_option(struct record_extrae *e, const char *name, const char *value);
void extrae_remark(struct record_extrae *e, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* Recorded of programs as they are; a name that this version does not record is remarked where it is wanted. */
void extrae_runtime(struct record_extrae *e, const char *name, bool on, const char *where);
bool extrae_yes(const char *text);
/* "10m", ten milliseconds there, as we write it; false: it is no time. */
bool extrae_time(const char *value, char *out, size_t room);
void extrae_mode(struct record_extrae *e, const char *value);
void extrae_threshold(struct record_extrae *e, const char *where, const char *value);
/* An option with a value; with the highest level of "1-3,5"; with so many megabytes. */
void extrae_value(struct record_extrae *e, const char *where, const char *value, const char *option);
/* A list of counters; that they are read at calls of a category; others that are read each second. */
void extrae_counters(struct record_extrae *e, const char *where, const char *value);
void extrae_counters_at(struct record_extrae *e, const char *category);
void extrae_counters_of(struct record_extrae *e, const char *names);
void extrae_levels(struct record_extrae *e, const char *where, const char *value, const char *option);
void extrae_megabytes(struct record_extrae *e, const char *where, const char *value, const char *option);
/* What both leave to the end: the folder's name, the ring's size. */
int extrae_end(struct record_extrae *e, struct weft_err *err) WEFT_MUST_CHECK;

#endif
