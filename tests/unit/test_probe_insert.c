/* SPDX-License-Identifier: Apache-2.0 */
/* Probes in a program that runs: counted, entered, left; taken out again; what cannot be instrumented, and why. */
#include "probe_program.h"
#include "probe/probe_priv.h"
#include <errno.h>
#include <time.h>

#define THREADS 2 /* of the program */
#define DEEP 10   /* its recursion */
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void started(struct program *p, const char *compiler)
{
	char path[4200];
	program_needs_agent();
	program_compile(compiler, path, sizeof path);
	program_start(p, (char *const[]){path, TEXT_OF(THREADS), NULL}, true);
	CHECK_I64(probe_go(p->session), 0);
	program_wait_ready(p);
}

static uint64_t counted(const struct program *p, const struct probe_request *r)
{
	uint64_t n = 0;
	CHECK_I64(probe_counted(p->session, r, &n), 0);
	return n;
}

static bool inserted(struct program *p, struct probe_request *r)
{
	int rc = probe_insert(p->session, r, 1);
	if (rc)
		printf("# %s: %s\n", r->function, r->err.text);
	return rc == 0;
}

TEST(probe_counts_calls)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	struct probe_request r = {.function = "work", .kinds = PROBE_COUNT};
	uint64_t first, second;
	REQUIRE(inserted(&p, &r));
	WAIT_FOR(counted(&p, &r) > 0);
	first = counted(&p, &r);
	WAIT_FOR(counted(&p, &r) > first);
	second = counted(&p, &r);
	CHECK(first > 0 && second > first);
	struct probe_request again = r;
	CHECK_I64(probe_remove(p.session, &r, 1), 0);
	first = counted(&p, &again);
	CHECK(first >= second);
	again.n_sites = 1;
	sleep_ms(30);
	CHECK(counted(&p, &again) <= first + THREADS); /* a thread may have been stopped inside */
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_records_entries_and_exits)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	static const struct link_op in[] = {{.op = LINK_OP_INT, .size = 4, .index = 0, .sign = 1, .put = 1}};
	static const struct link_op out[] = {{.op = LINK_OP_INT, .size = 4, .index = 6, .sign = 1, .put = 1},
	                                     {.op = LINK_OP_KEPT, .size = 4, .index = 0, .sign = 1, .put = 1}};
	struct probe_request r = {.function = "fib", .kinds = PROBE_ENTRY | PROBE_EXIT, .program = {{in, 1}, {out, 2}}};
	REQUIRE(inserted(&p, &r));
	static const uint64_t fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
	struct probe_event e;
	unsigned enters = 0, leaves = 0;
	uint64_t last = 0;
	uint32_t tid = 0;
	for (int round = 0; round < 30000 && leaves < 2000; round++) {
		while (probe_next(p.session, &e)) {
			if (e.when == PROBE_LOST)
				continue; /* this machine is that busy */
			if (e.tid == tid)
				CHECK(e.ticks >= last);
			tid = e.tid;
			last = e.ticks;
			if (e.when == LINK_ENTRY) {
				enters++;
				REQUIRE(e.n == 1 && e.value[0] <= 9);
			} else {
				leaves++;
				REQUIRE(e.n == 2 && e.value[1] <= 9);
				CHECK_U64(e.value[0], fib[e.value[1]]);
			}
		}
		sleep_ms(1);
	}
	CHECK(enters >= 1000 && leaves >= 2000);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

enum { NEIGHBOURS = 9, AROUND = 8192 };

/* The code from the first of them on. */
static uint64_t neighbours_read(const struct program *p, const struct probe_request *r, uint8_t code[AROUND])
{
	uint64_t first = UINT64_MAX;
	for (int k = 0; k < NEIGHBOURS; k++) {
		uint64_t at = p->session->site[r[k].site[0]].way.at;
		first = at < first ? at : first;
	}
	first &= ~UINT64_C(4095);
	REQUIRE(probe_read(p->session, first, code, AROUND) == 0);
	return first;
}

static bool is_in(const struct probe_site *site, uint64_t addr)
{
	return addr >= site->way.at && addr - site->way.at < site->way.n;
}

