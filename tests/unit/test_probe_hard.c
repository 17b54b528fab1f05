/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are hard on who instruments them (tests/tools/hard_target.c): libraries that come and go, handlers and masks of
 * their own, thousands of threads, exec; and agents that are none.
 */
#include "probe_program.h"
#include "link/link_ring.h"
#include "probe/probe_priv.h"
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

/* What the program answers to a line; -1 when it says that something was wrong, or nothing at all in 20 s. */
static long answer(struct program *p)
{
	char line[64] = "";
	size_t n = 0;
	struct pollfd wait = {.fd = p->out, .events = POLLIN};
	while (n < sizeof line - 1 && poll(&wait, 1, 20000) > 0 && read(p->out, line + n, 1) == 1 && line[n] != '\n')
		n++;
	long value = -1;
	if (sscanf(line, "ok %ld", &value) != 1)
		printf("# the program says '%s'\n", line);
	return value;
}

static long ask(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static long ask(struct program *p, const char *fmt, ...)
{
	char line[4300];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line - 1, fmt, ap);
	va_end(ap);
	line[n++] = '\n';
	REQUIRE(write(p->in, line, (size_t)n) == n);
	return answer(p);
}

static char target[4200];

static void begin(struct program *p, bool alone)
{
	int status;
	program_needs_agent();
	snprintf(target, sizeof target, "%s/hard", test_dir());
	char *out = test_shell(&status, "gcc -O2 -g -w -pthread -o %s %s -ldl 2>&1", target,
	                       test_source("tests/tools/hard_target.c"));
	if (status)
		printf("# %s\n", out);
	free(out);
	REQUIRE(status == 0);
	program_start(p, (char *const[]){target, NULL}, true);
	REQUIRE((alone ? probe_go_alone(p->session) : probe_go(p->session)) == 0);
	CHECK_I64(answer(p), 0);
}

static void finish(struct program *p)
{
	int status = 0;
	probe_close(p->session);
	close(p->in);
	close(p->out);
	probe_listener_free(p->listener);
	waitpid(p->pid, &status, 0);
	CHECK_I64(status, 0);
}

static uint64_t counted(struct program *p, const struct probe_request *r)
{
	uint64_t n = 0;
	CHECK_I64(probe_counted(p->session, r, &n), 0);
	return n;
}

static bool put_in(struct program *p, struct probe_request *r)
{
	int rc = probe_insert(p->session, r, 1);
	if (rc)
		printf("# %s: %s\n", r->function, r->err.text);
	return rc == 0;
}

/* ---- libraries ---- */

static void make_library(char *path, size_t room, const char *name, const char *options)
{
	int status;
	snprintf(path, room, "%s/%s", test_dir(), name);
	char *out = test_shell(&status, "gcc -O2 -w -shared -fPIC %s -o %s %s 2>&1", options, path,
	                       test_source("tests/tools/hard_library.c"));
	free(out);
	REQUIRE(status == 0);
}

TEST(a_library_that_was_unloaded_and_loaded_again)
{
	struct program p;
	char first[4200], other[4200];
	begin(&p, true);
	make_library(first, sizeof first, "libfirst.so", "");
	make_library(other, sizeof other, "libother.so", "-DFILLER");
	unsigned same_place = 0;
	long before = 0;
	for (int round = 0; round < 6; round++) {
		const char *path = round % 3 == 2 ? other : first;
		long at = ask(&p, "o %s", path);
		REQUIRE(at > 0);
		same_place += at == before;
		before = at;
		struct probe_request r = {.function = "library_work", .kinds = PROBE_COUNT | PROBE_ENTRY | PROBE_EXIT};
		REQUIRE(put_in(&p, &r));
		uint64_t had = counted(&p, &r);
		CHECK_I64(ask(&p, "r"), 100);
		CHECK_U64(counted(&p, &r) - had, 100);
		/* Half of the time the probe is taken out before the library goes, half of the time behind it. */
		if (round % 2)
			CHECK_I64(probe_remove(p.session, &r, 1), 0);
		CHECK_I64(ask(&p, "c"), 0);
		if (round % 2 == 0)
			CHECK_I64(probe_remove(p.session, &r, 1), 0);
		struct probe_request gone = {.function = "library_work", .kinds = PROBE_COUNT};
		CHECK(probe_insert(p.session, &gone, 1) < 0);
	}
	CHECK(same_place > 0);
	finish(&p);
}

