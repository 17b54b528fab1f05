/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event costs on the thread that records it: ours into a ring in memory and ours to disk, beside FxT and LTTng-UST (snapshot
 * session, so a ring, too), above the floor that the machine sets: read the clock and store the same bytes.
 *
 *     pair-N   enter and leave of a region, N threads at once; ns an event, of which a pair has two
 *     point-N  a point with a value; count-N: a counter
 *     off      a region whose category is off (floor: the loop alone; LTTng-UST: a tracepoint that is not enabled)
 *     bytes    on disk, an event: enter, point, counter, leave in turn
 *
 * Each round of a variant is a process of its own, which runs this program again: tracers read their environment once, and do not
 * come off again. What a process costs to begin, and its first touch of memory, are not in the figures.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_record_lttng.h"

#include "bench.h"

#define CONFIG_FUT
#include <fxt/fut.h>
#include <fxt/fxt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/record.h>

enum { EVENTS = 1000000, RING_WORDS = 1 << 20, THREADS_MOST = 2, ROUNDS = 7 };
enum kind { PAIR, POINT, COUNT, OFF, MIX, KINDS };
static const char *const kind_names[KINDS] = {"pair", "point", "count", "off", "mix"};

static char folder[] = "/tmp/weft-bench-XXXXXX";

/* ---- the loops, one for each tracer and kind ---- */

#define LOOP(name_, events_, body_) \
	static __attribute__((noinline)) void name_(void) \
	{ \
		for (long i = 0; i < (events_); i++) { \
			body_; \
		} \
	}

static weft_region region = WEFT_OFF, off_region = WEFT_OFF;
static weft_type type = WEFT_OFF;
static weft_counter counter = WEFT_OFF;

LOOP(weft_pair, EVENTS / 2, weft_enter(region); weft_leave(region))
LOOP(weft_point_loop, EVENTS, weft_point(type, i))
LOOP(weft_count_loop, EVENTS, weft_count(counter, i))
LOOP(weft_off_loop, EVENTS, weft_enter(off_region); bench_keep(0))
LOOP(weft_mix, EVENTS / 4, weft_enter(region); weft_point(type, i); weft_count(counter, i); weft_leave(region))

LOOP(fxt_pair, EVENTS / 2, FUT_DO_PROBE1(0x101, 7); FUT_DO_PROBE1(0x102, 7))
LOOP(fxt_one, EVENTS, FUT_DO_PROBE2(0x103, 7, i))
LOOP(fxt_mix, EVENTS / 4, FUT_DO_PROBE1(0x101, 7); FUT_DO_PROBE2(0x103, 7, i); FUT_DO_PROBE2(0x104, 7, i);
     FUT_DO_PROBE1(0x102, 7))

LOOP(lttng_pair, EVENTS / 2, lttng_ust_tracepoint(weft_bench, enter, 7); lttng_ust_tracepoint(weft_bench, leave, 7))
LOOP(lttng_one, EVENTS, lttng_ust_tracepoint(weft_bench, one, 7, i))
LOOP(lttng_off, EVENTS, lttng_ust_tracepoint(weft_bench, never, 7); bench_keep(0))

static __thread uint64_t *ring;
static __thread uint32_t at;

static inline void floor_store(uint64_t head, uint64_t value, unsigned words)
{
#if defined __x86_64__
	uint64_t now = __builtin_ia32_rdtsc();
#else
	uint64_t now = bench_now_ns();
#endif
	uint64_t *to = &ring[at & (RING_WORDS - 1)];
	at += words;
	if (words > 1)
		to[1] = value;
	to[0] = now << 32 | head;
	bench_keep(0);
}

LOOP(floor_pair, EVENTS / 2, floor_store(1, 0, 1); floor_store(2, 0, 1))
LOOP(floor_one, EVENTS, floor_store(3, (uint64_t)i, 2))
LOOP(floor_off, EVENTS, bench_keep(0))

/* ---- the tracers ---- */

