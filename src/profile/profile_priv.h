/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef WEFT_PROFILE_PRIV_H
#define WEFT_PROFILE_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "call_tree.h"
#include <stdio.h>

/* A tree in the making. */
struct profile_tree {
	WEFT_VEC(struct weft_profile_node) node;
	struct weft_map child; /* parent, function, file, line -> node; hashed, checked on the node */
	const struct weft_trace *trace;
	struct weft_symbols *symbols;
	const struct weft_profile_how *how;
	uint32_t *root_of; /* by thread: the node below which its stacks stand; WEFT_NONE: not made yet. Owned */
	uint64_t samples, cut, period_ns;
	/* With addresses: of the frames that are being added; which module stands for all of the same file. */
	uint64_t address;
	uint32_t module;
	struct weft_map same_file;
};
/* Says what address the next frames are of. */
int profile_set_address(struct profile_tree *t, uint32_t process, uint64_t address) WEFT_MUST_CHECK;

/* The node below `parent` for the frame, made when new; WEFT_NONE: out of memory. */
uint32_t profile_child(struct profile_tree *t, uint32_t parent, const struct weft_frame *frame);
/* The node below which a thread's stacks stand. */
uint32_t profile_root_of(struct profile_tree *t, uint32_t thread);
/* Whether the thread is asked for at all. */
bool profile_has_thread(const struct profile_tree *t, uint32_t thread);

int profile_from_samples(struct profile_tree *t) WEFT_MUST_CHECK; /* profile_sampled.c */
int profile_from_regions(struct profile_tree *t) WEFT_MUST_CHECK; /* profile_spans.c */
/*
 * The nodes of a stack below `at`, outermost first; frames of one address are given innermost first. -ENOMEM, or the last node's number.
 */
int64_t profile_add_address(struct profile_tree *t, uint32_t at, const struct weft_frame *frame, uint32_t n);

/* ---- formats ---- */
int profile_write_folded(const struct weft_profile *p, const char *title, FILE *to);
int profile_write_speedscope(const struct weft_profile *p, const char *title, FILE *to);
int profile_write_pprof(const struct weft_profile *p, const char *title, FILE *to);
int profile_write_flame(const struct weft_profile *p, const char *title, FILE *to);

#endif
