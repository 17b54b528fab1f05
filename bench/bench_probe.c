/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What probes cost: the program that is observed, and the controller.
 *
 *     hit      ns a call of a function that takes little more than 1 ns: without a probe, counted, with an event at entry
 *              (two attributes), and with events at entry and exit
 *     record   ns a call where the process writes the events itself: reading the clock alone, libweft's own event, an event at entry,
 *              at entry and exit, at entry with two values
 *     insert   us from the controller's question to its answer, for one counter: while the program waits, and while it runs
 *     batch    us an insertion, of 100 at once: of functions beside each other, 2 KB from each other, in a page of its own each
 *     act      us: a variable, a replaced function, a changed parameter, a one-time call
 *     attach   ms from a running process to a session (loading the agent into it included)
 *
 * The program is this one again, with the argument `target`; it measures its own calls, in short chunks between which the
 * controller empties the ring; the least of them counts.
 */
#include "bench.h"
#include "probe/probe_action.h"
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/record.h>

enum { CALLS = 1000, CHUNKS = 400, MANY = 100, INSERTIONS = 25 };

#define OUT __attribute__((noinline, noclone))

volatile int bench_knob = 3;

OUT int bench_work(int x);
OUT int bench_work(int x)
{
	__asm__ volatile("");
	return (x ^ 3) + x;
}

OUT int bench_other(int x);
OUT int bench_other(int x)
{
	__asm__ volatile("");
	return x + 1;
}

