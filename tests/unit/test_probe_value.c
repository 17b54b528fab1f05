/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, parameters and results by name, fetched from a program that runs, and compared with what it has. */
#include "probe_program.h"
#include "probe/probe_action.h"
#include "probe/probe_value.h"
#include <time.h>

static void started(struct program *p, const char *compiler)
{
	char path[4200];
	program_needs_agent();
	program_compile(compiler, path, sizeof path);
	program_start(p, (char *const[]){path, "1", NULL}, true);
	CHECK_I64(probe_go(p->session), 0);
	program_wait_ready(p);
}

/* The first event of a probe with these values. */
static bool first_event(struct program *p, const char *function, const struct probe_value *v, unsigned n, enum link_when when,
                        struct probe_event *e)
{
	static uint64_t serial; /* a thread may be stopped in an earlier probe, and end it after this one has begun */
	struct link_op op[96] = {{.op = LINK_OP_IMM, .a = ++serial, .put = 1}};
	unsigned n_op = 1;
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < v[k].n; i++)
			op[n_op++] = v[k].op[i];
	struct probe_request r = {.function = function, .kinds = when == LINK_EXIT ? PROBE_EXIT : PROBE_ENTRY};
	r.program[when] = (struct probe_program){op, n_op};
	if (probe_insert(p->session, &r, 1)) {
		printf("# %s\n", r.err.text);
		return false;
	}
	bool got = false;
	for (int k = 0; k < 60000 && !got; k++) {
		bool any = probe_next(p->session, e);
		got = any && e->n >= 1 && e->value[0] == serial;
		if (!any)
			nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	CHECK_I64(probe_remove(p->session, &r, 1), 0);
	if (got)
		memmove(e->value, e->value + 1, --e->n * sizeof *e->value);
	struct probe_event rest;
	nanosleep(&(struct timespec){0, 2000000}, NULL);
	while (probe_next(p->session, &rest))
		;
	return got;
}

