/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole trees: an analyzer, collectors and controllers, each a process, with the ways between them that a run has: streams, and sealed wires
 * over loopback. What is simulated is the programs: four controllers have all their processes, and say two events of each in an iteration.
 *
 *     N_lag     us from the moment at which the master says the end of an iteration until what was decided is back at its controller
 *     N_seen    us from its beginning until then; `real` is when its last event was said: what the thesis has as T_iter
 *     N_rate    events a second that went through, from N_seen
 *     N_top     ns of CPU for an event: of the analyzer, with the process that evaluates
 *     N_below   ns of CPU for an event: of all collectors together
 *
 * tree: four collectors below one; central: the controllers at the analyzer itself.
 */
#include "tune/derive/derive.h"
#include "bench.h"
#include "base/clock.h"
#include "tune/analyze/analyze.h"
#include "tune/collect/collect_priv.h"
#include "tunlet_text.h"
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIMS = 4, LEAVES = 4, ITERATIONS = 12, WARM = 2, PATIENCE_MS = 60000, RUNS = 64 };
enum figure { LAG, SEEN, REAL, RATE, TOP, BELOW, FIGURES };

static const char tunlet[] = TUNLET_OF_WORKERS(
	"tree",
	"%u") "ITERATION INFORMATION\nid: n\ntype: int\ninic: /# n = 0; #/\nvalue: /# iter.n = B.iteration; #/\ndependency: B\nMODEL PARAMETERS\n" TUNLET_SUMS
	      "PERFORMANCE FUNCTIONS\nTUNING POINTS\npoint\nid: knob\nkind: SetVariableValue\nvalue: /# iter.n + 0.5 #/\ncond: /# C >= 0 #/\n"
	      "endpoint\nENDTUNLET\n";

/* What the controllers share: they go from iteration to iteration together. */
struct meeting {
	atomic_uint ready, begins, iteration, done, over;
	double figure[FIGURES];
};

struct stage {
	unsigned processes, collectors;
	struct weft_secret secret;
	struct meeting *meeting;
	pid_t collector[LEAVES + 1], sim[SIMS], analyzer;
	char address[LEAVES + 1][WIRE_PEER_BYTES];
	double cpu_before[LEAVES + 2]; /* of collectors, and the analyzer: what their beginning has cost */
	int up[SIMS], n_up, life[2], ready[2];
};

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_tree: %s\n", what);
	exit(2);
}

/* ---- a controller, with the processes i, i + SIMS, … and the first one the master's, too ---- */

struct sim {
	struct peer up;
	unsigned number, processes;
	struct meeting *meeting;
	unsigned ready, acted; /* how many processes are ready; the iteration of the last ACT */
	bool *is_ready;        /* each of them */
	struct message *in;
};

static void say(struct sim *s, const struct message *m)
{
	must(peer_send(&s->up, m) == 0, "a controller has lost its way up");
}

/* Said again, it asks whether the process is alive. */
static void heard_ready(struct sim *s, uint64_t process)
{
	struct message m = {.kind = MESSAGE_COST, .cost = {.process = process, .alive = true, .time = weft_realtime_ns()}};
	bool *is = &s->is_ready[process & UINT32_MAX];
	if (*is)
		say(s, &m);
	else
		s->ready++;
	*is = true;
}

static void heard(struct sim *s, const struct message *m)
{
	struct message out = {.kind = MESSAGE_ACTED};
	if (m->kind == MESSAGE_READY)
		heard_ready(s, m->ready.process);
	if (m->kind == MESSAGE_END)
		atomic_store(&s->meeting->over, 1);
	if (m->kind != MESSAGE_ACT)
		return;
	s->acted = (unsigned)m->act.argument[0].d;
	out.acted = (struct message_acted){.process = m->act.process,
	                                   .action = m->act.action,
	                                   .time = weft_realtime_ns(),
	                                   .old.s = "",
	                                   .value.s = "",
	                                   .text = ""};
	say(s, &out);
}

static void hear(struct sim *s, int ms)
{
	struct pollfd p = {peer_fd(&s->up), peer_events(&s->up), 0};
	if (peer_flush(&s->up))
		_exit(0);
	(void)poll(&p, 1, ms);
	if (peer_fill(&s->up))
		_exit(0);
	while (peer_next(&s->up, s->in) > 0)
		heard(s, s->in);
}

static void sent(struct sim *s)
{
	while (peer_flush(&s->up) == 0 && (peer_events(&s->up) & POLLOUT))
		hear(s, 1);
}

