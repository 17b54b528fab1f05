/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat in a square plate: P processes of T threads each solve the heat equation on N x N points, and record themselves.
 *
 *     cc -O2 -pthread heat.c $(pkg-config --cflags --libs weft) -lm -o heat
 *     weft record -- ./heat          then        weft stat heat.weft
 *     weft record -- ./heat -b                   weft stat heat-2.weft        (rows shared out by cost)
 *
 *   rank 0   ------------------   each process has a block of rows, each of its threads a part of the block;
 *            ------------------   after every step neighbours exchange the rows at their borders, through sockets
 *   rank 1   -----  ....  -----
 *            ---  ........  ---   in the disc the plate is of a material whose conductivity is looked up in a table
 *   rank 2   ---  ........  ---   by temperature: those points cost several times as much as the others, so equal
 *            -----  ....  -----   blocks are unequal work. That is the imbalance to be seen in the trace.
 *   rank 3   ------------------
 *
 * The plate begins as one half wave of the sine in both directions and loses heat at its edges. In every step the scheme
 * multiplies that mode by a number that is known exactly, and so is the result: the program checks it, and exits 1 when wrong.
 * (The table holds one value, so that this is so; looking it up is real work all the same.)
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/record.h>

#define MOST_RANKS 64
#define MOST_THREADS 64
#define KNOTS 64
#define TABLE_COST 6.0  /* of a point in the disc, where others cost 1 */
#define FLOW_NUMBER 0.2 /* conductivity * time step / grid spacing^2 */
#define NORM_EVERY 10

enum tag { TAG_UP = 1, TAG_DOWN, TAG_SUM, TAG_TOTAL };

struct options {
	int ranks, threads, size, steps;
	bool by_cost;
};

struct plate {
	struct options o;
	int rank;
	int up, down;       /* sockets to the ranks above and below, or -1 */
	int first, last;    /* rows of this process: [first, last) of [1, size - 1) */
	double *now, *next; /* rows first - 1 ... last: the block and a border of one row */
	double knot[KNOTS], conductivity[KNOTS];
	pthread_barrier_t barrier;
	double part[MOST_THREADS]; /* of a sum or a maximum, by thread */
	double error;
};

struct worker {
	struct plate *plate;
	int number, first, last; /* its rows */
};

/* ---- what is recorded ---- */

WEFT_REGION(region_solve, "solve", WEFT_STATE_RUNNING);
WEFT_REGION(region_start, "initialise", WEFT_STATE_MEMORY);
WEFT_REGION(region_update, "update rows", WEFT_STATE_RUNNING);
WEFT_REGION(region_halo, "exchange borders", WEFT_STATE_COMMUNICATING);
WEFT_REGION(region_barrier, "barrier", WEFT_STATE_SYNCHRONIZING);
WEFT_REGION(region_norm, "sum up heat", WEFT_STATE_COMMUNICATING);
WEFT_REGION(region_verify, "verify", WEFT_STATE_RUNNING);

static weft_region region_disc = WEFT_OFF;
static weft_comm world = WEFT_OFF;
static weft_type point_step = WEFT_OFF;
static weft_counter counter_heat = WEFT_OFF;
static weft_attr attr_rows = WEFT_OFF, attr_table = WEFT_OFF;
static weft_flow flow_borders = WEFT_OFF;

static void define(int ranks)
{
	/* Many short regions: in a category of their own, so that they can be left out (weft record --off detail). */
	weft_category detail = weft_define_category("detail", 1);
	region_disc = weft_define_region("table lookup", WEFT_STATE_RUNNING, detail);
	world = weft_define_comm("world", 0, NULL, (unsigned)ranks);
	point_step = weft_define_type("step", "", 0);
	counter_heat = weft_define_counter("heat", "J", 0);
	attr_rows = weft_define_attr("rows", "", 0);
	attr_table = weft_define_attr("points by table", "", 0);
	flow_borders = weft_define_flow("borders are there", 0);
}

/* ---- the plate ---- */

static double mode(const struct plate *p, int row, int column)
{
	double h = M_PI / (p->o.size - 1);
	return sin(row * h) * sin(column * h);
}

/* The points [*from, *to) of a row that lie in the disc; none when *from == *to. */
static void disc(int size, int row, int *from, int *to)
{
	double y = (double)row / (size - 1) - 0.62;
	double half = 0.3 * 0.3 - y * y;
	half = half > 0 ? sqrt(half) : 0;
	*from = half > 0 ? (int)((0.5 - half) * (size - 1)) + 1 : 1;
	*to = half > 0 ? (int)((0.5 + half) * (size - 1)) : 1;
}

