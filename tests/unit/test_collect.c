/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyzer, collectors and simulated controllers, each a process: what is evaluated is the same with any tree between; when a collector
 * dies, those below it turn to the one above it, and the run goes on; clocks that are off are put right.
 *
 * Nothing here depends on how fast the machine is. The controllers begin when the corrected clocks of their collectors are right; an
 * iteration begins when all but AHEAD of those before it are evaluated, which the analyzer's own display says; the run ends when the
 * last one is. A tree without a fault loses no iteration, and no tree makes a wrong one.
 */
#include "tune/derive/derive.h"
#include "collect_sim.h"
#include "base/clock.h"
#include "base/fs.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- trees -- */

struct tree {
	const char *name;
	int n, parent[NODES]; /* collectors; -1: the analyzer */
	int home[SIMS];       /* of each controller; DIRECT */
	struct follow_fault fault[NODES];
	int dies;                                           /* the collector that is killed half-way; 0: none */
	bool levels;                                        /* one of collectors comes and goes four times a second */
	void (*bad)(struct peer *up, const struct tree *t); /* what one more collector says that knows the secret; or NULL */
};

struct stage {
	const struct tree *t;
	struct weft_secret secret;
	pid_t collector[NODES], sim[SIMS], analyzer;
	char address[NODES][WIRE_PEER_BYTES];
	int to_analyzer[ANALYZE_TUNLETS], n_to_analyzer, life[2], ready[2], all_life[2];
	int sims_ready[2], display[2];         /* display: what the analyzer says on stderr */
	struct weft_buf line;                  /* of it, as it comes */
	bool seen[ITERATIONS + 1], came, went; /* came, went: a level did */
	char report[300];
};

static int told_fd;
static void tell_address(void *ctx, const char *address)
{
	(void)ctx;
	(void)!write(told_fd, address, strlen(address) + 1);
}

static void say_line(void *ctx, const char *line)
{
	if (strncmp(line, "connected to ", 13) == 0)
		weft_add_u32(&shared->reconnected, 1);
	printf("# collector %d: %s\n", *(int *)ctx, line);
	fflush(stdout);
}

static void close_from(int least, const int *keep, int n)
{
	for (int fd = least; fd < 200; fd++) {
		bool kept = false;
		for (int i = 0; i < n; i++)
			kept |= keep[i] == fd;
		if (!kept)
			close(fd);
	}
}

static void begin_collector(struct stage *st, int i)
{
	int told[2], up[2] = {-1, -1};
	const struct tree *t = st->t;
	REQUIRE(pipe(told) == 0);
	if (t->parent[i] < 0) {
		REQUIRE(channel_pair(up, NULL) == 0);
		st->to_analyzer[st->n_to_analyzer++] = up[1];
	}
	fflush(NULL);
	st->collector[i] = fork();
	if (st->collector[i] == 0) {
		close_from(3, (int[]){told[1], up[0], st->all_life[0]}, 3);
		told_fd = told[1];
		struct weft_err err = {0};
		struct collect_how how = {.up = up[0],
		                          .parent = t->parent[i] < 0 ? NULL : st->address[t->parent[i]],
		                          .listen = "127.0.0.1",
		                          .secret = st->secret,
		                          .number = 1u + (unsigned)i,
		                          .life = st->all_life[0],
		                          .listening = tell_address,
		                          .log = say_line,
		                          .ctx = &i,
		                          .fault = t->fault[i],
		                          .faulty = t->fault[i].from != 0};
		int rc = collect_run(&how, &err);
		if (rc)
			printf("# collector %d: %s\n", i, err.text);
		fflush(stdout);
		_exit(rc != 0);
	}
	close(told[1]);
	if (up[0] >= 0)
		close(up[0]);
	size_t n = 0;
	while (n < sizeof st->address[i] && read(told[0], &st->address[i][n], 1) == 1 && st->address[i][n])
		n++;
	close(told[0]);
	REQUIRE(n > 0);
}

