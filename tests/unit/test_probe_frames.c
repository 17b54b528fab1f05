/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exits of functions that end otherwise than by a return to who called them (tests/tools/frames_target.c), with all its functions watched: its
 * results are what they are without probes, and each entry has its exit.
 */
#include "probe_program.h"
#include <poll.h>
#include <sys/resource.h>

enum { SITES = 32 };

struct frames {
	struct program p;
	struct probe_request r[SITES];
	unsigned n;
	uint64_t entries, exits, left, disordered;
	uint32_t stack[4096], depth; /* of one thread: sites that have begun and not ended */
};

static struct frames f;

static void see(const struct probe_event *e)
{
	if (e->when == LINK_ENTRY) {
		f.entries++;
		if (f.depth < 4096)
			f.stack[f.depth] = e->site;
		f.depth++;
		return;
	}
	f.exits++;
	f.left += e->left;
	f.disordered += f.depth == 0 || (f.depth <= 4096 && f.stack[f.depth - 1] != e->site);
	f.depth -= f.depth > 0;
}

static bool idle; /* events are left in their ring, which is soon full */

static void drain(void)
{
	struct probe_event e;
	while (!idle && probe_next(f.p.session, &e))
		if (e.when != PROBE_LOST) /* what was lost, probe_dropped counts */
			see(&e);
}

/* What the program answers; events are taken meanwhile. */
static long answer(void)
{
	char line[64] = "";
	size_t n = 0;
	struct pollfd wait = {.fd = f.p.out, .events = POLLIN};
	for (unsigned quiet = 0; quiet < 60000 && n < sizeof line - 1;) {
		drain();
		if (poll(&wait, 1, 1) <= 0) {
			quiet++;
			continue;
		}
		if (read(f.p.out, line + n, 1) != 1 || line[n] == '\n')
			break;
		n++;
	}
	long value = -1;
	if (sscanf(line, "ok %ld", &value) != 1)
		printf("# the program says '%s'\n", line);
	drain();
	return value;
}

static long ask(char what, long n)
{
	char line[40];
	int length = snprintf(line, sizeof line, "%c %ld\n", what, n);
	f.entries = f.exits = f.left = f.disordered = f.depth = 0;
	REQUIRE(write(f.p.in, line, (size_t)length) == length);
	return answer();
}

static void begin(const char *compiler)
{
	static char path[4200];
	int status;
	program_needs_agent();
	snprintf(path, sizeof path, "%s/frames", test_dir());
	char *out = test_shell(&status, "%s -w -g -pthread -o %s %s %s 2>&1", compiler, path,
	                       strstr(compiler, "++") ? "-x c++" : "", test_source("tests/tools/frames_target.c"));
	if (status)
		printf("# %s: %s\n", compiler, out);
	free(out);
	REQUIRE(status == 0);
	memset(&f, 0, sizeof f);
	struct rlimit stack, big = {1ul << 30, RLIM_INFINITY};
	REQUIRE(getrlimit(RLIMIT_STACK, &stack) == 0);
	REQUIRE(setrlimit(RLIMIT_STACK, &big) == 0);
	program_start(&f.p, (char *const[]){path, NULL}, true);
	REQUIRE(setrlimit(RLIMIT_STACK, &stack) == 0);
	REQUIRE(probe_go(f.p.session) == 0);
	CHECK_I64(answer(), 0);
}

static void watch(const char *const *names, bool vectors)
{
	static const struct link_op in[] = {{.op = LINK_OP_INT, .size = 8, .index = 0, .put = 1}};
	static const struct link_op out[] = {{.op = LINK_OP_KEPT, .size = 8, .index = 0, .put = 1},
	                                     {.op = LINK_OP_INT, .size = 8, .index = 6, .put = 1},
	                                     {.op = LINK_OP_KEPT_XMM, .index = 0, .put = 1}};
	for (; *names; names++)
		f.r[f.n++] = (struct probe_request){.function = *names,
		                                    .kinds = PROBE_ENTRY | PROBE_EXIT,
		                                    .program = {{in, 1}, {out, vectors ? 3 : 2}}};
	int rc = probe_insert(f.p.session, f.r, f.n);
	for (unsigned k = 0; k < f.n; k++)
		if (f.r[k].rc)
			printf("# %s: %s\n", f.r[k].function, f.r[k].err.text);
	REQUIRE(rc == 0);
}

