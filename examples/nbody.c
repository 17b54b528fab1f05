/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that attract each other in the plane, as master and workers: a tuple is a body, the shared bytes are where all of them are.
 *
 *     mpicc nbody.c $(pkg-config --cflags --libs weft-frame) -lm -o nbody
 *     mpirun -np 5 ./nbody --bodies 300 --steps 20      # then: weft tune --tunlet nworkers.tsl -- mpirun -np 17 ./nbody …
 *
 * To try the tuning on a small machine, every rank can be given a processor of its own that computes --speed interactions a second: a
 * chunk takes as long as it would there, in which the rank sleeps when it has really computed. --load A-B:F@P-Q makes the
 * processors of the workers P to Q (all without it) F times slower in the steps A to B: somebody else's work. Several with commas.
 */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <weft/frame_mpi.h>
#include <weft/mw.h>

struct body {
	double x, y, vx, vy, mass;
};

struct load {
	int from, to, first, last;
	double factor;
};

struct world {
	unsigned n;
	int steps, verbose;
	double speed; /* interactions a second; 0: as fast as the machine is */
	struct load load[32];
	unsigned n_load;
	struct body *body;
	unsigned *index;
	double owed; /* seconds of the processor for this chunk */
	struct timespec began;
	double seconds, worker_steps;
};

static double since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static double random_unit(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (double)(*x >> 11) * 0x1p-53;
}

/* The same bodies in every run: a disc that turns. */
static int make_bodies(struct world *w)
{
	uint64_t seed = 88172645463325252u;
	w->body = calloc(w->n, sizeof *w->body);
	w->index = calloc(w->n, sizeof *w->index);
	if (!w->body || !w->index)
		return -ENOMEM;
	for (unsigned i = 0; i < w->n; i++) {
		double x, y;
		do {
			x = 2 * random_unit(&seed) - 1;
			y = 2 * random_unit(&seed) - 1;
		} while (x * x + y * y > 1);
		w->body[i] = (struct body){x, y, -y, x, 0.5 + random_unit(&seed)};
		w->index[i] = i;
	}
	return 0;
}

static int initialise(void *user, int rank, int size)
{
	struct world *w = user;
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);
	return size && rank == 0 ? make_bodies(w) : 0;
}

static int partition(void *user, struct weft_mw_work *work)
{
	struct world *w = user;
	if (work->iteration > w->steps)
		return 0;
	work->n = w->n;
	work->tuples = w->index;
	work->shared = w->body;
	work->shared_bytes = w->n * sizeof *w->body;
	return 1;
}

static double load_now(const struct world *w, const struct weft_mw_place *at)
{
	double factor = 1;
	for (unsigned i = 0; i < w->n_load; i++) {
		const struct load *l = &w->load[i];
		if (at->iteration >= l->from && at->iteration <= l->to && at->rank >= l->first && at->rank <= l->last)
			factor *= l->factor;
	}
	return factor;
}

/* Lets the time go by that the processor would have needed by now; only when it is worth a sleep, and at a chunk's end. */
static void wait_for_processor(struct world *w, const struct weft_mw_place *at)
{
	if (at->at == 0) {
		clock_gettime(CLOCK_MONOTONIC, &w->began);
		w->owed = 0;
	}
	w->owed += (double)w->n / w->speed * load_now(w, at);
	double rest = w->owed - since(&w->began);
	if (rest > 0 && (rest > 2e-3 || at->at + 1 == at->of)) {
		time_t s = (time_t)rest;
		nanosleep(&(struct timespec){s, (long)((rest - (double)s) * 1e9)}, NULL);
	}
}