static uint64_t fetched(struct program *p, const char *expression)
{
	struct weft_err err = {0};
	struct probe_value v;
	struct probe_event e = {0};
	if (probe_variable(p->session, expression, NULL, &v, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0 && first_event(p, "caller", &v, 1, LINK_ENTRY, &e));
	REQUIRE(e.n >= 1 && !e.incomplete);
	return e.value[e.n - 1];
}

static double as_double(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

TEST(probe_value_variables)
{
	struct program p;
	static const char *const compilers[] = {"gcc -O2 -pie -fPIE", "clang -O2 -no-pie"};
	for (int k = 0; k < 2; k++) {
		started(&p, compilers[k]);
		CHECK_U64(fetched(&p, "knob"), 7);
		CHECK_NEAR(as_double(fetched(&p, "factor")), 1.5, 0);
		CHECK_U64(fetched(&p, "global_state.level"), 1);
		CHECK_U64(fetched(&p, "global_state.pair[2].a"), 30);
		CHECK_U64(fetched(&p, "state_pointer->pair[1].a"), 20);
		CHECK_U64(fetched(&p, "state_pointer->next->next->level"), 1);
		CHECK_NEAR(as_double(fetched(&p, "state_pointer[0].pair[0].b")), 0.5, 0);
		uint64_t hello = 0;
		memcpy(&hello, "hello", 5);
		CHECK_U64(fetched(&p, "message"), hello);
		memcpy(&hello, "state", 6);
		CHECK_U64(fetched(&p, "global_state.name"), hello);
		CHECK_U64(fetched(&p, "*message"), 'h');
		probe_close(p.session);
		CHECK_I64(program_finish(&p, NULL), 0);
	}
}

/* Each thread has its own; a bit field has its sign. */
TEST(probe_value_of_threads_and_bits)
{
	struct program p;
	static const char *const compilers[] = {"gcc -O2 -pie -fPIE", "gcc -O0 -no-pie -gdwarf-4", "clang -O2 -pie -fPIE",
	                                        "g++ -O2 -no-pie"};
	for (int k = 0; k < 4; k++) {
		started(&p, compilers[k]);
		CHECK_NEAR(as_double(fetched(&p, "thread_share")), 0.25, 0);
		CHECK_U64(fetched(&p, "thread_number"), 1001);
		CHECK_U64(fetched(&p, "thread_state->level"), 1);
		CHECK_U64(fetched(&p, "flags.ready"), 1);
		CHECK_U64(fetched(&p, "flags.mode"), 5);
		CHECK_I64((int64_t)fetched(&p, "flags.delta"), -3);
		CHECK_U64(fetched(&p, "flags.wide"), 0x123456789a);
		static const char *const unset[] = {"'thread_number' is a variable of each thread: it can be measured, not set",
		                                    "'flags.mode' is a bit field: it can be measured, not set"};
		static const char *const name[] = {"thread_number", "flags.mode"};
		for (int i = 0; i < 2; i++) {
			struct weft_err err = {0};
			struct probe_value v;
			CHECK(probe_can_set(p.session, name[i], NULL, &v, &err) < 0);
			CHECK_STR(err.text, unset[i]);
		}
		probe_close(p.session);
		CHECK_I64(program_finish(&p, NULL), 0);
	}
}

TEST(probe_value_static_member)
{
	struct program p;
	started(&p, "g++ -O2 -pie -fPIE");
	CHECK_U64(fetched(&p, "ns::Solver::limit"), 2);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

static void parameter(struct program *p, const char *function, const char *name, enum link_when when, struct probe_value *v)
{
	struct weft_err err = {0};
	if (probe_parameter(p->session, &(struct probe_expression){function, name, NULL, when}, v, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
}

TEST(probe_value_parameters_and_results)
{
	struct program p;
	struct probe_value v[8];
	struct probe_event e = {0};
	struct weft_err err = {0};
	started(&p, "gcc -O2 -pie -fPIE");
	static const char *const many[] = {"a", "b", "c", "f", "g", "h", "$2"};
	for (unsigned k = 0; k < 7; k++)
		parameter(&p, "many", many[k], LINK_ENTRY, &v[k]);
	REQUIRE(first_event(&p, "many", v, 7, LINK_ENTRY, &e));
	CHECK_U64(e.value[0], 1);
	CHECK_U64(e.value[1], 2);
	CHECK_U64(e.value[2], 3);
	CHECK_U64(e.value[3], 6);
	CHECK_U64(e.value[4], e.value[5]);
	CHECK(e.value[4] < 1024);
	CHECK_U64(e.value[6], 2);

	parameter(&p, "mixed", "a", LINK_ENTRY, &v[0]);
	parameter(&p, "mixed", "c", LINK_ENTRY, &v[1]);
	parameter(&p, "mixed", "d", LINK_ENTRY, &v[2]);
	REQUIRE(first_event(&p, "mixed", v, 3, LINK_ENTRY, &e));
	CHECK_NEAR(as_double(e.value[0]), 1.5, 0);
	float quarter = 0.25f;
	uint32_t bits;
	memcpy(&bits, &quarter, 4);
	CHECK_U64(e.value[1], bits);
	CHECK_U64(e.value[2], 3);

	parameter(&p, "mixed", "b", LINK_EXIT, &v[0]);
	REQUIRE(probe_result(p.session, &(struct probe_expression){"mixed", "return", NULL, LINK_EXIT}, &v[1], &err) == 0);
	REQUIRE(first_event(&p, "mixed", v, 2, LINK_EXIT, &e));
	CHECK_NEAR(as_double(e.value[1]), 1.5 * (double)e.value[0] + 0.25 - 3, 0);

	parameter(&p, "mixed", "a", LINK_EXIT, &v[0]);
	parameter(&p, "mixed", "c", LINK_EXIT, &v[1]);
	REQUIRE(first_event(&p, "mixed", v, 2, LINK_EXIT, &e));
	CHECK_NEAR(as_double(e.value[0]), 1.5, 0);
	CHECK_U64(e.value[1], bits);
	CHECK(!e.incomplete);

	parameter(&p, "by_value", "s.pair[2].a", LINK_ENTRY, &v[0]);
	parameter(&p, "by_value", "s.next->level", LINK_ENTRY, &v[1]);
	REQUIRE(first_event(&p, "by_value", v, 2, LINK_ENTRY, &e));
	CHECK_U64(e.value[0], 30);
	CHECK_U64(e.value[1], 1);

	parameter(&p, "named", "s->pair[1].a", LINK_ENTRY, &v[0]);
	parameter(&p, "named", "text", LINK_ENTRY, &v[1]);
	REQUIRE(first_event(&p, "named", v, 2, LINK_ENTRY, &e));
	CHECK_U64(e.value[0], 20);
	CHECK_U64(e.value[1], 5);
	CHECK(!memcmp(&e.value[2], "hello", 5));
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

TEST(probe_value_says_why_not)
{
	struct program p;
	started(&p, "gcc -O2 -pie -fPIE");
	static const struct {
		const char *expression, *why;
	} rows[] = {
		{"knbo", "no variable 'knbo' in this process: did you mean 'knob'?"},
		{"global_state.lvl", "in 'global_state.lvl', state has no member 'lvl'"},
		{"global_state", "'global_state' is a struct state: name one of its members"},
		{"global_state.pair[3].a", "in 'global_state.pair[3].a', the array has 3 elements only"},
		{"knob->x", "in 'knob->x', int is no pointer"},
		{"knob[x]", "'knob[x]': expected a number in brackets"},
		{"knob+1", "no variable 'knob+1' in this process: did you mean 'knob'?"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct weft_err err = {0};
		struct probe_value v;
		CHECK(probe_variable(p.session, rows[k].expression, NULL, &v, &err) < 0);
		CHECK_STR(err.text, rows[k].why);
	}
	struct weft_err err = {0};
	struct probe_value v;
	CHECK(probe_parameter(p.session, &(struct probe_expression){"work", "y", NULL, LINK_ENTRY}, &v, &err) < 0);
	CHECK_STR(err.text, "function 'work' has no parameter 'y'");
	CHECK_I64(probe_parameter(p.session, &(struct probe_expression){"read", "$3", "long", LINK_ENTRY}, &v,
	                          &(struct weft_err){0}),
	          0);
	CHECK(v.in_register == 2);
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}