static void begin_sim(struct stage *st, unsigned i)
{
	int up[2] = {-1, -1}, home = st->t->home[i];
	if (home == DIRECT) {
		REQUIRE(channel_pair(up, NULL) == 0);
		st->to_analyzer[st->n_to_analyzer++] = up[1];
	}
	fflush(NULL);
	st->sim[i] = fork();
	if (st->sim[i] == 0) {
		close_from(3, (int[]){up[0], st->sims_ready[1]}, 2);
		struct sim s = {.number = i, .prepared = st->sims_ready[1], .up.alive = true};
		/* The fault of a host is applied by its collector to what controllers say; nothing to do here. */
		if (home == DIRECT)
			channel_init(&s.up.c, up[0], CHANNEL_ALL);
		else if (weft_wire_connect(&s.up.w, st->address[home], &st->secret, 0, NULL) ||
		         weft_wire_wait(s.up.w, NULL, 60000 * MS, NULL))
			_exit(4);
		sim_main(&s);
		_exit(0);
	}
	if (up[0] >= 0)
		close(up[0]);
}

/* The tunlet that ships, which asks for two collectors between the first one and the others in each other interval. */
static int open_levels(struct weft_spec **out, struct weft_err *err)
{
	static const char was[] = "return (int)fmax(least, more);", is[] = "return iter.level ? 0 : 2;";
	_Static_assert(sizeof is <= sizeof was, "it takes the other's place");
	char *text = NULL, path[4200];
	size_t n;
	int rc = weft_read_file(test_source("share/weft/tunlets/collectors.tsl"), &text, &n, err);
	char *at = rc ? NULL : strstr(text, was);
	if (!at)
		return rc ? rc : weft_err_set(err, -EINVAL, "the tunlet has changed");
	memset(at, ' ', sizeof was - 1);
	memcpy(at, is, sizeof is - 1);
	snprintf(path, sizeof path, "%s/collectors.tsl", test_dir());
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(text, 1, n, f) == n;
	ok &= f && fclose(f) == 0;
	free(text);
	return ok ? weft_spec_open(out, path, err) : weft_err_set(err, -EIO, "cannot write '%s'", path);
}

static void begin_analyzer(struct stage *st)
{
	REQUIRE(pipe(st->life) == 0 && pipe(st->ready) == 0 && pipe(st->display) == 0);
	fflush(NULL);
	st->analyzer = fork();
	if (st->analyzer == 0) {
		dup2(st->display[1], STDERR_FILENO);
		int keep[ANALYZE_TUNLETS + 2] = {st->life[0], st->ready[1]};
		memcpy(keep + 2, st->to_analyzer, sizeof(int) * (size_t)st->n_to_analyzer);
		close_from(3, keep, st->n_to_analyzer + 2);
		struct weft_err err = {0};
		static struct analyze_how how;
		how = (struct analyze_how){.n_tunlets = 1u + st->t->levels,
		                           .controller = st->to_analyzer,
		                           .n_controllers = (unsigned)st->n_to_analyzer,
		                           .life = st->life[0],
		                           .ready = st->ready[1],
		                           .verbose = true,
		                           .dry_run = !st->t->levels,
		                           .adapts = st->t->levels,
		                           .report = st->report,
		                           .command = "simulated",
		                           .limit_ns = 10000 * MS};
		int rc = weft_spec_open(&how.tunlet[0].spec, test_source("tests/golden/tunlets/tree.tsl"), &err);
		rc = rc || !st->t->levels ? rc : open_levels(&how.tunlet[1].spec, &err);
		rc = rc ? rc : analyze_run(&how, &err);
		if (rc)
			printf("# analyzer: %s\n", err.text);
		fflush(stdout);
		_exit(rc != 0);
	}
	close(st->life[0]);
	close(st->ready[1]);
	close(st->display[1]);
	for (int i = 0; i < st->n_to_analyzer; i++)
		close(st->to_analyzer[i]);
	char byte;
	REQUIRE(read(st->ready[0], &byte, 1) == 1);
	close(st->ready[0]);
}

/* -- what the analyzer says -- */

static void read_line(struct stage *st, const char *line)
{
	const char *at = strstr(line, "  tree, iteration ");
	unsigned i = 0;
	st->came |= strstr(line, "between = 2, was 0") != NULL;
	st->went |= strstr(line, "between = 0, was 2") != NULL;
	if (at && sscanf(at, "  tree, iteration %u: n=", &i) == 1 && strstr(at, ": n=") && i <= ITERATIONS && !st->seen[i]) {
		st->seen[i] = true;
		weft_add_u32(&shared->done, 1);
	}
}

