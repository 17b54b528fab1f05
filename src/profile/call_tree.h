/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where time went, by who called whom: a tree of calls, from the call stacks of samples or from regions that lie in each other.
 *
 *     all                    a node is a way of calls from the root; its own weight (self), and with what was called from there
 *      └ main                (total). What a weight is says the profile: samples, or nanoseconds of regions
 *         ├ solve
 *         │  └ norm
 *         └ MPI_Send
 */
#ifndef WEFT_PROFILE_PROFILE_H
#define WEFT_PROFILE_PROFILE_H

#include "symbols/symbols.h"
#include "trace/filter/filter.h"
#include <stdio.h>

enum weft_profile_of { WEFT_PROFILE_ANY, WEFT_PROFILE_SAMPLES, WEFT_PROFILE_REGIONS }; /* ANY: samples where there are some */
enum weft_profile_per { WEFT_PER_ALL, WEFT_PER_PROCESS, WEFT_PER_THREAD };             /* the first nodes below the root */

struct weft_profile_how {
	struct weft_filter *filter; /* bound; NULL: everything. Regions that do not pass are as if they were not there */
	uint64_t from, to;          /* to == WEFT_NEVER: no end */
	enum weft_profile_of of;
	enum weft_profile_per per;
	bool lines;        /* one node for each line of a function */
	bool callers;      /* from the function that ran to who called it, in place of from main on */
	bool addresses;    /* one node for each code address; samples only */
	bool no_inlined;   /* functions that were put into others count for these */
	const char *focus; /* only stacks with a function whose name matches; NULL: all */
	bool own_threads;  /* Weft's own threads, too */
};

struct weft_profile_node {
	uint32_t parent, child, next; /* WEFT_NONE: none. Children: the heaviest first */
	uint32_t function;            /* of symbols; the root's: WEFT_NONE */
	uint32_t file, line;          /* of symbols; 0: unknown, or not asked for */
	uint64_t self, total;
	uint64_t calls; /* regions: how often it was entered; samples: how many ended here */
	bool inlined;
	uint64_t address; /* with `addresses`: as it is in `module`, whichever process it was in; else 0 */
	uint32_t module;  /* of the trace, the first of those that are the same file, + 1; 0: none is known there */
};
struct weft_profile {
	struct weft_profile_node *node; /* owned; [0] is the root, parents stand before their children */
	uint32_t n_nodes;
	enum weft_profile_of of;      /* SAMPLES or REGIONS */
	uint64_t samples;             /* of which it is made */
	uint64_t cut;                 /* those of them that had no address */
	uint64_t period_ns;           /* what a sample stands for; 0: not known */
	struct weft_symbols *symbols; /* borrowed, as the trace is */
	const struct weft_trace *trace;
};

/* 0; or -ENOMEM, or what reading gave, in err. A trace that has none of it gives a tree of a root. */
int weft_profile_make(struct weft_profile *out, const struct weft_trace *t, struct weft_symbols *s,
                      const struct weft_profile_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void weft_profile_fini(struct weft_profile *p);
/* What a node is called: a function, "process 1.2 solver", "all". */
const char *weft_profile_name(const struct weft_profile *p, uint32_t node);

/* What a sample of this trace stands for, in ns; 0: it does not say. */
uint64_t weft_profile_period(const struct weft_trace *t);

/* ---- by function ---- */

struct weft_profile_row {
	uint32_t function, file, line; /* file, line: of the profile's nodes, where it is by lines */
	uint64_t self, total;          /* total: a stack in which the function comes twice counts once */
	uint64_t calls;
};
/* malloc'd, the one with most self weight first; 0 or -ENOMEM. */
int weft_profile_rows(const struct weft_profile *p, struct weft_profile_row **out, size_t *n) WEFT_MUST_CHECK;
/*
 * Of k among n samples the share in all that there was, with 95 % confidence, by Wilson's score interval: right also for few samples and
 * for shares near 0 and 1, as long as samples do not depend on each other.
 */
void weft_profile_interval(uint64_t k, uint64_t n, double *low, double *high);

/* ---- formats ---- */

struct weft_profile_format {
	const char *name, *suffix, *text; /* "folded", ".folded .txt", what it is */
	int (*write)(const struct weft_profile *p, const char *title, FILE *to);
	bool addresses; /* has a place for them */
};
extern const struct weft_profile_format weft_profile_formats[]; /* ends with name NULL */
/* By its name or by the end of a path; NULL: none. */
const struct weft_profile_format *weft_profile_format_find(const char *name, const char *path);

#endif