static uint64_t process_of(const struct sim *s, unsigned i)
{
	return (uint64_t)(s->number + 1) << 32 | i;
}

static void event(struct sim *s, uint64_t process, uint32_t number, unsigned iteration)
{
	static struct message m = {.kind = MESSAGE_EVENT};
	m.event.process = process;
	m.event.time = weft_realtime_ns();
	m.event.event = number;
	m.event.n = 1;
	m.event.value[0] = (struct message_value){.kind = MESSAGE_INT, .i = iteration, .d = iteration, .s = ""};
	say(s, &m);
	/* What a wire does not take at once waits, as the program's rings would have it. */
	if (s->up.w && (process & 255) == 0)
		sent(s);
}

static unsigned own_processes(const struct sim *s)
{
	return s->processes / SIMS + (s->number < s->processes % SIMS);
}

static void process(struct sim *s, uint64_t number, int64_t rank, const char *exe)
{
	struct message m = {.kind = MESSAGE_PROCESS};
	m.process = (struct message_process){.process = number,
	                                     .time = weft_realtime_ns(),
	                                     .pid = (uint32_t)(rank + 10),
	                                     .rank = rank,
	                                     .host = "here",
	                                     .exe = exe};
	say(s, &m);
}

static void begin_processes(struct sim *s)
{
	unsigned n = own_processes(s);
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){MESSAGE_VERSION, s->number + 1, weft_realtime_ns(), "here", false};
	say(s, &m);
	if (s->number == 0)
		process(s, process_of(s, n + 1), 0, "/bin/m");
	for (unsigned i = 0; i < n; i++)
		process(s, process_of(s, i + 1), 1 + (int64_t)(i * SIMS + s->number), "/bin/w");
	for (uint64_t until = weft_monotonic_ns() + PATIENCE_MS * UINT64_C(1000000); s->ready < n + (s->number == 0);) {
		must(weft_monotonic_ns() < until, "the analyzer does not let processes begin");
		hear(s, 10);
	}
	atomic_fetch_add(&s->meeting->ready, 1);
}

static void wave(struct sim *s, unsigned iteration)
{
	for (uint32_t k = 0; k < 2; k++)
		for (unsigned i = 0, n = own_processes(s); i < n; i++)
			event(s, process_of(s, i + 1), 2 + k, iteration);
	sent(s);
	atomic_fetch_add(&s->meeting->done, 1);
}

/* The master's: it begins and ends iterations, and measures. */
static void lead(struct sim *s)
{
	struct meeting *t = s->meeting;
	uint64_t master = process_of(s, own_processes(s) + 1), lag = 0, seen = 0, real = 0;
	while (!atomic_load(&t->begins))
		hear(s, 1);
	for (unsigned i = 1; i <= ITERATIONS + WARM; i++) {
		uint64_t began = weft_monotonic_ns();
		atomic_store(&t->done, 0);
		event(s, master, 0, i);
		sent(s);
		atomic_store(&t->iteration, i);
		wave(s, i);
		while (atomic_load(&t->done) < SIMS)
			hear(s, 1);
		event(s, master, 1, i);
		sent(s);
		uint64_t ended = weft_monotonic_ns();
		for (uint64_t until = ended + PATIENCE_MS * UINT64_C(1000000); s->acted < i;) {
			must(weft_monotonic_ns() < until, "nothing was decided");
			hear(s, 5);
		}
		uint64_t now = weft_monotonic_ns();
		lag += i > WARM ? now - ended : 0;
		seen += i > WARM ? now - began : 0;
		real += i > WARM ? ended - began : 0;
	}
	t->figure[LAG] = (double)lag / ITERATIONS / 1000;
	t->figure[SEEN] = (double)seen / ITERATIONS / 1000;
	t->figure[REAL] = (double)real / ITERATIONS / 1000;
	t->figure[RATE] = 2.0 * s->processes * ITERATIONS * 1e9 / (double)seen;
	atomic_store(&t->over, 1);
}

static _Noreturn void sim_main(struct sim *s)
{
	s->in = malloc(sizeof *s->in);
	s->is_ready = calloc(s->processes + 2, sizeof *s->is_ready);
	must(s->in && s->is_ready, "out of memory");
	begin_processes(s);
	if (s->number == 0)
		lead(s);
	for (unsigned i = 1; s->number && !atomic_load(&s->meeting->over);) {
		if (atomic_load(&s->meeting->iteration) >= i)
			wave(s, i++);
		else
			hear(s, 1);
	}
	/* The analyzer ends first. */
	for (;;)
		hear(s, 50);
}

