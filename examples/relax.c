/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat in a square plate, implicit in one direction: a program that knows nothing of Weft, with a number in it that somebody guessed.
 *
 *     cc -O2 -g relax.c -lm -o relax
 *     ./relax                                     then        weft tune -t relax.tsl -- ./relax
 *
 * Every step solves a tridiagonal system down each column of the plate. Columns lie across the memory, so they are taken in
 * panels of `block` columns, row by row: narrow panels use a part of each cache line only, wide ones leave the cache before they
 * are needed again on the way back. Which width is best depends on the machine. docs/tunlets.md lets Weft find it.
 *
 * The plate begins as one half wave of the sine in both directions; each step multiplies that by a number that is known exactly,
 * whatever the width of the panels. The program checks it, and exits 1 when the result is wrong.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FLOW 0.3 /* conductivity * time step / grid spacing^2 */
#define PI 3.14159265358979323846

int block = 2; /* the guess: columns in a panel; `sweep` reads it each time */
int step;      /* the sweep that runs */

static int size = 1024, steps = 300;
static double *now, *next, *above, *scale; /* the plate, before and after; two factors for each row */

void sweep(void);

static void set_up(void)
{
	size_t n = (size_t)size;
	now = calloc(n * n, sizeof *now);
	next = calloc(n * n, sizeof *next);
	above = calloc(n, sizeof *above);
	scale = calloc(n, sizeof *scale);
	if (!now || !next || !above || !scale) {
		fprintf(stderr, "relax: out of memory\n");
		exit(1);
	}
	for (int i = 1; i < size - 1; i++) {
		scale[i] = 1 / (1 + 2 * FLOW - FLOW * above[i - 1]);
		above[i] = FLOW * scale[i];
		for (int k = 1; k < size - 1; k++)
			now[i * n + (size_t)k] = sin(PI * i / (size - 1)) * sin(PI * k / (size - 1));
	}
}

/* Columns from `first` to before `end`: down, what each row adds; up, the solution. */
static void solve_panel(int first, int end)
{
	for (int i = 1; i < size - 1; i++) {
		const double *restrict u = now + (size_t)i * (size_t)size;
		const double *restrict before = next + (size_t)(i - 1) * (size_t)size;
		double *restrict d = next + (size_t)i * (size_t)size;
		for (int k = first; k < end; k++)
			d[k] = (u[k] + FLOW * (u[k - 1] - 2 * u[k] + u[k + 1]) + FLOW * before[k]) * scale[i];
	}
	for (int i = size - 3; i >= 1; i--) {
		const double *restrict below = next + (size_t)(i + 1) * (size_t)size;
		double *restrict d = next + (size_t)i * (size_t)size;
		for (int k = first; k < end; k++)
			d[k] += above[i] * below[k];
	}
}

__attribute__((noinline)) void sweep(void)
{
	int width = block < 1 ? 1 : block > size - 2 ? size - 2 : block;
	for (int first = 1; first < size - 1; first += width)
		solve_panel(first, first + width < size - 1 ? first + width : size - 1);
	double *other = now;
	now = next;
	next = other;
}

static double greatest_error(void)
{
	double half = 4 * pow(sin(PI / 2 / (size - 1)), 2), error = 0;
	double wave = pow((1 - FLOW * half) / (1 + FLOW * half), steps);
	for (int i = 1; i < size - 1; i++)
		for (int k = 1; k < size - 1; k++) {
			double right = wave * sin(PI * i / (size - 1)) * sin(PI * k / (size - 1));
			error = fmax(error, fabs(now[(size_t)i * (size_t)size + (size_t)k] - right));
		}
	return error;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* relax [STEPS [BLOCK [SIZE]]] */
int main(int argc, char **argv)
{
	if (argc > 1)
		steps = atoi(argv[1]);
	if (argc > 2)
		block = atoi(argv[2]);
	if (argc > 3)
		size = atoi(argv[3]);
	if (argc > 4 || steps < 1 || block < 1 || size < 8 || size > 16384) {
		fprintf(stderr, "usage: relax [STEPS [BLOCK [SIZE]]]\n");
		return 2;
	}
	set_up();
	double begin = seconds();
	for (step = 1; step <= steps; step++)
		sweep();
	double took = seconds() - begin, error = greatest_error();
	printf("%d steps of %d x %d points in %.2f s, panels of %d columns at the end: %s\n", steps, size, size, took, block,
	       error < 1e-9 ? "right" : "WRONG");
	return error < 1e-9 ? 0 : 1;
}
