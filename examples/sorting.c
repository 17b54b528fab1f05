/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting by divide and conquer: arrays are cut in two, workers sort the pieces, which are merged.
 *
 *     mpicc sorting.c $(pkg-config --cflags --libs weft-frame) -lm -o sorting
 *     mpirun -np 5 ./sorting --numbers 20000 --arrays 10   # then: weft tune --tunlet divide.tsl -- mpirun -np 9 ./sorting …
 *
 * The pieces are of different lengths (a fifth, four fifths), so a greater depth balances the workers, and costs messages. --cost NS gives each
 * worker a processor of its own that takes so many nanoseconds a number and level of sorting: it sleeps for the rest of them.
 */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <weft/divide.h>
#include <weft/frame_mpi.h>

struct sorting {
	size_t numbers;
	int arrays, verbose;
	double cost_ns;
	uint64_t checksum, seed;
	struct timespec began;
};

static double seconds_since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static int initialise(void *user, int rank, int size)
{
	struct sorting *s = user;
	s->seed = 88172645463325252u;
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);
	return rank < size ? 0 : -EINVAL;
}

static int make_array(void *user, int number, struct weft_frame_bytes *out)
{
	struct sorting *s = user;
	if (number > s->arrays)
		return 0;
	for (size_t i = 0; i < s->numbers; i++) {
		s->seed ^= s->seed << 13;
		s->seed ^= s->seed >> 7;
		s->seed ^= s->seed << 17;
		int rc = weft_frame_put(out, &s->seed, sizeof s->seed);
		if (rc)
			return rc;
	}
	clock_gettime(CLOCK_MONOTONIC, &s->began);
	return 1;
}

static int cut(void *user, struct weft_divide_bytes array, struct weft_divide_parts *parts)
{
	const uint64_t *x = array.data;
	size_t n = array.bytes / sizeof *x, few = n / 5;
	if (few == 0 || !user)
		return 0;
	int rc = weft_divide_part(parts, x, few * sizeof *x);
	return rc ? rc : weft_divide_part(parts, x + few, (n - few) * sizeof *x);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int sort(void *user, struct weft_divide_bytes array, struct weft_frame_bytes *out)
{
	struct sorting *s = user;
	struct timespec began;
	clock_gettime(CLOCK_MONOTONIC, &began);
	size_t n = array.bytes / sizeof(uint64_t);
	uint64_t *copy = malloc(array.bytes + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, array.data, array.bytes);
	qsort(copy, n, sizeof *copy, by_value);
	int rc = weft_frame_put(out, copy, array.bytes);
	free(copy);
	double rest = s->cost_ns * 1e-9 * (double)n * log2((double)n + 1) - seconds_since(&began);
	if (rest > 0)
		nanosleep(&(struct timespec){(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)}, NULL);
	return rc;
}

static int merge(void *user, const struct weft_divide_bytes *part, unsigned n, struct weft_frame_bytes *out)
{
	const uint64_t *a = part[0].data, *b = n == 2 && user ? part[1].data : NULL;
	if (!b)
		return -EINVAL;
	const uint64_t *end_a = a + part[0].bytes / sizeof *a, *end_b = b + part[1].bytes / sizeof *b;
	int rc = 0;
	while (rc == 0 && (a < end_a || b < end_b)) {
		const uint64_t *least = b == end_b || (a < end_a && *a <= *b) ? a++ : b++;
		rc = weft_frame_put(out, least, sizeof *least);
	}
	return rc;
}

static int check(void *user, int number, struct weft_divide_bytes solution)
{
	struct sorting *s = user;
	const uint64_t *x = solution.data;
	size_t n = solution.bytes / sizeof *x;
	for (size_t i = 0; i < n; i++) {
		if (i && x[i] < x[i - 1])
			return -EILSEQ;
		s->checksum = (s->checksum ^ x[i]) * 0x100000001b3u;
	}
	if (s->verbose)
		printf("array %d: %.3f ms\n", number, seconds_since(&s->began) * 1e3);
	return n == s->numbers ? 0 : -EILSEQ;
}

static int finalise(void *user, int rank)
{
	struct sorting *s = user;
	if (rank == 0)
		printf("%d arrays of %zu: checksum %016llx\n", s->arrays, s->numbers, (unsigned long long)s->checksum);
	return 0;
}

static int read_arguments(struct sorting *s, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--verbose") == 0) {
			s->verbose = 1;
			continue;
		}
		if (strcmp(argv[i], "--numbers") == 0)
			s->numbers = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--arrays") == 0)
			s->arrays = atoi(value);
		else if (strcmp(argv[i], "--cost") == 0)
			s->cost_ns = atof(value);
		else
			return -EINVAL;
		i++;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct weft_divide program = {initialise, make_array, cut, sort, merge, check, finalise};
	struct sorting sorting = {.numbers = 5000, .arrays = 5};
	struct weft_frame_mpi mpi;
	MPI_Init(&argc, &argv);
	int rc = read_arguments(&sorting, argc, argv);
	if (rc)
		fprintf(stderr, "usage: sorting [--numbers N] [--arrays N] [--cost NS] [--verbose]\n");
	rc = rc ? rc : weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);
	if (rc == 0) {
		rc = weft_divide_run(&program, &sorting, &mpi.link, NULL);
		weft_frame_mpi_end(&mpi);
		if (rc)
			fprintf(stderr, "sorting: %s\n", strerror(-rc));
	}
	MPI_Finalize();
	return rc ? 2 : 0;
}
