/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many collectors, and how deep: a model of what they cost and save (docs/design/tuning.md).
 * Plain computing.
 *
 * A process that evaluates takes so many events a second, one that collects more; each message of a
 * collector, and each question of the analyzer, costs something, too. A level of collectors is
 * worth its processes when the one above would be busier than `busy` without it.
 */
#ifndef WEFT_TUNE_TREE_H
#define WEFT_TUNE_TREE_H

#include <stdint.h>

enum { TREE_WIDTH = 16, TREE_DEPTH_MOST = 4 };

struct tree_load {
	uint32_t controllers;        /* hosts */
	double events;               /* a second, of all; 0: not known yet */
	double passing;              /* the share of them that the analyzer needs itself, 0 to 1 */
	double iterations;           /* a second */
	double named;                /* instances that are named in folds, of all; 0: they are counted */
	double event_ns, collect_ns; /* of the analyzer, of a collector, for an event; 0: as measured (bench_collect) */
	double busy;                 /* how busy a process may be, 0 to 1; 0: 0.5 */
};

struct tree_shape {
	uint32_t collectors, depth, width[TREE_DEPTH_MOST]; /* of each level, from the top */
	double top_busy, leaf_busy; /* what the model expects; of the analyzer, and of a lowest collector */
};

/* How busy the analyzer is without any. */
double tree_busy(const struct tree_load *load);
struct tree_shape tree_plan(const struct tree_load *load);
/*
 * The parent of collector i > 0 where each has up to `width` children: they are numbered level by
 * level.
 */
uint32_t tree_parent(uint32_t i, uint32_t width);

#endif