/* Functions that lie near each other are patched by common writes: what is between them stays as it is. */
TEST(probe_changes_neighbours_and_nothing_between)
{
	static const char *const names[NEIGHBOURS] = {"work",  "tiny", "caller", "fib",  "tail_end",
	                                              "mixed", "many", "tuned",  "named"};
	static uint8_t before[AROUND], during[AROUND], after[AROUND];
	struct program p;
	struct probe_request r[NEIGHBOURS];
	started(&p, "gcc -O2 -pie -fPIE");
	for (int k = 0; k < NEIGHBOURS; k++)
		r[k] = (struct probe_request){.function = names[k], .kinds = PROBE_COUNT};
	REQUIRE(probe_insert(p.session, r, NEIGHBOURS) == 0);
	uint64_t first = neighbours_read(&p, r, during);
	unsigned sites[NEIGHBOURS];
	for (int k = 0; k < NEIGHBOURS; k++)
		sites[k] = r[k].site[0];
	CHECK_I64(probe_remove(p.session, r, NEIGHBOURS), 0);
	REQUIRE(probe_read(p.session, first, before, AROUND) == 0);
	unsigned changed = 0, strange = 0;
	for (unsigned i = 0; i < AROUND; i++) {
		bool ours = false;
		for (int k = 0; k < NEIGHBOURS; k++)
			ours |= is_in(&p.session->site[sites[k]], first + i);
		changed += before[i] != during[i];
		strange += before[i] != during[i] && !ours;
	}
	CHECK(changed >= NEIGHBOURS);
	CHECK_U64(strange, 0);
	REQUIRE(probe_insert(p.session, r, NEIGHBOURS) == 0);
	WAIT_FOR(counted(&p, &r[0]) > 0);
	CHECK_I64(probe_detach(p.session), 0);
	REQUIRE(probe_read(p.session, first, after, AROUND) == 0);
	CHECK(memcmp(before, after, AROUND) == 0);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_of_the_C_library)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	struct probe_request r[2] = {{.function = "read", .kinds = PROBE_COUNT},
	                             {.function = "pthread_create", .kinds = PROBE_COUNT | PROBE_EXIT}};
	CHECK_I64(probe_insert(p.session, r, 2), 0);
	for (int i = 0; i < 2; i++) /* the second is read by a call that begins after the probe is there */
		CHECK_I64(write(p.in, "x", 1), 1);
	for (int i = 0; i < 2; i++)
		WAIT_FOR(counted(&p, &r[i]) >= 1);
	CHECK(counted(&p, &r[0]) >= 1 && counted(&p, &r[1]) >= 1);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_says_why_not)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	static const struct {
		const char *name, *why;
		unsigned kinds;
	} rows[] = {
		{"wrok", "no function 'wrok' in this process: did you mean 'work'?", PROBE_COUNT},
		{"_setjmp", "cannot watch the exit of '_setjmp': it returns more than once", PROBE_EXIT},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct probe_request r = {.function = rows[k].name, .kinds = rows[k].kinds};
		CHECK(probe_insert(p.session, &r, 1) < 0);
		CHECK_STR(r.err.text, rows[k].why);
	}
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_program_goes_on_without_its_controller)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	struct probe_request r[2] = {{.function = "work", .kinds = PROBE_COUNT},
	                             {.function = "fib", .kinds = PROBE_ENTRY | PROBE_EXIT}};
	CHECK_I64(probe_insert(p.session, r, 2), 0);
	sleep_ms(20);
	probe_abandon(p.session);
	sleep_ms(20);
	CHECK_I64(program_finish(&p, NULL), 0);
}

