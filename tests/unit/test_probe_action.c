/* SPDX-License-Identifier: Apache-2.0 */
/* Every action, at once and synchronised at the entry and at the exit of a function: its effect, what it answers, and undone. */
#include "probe_program.h"
#include "probe/probe_action.h"
#include <time.h>

static struct program p;

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void started(const char *compiler)
{
	char path[4200];
	program_needs_agent();
	program_compile(compiler, path, sizeof path);
	program_start(&p, (char *const[]){path, "1", NULL}, true);
	CHECK_I64(probe_go(p.session), 0);
	program_wait_ready(&p);
}

static void ended(void)
{
	probe_close(p.session);
	CHECK_I64(program_finish(&p, NULL), 0);
}

static uint64_t peek(const char *name, unsigned size)
{
	struct probe_found f[PROBE_CLONES];
	struct weft_err err = {0};
	uint64_t v = 0;
	REQUIRE(probe_find(p.session, name, true, f, &err) == 1);
	REQUIRE(probe_read(p.session, f[0].addr, &v, size) == 0);
	return v;
}

/* last_tuned becomes this, soon. */
static bool tuned_is(int value)
{
	WAIT_FOR((int)peek("last_tuned", 4) == value);
	if ((int)peek("last_tuned", 4) == value)
		return true;
	printf("# last_tuned is %d\n", (int)peek("last_tuned", 4));
	return false;
}

static bool told_grows(void)
{
	uint64_t before = peek("told", 8);
	WAIT_FOR(peek("told", 8) != before);
	return peek("told", 8) != before;
}

/* For 0.2 s; but a call that has begun may take its time before it ends. */
static bool told_stays(void)
{
	for (int k = 0; k < 50; k++) {
		uint64_t before = peek("told", 8);
		sleep_ms(200);
		if (peek("told", 8) == before)
			return true;
	}
	return false;
}

static void act(struct probe_action *a)
{
	struct weft_err err = {0};
	a->timeout_ms = 60000;
	if (probe_act(p.session, a, &err))
		printf("# %s\n", err.text);
	REQUIRE(a->done);
	CHECK(a->ticks != 0);
	CHECK((a->tid != 0) == (a->sync != NULL));
}

static void undo(struct probe_action *a)
{
	struct weft_err err = {0};
	if (probe_undo(p.session, a, &err))
		printf("# %s\n", err.text);
	CHECK(!a->done && err.code == 0);
	CHECK(probe_undo(p.session, a, &err) < 0);
}

static void data_and_libraries(const char *sync, enum link_when when)
{
	struct probe_action set = {.kind = PROBE_SET_VARIABLE,
	                           .subject = "knob",
	                           .argument[0] = {.i = 9},
	                           .sync = sync,
	                           .sync_when = when};
	CHECK(tuned_is(50));
	act(&set);
	CHECK(set.has_old);
	CHECK_U64(set.old, 7);
	CHECK(tuned_is(52));
	undo(&set);
	CHECK(tuned_is(50));

	struct probe_action load = {.kind = PROBE_LOAD_LIBRARY, .subject = "libutil.so.1", .sync = sync, .sync_when = when};
	act(&load);
	CHECK(load.value != 0);
	undo(&load);
}

static void functions_and_calls(const char *sync, enum link_when when)
{
	struct probe_action replace = {.kind = PROBE_REPLACE_FUNCTION,
	                               .subject = "tuned",
	                               .object = "instead",
	                               .sync = sync,
	                               .sync_when = when};
	act(&replace);
	CHECK(tuned_is(1043));
	undo(&replace);
	CHECK(tuned_is(50));

	for (int place = 0; place < LINK_WHENS; place++) {
		struct probe_action insert = {.kind = PROBE_INSERT_CALL,
		                              .subject = "tuned",
		                              .object = "tell_real",
		                              .when = place,
		                              .argument[0] = {.real = true, .d = 2.5 + place},
		                              .n_arguments = 1,
		                              .sync = sync,
		                              .sync_when = when};
		act(&insert);
		bool told = false;
		for (int k = 0; k < 10000 && !told; k++) {
			double d;
			uint64_t bits = peek("told_real", 8);
			memcpy(&d, &bits, sizeof d);
			told = d == 2.5 + place;
			sleep_ms(told ? 0 : 5);
		}
		CHECK(told);
		CHECK(tuned_is(50));
		undo(&insert);
	}

	struct probe_action once = {.kind = PROBE_ONE_TIME_CALL,
	                            .subject = "instead",
	                            .argument = {{.i = 5}, {.real = true, .d = 3.5}},
	                            .n_arguments = 2,
	                            .sync = sync,
	                            .sync_when = when};
	act(&once);
	CHECK_U64(once.value, 1008);
	struct weft_err err = {0};
	CHECK(probe_undo(p.session, &once, &err) < 0);
}