static double row_cost(const struct options *o, int row)
{
	int from, to;
	disc(o->size, row, &from, &to);
	return o->by_cost ? o->size + (TABLE_COST - 1) * (to - from) : 1;
}

/* Cuts the rows [first, last) into `parts` of equal cost (or of equal number); the begin of part `i`. */
static int cut(const struct options *o, int first, int last, int i, int parts)
{
	double all = 0, before = 0;
	for (int row = first; row < last; row++)
		all += row_cost(o, row);
	for (int row = first; row < last; row++) {
		if (before >= all * i / parts - 1e-6)
			return row;
		before += row_cost(o, row);
	}
	return last;
}

/* Between the two knots around the temperature, linearly. */
static double look_up(const struct plate *p, double temperature)
{
	int low = 0, high = KNOTS - 1;
	while (high - low > 1) {
		int middle = (low + high) / 2;
		if (p->knot[middle] <= temperature)
			low = middle;
		else
			high = middle;
	}
	double w = (temperature - p->knot[low]) / (p->knot[high] - p->knot[low]);
	return p->conductivity[low] + w * (p->conductivity[high] - p->conductivity[low]);
}

static double *row_of(const struct plate *p, double *block, int row)
{
	return block + (size_t)(row - p->first + 1) * (size_t)p->o.size;
}

static void update_points(const struct plate *p, int row, int from, int to)
{
	const double *above = row_of(p, p->now, row - 1), *here = row_of(p, p->now, row), *below = row_of(p, p->now, row + 1);
	double *out = row_of(p, p->next, row);
	for (int i = from; i < to; i++)
		out[i] = here[i] + FLOW_NUMBER * (above[i] + below[i] + here[i - 1] + here[i + 1] - 4 * here[i]);
}

static void update_points_by_table(const struct plate *p, int row, int from, int to)
{
	const double *above = row_of(p, p->now, row - 1), *here = row_of(p, p->now, row), *below = row_of(p, p->now, row + 1);
	double *out = row_of(p, p->next, row);
	for (int i = from; i < to; i++)
		out[i] = here[i] + look_up(p, here[i]) * (above[i] + below[i] + here[i - 1] + here[i + 1] - 4 * here[i]);
}

static void update(const struct worker *w)
{
	const struct plate *p = w->plate;
	int by_table = 0;
	weft_enter(region_update);
	for (int row = w->first; row < w->last; row++) {
		int from, to;
		disc(p->o.size, row, &from, &to);
		update_points(p, row, 1, from);
		if (to > from) {
			weft_enter(region_disc);
			update_points_by_table(p, row, from, to);
			weft_leave(region_disc);
		}
		update_points(p, row, to, p->o.size - 1);
		by_table += to - from;
	}
	weft_attr_int(attr_rows, w->last - w->first);
	weft_attr_int(attr_table, by_table);
	weft_leave(region_update);
}

/* ---- messages ---- */

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static void send_doubles(const struct plate *p, int to, enum tag tag, const double *at, int n)
{
	size_t bytes = (size_t)n * sizeof *at, done = 0;
	uint64_t began = weft_ticks();
	while (done < bytes) {
		ssize_t rc = write(to < p->rank ? p->up : p->down, (const char *)at + done, bytes - done);
		if (rc <= 0)
			fail("heat: cannot send");
		done += (size_t)rc;
	}
	weft_send_since(world, to, tag, bytes, began);
}

static void receive_doubles(const struct plate *p, int from, enum tag tag, double *at, int n)
{
	size_t bytes = (size_t)n * sizeof *at, done = 0;
	uint64_t posted = weft_ticks();
	while (done < bytes) {
		ssize_t rc = read(from < p->rank ? p->up : p->down, (char *)at + done, bytes - done);
		if (rc <= 0)
			fail("heat: cannot receive");
		done += (size_t)rc;
	}
	weft_recv_since(world, from, tag, bytes, posted);
}