static int compute(void *user, const struct weft_mw_place *at, const void *tuple, void *result)
{
	struct world *w = user;
	const struct body *all = at->shared;
	size_t n = at->shared_bytes / sizeof *all, me = *(const unsigned *)tuple;
	const double step = 1e-3, soft = 1e-4;
	double ax = 0, ay = 0;
	for (size_t i = 0; i < n; i++) {
		double dx = all[i].x - all[me].x, dy = all[i].y - all[me].y, d2 = dx * dx + dy * dy + soft;
		double pull = all[i].mass / (d2 * sqrt(d2));
		ax += dx * pull;
		ay += dy * pull;
	}
	struct body b = all[me];
	b.vx += ax / (double)n * step;
	b.vy += ay / (double)n * step;
	b.x += b.vx * step;
	b.y += b.vy * step;
	*(struct body *)result = b;
	w->n = (unsigned)n;
	if (w->speed > 0)
		wait_for_processor(w, at);
	return 0;
}

static int collect(void *user, const struct weft_mw_work *work, const void *results)
{
	struct world *w = user;
	memcpy(w->body, results, w->n * sizeof *w->body);
	w->seconds += work->seconds;
	w->worker_steps += work->workers;
	if (w->verbose)
		printf("step %d: %d workers, %zu chunks, %.3f ms\n", work->iteration, work->workers, work->chunks,
		       work->seconds * 1e3);
	return 0;
}

static int finalise(void *user, int rank)
{
	struct world *w = user;
	if (rank == 0 && w->body) {
		uint64_t sum = 0, bits;
		for (unsigned i = 0; i < w->n; i++)
			for (unsigned k = 0; k < 2; k++) {
				memcpy(&bits, k ? &w->body[i].y : &w->body[i].x, sizeof bits);
				sum = (sum ^ bits) * 0x100000001b3u;
			}
		printf("%u bodies, %d steps: checksum %016llx\n", w->n, w->steps, (unsigned long long)sum);
		if (w->verbose)
			printf("%.3f s, %.0f workers x steps\n", w->seconds, w->worker_steps);
	}
	free(w->body);
	free(w->index);
	return 0;
}

/* A-B:F@P-Q, … */
static int read_load(struct world *w, const char *text)
{
	for (; *text; text += *text == ',') {
		struct load l = {.first = 0, .last = 1 << 30};
		int n = 0;
		if (w->n_load == sizeof w->load / sizeof *w->load ||
		    sscanf(text, "%d-%d:%lf%n", &l.from, &l.to, &l.factor, &n) != 3)
			return -EINVAL;
		text += n;
		if (*text == '@') {
			if (sscanf(text, "@%d%n", &l.first, &n) != 1)
				return -EINVAL;
			l.last = l.first;
			text += n;
			if (*text == '-' && sscanf(text, "-%d%n", &l.last, &n) == 1)
				text += n;
		}
		if ((*text && *text != ',') || !(l.factor > 0))
			return -EINVAL;
		w->load[w->n_load++] = l;
	}
	return 0;
}

static int read_arguments(struct world *w, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--verbose") == 0) {
			w->verbose = 1;
			continue;
		}
		if (strcmp(argv[i], "--bodies") == 0)
			w->n = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--steps") == 0)
			w->steps = atoi(value);
		else if (strcmp(argv[i], "--speed") == 0)
			w->speed = atof(value);
		else if (strcmp(argv[i], "--load") != 0 || read_load(w, value))
			return -EINVAL;
		i++;
	}
	return w->n ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct world world = {.n = 200, .steps = 10};
	struct weft_frame_mpi mpi;
	const struct weft_mw program = {sizeof(unsigned), sizeof(struct body), initialise, partition, compute, collect, finalise};
	MPI_Init(&argc, &argv);
	int rc = read_arguments(&world, argc, argv);
	if (rc)
		fprintf(stderr,
		        "usage: nbody [--bodies N] [--steps N] [--speed INTERACTIONS] [--load A-B:FACTOR[@P-Q],...] [--verbose]\n");
	rc = rc ? rc : weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);
	if (rc == 0) {
		rc = weft_mw_run(&program, &world, &mpi.link, NULL);
		weft_frame_mpi_end(&mpi);
		if (rc)
			fprintf(stderr, "nbody: %s\n", strerror(-rc));
	}
	MPI_Finalize();
	return rc ? 2 : 0;
}