/* False: it has ended. */
static bool read_display(struct stage *st, int wait_ms)
{
	char bytes[4096], *end;
	struct pollfd p = {st->display[0], POLLIN, 0};
	if (poll(&p, 1, wait_ms) <= 0)
		return true;
	ssize_t n = read(st->display[0], bytes, sizeof bytes);
	if (n <= 0)
		return false;
	weft_buf_add(&st->line, bytes, (size_t)n);
	REQUIRE(!st->line.failed);
	while ((end = memchr(st->line.at, '\n', st->line.n))) {
		size_t used = (size_t)(end + 1 - st->line.at);
		*end = '\0';
		read_line(st, st->line.at);
		memmove(st->line.at, end + 1, st->line.n - used);
		st->line.n -= used;
	}
	return true;
}

/* Until so many iterations are evaluated. False: a minute went by without any. */
static bool await_done(struct stage *st, uint32_t want)
{
	uint32_t before = 0, done;
	for (uint64_t since = weft_monotonic_ns(); (done = weft_load_u32(&shared->done)) < want; before = done) {
		since = done != before ? weft_monotonic_ns() : since;
		if (weft_monotonic_ns() - since > PATIENCE_S * 1000 * MS || !read_display(st, 10))
			return false;
	}
	return true;
}

/* Until the last iteration is evaluated. Those that a fault has cost are not waited for: after a second without any, more may begin. */
static bool await_last(struct stage *st)
{
	uint32_t before = weft_load_u32(&shared->done), done;
	uint64_t since = weft_monotonic_ns();
	for (; !st->seen[ITERATIONS] && weft_monotonic_ns() - since < PATIENCE_S * 1000 * MS; before = done) {
		uint64_t now = weft_monotonic_ns();
		if (!read_display(st, 10))
			return false;
		done = weft_load_u32(&shared->done);
		since = done != before ? now : since;
		if (now - since > 1000 * MS && weft_load_u32(&shared->passed) < ITERATIONS)
			weft_add_u32(&shared->passed, 1);
	}
	return st->seen[ITERATIONS];
}

/* Until it is let go, or the run is over. */
static pid_t begin_bad(struct stage *st)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid)
		return pid;
	struct peer up = {.alive = true};
	close_from(3, NULL, 0);
	if (weft_wire_connect(&up.w, st->address[0], &st->secret, 0, NULL) || weft_wire_wait(up.w, NULL, 60000 * MS, NULL))
		_exit(4);
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){.version = MESSAGE_VERSION, .controller = 77, .host = "bad", .collector = true};
	(void)!peer_send(&up, &m);
	st->t->bad(&up, st->t);
	_exit(0);
}

/* False: who listens has ended it. */
static bool bad_send(struct peer *up, const struct message *m)
{
	static struct message in;
	int rc = peer_send(up, m);
	while (rc == 0 && (rc = peer_flush(up)) == 0 && (peer_events(up) & POLLOUT)) {
		struct pollfd p = {peer_fd(up), peer_events(up), 0};
		(void)poll(&p, 1, 100);
		while (peer_next(up, &in) > 0)
			;
	}
	return rc == 0;
}

/* Half of the way, and then the collector is killed; those below it find another one before the rest begins. */
static void run_and_kill(struct stage *st)
{
	weft_store_u32(&shared->most, KILL_AT + AHEAD);
	CHECK(await_done(st, KILL_AT));
	kill(st->collector[st->t->dies], SIGKILL);
	WAIT_FOR(weft_load_u32(&shared->reconnected) > 0 || !read_display(st, 1));
	CHECK(weft_load_u32(&shared->reconnected) > 0);
	weft_store_u32(&shared->passed, AHEAD);
	weft_store_u32(&shared->most, ITERATIONS);
	CHECK(await_last(st));
}

static void run_iterations(struct stage *st)
{
	pid_t bad = 0;
	int status;
	weft_store_u32(&shared->most, ITERATIONS);
	if (st->t->bad && CHECK(await_done(st, 5)))
		bad = begin_bad(st);
	CHECK(st->t->bad ? await_last(st) : await_done(st, ITERATIONS));
	while (bad && waitpid(bad, &status, WNOHANG) == 0)
		(void)read_display(st, 10);
	if (bad)
		CHECK_I64(status, 0);
	if (st->t->levels && !st->t->bad)
		WAIT_FOR((st->came && st->went) || !read_display(st, 1));
}