/* ---- the parties ---- */

static void keep_only(const int *fd, int n)
{
	for (int i = 3; i < 200; i++) {
		bool kept = false;
		for (int k = 0; k < n; k++)
			kept |= fd[k] == i;
		if (!kept)
			close(i);
	}
}

static void tell(void *ctx, const char *address)
{
	(void)!write(*(int *)ctx, address, strlen(address) + 1);
}

static void begin_collector(struct stage *st, unsigned i)
{
	int told[2], up[2] = {-1, -1};
	must(pipe(told) == 0 && (i || channel_pair(up, NULL) == 0), "cannot make a pipe");
	fflush(NULL);
	st->collector[i] = fork();
	if (st->collector[i] == 0) {
		keep_only((int[]){told[1], up[0]}, 2);
		struct collect_how how = {.up = up[0],
		                          .parent = i ? st->address[0] : NULL,
		                          .listen = "127.0.0.1",
		                          .secret = st->secret,
		                          .number = i + 1,
		                          .life = -1,
		                          .listening = tell,
		                          .ctx = &told[1]};
		_exit(collect_run(&how, NULL) != 0);
	}
	close(told[1]);
	if (i == 0) {
		close(up[0]);
		st->up[st->n_up++] = up[1];
	}
	size_t n = 0;
	while (n < WIRE_PEER_BYTES && read(told[0], &st->address[i][n], 1) == 1 && st->address[i][n])
		n++;
	close(told[0]);
	must(n > 0, "a collector did not begin");
}

static void begin_sim(struct stage *st, unsigned i)
{
	int up[2] = {-1, -1};
	must(st->collectors || channel_pair(up, NULL) == 0, "cannot make a stream");
	fflush(NULL);
	st->sim[i] = fork();
	if (st->sim[i] == 0) {
		keep_only(up, 1);
		struct sim s = {.up.alive = true, .number = i, .processes = st->processes, .meeting = st->meeting};
		if (!st->collectors)
			channel_init(&s.up.c, up[0], 0);
		else
			must(weft_wire_connect(&s.up.w, st->address[1 + i % LEAVES], &st->secret, 0, NULL) == 0 &&
			             weft_wire_wait(s.up.w, NULL, 10000000000, NULL) == 0,
			     "a controller cannot connect");
		sim_main(&s);
	}
	if (!st->collectors) {
		close(up[0]);
		st->up[st->n_up++] = up[1];
	}
}

static void begin_analyzer(struct stage *st)
{
	must(pipe(st->life) == 0 && pipe(st->ready) == 0, "cannot make a pipe");
	fflush(NULL);
	st->analyzer = fork();
	if (st->analyzer == 0) {
		char text[4096];
		int keep[SIMS + 2] = {st->life[0], st->ready[1]};
		memcpy(keep + 2, st->up, (size_t)st->n_up * sizeof(int));
		keep_only(keep, st->n_up + 2);
		static struct analyze_how how;
		how = (struct analyze_how){.n_tunlets = 1,
		                           .controller = st->up,
		                           .n_controllers = (unsigned)st->n_up,
		                           .life = st->life[0],
		                           .ready = st->ready[1],
		                           .quiet = !getenv("BENCH_TALK"),
		                           .command = "bench",
		                           .limit_ns = 60000000000};
		int n = snprintf(text, sizeof text, tunlet, st->processes);
		int rc = weft_spec_new(&how.tunlet[0].spec, "tree.tsl", text, (size_t)n, NULL);
		_exit(rc || analyze_run(&how, NULL) ? 2 : 0);
	}
	char byte;
	close(st->life[0]);
	close(st->ready[1]);
	for (int i = 0; i < st->n_up; i++)
		close(st->up[i]);
	must(read(st->ready[0], &byte, 1) == 1, "the analyzer did not begin");
	close(st->ready[0]);
}

/* Of it and of those that it has waited for (compilers), so far. */
static double cpu_so_far(pid_t pid)
{
	char path[40], line[1024];
	unsigned long n[4] = {0};
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	bool ok = f && fgets(line, sizeof line, f) && strrchr(line, ')') &&
	          sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &n[0], &n[1], &n[2],
	                 &n[3]) == 4;
	must(ok, "cannot read a process's time");
	fclose(f);
	return (double)(n[0] + n[1] + n[2] + n[3]) * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