/* At the place of one library another one, before anybody has looked: its code is not taken for the first one's, nor put back as that. */
TEST(another_library_at_the_place_of_the_first)
{
	struct program p;
	char first[4200], other[4200];
	begin(&p, true);
	make_library(first, sizeof first, "libfirst.so", "");
	make_library(other, sizeof other, "libother.so", "-DFILLER");
	struct probe_found was[PROBE_CLONES], is[PROBE_CLONES];
	uint8_t before[64], after[64];
	REQUIRE(ask(&p, "o %s", first) > 0);
	struct probe_request r = {.function = "library_work", .kinds = PROBE_COUNT};
	REQUIRE(put_in(&p, &r));
	REQUIRE(probe_find(p.session, "library_work", false, was, NULL) == 1);
	ask(&p, "c");
	REQUIRE(ask(&p, "o %s", other) > 0);
	struct probe_request again = {.function = "library_work", .kinds = PROBE_COUNT};
	REQUIRE(put_in(&p, &again));
	REQUIRE(probe_find(p.session, "library_filler", false, is, NULL) == 1);
	CHECK_U64(is[0].addr, was[0].addr);
	REQUIRE(probe_read(p.session, is[0].addr, before, sizeof before) == 0);
	struct probe_request filler = {.function = "library_filler", .kinds = PROBE_COUNT};
	REQUIRE(put_in(&p, &filler));
	CHECK_I64(ask(&p, "r"), 100);
	CHECK_U64(counted(&p, &again), 100);
	CHECK_U64(counted(&p, &filler), 0);
	CHECK_I64(probe_detach(p.session), 0);
	REQUIRE(probe_read(p.session, is[0].addr, after, sizeof after) == 0);
	CHECK(!memcmp(before, after, 32));
	CHECK_I64(ask(&p, "r"), 100);
	finish(&p);
}

/* ---- threads ---- */

TEST(thousands_of_threads_are_all_counted)
{
	struct program p;
	enum { AT_ONCE = 3000, ONE_BY_ONE = 10000 };
	begin(&p, true);
	struct probe_request r = {.function = "work", .kinds = PROBE_COUNT | PROBE_ENTRY | PROBE_EXIT};
	REQUIRE(put_in(&p, &r));
	CHECK_I64(ask(&p, "t %d", AT_ONCE), AT_ONCE);
	CHECK_U64(counted(&p, &r), AT_ONCE * 10);
	struct probe_event e;
	uint64_t seen = 0, alone = 0;
	while (probe_next(p.session, &e)) {
		seen++;
		alone += e.tid == 0;
	}
	CHECK_U64(seen, AT_ONCE * 20);
	CHECK_U64(alone, 0);
	CHECK_I64(ask(&p, "s %d", ONE_BY_ONE), ONE_BY_ONE);
	CHECK_U64(counted(&p, &r), (AT_ONCE + ONE_BY_ONE) * 10);
	struct link_status status = {0};
	CHECK_I64(probe_status(p.session, &status), 0);
	/* Blocks of threads that have ended are used again. */
	CHECK(status.blocks < 2 * AT_ONCE);
	finish(&p);
}

/* A signal that comes while a thread opens its ring must not find it half made. */
TEST(signals_in_the_first_hit_of_a_thread)
{
	struct program p;
	begin(&p, true);
	struct probe_request r[2] = {{.function = "work", .kinds = PROBE_ENTRY | PROBE_EXIT | PROBE_COUNT},
	                             {.function = "handler_work", .kinds = PROBE_ENTRY | PROBE_COUNT}};
	REQUIRE(probe_insert(p.session, r, 2) == 0);
	uint64_t seen = 0, said = 0;
	for (int round = 0; round < 20; round++) {
		struct probe_event e;
		CHECK(ask(&p, "a 40") >= 0);
		while (probe_next(p.session, &e)) {
			/* Of a handler that came while its thread wrote into the ring. */
			said += e.lost;
			if (e.when == PROBE_LOST)
				continue;
			seen++;
			REQUIRE(e.tid != 0);
			REQUIRE(e.site == r[0].site[0] || e.site == r[1].site[0]);
		}
	}
	struct link_status status = {0};
	CHECK_I64(probe_status(p.session, &status), 0);
	CHECK_U64(probe_lost(p.session), 0);
	CHECK(said > 0 && said <= status.dropped);
	CHECK_U64(seen + status.dropped, 2 * counted(&p, &r[0]) + counted(&p, &r[1]));
	finish(&p);
}

/* ---- signals ---- */