/* Runs it all; the report is malloc'd text. */
static char *run_tree(const struct tree *t)
{
	struct stage st = {.t = t};
	struct analyze_end end = {0};
	int status;
	snprintf(st.report, sizeof st.report, "%s/%s.txt", test_dir(), t->name);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED);
	shared->real_offset = weft_realtime_offset_ns();
	REQUIRE(weft_secret_new(&st.secret, NULL) == 0 && pipe(st.all_life) == 0);
	for (int i = 0; i < t->n; i++)
		begin_collector(&st, i);
	REQUIRE(pipe(st.sims_ready) == 0);
	for (unsigned i = 0; i < SIMS; i++)
		begin_sim(&st, i);
	begin_analyzer(&st);
	close(st.all_life[0]);
	close(st.sims_ready[1]);
	char byte;
	for (int i = 0; i < SIMS; i++)
		REQUIRE(read(st.sims_ready[0], &byte, 1) == 1);
	close(st.sims_ready[0]);
	CHECK_U64(weft_load_u32(&shared->unsettled), 0);
	if (t->dies)
		run_and_kill(&st);
	else
		run_iterations(&st);
	REQUIRE(write(st.life[1], &end, sizeof end) == sizeof end);
	uint64_t ended = weft_monotonic_ns();
	while (read_display(&st, 1000))
		;
	waitpid(st.analyzer, &status, 0);
	CHECK_I64(status, 0);
	/* It is not busy with what nobody wants. */
	if (t->bad)
		CHECK(weft_monotonic_ns() - ended < 10000 * MS);
	close(st.display[0]);
	close(st.life[1]);
	close(st.all_life[1]);
	for (unsigned i = 0; i < SIMS; i++) {
		waitpid(st.sim[i], &status, 0);
		if (!CHECK_I64(status, 0))
			printf("# controller %u\n", i);
	}
	for (int i = 0; i < t->n; i++) {
		waitpid(st.collector[i], &status, 0);
		CHECK(i == t->dies && i ? WIFSIGNALED(status) : status == 0);
	}
	munmap(shared, sizeof *shared);
	weft_buf_fini(&st.line);
	char *text = NULL;
	size_t n;
	REQUIRE(weft_read_file(st.report, &text, &n, NULL) == 0);
	return text;
}

/* The sum of computing times of iteration i by the report; nan: it was not evaluated. */
static double value_of(const char *report, unsigned i, const char *name)
{
	char head[32], tail[32];
	snprintf(head, sizeof head, " %u: n=", i);
	snprintf(tail, sizeof tail, " %s=", name);
	const char *line = strstr(report, head), *at = line ? strstr(line, tail) : NULL, *end = line ? strchr(line, '\n') : NULL;
	return at && end && at < end ? strtod(at + strlen(tail), NULL) : NAN;
}

static double true_sum(unsigned iteration)
{
	double sum = 0;
	for (unsigned w = 0; w < SIMS * WORKERS; w++)
		sum += (double)work_ns(w, iteration - 1) / 1e6;
	return sum;
}

/* How many of these iterations were evaluated. Those all have the true sum. */
static unsigned count_right(const char *report, unsigned from, unsigned to, double tolerance)
{
	unsigned right = 0;
	for (unsigned i = from; i <= to; i++) {
		double sum = value_of(report, i, "Ct");
		if (!isnan(sum) && !CHECK(fabs(sum - true_sum(i)) <= tolerance))
			printf("# iteration %u: Ct=%g, should be %g\n", i, sum, true_sum(i));
		right += fabs(sum - true_sum(i)) <= tolerance;
	}
	return right;
}

static void check_tree(const struct tree *t, double tolerance)
{
	if (!weft_wire_can_seal())
		SKIP("this build is without libsodium");
	char *report = run_tree(t);
	if (!CHECK_U64(count_right(report, 1, ITERATIONS, tolerance), ITERATIONS))
		printf("# with %s; the report:\n%s\n", t->name, report);
	free(report);
}

TEST(without_collectors)
{
	check_tree(&(struct tree){.name = "none", .home = {DIRECT, DIRECT, DIRECT}}, 1e-6);
}

TEST(one_collector)
{
	check_tree(&(struct tree){.name = "one", .n = 1, .parent = {-1}}, 1e-6);
}

TEST(two_levels_of_collectors)
{
	check_tree(&(struct tree){.name = "levels", .n = 4, .parent = {-1, 0, 0, 1}, .home = {2, 3, 3}}, SUM_MS);
}

TEST(a_level_that_comes_and_goes)
{
	struct tree t = {.name = "comes and goes", .n = 5, .parent = {-1, 0, 0, 0, 0}, .home = {1, 2, 3}, .levels = true};
	check_tree(&t, SUM_MS);
	char path[300], *report = NULL;
	size_t n;
	snprintf(path, sizeof path, "%s/%s.txt", test_dir(), t.name);
	REQUIRE(weft_read_file(path, &report, &n, NULL) == 0);
	CHECK(strstr(report, "SetVariableValue between = 2, was 0;"));
	CHECK(strstr(report, "SetVariableValue between = 0, was 2;"));
	free(report);
}