static struct link_status status_of(void)
{
	struct link_status s = {0};
	CHECK_I64(probe_status(f.p.session, &s), 0);
	return s;
}

static void finish(void)
{
	int status = 0;
	CHECK_I64(ask('c', 10), 10);
	CHECK_I64(probe_detach(f.p.session), 0);
	CHECK_I64(ask('j', 100), 300);
	CHECK_I64(ask('s', 50), 49);
	probe_close(f.p.session);
	REQUIRE(write(f.p.in, "q\n", 2) == 2);
	close(f.p.in);
	close(f.p.out);
	probe_listener_free(f.p.listener);
	waitpid(f.p.pid, &status, 0);
	CHECK_I64(status, 0);
}

/* All are seen, or counted as lost: `calls` of them, of which `left` did not return. */
static void check_calls(uint64_t calls, uint64_t left, uint64_t dropped_before)
{
	uint64_t dropped = probe_dropped(f.p.session) - dropped_before;
	CHECK_U64(f.entries + f.exits + dropped, 2 * calls);
	CHECK_U64(status_of().full, 0);
	if (dropped)
		return;
	CHECK_U64(f.entries, calls);
	CHECK_U64(f.exits, calls);
	CHECK_U64(f.left, left);
	CHECK_U64(f.disordered, 0);
}

static const char *const all[] = {"even",         "odd",        "chain_a",   "chain_b",      "chain_c", "state_word",
                                  "state_space",  "state_more", "state_gap", "down",         "jumper",  "above",
                                  "catches_jump", "resume",     "yielding",  "nested",       "ends",    "thread",
                                  "waits",        "waiter",     "jumps_out", "on_alternate", NULL};
static const char *const cxx[] = {"throws", "rethrows", "catches", "outer", "guard::~guard", NULL};

/* n, and then a number that does not fit into the ring's 2,000 events, nor into the first shadow stack. */
static void tail_calls(void)
{
	CHECK_I64(ask('c', 100), 100);
	check_calls(300, 0, 0);
	CHECK_I64(ask('e', 200), 1);
	check_calls(201, 0, 0);
	CHECK_I64(ask('e', 201), 0);
	CHECK_I64(ask('p', 150), 22);
	check_calls(151, 0, 0);
	/* At -O0 each link takes some stack, and returns. */
	for (long n = 907; n < 1100000; n = n * 33 + 1) {
		uint64_t before = probe_dropped(f.p.session);
		CHECK_I64(ask('e', n), n % 2 == 0);
		check_calls((uint64_t)n + 1, 0, before);
	}
}

static void jumps(void)
{
	uint64_t before = status_of().unwound;
	/* above; and with k levels below, catches_jump, which returns, and k + 1 that do not. */
	CHECK_I64(ask('j', 100), 300);
	check_calls(1 + 100 + 550, 550, probe_dropped(f.p.session));
	CHECK_U64(status_of().unwound - before, 550);
}

static void coroutines(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('s', 60), 60);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	/* In each of the coroutines `yielding` waits at the end, and what has called it: those of the time before are gone where these are now. */
	CHECK(f.entries >= 180);
	CHECK(f.entries - (f.exits - f.left) >= 3 && f.entries - (f.exits - f.left) <= 15);
	CHECK(f.left <= 15);
	CHECK_U64(status_of().full, 0);
	/* There a frame that is alive looks as if it was gone: its exit may be marked, and the program goes on. */
	CHECK_I64(ask('l', 60), 60);
	CHECK(f.exits <= f.entries + 15);
	CHECK_I64(ask('c', 1), 1);
}

static void whole_thread(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('t', 9), 5);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	CHECK_U64(f.entries, 11);
	CHECK_U64(f.exits, 11);
	CHECK_U64(f.left, 11);
	CHECK_U64(f.disordered, 0);
}

/* Who cancels a thread may do so before it has come so far. */
static void cancelled_thread(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('k', 9), 1);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	CHECK_U64(f.exits, f.entries);
	CHECK_U64(f.left, f.entries);
	CHECK_U64(f.disordered, 0);
}

/* Frames of a coroutine belong to no thread: each one's exit is seen, but of the last turn's. */
static void carried_on(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('m', 20), 20);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	CHECK(f.entries >= 20 && f.entries >= f.exits - f.left);
	CHECK(f.entries - (f.exits - f.left) <= 6);
}