struct tracer {
	const char *name;
	bool (*begin)(void);
	void (*begin_thread)(void);
	void (*again)(void); /* between the round that touches memory and the one that counts */
	double (*end)(void); /* negative: something was lost */
	void (*loop[KINDS])(void);
	const char *settings[4]; /* of the environment: name, value */
};

static bool weft_begin(void)
{
	weft_category off = weft_define_category("off", 0);
	region = weft_define_region("region", WEFT_STATE_RUNNING, 0);
	off_region = weft_define_region("off", WEFT_STATE_RUNNING, off);
	type = weft_define_type("type", "", 0);
	counter = weft_define_counter("counter", "", 0);
	struct weft_status s;
	weft_get_status(&s);
	return s.recording;
}

static double weft_end(void)
{
	struct weft_status s;
	weft_get_status(&s);
	return s.dropped ? -1 : 0;
}

static bool fxt_begin(void)
{
	return fut_setup(RING_WORDS * 32, 0xffffffff, 0) >= 0;
}

static void fxt_again(void)
{
	fut_reset(0xffffffff, 0);
}

static double fxt_end(void)
{
	char path[100];
	snprintf(path, sizeof path, "%s/trace/fxt", getenv("BENCH_FOLDER"));
	fut_endup(path);
	return 0;
}

static bool lttng_begin(void)
{
	/* The session is found by a thread of the library. */
	for (int i = 0; i < 2000 && !lttng_ust_tracepoint_enabled(weft_bench, enter); i++)
		usleep(1000);
	return lttng_ust_tracepoint_enabled(weft_bench, enter) && lttng_ust_tracepoint_enabled(weft_bench, one);
}

static void floor_begin_thread(void)
{
	ring = aligned_alloc(4096, RING_WORDS * sizeof *ring);
	if (!ring)
		abort();
	memset(ring, 1, RING_WORDS * sizeof *ring);
}

static const struct tracer tracers[] = {
	{"ours-ring",
         weft_begin,
         NULL,
         NULL,
         weft_end,
         {weft_pair, weft_point_loop, weft_count_loop, weft_off_loop, weft_mix},
         {"WEFT_MODE", "ring", "WEFT_SIZE", "16M"}},
	{"ours-disk",
         weft_begin,
         NULL,
         NULL,
         weft_end,
         {weft_pair, weft_point_loop, weft_count_loop, weft_off_loop, weft_mix},
         {0}},
	{"fxt", fxt_begin, NULL, fxt_again, fxt_end, {fxt_pair, fxt_one, fxt_one, NULL, fxt_mix}, {0}},
	{"lttng-ust", lttng_begin, NULL, NULL, NULL, {lttng_pair, lttng_one, lttng_one, lttng_off, NULL}, {0}},
	{"floor", NULL, floor_begin_thread, NULL, NULL, {floor_pair, floor_one, floor_one, floor_off, NULL}, {0}},
};
enum { TRACERS = sizeof tracers / sizeof *tracers };

/* ---- one round, in a process of its own ---- */

struct job {
	const struct tracer *tracer;
	enum kind kind;
	unsigned threads, me;
	pthread_barrier_t *together;
	double ns;
};

/* Of this thread: what it costs on the thread that records, whatever else the machine has to do. */
static uint64_t thread_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *job_run(void *arg)
{
	struct job *j = arg;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(j->me % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &one);
	(void)sched_setaffinity(0, sizeof one, &one);
	if (j->tracer->begin_thread)
		j->tracer->begin_thread();
	/* Once or twice to touch all that there is, then for the figure. */
	for (int i = 0; i < 2; i++)
		j->tracer->loop[j->kind]();
	pthread_barrier_wait(j->together);
	if (j->me == 0 && j->tracer->again)
		j->tracer->again();
	pthread_barrier_wait(j->together);
	uint64_t from = thread_cpu_ns();
	j->tracer->loop[j->kind]();
	j->ns = (double)(thread_cpu_ns() - from) / EVENTS;
	return NULL;
}