/* Even ranks send first and odd ones receive first: nobody waits for somebody who waits. */
static void exchange_borders(struct plate *p, int step)
{
	int size = p->o.size;
	weft_enter(region_halo);
	for (int turn = 0; turn < 2; turn++) {
		bool sends = (p->rank + turn) % 2 == 0;
		if (sends && p->up >= 0)
			send_doubles(p, p->rank - 1, TAG_UP, row_of(p, p->now, p->first), size);
		if (sends && p->down >= 0)
			send_doubles(p, p->rank + 1, TAG_DOWN, row_of(p, p->now, p->last - 1), size);
		if (!sends && p->up >= 0)
			receive_doubles(p, p->rank - 1, TAG_DOWN, row_of(p, p->now, p->first - 1), size);
		if (!sends && p->down >= 0)
			receive_doubles(p, p->rank + 1, TAG_UP, row_of(p, p->now, p->last), size);
	}
	weft_leave(region_halo);
	weft_flow_out(flow_borders, (uint64_t)p->rank << 32 | (uint32_t)step);
}

/* The sum over all ranks, known to all: down the chain of ranks, and back. */
static double sum_over_ranks(const struct plate *p, double part)
{
	double before = 0, total;
	if (p->up >= 0)
		receive_doubles(p, p->rank - 1, TAG_SUM, &before, 1);
	total = before + part;
	if (p->down >= 0) {
		send_doubles(p, p->rank + 1, TAG_SUM, &total, 1);
		receive_doubles(p, p->rank + 1, TAG_TOTAL, &total, 1);
	}
	if (p->up >= 0)
		send_doubles(p, p->rank - 1, TAG_TOTAL, &total, 1);
	return total;
}

/* ---- a thread ---- */

static void wait_for_others(struct plate *p)
{
	weft_enter(region_barrier);
	pthread_barrier_wait(&p->barrier);
	weft_leave(region_barrier);
}

static void sum_up_heat(const struct worker *w)
{
	struct plate *p = w->plate;
	double part = 0;
	for (int row = w->first; row < w->last; row++)
		for (int i = 1; i < p->o.size - 1; i++)
			part += row_of(p, p->next, row)[i];
	p->part[w->number] = part;
	wait_for_others(p);
	if (w->number == 0) {
		double all = 0;
		for (int i = 0; i < p->o.threads; i++)
			all += p->part[i];
		weft_enter(region_norm);
		all = sum_over_ranks(p, all);
		weft_leave(region_norm);
		weft_count_double(counter_heat, all / ((double)p->o.size * p->o.size));
	}
}

static void one_step(const struct worker *w, int step)
{
	struct plate *p = w->plate;
	if (w->number == 0) {
		weft_point(point_step, step);
		exchange_borders(p, step);
	}
	wait_for_others(p);
	if (w->number == 1)
		weft_flow_in(flow_borders, (uint64_t)p->rank << 32 | (uint32_t)step);
	update(w);
	if (step % NORM_EVERY == 0)
		sum_up_heat(w);
	wait_for_others(p);
	if (w->number == 0) {
		double *swap = p->now;
		p->now = p->next;
		p->next = swap;
	}
}

static void verify(const struct worker *w)
{
	struct plate *p = w->plate;
	double s = sin(M_PI / (p->o.size - 1) / 2);
	double left = pow(1 - 8 * FLOW_NUMBER * s * s, p->o.steps), worst = 0;
	WEFT_SCOPE(region_verify);
	for (int row = w->first; row < w->last; row++)
		for (int i = 1; i < p->o.size - 1; i++)
			worst = fmax(worst, fabs(row_of(p, p->now, row)[i] - left * mode(p, row, i)));
	p->part[w->number] = worst;
}

static void *work(void *arg)
{
	const struct worker *w = arg;
	struct plate *p = w->plate;
	char name[32];
	snprintf(name, sizeof name, w->number ? "worker %d" : "main", w->number);
	weft_name_thread(name);

	weft_enter(region_start);
	for (int row = w->first; row < w->last; row++)
		for (int i = 1; i < p->o.size - 1; i++)
			row_of(p, p->now, row)[i] = mode(p, row, i);
	weft_leave(region_start);
	wait_for_others(p);

	weft_enter(region_solve);
	for (int step = 1; step <= p->o.steps; step++) {
		one_step(w, step);
		wait_for_others(p); /* nobody begins before the blocks are swapped */
	}
	weft_leave(region_solve);
	verify(w);
	return NULL;
}

/* ---- a process ---- */

