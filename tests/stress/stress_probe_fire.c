/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patching under fire: a program whose threads check every result of theirs, while probes of all kinds are put into its functions and
 * taken out at random. It is compiled with all optimisations, by gcc and clang, position-independent or not, as C and as C++ with
 * exceptions. At the end its code must be what it was, byte for byte.
 */
#include "probe_program.h"
#include <time.h>

static const char *const functions[] = {"work",    "tiny",          "caller",    "fib",     "tail_end",       "tail_begin",
                                        "mixed",   "many",          "by_value",  "varied",  "named",          "deep",
                                        "jumps",   "exceptions",    "one_round", "check",   "thread",         "ns::Solver::step",
                                        "through", "Guard::~Guard", "on_signal", "longjmp", "pthread_create", "fork",
                                        "read",    "malloc",        "free",      "memmove", "strcmp",         "__cxa_throw"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct link_op in_op[] = {{.op = LINK_OP_INT, .size = 8, .index = 0, .put = 1},
                                       {.op = LINK_OP_XMM, .index = 0, .put = 1},
                                       {.op = LINK_OP_FRAME, .a = 8},
                                       {.op = LINK_OP_LOAD, .size = 8, .put = 1},
                                       {.op = LINK_OP_INT, .size = 8, .index = 1},
                                       {.op = LINK_OP_TEXT, .a = 16}};
static const struct link_op out_op[] = {{.op = LINK_OP_INT, .size = 8, .index = 6, .put = 1},
                                        {.op = LINK_OP_KEPT, .size = 4, .index = 1, .put = 1},
                                        {.op = LINK_OP_XMM, .index = 0, .put = 1}};

struct fire {
	struct program p;
	struct probe_request r[FUNCTIONS];
	bool in[FUNCTIONS], never[FUNCTIONS];
	uint64_t inserted, removed, events, traps;
};

static void insert_some(struct fire *f)
{
	struct probe_request batch[4];
	unsigned which[4], n = 0;
	for (unsigned k = 1 + test_random() % 4; k > 0; k--) {
		unsigned i = test_random() % FUNCTIONS;
		bool twice = false;
		for (unsigned j = 0; j < n; j++)
			twice |= which[j] == i;
		if (f->in[i] || f->never[i] || twice)
			continue;
		unsigned kinds = 1 + test_random() % 7;
		unsigned some = test_random() % 3 ? 1 : 6;
		batch[n] = (struct probe_request){.function = functions[i],
		                                  .kinds = kinds,
		                                  .program = {{in_op, some}, {out_op, 1 + test_random() % 3}}};
		which[n++] = i;
	}
	int rc = probe_insert(f->p.session, batch, n);
	for (unsigned k = 0; k < n; k++) {
		f->r[which[k]] = batch[k];
		f->in[which[k]] = batch[k].rc == 0;
		f->inserted += batch[k].rc == 0;
		f->traps += batch[k].rc == 0 && batch[k].traps;
		/* Not there in C, or nothing that can be watched: never again. */
		f->never[which[k]] = batch[k].rc == -ENOENT || batch[k].rc == -ENOTSUP;
		if (batch[k].rc && !f->never[which[k]]) {
			printf("# %s: %s\n", batch[k].function, batch[k].err.text);
			REQUIRE(rc == 0);
		}
	}
}

static void remove_some(struct fire *f, unsigned chance)
{
	struct probe_request gone[FUNCTIONS];
	unsigned n = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		if (!f->in[i] || test_random() % chance)
			continue;
		gone[n++] = f->r[i];
		f->in[i] = false;
		f->removed++;
	}
	REQUIRE(probe_remove(f->p.session, gone, n) == 0);
}

/* Events name sites that there are, and what was put into them. */
static void drain(struct fire *f)
{
	struct probe_event e;
	for (int n = 0; n < 20000 && probe_next(f->p.session, &e); n++) {
		f->events++;
		bool good = e.site < LINK_SITES && e.tid != 0 && e.n <= 9;
		if (!CHECK(good)) {
			printf("# site %u, tid %u, %u values, at %u, %llu lost\n", e.site, e.tid, e.n, e.when,
			       (unsigned long long)probe_lost(f->p.session));
			test_abandon();
		}
	}
}