#define ONE(name, n) \
	OUT int name##n(int x); \
	OUT int name##n(int x) \
	{ \
		__asm__ volatile("" : : "i"(1##n)); \
		return (x ^ 1##n) + x; \
	}
#define FIVE(f, n, a, b, c, d, e) ONE(f, n##a) ONE(f, n##b) ONE(f, n##c) ONE(f, n##d) ONE(f, n##e)
#define TEN(f, n) FIVE(f, n, 0, 1, 2, 3, 4) FIVE(f, n, 5, 6, 7, 8, 9)
#define FIFTY(f, a, b, c, d, e) TEN(f, a) TEN(f, b) TEN(f, c) TEN(f, d) TEN(f, e)
#define HUNDRED(f) FIFTY(f, 0, 1, 2, 3, 4) FIFTY(f, 5, 6, 7, 8, 9) struct bench_hundred

HUNDRED(bench_near);
#undef OUT
#define OUT __attribute__((noinline, noclone, aligned(2048)))
HUNDRED(bench_apart);
#undef OUT
#define OUT __attribute__((noinline, noclone, aligned(4096)))
HUNDRED(bench_page);

/* ---- the program ---- */

static double chunk_ns(void)
{
	uint64_t sum = 0, from = bench_now_ns();
	for (int k = 0; k < CALLS; k++)
		sum += (uint64_t)bench_work(k);
	double ns = (double)(bench_now_ns() - from) / CALLS;
	bench_keep(sum);
	return ns;
}

/* The same with libweft's own event instead: what a probe that is recorded is to be compared with. */
static double own_chunk_ns(void)
{
	static weft_region region = WEFT_OFF;
	if (region == WEFT_OFF) {
		char folder[] = "/tmp/bench-probe-XXXXXX";
		if (!mkdtemp(folder) || weft_start(folder))
			return -1;
		region = weft_define_region("own", WEFT_STATE_RUNNING, 0);
	}
	uint64_t from = bench_now_ns();
	for (int k = 0; k < CALLS; k++)
		weft_enter(region);
	return (double)(bench_now_ns() - from) / CALLS;
}

static double clock_chunk_ns(void)
{
	uint64_t sum = 0, from = bench_now_ns();
	for (int k = 0; k < CALLS; k++)
		sum += weft_ticks();
	double ns = (double)(bench_now_ns() - from) / CALLS;
	bench_keep(sum);
	return ns;
}

/* m, o, c: measure and say; r: run until the next letter; everything else: wait for it. */
static int target(void)
{
	char c;
	while (read(0, &c, 1) == 1) {
		struct pollfd more = {.fd = 0, .events = POLLIN};
		if (c == 'm' || c == 'o' || c == 'c') {
			double ns = c == 'm' ? chunk_ns() : c == 'o' ? own_chunk_ns() : clock_chunk_ns();
			if (write(1, &ns, sizeof ns) != sizeof ns)
				return 1;
		}
		while (c == 'r' && poll(&more, 1, 0) == 0)
			for (int k = 0; k < 100000; k++)
				bench_keep((uint64_t)bench_work(k));
	}
	return 0;
}

/* ---- the controller ---- */

static struct {
	pid_t pid;
	int in, out;
	struct probe_listener *listener;
	char agent[PATH_MAX];
	struct probe_session *session;
} run;

static bool start(bool preload)
{
	int in[2], out[2];
	char self[PATH_MAX - 64] = "";
	struct weft_err err = {0};
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	char folder[sizeof self];
	memcpy(folder, self, sizeof self);
	snprintf(run.agent, sizeof run.agent, "%s/../libweft-agent.so", dirname(folder));
	if (probe_listen(&run.listener, NULL, &err))
		return false;
	run.pid = fork();
	if (run.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (preload) {
			setenv("LD_PRELOAD", run.agent, 1);
			setenv(LINK_ENVIRONMENT, probe_listener_name(run.listener), 1);
		}
		execl(self, self, "target", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	run.in = in[1];
	run.out = out[0];
	if (preload && (probe_accept(run.listener, 5000, &run.session, &err) || probe_go(run.session)))
		fprintf(stderr, "%s\n", err.text);
	return !preload || run.session;
}

static void stop(void)
{
	probe_close(run.session);
	run.session = NULL;
	close(run.in);
	close(run.out);
	probe_listener_free(run.listener);
	waitpid(run.pid, NULL, 0);
}

static void tell(char c)
{
	if (write(run.in, &c, 1) != 1)
		fprintf(stderr, "the program is gone\n");
}

/* The least of many chunks; the ring is emptied before each. */
static double measured(char what)
{
	double least = 1e9, ns;
	struct probe_event e;
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		while (probe_next(run.session, &e))
			;
		tell(what);
		if (read(run.out, &ns, sizeof ns) != sizeof ns)
			return -1;
		least = ns < least ? ns : least;
	}
	return least;
}

static const struct link_op attributes[] = {{.op = LINK_OP_INT, .size = 4, .index = 0, .sign = 1, .put = 1},
                                            {.op = LINK_OP_INT, .size = 8, .index = 1, .put = 1}};

static double hit(void *arg)
{
	unsigned kinds = (unsigned)(uintptr_t)arg;
	struct probe_request r = {.function = "bench_work", .kinds = kinds, .program = {{attributes, 2}, {attributes, 2}}};
	if (!start(true))
		return bench_skip("the agent does not come up");
	int rc = kinds ? probe_insert(run.session, &r, 1) : 0;
	double ns = rc ? bench_skip(r.err.text) : measured('m');
	struct link_status status = {0};
	if (rc == 0 && (probe_status(run.session, &status) || status.dropped))
		ns = bench_skip("events were dropped");
	stop();
	return ns;
}

static const struct link_op keeps[] = {{.op = LINK_OP_INT, .size = 4, .index = 0, .sign = 1},
                                       {.op = LINK_OP_INT, .size = 8, .index = 1}};

/* Into a trace in the process itself; values: two of them, with each event. */
struct recorded {
	unsigned kinds;
	bool values;
};

static int record_programs(const struct recorded *what, struct link_op op[LINK_WHENS][5], struct probe_request *r,
                           struct weft_err *err)
{
	uint64_t region, type;
	int rc = probe_define(run.session, LINK_DEFINE_REGION, "bench_work", &region, err);
	rc = rc ? rc : probe_define(run.session, LINK_DEFINE_TYPE, "value", &type, err);
	*r = (struct probe_request){.function = "bench_work", .kinds = what->kinds, .recorded = true};
	for (unsigned when = 0; rc == 0 && when < LINK_WHENS; when++) {
		op[when][0] = (struct link_op){.op = LINK_OP_EVENT, .index = (uint8_t)when, .a = region};
		for (unsigned k = 0; k < 2; k++) {
			op[when][1 + 2 * k] = keeps[k];
			op[when][2 + 2 * k] = (struct link_op){.op = LINK_OP_VALUE, .index = LINK_VALUE_INT, .a = type};
		}
		r->program[when] = (struct probe_program){op[when], what->values ? 5 : 1};
	}
	return rc;
}

static double record(void *arg)
{
	char folder[] = "/tmp/bench-probe-XXXXXX";
	struct link_op op[LINK_WHENS][5];
	struct probe_request r;
	struct weft_err err = {0};
	if (!start(true) || !mkdtemp(folder))
		return bench_skip("the agent does not come up");
	int rc = probe_record(run.session, folder, &err);
	rc = rc ? rc : record_programs(arg, op, &r, &err);
	if (rc == 0 && probe_insert(run.session, &r, 1)) {
		rc = -1;
		err = r.err;
	}
	double ns = rc ? bench_skip(err.text) : measured('m');
	stop();
	return ns;
}

static double own(void *arg)
{
	if (!start(true))
		return bench_skip("the agent does not come up");
	double ns = measured(*(const char *)arg);
	stop();
	return ns;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, compare);
	return v[n / 2];
}

static double insert(void *arg)
{
	double us[INSERTIONS];
	if (!start(true))
		return bench_skip("the agent does not come up");
	tell(*(const char *)arg);
	int rc = 0;
	for (int k = 0; k < INSERTIONS && rc == 0; k++) {
		struct probe_request r = {.function = "bench_work", .kinds = PROBE_COUNT};
		uint64_t from = bench_now_ns();
		rc = probe_insert(run.session, &r, 1);
		us[k] = (double)(bench_now_ns() - from) / 1000;
		rc = rc ? rc : probe_remove(run.session, &r, 1);
	}
	stop();
	return rc ? bench_skip("cannot insert") : median(us, INSERTIONS);
}

struct many {
	const char *name, *state;
};

static double batch(void *arg)
{
	static char names[MANY][24];
	const struct many *m = arg;
	struct probe_request *r = calloc(MANY, sizeof *r);
	if (!r || !start(true))
		return bench_skip("the agent does not come up");
	tell(*m->state);
	for (int k = 0; k < MANY; k++) {
		snprintf(names[k], sizeof names[k], "%s%02d", m->name, k);
		r[k] = (struct probe_request){.function = names[k], .kinds = PROBE_COUNT};
	}
	uint64_t from = bench_now_ns();
	int rc = probe_insert(run.session, r, MANY);
	double us = (double)(bench_now_ns() - from) / 1000 / MANY;
	stop();
	free(r);
	return rc ? bench_skip("cannot insert") : us;
}

static double act(void *arg)
{
	double us[INSERTIONS];
	struct weft_err err = {0};
	if (!start(true))
		return bench_skip("the agent does not come up");
	tell('r');
	int rc = 0;
	for (int k = 0; k < INSERTIONS && rc == 0; k++) {
		struct probe_action a = *(const struct probe_action *)arg;
		uint64_t from = bench_now_ns();
		rc = probe_act(run.session, &a, &err);
		us[k] = (double)(bench_now_ns() - from) / 1000;
		if (rc == 0 && a.kind != PROBE_ONE_TIME_CALL)
			rc = probe_undo(run.session, &a, &err);
	}
	stop();
	return rc ? bench_skip(err.text) : median(us, INSERTIONS);
}

static double attach(void *arg)
{
	(void)arg;
	struct weft_err err = {0};
	if (!start(false))
		return bench_skip("the program does not start");
	tell('r');
	nanosleep(&(struct timespec){0, 20000000}, NULL);
	uint64_t from = bench_now_ns();
	int rc = probe_inject(run.pid, run.agent, probe_listener_name(run.listener), 5000, &err);
	rc = rc ? rc : probe_accept(run.listener, 5000, &run.session, &err);
	double ms = (double)(bench_now_ns() - from) / 1e6;
	stop();
	return rc ? bench_skip(err.text) : ms;
}

static struct probe_action set = {.kind = PROBE_SET_VARIABLE, .subject = "bench_knob", .argument[0] = {.i = 5}};
static struct probe_action replace = {.kind = PROBE_REPLACE_FUNCTION, .subject = "bench_work", .object = "bench_other"};
static struct probe_action change = {.kind = PROBE_CHANGE_PARAMETER,
                                     .subject = "bench_work",
                                     .object = "x",
                                     .argument[0] = {.i = 5}};
static struct probe_action removal = {.kind = PROBE_REMOVE_CALL, .subject = "bench_work"};
static struct probe_action call = {.kind = PROBE_ONE_TIME_CALL, .subject = "bench_other", .n_arguments = 1};
static struct probe_action held = {.kind = PROBE_SET_VARIABLE,
                                   .subject = "bench_knob",
                                   .argument[0] = {.i = 5},
                                   .sync = "bench_work"};

static const struct bench_variant hits[] = {{"counter", hit, (void *)PROBE_COUNT},
                                            {"none", hit, NULL},
                                            {"event", hit, (void *)PROBE_ENTRY},
                                            {"entry-exit", hit, (void *)(PROBE_ENTRY | PROBE_EXIT)},
                                            {0}};
static const struct bench_variant records[] = {{"clock", own, "c"},
                                               {"libweft", own, "o"},
                                               {"entry", record, &(struct recorded){PROBE_ENTRY, false}},
                                               {"entry-exit", record, &(struct recorded){PROBE_ENTRY | PROBE_EXIT, false}},
                                               {"entry-values", record, &(struct recorded){PROBE_ENTRY, true}},
                                               {0}};
static const struct bench_variant inserts[] = {{"waiting", insert, "w"}, {"running", insert, "r"}, {0}};
static const struct bench_variant batches[] = {{"waiting", batch, &(struct many){"bench_near", "w"}},
                                               {"running", batch, &(struct many){"bench_near", "r"}},
                                               {"apart-waiting", batch, &(struct many){"bench_apart", "w"}},
                                               {"apart-running", batch, &(struct many){"bench_apart", "r"}},
                                               {"page-waiting", batch, &(struct many){"bench_page", "w"}},
                                               {"page-running", batch, &(struct many){"bench_page", "r"}},
                                               {0}};
static const struct bench_variant actions[] = {{"set", act, &set},
                                               {"replace", act, &replace},
                                               {"change", act, &change},
                                               {"remove", act, &removal},
                                               {"call", act, &call},
                                               {"set-held", act, &held},
                                               {0}};
static const struct bench_variant attaches[] = {{"inject", attach, NULL}, {0}};
static const struct bench benches[] = {{"hit", "ns", 7, hits},
                                       {"record", "ns", 7, records},
                                       {"insert", "us", 7, inserts},
                                       {"batch", "us", 7, batches},
                                       {"act", "us", 5, actions},
                                       {"attach", "ms", 7, attaches},
                                       {0}};

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "target"))
		return target();
	signal(SIGPIPE, SIG_IGN);
	return bench_main(argc, argv, benches);
}