static void share_out(struct plate *p)
{
	int rows_end = p->o.size - 1;
	p->first = cut(&p->o, 1, rows_end, p->rank, p->o.ranks);
	p->last = p->rank + 1 < p->o.ranks ? cut(&p->o, 1, rows_end, p->rank + 1, p->o.ranks) : rows_end;
	size_t points = (size_t)(p->last - p->first + 2) * (size_t)p->o.size;
	p->now = calloc(points, sizeof *p->now);
	p->next = calloc(points, sizeof *p->next);
	if (!p->now || !p->next || p->last <= p->first)
		fail("heat: cannot make the block of rows");
	for (int i = 0; i < KNOTS; i++) {
		p->knot[i] = -0.01 + 1.02 * pow((double)i / (KNOTS - 1), 2);
		p->conductivity[i] = FLOW_NUMBER;
	}
}

/* Returns the largest error of this process's points. */
static double run_rank(struct plate *p)
{
	struct worker worker[MOST_THREADS];
	pthread_t thread[MOST_THREADS];
	int threads = p->o.threads;
	char name[32];
	snprintf(name, sizeof name, "heat %d", p->rank);
	weft_name_process(name);
	weft_set_rank(p->rank, p->o.ranks);

	share_out(p);
	pthread_barrier_init(&p->barrier, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		int last = i + 1 < threads ? cut(&p->o, p->first, p->last, i + 1, threads) : p->last;
		worker[i] = (struct worker){p, i, cut(&p->o, p->first, p->last, i, threads), last};
		if (i && pthread_create(&thread[i], NULL, work, &worker[i]))
			fail("heat: cannot start a thread");
	}
	work(&worker[0]);
	p->error = p->part[0];
	for (int i = 1; i < threads; i++) {
		pthread_join(thread[i], NULL);
		p->error = fmax(p->error, p->part[i]);
	}
	pthread_barrier_destroy(&p->barrier);
	free(p->now);
	free(p->next);
	return p->error;
}

static bool is_right(const struct plate *p)
{
	return p->error < 1e-11;
}

/* Forks rank after rank, each connected to the one before; returns this process's rank. */
static int fork_ranks(struct plate *p, pid_t *child)
{
	p->up = p->down = -1;
	for (int rank = 1; rank < p->o.ranks; rank++) {
		int pair[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			fail("heat: cannot make a socket");
		pid_t pid = fork();
		if (pid < 0)
			fail("heat: cannot start a process");
		if (pid > 0) {
			p->down = pair[0];
			close(pair[1]);
			*child = pid;
			return rank - 1;
		}
		/* The child is the next rank, and parent of the one after it. */
		if (p->up >= 0)
			close(p->up);
		close(pair[0]);
		p->up = pair[1];
		*child = 0;
	}
	return p->o.ranks - 1;
}

static void read_options(struct options *o, int argc, char **argv)
{
	int letter;
	while ((letter = getopt(argc, argv, "p:t:n:s:b")) != -1) {
		int *number = letter == 'p'   ? &o->ranks
		              : letter == 't' ? &o->threads
		              : letter == 'n' ? &o->size
		              : letter == 's' ? &o->steps
		                              : NULL;
		if (number)
			*number = atoi(optarg);
		else if (letter == 'b')
			o->by_cost = true;
		else
			exit(2);
	}
	bool fine = o->ranks >= 1 && o->ranks <= MOST_RANKS && o->threads >= 1 && o->threads <= MOST_THREADS && o->steps >= 1 &&
	            o->size >= 2 + o->ranks * o->threads && o->size <= 8192;
	if (!fine || optind < argc) {
		fprintf(stderr, "usage: heat [-p PROCESSES] [-t THREADS] [-n POINTS] [-s STEPS] [-b (share out by cost)]\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct plate p = {.o = {.ranks = 4, .threads = 2, .size = 800, .steps = 120}};
	pid_t child = 0;
	int status = 0;
	read_options(&p.o, argc, argv);
	define(p.o.ranks);
	p.rank = fork_ranks(&p, &child);
	run_rank(&p);
	bool right = is_right(&p);
	if (child && (waitpid(child, &status, 0) != child || status))
		right = false;
	if (!is_right(&p))
		fprintf(stderr, "heat: rank %d: wrong by %g\n", p.rank, p.error);
	if (p.rank == 0)
		printf("%d x %d points, %d steps, %d processes of %d threads: %s\n", p.o.size, p.o.size, p.o.steps, p.o.ranks,
		       p.o.threads, right ? "right" : "WRONG");
	return right ? 0 : 1;
}