static void parameters(const char *sync, enum link_when when)
{
	struct probe_action change = {.kind = PROBE_CHANGE_PARAMETER,
	                              .subject = "tuned",
	                              .object = "p",
	                              .argument[0] = {.i = 100},
	                              .wants_old = true,
	                              .sync = sync,
	                              .sync_when = when};
	act(&change);
	CHECK(sync || (change.has_old && change.old == 41));
	CHECK(tuned_is(109));
	undo(&change);
	struct probe_action real = {.kind = PROBE_CHANGE_PARAMETER,
	                            .subject = "tuned",
	                            .object = "q",
	                            .argument[0] = {.real = true, .d = 30},
	                            .sync = sync,
	                            .sync_when = when};
	act(&real);
	CHECK(tuned_is(78));
	undo(&real);
	CHECK(tuned_is(50));
}

static void removed_calls(const char *sync, enum link_when when)
{
	CHECK(told_grows());
	for (int place = 0; place < 2; place++) {
		struct probe_action removal = {.kind = PROBE_REMOVE_CALL,
		                               .subject = "tell",
		                               .object = place ? "tuned" : NULL,
		                               .sync = sync,
		                               .sync_when = when};
		act(&removal);
		CHECK(told_stays());
		CHECK(tuned_is(50));
		undo(&removal);
		CHECK(told_grows());
	}
}

static void each_action(const char *sync, enum link_when when)
{
	data_and_libraries(sync, when);
	functions_and_calls(sync, when);
	parameters(sync, when);
	removed_calls(sync, when);
}

TEST(probe_actions_at_once)
{
	started("gcc -O2 -pie -fPIE");
	each_action(NULL, LINK_ENTRY);
	ended();
}

TEST(probe_actions_at_an_entry)
{
	started("gcc -O2 -pie -fPIE");
	each_action("caller", LINK_ENTRY);
	ended();
}

TEST(probe_actions_at_an_exit)
{
	started("gcc -O1 -no-pie");
	each_action("fib", LINK_EXIT);
	ended();
}

static bool no_longer(void *ctx)
{
	++*(unsigned *)ctx;
	return false;
}

/* Whoever waits for a thread that never comes can be told to go. */
TEST(probe_action_that_waits_is_given_up)
{
	started("gcc -O2 -pie -fPIE");
	struct weft_err err = {0};
	struct probe_action a = {.kind = PROBE_SET_VARIABLE, .subject = "knob", .sync = "instead", .timeout_ms = 600000};
	unsigned asked = 0;
	probe_meanwhile(p.session, no_longer, &asked);
	CHECK_I64(probe_act(p.session, &a, &err), -ETIMEDOUT);
	CHECK_STR(err.text, "no thread has come to 'instead' in time");
	CHECK_U64(asked, 1);
	probe_meanwhile(p.session, NULL, NULL);
	ended();
}

TEST(probe_actions_say_why_not)
{
	started("gcc -O2 -pie -fPIE");
	static const struct {
		struct probe_action a;
		const char *why;
	} rows[] = {
		{{.kind = PROBE_SET_VARIABLE, .subject = "nothing_like_that"},
	         "no variable 'nothing_like_that' in this process: it is not there, or the compiler has left it out"},
		{{.kind = PROBE_REMOVE_CALL, .subject = "fib", .object = "tuned"},
	         "'tuned' does not call 'fib' (inlined, or through a pointer)"},
		{{.kind = PROBE_SET_VARIABLE, .subject = "knob", .sync = "instead", .timeout_ms = 50},
	         "no thread has come to 'instead' in time"},
		{{.kind = PROBE_CHANGE_PARAMETER, .subject = "many", .object = "h"},
	         "parameter 'h' of 'many' is in no register of its own"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct probe_action a = rows[k].a;
		struct weft_err err = {0};
		CHECK(probe_act(p.session, &a, &err) < 0);
		CHECK_STR(err.text, rows[k].why);
		CHECK(!a.done);
	}
	struct probe_action load = {.kind = PROBE_LOAD_LIBRARY, .subject = "libnothing.so"};
	struct weft_err err = {0};
	CHECK(probe_act(p.session, &load, &err) < 0);
	CHECK(strstr(err.text, "cannot load 'libnothing.so': libnothing.so: cannot open shared object file") != NULL);
	CHECK(tuned_is(50));
	ended();
}
