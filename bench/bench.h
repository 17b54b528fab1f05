/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmarks: the same work in several variants (ours, a peer's, the floor that the machine sets), run alternately so that what
 * drifts drifts for all of them. A program bench_X.c holds a table and gives it to bench_main:
 *
 *     static double ours(void *arg) { uint64_t from = bench_now_ns(); work(); return (double)(bench_now_ns() - from); }
 *     static const struct bench_variant variants[] = {{"ours", ours, NULL}, {"peer", peer, NULL}, {0}};
 *     static const struct bench benches[] = {{"crc", "ns", 0, variants}, {0}};
 *     int main(int argc, char **argv) { return bench_main(argc, argv, benches); }
 *
 * It prints, for people and programs alike, the median of the rounds of each variant with its unit, and the least and the
 * greatest; then ours against each other variant, as the median of the ratios of the rounds (which ran side by side):
 *
 *     bench crc ours 1042 ns median 1040 1100
 *     bench crc peer 2100 ns median 2090 2400
 *     ratio crc ours/peer 0.496
 *     skip crc other not installed
 *
 * Arguments: names (globs) of benchmarks to run; --rounds N; --list.
 */
#ifndef WEFT_BENCH_BENCH_H
#define WEFT_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>

struct bench_variant {
	const char *name; /* the first of a table is the one that the ratios have on top */
	/* Does the work of one round and returns its figure; negative, or bench_skip(reason), when it cannot. */
	double (*round)(void *arg);
	void *arg;
};

struct bench {
	const char *name;
	const char *unit;
	unsigned rounds;                     /* counted ones; 0: BENCH_ROUNDS. One more comes before them, to warm up */
	const struct bench_variant *variant; /* up to BENCH_VARIANTS, ended by {0} */
};

enum { BENCH_ROUNDS = 11, BENCH_VARIANTS = 8, BENCH_MOST_ROUNDS = 1000 };

/* The exit status: 0, 1 when nothing could be measured, 2 on bad usage. Prints on stdout. */
int bench_main(int argc, char **argv, const struct bench *table);

/* ---- For rounds ---- */

uint64_t bench_now_ns(void);
/* Says why this variant cannot run here; returns what the round then returns. */
double bench_skip(const char *reason);
/* Runs a shell command, its output thrown away; the seconds that it took, or bench_skip when its status is not 0. */
double bench_command(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * The figure that a program of tasks/ beside this one prints; format, as scanf's, says where (one %lf). bench_skip when the program is
 * not there or exits with 77 (it has no such figure), when it fails, and when it prints none. Its tasks are all the parallelism.
 */
double bench_figure(const char *program, const char *arguments, const char *format);
const char *bench_programs(void); /* the folder that they are in */
/* The most memory, in bytes, that one of the commands so far had resident. */
uint64_t bench_command_rss_bytes(void);

/* Programs that run from now on record these events of LTTng's (names with commas between) into rings, until this one ends. Why not, or NULL. */
const char *bench_lttng(const char *events);

/* The value counts as used, and memory as read and written: the compiler drops nothing that leads to it. */
static inline void bench_keep(uint64_t value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

#endif