static void check_code(struct fire *f)
{
	char maps[64], line[4200];
	unsigned long long from, to, offset;
	int checked = 0;
	snprintf(maps, sizeof maps, "/proc/%d/maps", (int)f->p.pid);
	FILE *m = fopen(maps, "r");
	REQUIRE(m);
	while (fgets(line, sizeof line, m)) {
		char protection[8], path[4096] = "";
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095s", &from, &to, protection, &offset, path) < 5 ||
		    protection[2] != 'x' || path[0] != '/')
			continue;
		size_t n = to - from;
		char *there = malloc(n), *file = malloc(n);
		FILE *image = fopen(path, "r");
		REQUIRE(there && file && image);
		REQUIRE(probe_read(f->p.session, from, there, n) == 0);
		size_t got = fseek(image, (long)offset, SEEK_SET) ? 0 : fread(file, 1, n, image);
		CHECK(got > 0 && !memcmp(there, file, got));
		fclose(image);
		free(there);
		free(file);
		checked++;
	}
	fclose(m);
	CHECK(checked >= 3);
}

static void fire(const char *compiler, const char *way, double seconds)
{
	static struct fire f;
	char path[4200];
	program_needs_agent();
	f = (struct fire){0};
	program_compile(compiler, path, sizeof path);
	program_start(&f.p, (char *const[]){path, "3", (char *)way, NULL}, true);
	/* What it starts is not waited for. */
	REQUIRE(probe_go_alone(f.p.session) == 0);
	program_wait_ready(&f.p);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double end = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + seconds;
	for (unsigned round = 0;; round++) {
		insert_some(&f);
		drain(&f);
		remove_some(&f, 6);
		if (round % 16 == 0 && write(f.p.in, "x", 1) != 1)
			break;
		clock_gettime(CLOCK_MONOTONIC, &now);
		/* A busy machine gets some more time. */
		double late = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - end;
		if ((late > 0 && f.inserted > 40 && f.events > 1000) || late > 120)
			break;
	}
	remove_some(&f, 1);
	struct link_status status = {0};
	CHECK_I64(probe_status(f.p.session, &status), 0);
	/* Exits that had no room are counted, not lost in silence: few of them, deep in a recursion. */
	CHECK(status.full * 1000 <= f.events + 1000);
	CHECK_U64(probe_lost(f.p.session), 0);
	unsigned long calls = 0;
	printf("# %s: %llu in, %llu out, %llu by trap, %llu events, %llu traps, %llu unwound, %llu without room\n", compiler,
	       (unsigned long long)f.inserted, (unsigned long long)f.removed, (unsigned long long)f.traps,
	       (unsigned long long)f.events, (unsigned long long)status.traps, (unsigned long long)status.unwound,
	       (unsigned long long)status.full);
	CHECK(f.inserted > 20 && f.events > 100);
	CHECK_I64(probe_detach(f.p.session), 0);
	check_code(&f);
	probe_abandon(f.p.session);
	CHECK_I64(program_finish(&f.p, &calls), 0);
	CHECK(calls > 100);
}

static double seconds(void)
{
	const char *tier = getenv("WEFT_TIER");
	return tier && !strcmp(tier, "long") ? 20 : 0.6;
}

#define FIRE(tier, name, compiler, way) \
	TEST_IN(tier, probe_under_fire_##name) \
	{ \
		fire(compiler, way, seconds()); \
	}

/* What is known of rare failures of the long ones: docs/status.md. */
FIRE(TIER_LONG, O0, "gcc -O0 -pie -fPIE", "")
FIRE(TIER_SHORT, O0_fixed, "gcc -O0 -no-pie", "")
FIRE(TIER_LONG, O1, "gcc -O1 -pie -fPIE", "fork")
FIRE(TIER_LONG, O2, "gcc -O2 -pie -fPIE", "")
FIRE(TIER_SHORT, O2_signals, "gcc -O2 -pie -fPIE", "signal")
FIRE(TIER_LONG, O2_fixed, "gcc -O2 -no-pie", "signal")
FIRE(TIER_LONG, O3, "gcc -O3 -pie -fPIE", "")
FIRE(TIER_LONG, O3_cet, "gcc -O3 -fcf-protection -pie -fPIE", "")
FIRE(TIER_LONG, clang_O2, "clang -O2 -pie -fPIE", "fork")
FIRE(TIER_LONG, clang_O3_fixed, "clang -O3 -no-pie", "signal")
FIRE(TIER_LONG, cxx_O0, "g++ -O0 -pie -fPIE", "")
FIRE(TIER_SHORT, cxx_O2, "g++ -O2 -pie -fPIE", "signal")
FIRE(TIER_LONG, cxx_O3_fixed, "g++ -O3 -no-pie", "")
FIRE(TIER_LONG, cxx_static_unwinder, "g++ -O2 -static-libgcc -static-libstdc++", "")
FIRE(TIER_LONG, cxx_clang, "clang++ -O2 -pie -fPIE", "")
