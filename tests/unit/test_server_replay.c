/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of the area replay: the same numbers as `weft replay` prints; made once, given up when nobody waits; what is wrong is said. */
#include "server_stage.h"
#include <errno.h>

static void open_traces(struct stage *s)
{
	stage_begin(s);
	stage_add(s, "tests/golden/traces/heat.weft");
	stage_add(s, "tests/golden/traces/tiles.weft");
	stage_read(s);
}

/* What a command prints as JSON. */
static const struct pulse_value *printed(struct stage *s, const char *options)
{
	struct pulse_value *v = NULL;
	struct weft_err err = {0};
	int status;
	char *text = test_shell(&status, "cd %s && \"$WEFT_BUILD/weft\" replay heat.weft %s --json -q 2>/dev/null", test_dir(),
	                        options);
	REQUIRE(status == 0 && text);
	char *kept = weft_arena_strdup(&s->arena, text);
	CHECK(kept && pulse_read(kept, strlen(kept), &s->arena, &v, &err) == 0);
	free(text);
	return v;
}

/* Each column of the answer that the command prints, too; the latest end. */
static double check_rows(const struct pulse_value *answer, const struct pulse_value *lines)
{
	unsigned compared = 0;
	double end = 0;
	REQUIRE(answer && lines);
	CHECK_U64(stage_count(pulse_get(answer, "rows")), stage_count(lines));
	const struct pulse_value *row = pulse_get(answer, "rows")->first;
	for (const struct pulse_value *line = lines->first; line && row; line = line->next, row = row->next) {
		unsigned i = 0;
		for (const struct pulse_value *c = pulse_get(answer, "columns")->first; c; c = c->next, i++) {
			const struct pulse_value *is = pulse_get(line, pulse_text(c, "key", ""));
			if (is && is->kind == PULSE_NUMBER) {
				CHECK_NEAR(stage_item(row, i)->number, is->number, 0);
				compared++;
			}
		}
		if (pulse_number(line, "end_ns", 0) > end)
			end = pulse_number(line, "end_ns", 0);
	}
	CHECK(compared > 20);
	return end;
}

/* Of rank 1, which has one thread: pixels of a kind are the times of its row. */
TEST(lines_are_what_the_ranks_do)
{
	static const struct {
		const char *lines, *run;
	} asked[] = {
		{"replay/lines?to=200000000&width=2000", "replay/run"},
		{"replay/lines?to=200000000&width=2000&latency_ns=5000000&cpu=1.5", "replay/run?latency_ns=5000000&cpu=1.5"},
	};
	struct stage s;
	open_traces(&s);
	for (unsigned i = 0; i < 2; i++) {
		const struct pulse_value *all = stage_json(&s, asked[i].lines), *run = stage_json(&s, asked[i].run);
		const char *line = stage_item(pulse_get(all, "lines"), 1)->text;
		const struct pulse_value *row = stage_item(pulse_get(run, "rows"), 1);
		double waits = 0, computes = 0, latency = 0;
		REQUIRE(line && strlen(line) == 2000);
		for (const char *c = line; *c; c++) {
			computes += *c == 'c';
			waits += *c == 'w';
			latency += *c == 'l';
		}
		/* A pixel is 0.1 ms; calls that carry nothing are shown as computing. */
		CHECK_NEAR(computes / 10, (stage_item(row, 2)->number + stage_item(row, 4)->number) / 1e6, 0.5);
		CHECK_NEAR(latency / 10, stage_item(row, 5)->number / 1e6, 0.5);
		CHECK_NEAR(waits / 10,
		           (stage_item(row, 6)->number + stage_item(row, 7)->number + stage_item(row, 8)->number) / 1e6, 0.5);
		CHECK(line[1999] == '.');
	}
	stage_end(&s);
}

TEST(a_run_has_the_numbers_of_replay)
{
	static const struct {
		const char *address, *options;
	} runs[] = {
		{"replay/run", ""},
		{"replay/run?ideal=1", "--ideal"},
		{"replay/run?latency_ns=5000000&bandwidth=1e6&cpu=1.5", "--latency 5ms --bandwidth 1MB/s --cpu 1.5"},
		{"replay/run?topology=fat-tree&latency_ns=2000000", "--topology fat-tree:k=2 --latency 2ms"},
		{"replay/run?topology=torus", "--topology torus:2x2"},
		{"replay/run?topology=dragonfly", "--topology dragonfly:a=2,p=1,h=1"},
	};
	struct stage s;
	open_traces(&s);
	for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
		const struct pulse_value *v = stage_json(&s, runs[i].address);
		CHECK_NEAR(pulse_number(v, "time_ns", -1), check_rows(v, printed(&s, runs[i].options)), 0);
		CHECK_U64((uint64_t)pulse_number(v, "stuck", -1), 0);
	}
	const struct pulse_value *plain = stage_json(&s, "replay/run"), *fast = stage_json(&s, "replay/run?cpu=4"),
				 *slow = stage_json(&s, "replay/run?latency_ns=5000000");
	CHECK(pulse_number(plain, "measured_ns", 0) > 0);
	CHECK_NEAR(pulse_number(plain, "latency_ns", 0), 1000, 0);
	CHECK_NEAR(pulse_number(plain, "bandwidth", 0), 1e10, 1);
	CHECK(pulse_number(fast, "time_ns", 0) < pulse_number(plain, "time_ns", 0));
	CHECK(pulse_number(slow, "time_ns", 0) > pulse_number(plain, "time_ns", 0));
	stage_end(&s);
}