/* "tracer kind threads" is the text; prints ns an event, or for the kind mix bytes. */
static int child(const char *text)
{
	struct job job[THREADS_MOST] = {{0}};
	pthread_t thread[THREADS_MOST];
	pthread_barrier_t together;
	unsigned tracer, kind, threads;
	double sum = 0;
	if (sscanf(text, "%u %u %u", &tracer, &kind, &threads) != 3)
		return 2;
	const struct tracer *t = &tracers[tracer];
	if (t->begin && !t->begin())
		return 3;
	if (kind == MIX) {
		t->loop[MIX]();
		return t->end() < 0 ? 5 : 0;
	}
	pthread_barrier_init(&together, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		job[i] = (struct job){t, (enum kind)kind, threads, i, &together, 0};
		if (pthread_create(&thread[i], NULL, job_run, &job[i]))
			return 4;
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += job[i].ns;
	}
	if (t->end == weft_end && t->end() < 0)
		return 5;
	printf("%f\n", sum / threads);
	return 0;
}

/* For the kind mix what the child left on the disk is the figure, else what it printed. */
static double run_child(unsigned tracer, unsigned kind, unsigned threads)
{
	char command[800], line[100] = "";
	const char *const *set = tracers[tracer].settings;
	snprintf(
		command, sizeof command,
		"cd %s && mkdir trace && BENCH_CHILD='%u %u %u' BENCH_FOLDER=%s WEFT_DIR=%s/trace %s%s%s %s%s%s /proc/%d/exe && %s; rm -rf trace",
		folder, tracer, kind, threads, folder, folder, set[0] ? set[0] : "", set[0] ? "=" : "", set[0] ? set[1] : "",
		set[2] ? set[2] : "", set[2] ? "=" : "", set[2] ? set[3] : "", getpid(),
		kind == MIX ? "du -s -B 1 trace" : "true");
	FILE *from = popen(command, "r");
	if (!from)
		return bench_skip("no process");
	(void)!fgets(line, sizeof line, from);
	pclose(from);
	char *end;
	double figure = strtod(line, &end);
	return end == line ? bench_skip("it does not run here") : kind == MIX ? figure / EVENTS : figure;
}

/* ---- the table ---- */

struct variant {
	unsigned tracer, kind, threads;
};

static double round_of(void *arg)
{
	static bool asked;
	static const char *why_not;
	const struct variant *v = arg;
	if (strcmp(tracers[v->tracer].name, "lttng-ust") == 0) {
		if (!asked)
			why_not = bench_lttng("weft_bench:enter,weft_bench:leave,weft_bench:one");
		asked = true;
		if (why_not)
			return bench_skip(why_not);
	}
	return run_child(v->tracer, v->kind, v->threads);
}

int main(int argc, char **argv)
{
	static struct variant variant[KINDS * THREADS_MOST][TRACERS];
	static struct bench_variant rows[KINDS * THREADS_MOST][TRACERS + 1];
	static struct bench benches[KINDS * THREADS_MOST + 1];
	static char name[KINDS * THREADS_MOST][20];
	unsigned n = 0;
	if (getenv("BENCH_CHILD"))
		return child(getenv("BENCH_CHILD"));
	if (!mkdtemp(folder))
		return 1;
	for (unsigned threads = 1; threads <= THREADS_MOST; threads++)
		for (unsigned kind = 0; kind < KINDS; kind++) {
			unsigned rows_here = 0;
			if (threads > 1 && kind >= OFF)
				continue;
			snprintf(name[n], sizeof name[n],
			         kind == MIX   ? "bytes"
			         : kind == OFF ? "%s"
			                       : "%s-%u",
			         kind_names[kind], threads);
			for (unsigned i = 0; i < TRACERS; i++) {
				if (!tracers[i].loop[kind] || (kind == MIX && strcmp(tracers[i].name, "ours-ring") == 0))
					continue;
				variant[n][i] = (struct variant){i, kind, threads};
				rows[n][rows_here++] = (struct bench_variant){tracers[i].name, round_of, &variant[n][i]};
			}
			benches[n] = (struct bench){name[n], kind == MIX ? "B" : "ns", ROUNDS, rows[n]};
			n++;
		}
	int status = bench_main(argc, argv, benches);
	rmdir(folder);
	return status;
}