TEST(a_program_with_handlers_of_its_own)
{
	struct program p;
	begin(&p, true);
	static const struct link_op bad[] = {{.op = LINK_OP_IMM, .a = 24}, {.op = LINK_OP_LOAD, .size = 8, .put = 1}};
	struct probe_request r[2] = {{.function = "work", .kinds = PROBE_ENTRY | PROBE_EXIT, .program = {{bad, 2}}},
	                             {.function = "tiny_loop", .kinds = PROBE_COUNT}};
	CHECK_I64(ask(&p, "h"), 200);
	REQUIRE(put_in(&p, &r[1]));
	CHECK(r[1].traps);
	CHECK_I64(ask(&p, "h"), 200);
	CHECK_U64(counted(&p, &r[1]), 50);
	/* Loads that fail are ours, whatever handlers there are; but not inside of those, where the signal is blocked. */
	REQUIRE(put_in(&p, &r[0]));
	CHECK(ask(&p, "w") > 0);
	struct probe_event e;
	REQUIRE(probe_next(p.session, &e));
	CHECK(e.incomplete);
	CHECK_I64(probe_remove(p.session, &r[0], 1), 0);
	CHECK_I64(ask(&p, "h"), 200);
	finish(&p);
}

TEST(a_thread_that_blocks_the_trap)
{
	struct program p;
	begin(&p, true);
	CHECK_I64(ask(&p, "b"), 0);
	/* It calls work all the time, and must not be ended by a patch that is just being made. */
	for (int round = 0; round < 300; round++) {
		struct probe_request r = {.function = "work", .kinds = round % 2 ? PROBE_COUNT : PROBE_ENTRY | PROBE_EXIT};
		REQUIRE(put_in(&p, &r));
		REQUIRE(probe_remove(p.session, &r, 1) == 0);
		struct probe_event e;
		while (probe_next(p.session, &e))
			;
	}
	struct probe_request trap = {.function = "tiny_loop", .kinds = PROBE_COUNT};
	CHECK_I64(probe_insert(p.session, &trap, 1), -ENOTSUP);
	CHECK_STR(trap.err.text,
	          "'tiny_loop' could only be watched by a trap, and this program blocks SIGTRAP in some of its threads: "
	          "that would end it");
	CHECK(ask(&p, "B") > 0);
	finish(&p);
}

/* ---- processes ---- */

TEST(exec_under_a_session)
{
	struct program p;
	struct weft_err err = {0};
	begin(&p, false);
	struct probe_request r = {.function = "work", .kinds = PROBE_COUNT | PROBE_EXIT};
	REQUIRE(put_in(&p, &r));
	CHECK(ask(&p, "w") > 0);
	REQUIRE(write(p.in, "e ", 2) == 2 && write(p.in, target, strlen(target)) > 0 && write(p.in, "\n", 1) == 1);
	struct probe_session *after;
	REQUIRE(probe_accept(p.listener, 10000, &after, &err) == 0);
	CHECK_I64(probe_pid(after), p.pid);
	/* The old session has nobody to talk to, and what it saw can still be read. */
	uint64_t n = 0;
	CHECK(probe_counted(p.session, &r, &n) < 0);
	struct probe_event e;
	CHECK(probe_next(p.session, &e));
	probe_close(p.session);
	p.session = after;
	CHECK_I64(probe_go(after), 0);
	CHECK_I64(answer(&p), 0);
	struct probe_request again = {.function = "work", .kinds = PROBE_COUNT};
	REQUIRE(put_in(&p, &again));
	CHECK(ask(&p, "w") > 0);
	CHECK_U64(counted(&p, &again), 1);
	finish(&p);
}

/* Nobody accepts what it makes: where that is said, nothing waits. */
TEST(children_that_are_not_wanted_do_not_wait)
{
	struct program p;
	begin(&p, true);
	long ms = ask(&p, "f");
	CHECK(ms >= 0 && ms < 3000);
	struct pollfd wait = {.fd = probe_listener_fd(p.listener), .events = POLLIN};
	CHECK_I64(poll(&wait, 1, 0), 0);
	finish(&p);
}

/* It lives in its parent's memory, and was taken for the parent's thread: whose events had a thread that was gone, or none. */
TEST(a_child_of_vfork_is_not_its_parents_thread)
{
	struct program p;
	struct probe_event e;
	struct probe_request r = {.function = "work", .kinds = PROBE_ENTRY};
	begin(&p, false);
	REQUIRE(put_in(&p, &r));
	CHECK_I64(ask(&p, "v"), 7);
	unsigned n = 0;
	for (; probe_next(p.session, &e); n++)
		CHECK_U64(e.tid, (uint64_t)p.pid);
	CHECK_U64(n, 1);
	finish(&p);
}

/* ---- agents that are none ---- */

