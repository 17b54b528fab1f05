/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images through a pipeline: each is smoothed, its edges are found, and what stands out is kept.
 *
 *     mpicc images.c $(pkg-config --cflags --libs weft-frame) -o images
 *     mpirun -np 6 ./images --images 500                # then: weft tune --tunlet pipeline.tsl -- mpirun -np 9 ./images …
 *
 * Smoothing takes longest; how much, --passes says. --cost A,B,C gives each server a processor of its own on which the stages take so
 * many microseconds an image: it sleeps for the rest of them.
 */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <weft/frame_mpi.h>
#include <weft/pipeline.h>

enum { SIDE = 48 };

struct image {
	uint8_t at[SIDE][SIDE];
};

struct lab {
	uint64_t images, checksum;
	int passes;
	double cost_us[3];
	struct timespec began;
};

static double seconds_since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static void wait_for_processor(const struct lab *lab, unsigned stage, const struct timespec *began)
{
	double rest = lab->cost_us[stage] * 1e-6 - seconds_since(began);
	if (rest > 0)
		nanosleep(&(struct timespec){(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)}, NULL);
}

static int initialise(void *user, int rank, int size)
{
	struct lab *lab = user;
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);
	clock_gettime(CLOCK_MONOTONIC, &lab->began);
	return rank < size ? 0 : -EINVAL;
}

static int make_image(void *user, uint64_t number, void *item)
{
	struct image *image = item;
	uint64_t x = number * 0x9e3779b97f4a7c15u + 1;
	for (unsigned i = 0; i < SIDE; i++)
		for (unsigned k = 0; k < SIDE; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			image->at[i][k] = (uint8_t)((i * number + k * 3 + (x & 63)) & 255);
		}
	return number < ((struct lab *)user)->images;
}

static int smooth(void *user, uint64_t number, void *item)
{
	struct lab *lab = user;
	struct image *image = item, old;
	struct timespec began;
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (int pass = 0; pass < lab->passes; pass++) {
		old = *image;
		for (unsigned i = 1; i + 1 < SIDE; i++)
			for (unsigned k = 1; k + 1 < SIDE; k++)
				image->at[i][k] =
					(uint8_t)((old.at[i - 1][k] + old.at[i + 1][k] + old.at[i][k - 1] + old.at[i][k + 1]) /
				                  4);
	}
	wait_for_processor(lab, 0, &began);
	return number < lab->images ? 0 : -EINVAL;
}

static int find_edges(void *user, uint64_t number, void *item)
{
	struct lab *lab = user;
	struct image *image = item, old = *image;
	struct timespec began;
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (unsigned i = 1; i + 1 < SIDE; i++)
		for (unsigned k = 1; k + 1 < SIDE; k++)
			image->at[i][k] = (uint8_t)(abs(old.at[i + 1][k] - old.at[i - 1][k]) +
			                            abs(old.at[i][k + 1] - old.at[i][k - 1]));
	wait_for_processor(lab, 1, &began);
	return number < lab->images ? 0 : -EINVAL;
}

static int keep_strong(void *user, uint64_t number, void *item)
{
	struct lab *lab = user;
	struct image *image = item;
	struct timespec began;
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (unsigned i = 0; i < SIDE * SIDE; i++)
		image->at[i / SIDE][i % SIDE] = image->at[i / SIDE][i % SIDE] > 24 ? 255 : 0;
	wait_for_processor(lab, 2, &began);
	return number < lab->images ? 0 : -EINVAL;
}

static int take_image(void *user, uint64_t number, const void *item)
{
	struct lab *lab = user;
	const struct image *image = item;
	lab->checksum += number;
	for (unsigned i = 0; i < SIDE * SIDE; i++)
		lab->checksum = (lab->checksum ^ image->at[i / SIDE][i % SIDE]) * 0x100000001b3u;
	return 0;
}

static int finalise(void *user, int rank)
{
	struct lab *lab = user;
	if (rank == 0)
		printf("%llu images: checksum %016llx\n", (unsigned long long)lab->images, (unsigned long long)lab->checksum);
	if (rank == 0 && getenv("IMAGES_TIME"))
		printf("%.3f s\n", seconds_since(&lab->began));
	return 0;
}

static int read_arguments(struct lab *lab, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		double *c = lab->cost_us;
		if (strcmp(argv[i], "--images") == 0)
			lab->images = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--passes") == 0)
			lab->passes = atoi(value);
		else if (strcmp(argv[i], "--cost") != 0 || sscanf(value, "%lf,%lf,%lf", &c[0], &c[1], &c[2]) != 3)
			return -EINVAL;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct weft_pipe_stage stages[] = {{"smooth", smooth}, {"edges", find_edges}, {"keep", keep_strong}};
	const struct weft_pipe program = {sizeof(struct image), 3, stages, initialise, make_image, take_image, finalise};
	struct lab lab = {.images = 200, .passes = 20};
	struct weft_frame_mpi mpi;
	MPI_Init(&argc, &argv);
	int rc = read_arguments(&lab, argc, argv);
	if (rc)
		fprintf(stderr, "usage: images [--images N] [--passes N] [--cost US,US,US]\n");
	rc = rc ? rc : weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);
	if (rc == 0) {
		rc = weft_pipe_run(&program, &lab, &mpi.link, NULL);
		weft_frame_mpi_end(&mpi);
		if (rc)
			fprintf(stderr, "images: %s\n", strerror(-rc));
	}
	MPI_Finalize();
	return rc ? 2 : 0;
}