TEST(clocks_that_are_off_are_put_right)
{
	uint64_t from = weft_realtime_ns();
	check_tree(&(struct tree){.name = "clocks",
	                          .n = 3,
	                          .parent = {-1},
	                          .home = {0, 1, 2},
	                          .fault = {{0}, {.ahead_ns = 3000000000, .ppm = 60, .from = from}, {-70000000, -80, from}}},
	           SUM_MS);
}

/* The collector that turns to another one has a clock that is 3 s ahead: it knows so still, and no later iteration is lost for that. */
TEST(a_collector_that_dies_is_passed_by)
{
	struct tree t = {.name = "dies", .n = 4, .parent = {-1, 0, 0, 1}, .home = {0, 2, 3}, .dies = 1};
	t.fault[3] = (struct follow_fault){.ahead_ns = 3000000000, .ppm = 60, .from = weft_realtime_ns()};
	if (!weft_wire_can_seal())
		SKIP("this build is without libsodium");
	char *report = run_tree(&t);
	/* Between these are iterations that were under way, and may be lost. */
	unsigned before = count_right(report, 1, KILL_AT, SUM_MS),
		 after = count_right(report, KILL_AT + AHEAD + 1, ITERATIONS, SUM_MS);
	(void)count_right(report, KILL_AT + 1, KILL_AT + AHEAD, SUM_MS);
	if (!CHECK_U64(before, KILL_AT) || !CHECK_U64(after, ITERATIONS - KILL_AT - AHEAD))
		printf("# the report:\n%s\n", report);
	free(report);
}

/* A fold that never ends; more processes than any host has; more collectors. Each in a run of its own, which goes on. */
static void say_endless_fold(struct peer *up, const struct tree *t)
{
	static char bytes[48 << 10];
	struct message m = {.kind = MESSAGE_FOLDED, .folded = {.tunlet = 0, .more = true, .bytes = bytes, .n = sizeof bytes}};
	uint64_t said = 0;
	(void)t;
	while (bad_send(up, &m) && said < UINT64_C(1) << 30)
		said += sizeof bytes;
	_exit(said < UINT64_C(1) << 30 ? 0 : 6);
}

static void say_processes(struct peer *up, const struct tree *t)
{
	uint64_t n = 0;
	struct message m = {.kind = MESSAGE_PROCESS};
	(void)t;
	for (; n < 1600000; n++) {
		m.process = (struct message_process){.process = UINT64_C(77) << 32 | (n + 1),
		                                     .time = weft_realtime_ns(),
		                                     .pid = (uint32_t)n + 1,
		                                     .rank = -1,
		                                     .host = "bad",
		                                     .exe = "/bin/worker"};
		if (!bad_send(up, &m))
			break;
	}
	_exit(n < 1600000 ? 0 : 6);
}

static void say_loads(struct peer *up, const struct tree *t)
{
	struct message m = {.kind = MESSAGE_LOAD};
	(void)t;
	for (uint32_t n = 0; n < 100000; n++) {
		m.load = (struct message_load){.time = weft_realtime_ns(), .collector = 1000 + n, .of = 1000 + n, .host = "bad"};
		if (!bad_send(up, &m))
			break;
	}
	_exit(0);
}

/* What its end may cost are iterations that are under way then. */
static void check_bad(const char *name, bool levels, void (*bad)(struct peer *up, const struct tree *t))
{
	struct tree t = {.name = name, .n = 1, .parent = {-1}, .levels = levels, .bad = bad};
	if (!weft_wire_can_seal())
		SKIP("this build is without libsodium");
	char *report = run_tree(&t);
	unsigned right = count_right(report, 1, ITERATIONS, 1e-6);
	if (!CHECK(right >= ITERATIONS - 2 * AHEAD))
		printf("# with %s %u of %d iterations; the report:\n%s\n", name, right, ITERATIONS, report);
	free(report);
}

TEST(a_fold_without_end_ends_who_says_it)
{
	check_bad("fold", false, say_endless_fold);
}

TEST(too_many_processes_end_who_says_them)
{
	check_bad("tasks", false, say_processes);
}

TEST(too_many_collectors_are_not_believed)
{
	check_bad("loads", true, say_loads);
}