/* Counts and events of a session, that may be the second one of the process. */
static void attached(struct program *p)
{
	struct weft_err err = {0};
	/* What a former session leaves behind is taken out for some milliseconds. */
	for (int i = 0; i < 1000 && probe_inject(p->pid, test_built("libweft-agent.so"), p->name, 60000, &err); i++) {
		sleep_ms(10);
		err = (struct weft_err){.code = i == 999 ? err.code : 0};
	}
	REQUIRE(err.code == 0);
	REQUIRE(probe_accept(p->listener, 60000, &p->session, &err) == 0);
	CHECK(probe_hello(p->session)->attached == 1);
	struct probe_request r[2] = {{.function = "work", .kinds = PROBE_COUNT},
	                             {.function = "fib", .kinds = PROBE_ENTRY | PROBE_EXIT}};
	CHECK_I64(probe_insert(p->session, r, 2), 0);
	uint64_t n = 0;
	struct probe_event e = {0};
	bool got = false;
	for (int i = 0; i < 10000 && (n == 0 || !got); i++) {
		sleep_ms(5);
		CHECK_I64(probe_counted(p->session, &r[0], &n), 0);
		got = got || probe_next(p->session, &e);
	}
	CHECK(n > 0);
	CHECK(got && e.tid != 0);
	CHECK_U64(probe_lost(p->session), 0);
	probe_close(p->session);
}

static uint64_t in_trace(const char *dir, const char *kind)
{
	int status;
	char *out = test_shell(&status, "%s dump -q %s -f 'kind=%s name=fib' | wc -l", test_built("weft"), dir, kind);
	uint64_t n = strtoull(out, NULL, 10);
	free(out);
	return status ? UINT64_MAX : n;
}

/* libweft comes with the agent into a program that runs, and writes each call down between two instants. */
TEST(probe_records_into_a_trace_by_libweft)
{
	struct program p;
	char path[4200], dir[4200];
	struct weft_err err = {0};
	program_needs_agent();
	program_compile("gcc -O2 -pie -fPIE", path, sizeof path);
	program_start(&p, (char *const[]){path, TEXT_OF(THREADS), NULL}, false);
	program_wait_ready(&p);
	snprintf(dir, sizeof dir, "%s/attached.weft", test_dir());
	REQUIRE(probe_inject(p.pid, test_built("libweft-agent.so"), p.name, 60000, &err) == 0);
	REQUIRE(probe_accept(p.listener, 60000, &p.session, &err) == 0);
	if (probe_record(p.session, dir, &err))
		printf("# %s\n", err.text);
	uint64_t region = 0;
	REQUIRE(probe_define(p.session, LINK_DEFINE_REGION, "fib", &region, &err) == 0 && region);
	struct link_op op[2] = {{.op = LINK_OP_EVENT, .index = LINK_EVENT_ENTER, .a = region},
	                        {.op = LINK_OP_EVENT, .index = LINK_EVENT_LEAVE, .a = region}};
	struct probe_request r = {.function = "fib",
	                          .kinds = PROBE_COUNT | PROBE_ENTRY | PROBE_EXIT,
	                          .program = {{&op[0], 1}, {&op[1], 1}},
	                          .recorded = true};
	REQUIRE(inserted(&p, &r));
	WAIT_FOR(counted(&p, &r) > 20000);
	struct probe_request again = r;
	struct probe_event e;
	CHECK(!probe_next(p.session, &e));
	CHECK_I64(probe_remove(p.session, &r, 1), 0);
	sleep_ms(50);
	uint64_t calls = counted(&p, &again);
	CHECK_U64(probe_dropped(p.session), 0);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
	uint64_t enters = in_trace(dir, "enter");
	/* Events are made until the code is as it was. */
	CHECK(enters + THREADS >= calls && enters <= calls + THREADS);
	/* Calls that were not over when the probe was taken out are left without a word. */
	uint64_t leaves = in_trace(dir, "leave");
	CHECK(leaves <= enters && leaves + THREADS * DEEP >= enters);
}

struct seen {
	uint64_t events, lost, ticks[4];
	uint32_t tid[4];
};

/* What can be read now; of each thread in order. */
static void read_all(struct program *p, struct seen *s)
{
	struct probe_event e;
	while (probe_next(p->session, &e)) {
		unsigned k = 0;
		while (k < 3 && s->tid[k] && s->tid[k] != e.tid)
			k++;
		s->tid[k] = e.tid;
		REQUIRE(e.ticks >= s->ticks[k]);
		s->ticks[k] = e.when == PROBE_LOST ? e.until : e.ticks;
		s->lost += e.lost;
		s->events += e.when != PROBE_LOST;
	}
}