static int rings_of(size_t bytes, unsigned seals)
{
	int fd = memfd_create("rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	REQUIRE(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
	return fd;
}

static const struct link_secret secret = {.agent = {1, 2, 3}, .controller = {4, 5, 6}};

static struct link_hello plausible(void)
{
	struct link_hello h = {.version = LINK_VERSION, .token = {1, 2, 3}, .ring_bytes = 65536, .n_rings = 4, .site_bytes = 64};
	memset(h.exe, 'x', sizeof h.exe); /* not even terminated */
	return h;
}

static int begin_with(const struct link_hello *hello, size_t bytes, int rings, struct probe_session **s, struct weft_err *err,
                      int *end)
{
	static struct link_packet packet;
	int pair[2];
	REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	packet.n = 0;
	packet.full = false;
	void *to = link_packet_add(&packet, LINK_HELLO, 0, (uint32_t)bytes);
	memcpy(to, hello, bytes);
	CHECK_I64(link_packet_send(pair[1], &packet, rings), 0);
	if (rings >= 0)
		close(rings);
	*end = pair[1];
	*err = (struct weft_err){0};
	return session_begin(pair[0], &(struct session_terms){geteuid(), &secret}, s, err);
}

TEST(what_is_no_agent_is_refused)
{
	struct probe_session *s;
	struct weft_err err;
	int end;
	struct link_hello h = plausible();
	const size_t all = (size_t)h.ring_bytes * h.n_rings;
	CHECK(begin_with(&h, 20, -1, &s, &err, &end) < 0 && !s);
	CHECK_STR(err.text, "what has connected is no agent");
	close(end);
	CHECK(begin_with(&h, sizeof h, -1, &s, &err, &end) < 0 && !s);
	close(end);
	/* Rings that are shorter than it says, or could become so: touching them would end us. */
	CHECK(begin_with(&h, sizeof h, rings_of(all - 1, F_SEAL_SHRINK), &s, &err, &end) == -EPROTO && !s);
	close(end);
	CHECK(begin_with(&h, sizeof h, rings_of(all, F_SEAL_GROW), &s, &err, &end) == -EPROTO && !s);
	close(end);
	CHECK(begin_with(&h, sizeof h, open("/dev/zero", O_RDWR | O_CLOEXEC), &s, &err, &end) == -EPROTO && !s);
	close(end);
	for (unsigned k = 0; k < 3; k++) {
		h = plausible();
		h.ring_bytes = k == 0 ? 4000 : k == 1 ? 65537 : 0xffffffc0u;
		CHECK(begin_with(&h, sizeof h, rings_of(all, F_SEAL_SHRINK), &s, &err, &end) < 0 && !s);
		close(end);
	}
	h = plausible();
	h.version = 77;
	CHECK(begin_with(&h, sizeof h, rings_of(all, F_SEAL_SHRINK), &s, &err, &end) == WEFT_E_VERSION && !s);
	close(end);
}

/* One that begins well, then fills rings and answers with anything. */
TEST(rings_and_answers_of_garbage)
{
	for (int round = 0; round < 200; round++) {
		struct probe_session *s;
		struct weft_err err;
		static struct link_packet packet;
		struct link_hello h = plausible();
		const size_t all = (size_t)h.ring_bytes * h.n_rings;
		int end, fd = rings_of(all, F_SEAL_SHRINK);
		uint64_t *at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		REQUIRE(at != MAP_FAILED);
		for (size_t k = 0; k < all / 8; k += 1 + test_random() % 8)
			at[k] = test_random() % 3 ? test_random() % 700 : test_random();
		REQUIRE(begin_with(&h, sizeof h, fd, &s, &err, &end) == 0);
		struct probe_event e;
		for (int n = 0; n < 10000 && probe_next(s, &e); n++)
			REQUIRE(e.n <= 62);
		(void)probe_dropped(s);
		for (int k = 0; k < 40; k++) {
			packet.n = (uint32_t)(8 + test_random() % 200) & ~7u;
			for (uint32_t i = 0; i < packet.n; i++)
				packet.at[i] = (unsigned char)(test_random() % 4 ? test_random() % 20 : test_random());
			if (link_packet_send(end, &packet, -1))
				break;
		}
		struct link_status status;
		uint64_t n;
		struct probe_request r = {.function = "main", .kinds = PROBE_COUNT};
		shutdown(end, SHUT_WR);
		int rc = probe_status(s, &status);
		rc = rc ? rc : probe_go(s);
		rc = rc ? rc : probe_insert(s, &r, 1);
		rc = rc ? rc : probe_counted(s, &r, &n);
		(void)rc; /* whatever it says: nothing of ours breaks */
		probe_abandon(s);
		munmap(at, all);
		close(end);
	}
}