/* It has ended. */
static double cpu_of(pid_t pid)
{
	struct rusage r;
	int status;
	must(wait4(pid, &status, 0, &r) == pid, "a process is lost");
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

static void end_all(struct stage *st)
{
	struct analyze_end end = {0};
	double events = 2.0 * st->processes * (ITERATIONS + WARM), below = 0;
	must(write(st->life[1], &end, sizeof end) == sizeof end, "the analyzer is gone");
	st->meeting->figure[TOP] = (cpu_of(st->analyzer) - st->cpu_before[LEAVES + 1]) / events;
	close(st->life[1]);
	for (unsigned i = 0; i < SIMS; i++)
		(void)cpu_of(st->sim[i]);
	for (unsigned i = 0; i < st->collectors; i++)
		below += cpu_of(st->collector[i]) - st->cpu_before[i];
	st->meeting->figure[BELOW] = below / events;
}

static void run(struct meeting *meeting, unsigned processes, bool tree)
{
	struct stage st = {.processes = processes, .meeting = meeting};
	memset(meeting, 0, sizeof *meeting);
	must(weft_secret_new(&st.secret, NULL) == 0, "no secret");
	for (; tree && st.collectors <= LEAVES; st.collectors++)
		begin_collector(&st, st.collectors);
	if (!tree)
		for (unsigned i = 0; i < SIMS; i++)
			begin_sim(&st, i);
	begin_analyzer(&st);
	for (unsigned i = 0; tree && i < SIMS; i++)
		begin_sim(&st, i);
	for (bool begun = false; !begun; (void)poll(NULL, 0, 1)) {
		must(waitpid(st.sim[0], NULL, WNOHANG) == 0, "a controller has ended");
		begun = atomic_load(&meeting->ready) == SIMS;
	}
	for (unsigned i = 0; i < st.collectors; i++)
		st.cpu_before[i] = cpu_so_far(st.collector[i]);
	st.cpu_before[LEAVES + 1] = cpu_so_far(st.analyzer);
	atomic_store(&meeting->begins, 1);
	for (uint64_t until = weft_monotonic_ns() + 10 * PATIENCE_MS * UINT64_C(1000000); !atomic_load(&meeting->over);) {
		must(weft_monotonic_ns() < until && waitpid(st.sim[0], NULL, WNOHANG) == 0, "a controller has ended");
		(void)poll(NULL, 0, 5);
	}
	end_all(&st);
}

/* ---- figures: a run gives all of them ---- */

struct wanted {
	unsigned processes;
	bool tree;
	enum figure figure;
};

/* Of the runs of one size and kind, which are counted for each figure from the first one on. */
static double figure_of(void *arg)
{
	static struct meeting *meeting;
	static struct {
		unsigned processes, n, asked[FIGURES];
		double figure[RUNS][FIGURES];
	} runs[2];
	const struct wanted *w = arg;
	if (!weft_wire_can_seal())
		return bench_skip("this build is without libsodium");
	if (runs[w->tree].processes != w->processes)
		memset(&runs[w->tree], 0, sizeof runs[w->tree]);
	runs[w->tree].processes = w->processes;
	unsigned at = runs[w->tree].asked[w->figure]++ % RUNS;
	if (at == runs[w->tree].n) {
		if (!meeting)
			meeting = mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		must(meeting != MAP_FAILED, "out of memory");
		run(meeting, w->processes, w->tree);
		memcpy(runs[w->tree].figure[runs[w->tree].n++], meeting->figure, sizeof meeting->figure);
	}
	return runs[w->tree].figure[at][w->figure];
}

#define WANTED(count, with, what) (&(struct wanted){count, with, what})
#define PAIR(count, what) \
	(const struct bench_variant[]) \
	{ \
		{"tree", figure_of, WANTED(count, true, what)}, {"central", figure_of, WANTED(count, false, what)}, \
		{ \
			0 \
		} \
	}
#define SIZE(count) \
	{#count "_lag", "us", 5, PAIR(count, LAG)}, {#count "_seen", "us", 5, PAIR(count, SEEN)}, \
		{#count "_real", "us", 5, PAIR(count, REAL)}, {#count "_rate", "1/s", 5, PAIR(count, RATE)}, \
		{#count "_top", "ns", 5, PAIR(count, TOP)}, \
	{ \
#count "_below", "ns", 5, PAIR(count, BELOW) \
	}

int main(int argc, char **argv)
{
	const struct bench table[] = {SIZE(100), SIZE(1000), SIZE(10000), {0}};
	signal(SIGPIPE, SIG_IGN);
	return bench_main(argc, argv, table);
}