/* Nobody reads until there is more than rings hold: it is lost, and said at its place; or the threads wait, and nothing is. */
TEST(probe_loses_events_or_waits)
{
	enum { VALUES = 40, MORE = 40000 }; /* 336 bytes an event, of which the rings of two threads hold 25,000 */
	static struct link_op op[VALUES];
	for (int k = 0; k < VALUES; k++)
		op[k] = (struct link_op){.op = LINK_OP_IMM, .put = 1};
	for (int waits = 0; waits < 2; waits++) {
		struct program p;
		struct seen seen = {0};
		started(&p, "gcc -O2 -pie -fPIE");
		probe_when_full(p.session, waits);
		struct probe_request r = {.function = "fib", .kinds = PROBE_COUNT | PROBE_ENTRY, .program = {{op, VALUES}}};
		REQUIRE(inserted(&p, &r));
		struct probe_request again = r;
		if (!waits)
			WAIT_FOR(counted(&p, &again) > MORE);
		while (waits && seen.events < 2 * MORE)
			read_all(&p, &seen);
		CHECK_I64(probe_remove(p.session, &r, 1), 0);
		for (int k = 0; k < 20; k++, sleep_ms(5))
			read_all(&p, &seen);
		uint64_t calls = counted(&p, &again);
		CHECK_U64(seen.lost, probe_dropped(p.session));
		/* Events are made until the code is as it was: a call that is counted and not told of was in the stub just then. */
		CHECK(seen.events + seen.lost + THREADS >= calls && seen.events + seen.lost <= calls + THREADS);
		CHECK(waits ? seen.lost == 0 : seen.lost > 0);
		probe_close(p.session);
		CHECK_I64(program_finish(&p, NULL), 0);
	}
}

/* Stubs are put where nothing was a moment ago. Where something is by now, it stays as it is. */
TEST(code_is_not_written_where_its_pages_could_not_be_had)
{
	struct program p;
	uint8_t before[64], after[64];
	started(&p, "gcc -O2 -pie -fPIE");
	struct probe_found f[PROBE_CLONES];
	REQUIRE(probe_find(p.session, "fib", false, f, NULL) > 0);
	uint64_t page = f[0].addr & ~UINT64_C(4095);
	REQUIRE(probe_read(p.session, page, before, sizeof before) == 0);
	session_begin_packet(p.session);
	struct link_range *map = link_packet_add(p.session->out, LINK_MAP, p.session->tag, sizeof *map);
	*map = (struct link_range){page, 4096};
	struct link_range *code = link_packet_add(p.session->out, LINK_CODE, p.session->tag, sizeof *code + 16);
	*code = (struct link_range){page + 8, 16};
	memset(code + 1, 0x5a, 16);
	REQUIRE(session_exchange(p.session) == 0);
	uint32_t pos = 0;
	struct link_head *h = link_packet_next(p.session->in, &pos);
	REQUIRE(h && h->rc == -EEXIST);
	h = link_packet_next(p.session->in, &pos);
	CHECK(h && h->rc == -ECANCELED);
	CHECK(probe_read(p.session, page, after, sizeof after) == 0 && memcmp(before, after, sizeof before) == 0);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_attaches_to_a_program_that_runs)
{
	static const char *const compilers[] = {"gcc -O2 -pie -fPIE", "g++ -O2 -no-pie"};
	program_needs_agent();
	for (int k = 0; k < 2; k++) {
		struct program p;
		char path[4200];
		program_compile(compilers[k], path, sizeof path);
		program_start(&p, (char *const[]){path, "3", "signal", NULL}, false);
		program_wait_ready(&p);
		for (int round = 0; round < 3; round++)
			attached(&p);
		sleep_ms(10);
		CHECK_I64(program_finish(&p, NULL), 0);
	}
	struct weft_err err = {0};
	CHECK(probe_inject(getpid(), "x", "@x", 100, &err) < 0);
}