static double hint_of(const struct pulse_value *answer, const char *name)
{
	for (const struct pulse_value *h = pulse_get(answer, "hints")->first; h; h = h->next)
		if (!strcmp(pulse_text(h, "name", ""), name))
			return pulse_number(h, "time_ns", -1);
	return -1;
}

TEST(hints_are_runs_of_their_own)
{
	struct stage s;
	open_traces(&s);
	const struct pulse_value *h = stage_json(&s, "replay/hints?latency_ns=4000000&bandwidth=2e6");
	CHECK_U64(stage_count(pulse_get(h, "hints")), 3);
	CHECK_NEAR(hint_of(h, "half the latency"),
	           pulse_number(stage_json(&s, "replay/run?latency_ns=2000000&bandwidth=2e6"), "time_ns", -2), 0);
	CHECK_NEAR(hint_of(h, "twice the bandwidth"),
	           pulse_number(stage_json(&s, "replay/run?latency_ns=4000000&bandwidth=4e6"), "time_ns", -2), 0);
	CHECK_NEAR(hint_of(h, "processors twice as fast"),
	           pulse_number(stage_json(&s, "replay/run?latency_ns=4000000&bandwidth=2e6&cpu=2"), "time_ns", -2), 0);
	/* Of an ideal network nothing is left to better but processors. */
	h = stage_json(&s, "replay/hints?ideal=1");
	CHECK_U64(stage_count(pulse_get(h, "hints")), 1);
	stage_end(&s);
}

TEST(a_program_is_made_once_and_kept)
{
	struct stage s;
	open_traces(&s);
	stage_json(&s, "replay/run");
	const struct weft_replay_program *first = s.session->trace[0].program;
	CHECK(first);
	stage_json(&s, "replay/run?cpu=2");
	CHECK(s.session->trace[0].program == first);
	/* So is that there is none. */
	for (unsigned i = 0; i < 2; i++) {
		stage_ask(&s, "replay/run?trace=1", NULL);
		CHECK_I64(s.rc, -ENODATA);
		CHECK_STR(s.err.text, "'tiles.weft' has neither messages nor collective operations: nothing to replay");
	}
	CHECK(s.session->trace[1].no_program && !s.session->trace[1].program);
	stage_end(&s);
}

static bool has_left(const struct server_request *r)
{
	(void)r;
	return true;
}

TEST(what_nobody_waits_for_is_given_up)
{
	struct stage s;
	open_traces(&s);
	s.gone = has_left;
	stage_ask(&s, "replay/hints", NULL);
	CHECK_I64(s.rc, -ECANCELED);
	CHECK(s.session->trace[0].program); /* which others want, too */
	/* Who waits for another's making of it sees that nobody waits for him. */
	pthread_mutex_lock(&s.session->trace[0].program_lock);
	stage_ask(&s, "replay/run", NULL);
	CHECK_I64(s.rc, -ECANCELED);
	pthread_mutex_unlock(&s.session->trace[0].program_lock);
	s.gone = NULL;
	stage_json(&s, "replay/run");
	stage_end(&s);
}

TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *address, *words;
	} wrong[] = {
		{"replay/run?latency_ns=-1", "'latency_ns': expected a number from 0"},
		{"replay/run?latency_ns=1us", "'latency_ns'"},
		{"replay/run?bandwidth=1e30", "'bandwidth'"},
		{"replay/run?cpu=0", "'cpu': expected a number from 0.001"},
		{"replay/run?ideal=yes", "'ideal'"},
		{"replay/run?topology=/etc/passwd", "'topology': unknown '/etc/passwd'"},
		{"replay/run?trace=9", "'trace'"},
		{"replay/hints?cpu=nan", "'cpu'"},
	};
	struct stage s;
	open_traces(&s);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		stage_ask(&s, wrong[i].address, NULL);
		if (!CHECK(s.rc < 0) || !CHECK(strstr(s.err.text, wrong[i].words)))
			fprintf(stderr, "# %s: %d '%s'\n", wrong[i].address, s.rc, s.err.text);
	}
	stage_end(&s);
}

TEST(without_memory_nothing_is_lost)
{
	static const char *const addresses[] = {"replay/run", "replay/lines", "replay/hints"};
	struct server_arg arg = {"topology", "torus"};
	struct stage s;
	open_traces(&s);
	stage_json(&s, "replay/run");
	for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		const struct server_route *route = server_route_find(addresses[i]);
		TEST_EACH_ALLOCATION_FAILS {
			struct weft_err err = {0};
			struct server_answer a = {.status = 200};
			struct server_request r = {.session = s.session, .arg = &arg, .n_args = 1, .body = "", .err = &err};
			int rc = route->answer(&r, &a);
			if (!test_alloc_failed())
				CHECK(rc == 0);
			weft_buf_fini(&a.body);
		}
	}
	stage_end(&s);
}