/* A frame of the handler's stack is known to be gone when its slot is used again. */
static void handlers(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('h', 20), 140);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	CHECK_U64(f.entries, 40);
	CHECK(f.exits >= 39 && f.exits <= 40);
	CHECK_U64(f.exits - f.left, 20);
}

/* As `exceptions`, on a stack that is not the thread's own. */
static void foreign_exceptions(void)
{
	uint64_t dropped = probe_dropped(f.p.session);
	CHECK_I64(ask('y', 10), 75);
	REQUIRE(probe_dropped(f.p.session) == dropped);
	uint64_t throws = 55 + 20, returns = 10 + 75 + 10 + 11;
	CHECK_U64(f.entries, returns + throws + 10);
	CHECK_U64(f.exits - f.left, returns);
	/* Coroutines that lay there before may be found to be gone. */
	CHECK(f.left >= throws + 10 && f.left <= throws + 10 + 15);
}

static void recursion(void)
{
	uint64_t before = probe_dropped(f.p.session);
	CHECK(ask('r', 600) > 0);
	check_calls(3 * 601, 0, before);
	for (long n = 1000; n <= 1000000; n *= 10) {
		before = probe_dropped(f.p.session);
		idle = true;
		long ps = ask('r', n);
		idle = false;
		printf("# %ld levels: %ld ps a call\n", n, ps);
		drain();
		CHECK(ps > 0);
		check_calls(3 * (uint64_t)(n + 1), 0, before);
	}
}

static void exceptions(void)
{
	uint64_t dropped = probe_dropped(f.p.session), unwound = status_of().unwound;
	CHECK_I64(ask('x', 10), 75);
	CHECK_U64(probe_dropped(f.p.session), dropped);
	/* For 0 to 9 levels: outer, catches and destructors return; of throws, levels + 1 and 2 more, and rethrows do not. */
	uint64_t throws = 55 + 20, calls = 1 + 10 + throws + 10 + 75;
	CHECK_U64(f.entries, calls);
	CHECK_U64(f.exits, calls);
	CHECK_U64(f.left, throws + 10);
	CHECK_U64(f.disordered, 0);
	CHECK_U64(status_of().unwound - unwound, throws + 10);
}

static void everything(const char *compiler, bool vectors)
{
	begin(compiler);
	watch(all, vectors);
	if (strstr(compiler, "++"))
		watch(cxx, vectors);
	tail_calls();
	jumps();
	coroutines();
	whole_thread();
	cancelled_thread();
	handlers();
	if (strstr(compiler, "++")) {
		exceptions();
		foreign_exceptions();
	}
	carried_on();
	recursion();
	jumps();
	coroutines();
	finish();
}

TEST(c_without_optimisation)
{
	everything("gcc -O0", false);
}

TEST(c_optimised)
{
	everything("gcc -O2", false);
}

TEST(c_optimised_by_clang)
{
	everything("clang -O2", true);
}

TEST(cxx_optimised)
{
	everything("g++ -O2", false);
}

TEST_IN(TIER_FULL, c_little_optimised)
{
	everything("gcc -O1 -no-pie", true);
}

TEST_IN(TIER_FULL, c_much_optimised)
{
	everything("gcc -O3", true);
}

TEST_IN(TIER_FULL, cxx_without_optimisation)
{
	everything("g++ -O0", true);
}

TEST_IN(TIER_FULL, cxx_by_clang)
{
	everything("clang++ -O3", false);
}

/* With the address space used up there are entries without exits, and nobody is hurt. */
TEST(little_address_space)
{
	/* Less than there is already: no more can be had. */
	const struct rlimit none = {64ul << 20, RLIM_INFINITY};
	begin("gcc -O2");
	/* Its own stack is as large as it gets. */
	CHECK(ask('r', 200000) > 0);
	watch(all, false);
	REQUIRE(prlimit(f.p.pid, RLIMIT_AS, &none, NULL) == 0);
	CHECK_I64(ask('e', 1000000), 1);
	CHECK_I64(ask('e', 1000001), 0);
	CHECK_I64(ask('j', 100), 300);
	CHECK_I64(ask('s', 100), 99);
	CHECK(ask('r', 100000) > 0);
	CHECK(status_of().full > 0);
	finish();
}
