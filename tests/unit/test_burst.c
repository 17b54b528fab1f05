/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts of a .prv and of a trace of ours; their order, counters and callers. */
#include "analyze/burst/burst.h"
#include "sample_trace.h"
#include "structure_maker.h"
#include <errno.h>

static const char prv[] = "#Paraver (01/01/2026 at 00:00):1000_ns:1(2):1:2(1:1,1:1),0\n"
			  "1:1:1:1:1:0:100:1\n"
			  "1:2:1:2:1:0:300:1\n"
			  "2:2:1:2:1:50:42000050:5\n"
			  "1:1:1:1:1:100:150:3\n"
			  "2:1:1:1:1:100:42000050:7:42000059:9:70000001:4\n"
			  "1:1:1:1:1:150:400:1\n"
			  "2:2:1:2:1:300:42000050:11:60000019:2\n"
			  "1:2:1:2:1:310:500:1\n"
			  "2:1:1:1:1:400:42000059:2:60000019:3\n"
			  "2:2:1:2:1:450:60000019:0\n"
			  "1:1:1:1:1:400:410:1\n"
			  "2:1:1:1:1:900:60000019:0\n";
static const char pcf[] = "EVENT_TYPE\n7 42000050 PAPI_TOT_INS [Instr completed]\n7 42000059 (PAPI_TOT_CYC) Total cycles\n\n"
			  "EVENT_TYPE\n9 60000019 User function\nVALUES\n0 End\n2 main\n3 solve [x.c]\n\n"
			  "EVENT_TYPE\n9 70000001 Caller at level 1\n";

static void check_burst(const struct weft_bursts *b, size_t i, uint32_t thread, uint64_t begin, uint64_t end)
{
	CHECK_U64(b->thread[i], thread);
	CHECK_U64(b->begin[i], begin);
	CHECK_U64(b->end[i], end);
}

TEST(states_in_the_order_of_their_ends)
{
	struct weft_trace *t = maker_prv("a.prv", prv, pcf);
	static const char *const names[] = {"PAPI_TOT_INS", "42000059"};
	const char *missing;
	struct weft_counters c;
	struct weft_bursts b;
	struct weft_err err = {0};
	REQUIRE(weft_counters_find(&c, t, names, 2, &missing) == 0 && !missing);
	struct weft_bursts_how how = {.to = WEFT_NEVER, .counters = &c, .caller = weft_counters_type(t, "70000001")};
	for (unsigned end_only = 0; end_only < 2; end_only++) {
		how.at_end_only = end_only;
		REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
		REQUIRE(b.n == 5);
		check_burst(&b, 0, 0, 0, 100); /* the next of its thread begins at 150 */
		check_burst(&b, 1, 1, 0, 300);
		check_burst(&b, 2, 0, 150, 400);
		check_burst(&b, 3, 0, 400, 410); /* without a next: last, by thread */
		check_burst(&b, 4, 1, 310, 500);
		CHECK_NEAR(b.count[0], 7, 0);
		CHECK_NEAR(b.count[1], 11, 0); /* 5 of them before its begin is known: only what the end says */
		CHECK(isnan(b.count[2]));
		CHECK_NEAR(b.count[5], 9, 0);
		CHECK(isnan(b.count[6]));
		CHECK_NEAR(b.count[7], 2, 0);
		CHECK_I64(b.value[0], 4);
		CHECK_I64(b.value[1], 0);
		weft_bursts_fini(&b);
	}
	weft_counters_fini(&c);
	weft_trace_close(t);
}

TEST(types_begin_and_end)
{
	struct weft_trace *t = maker_prv("a.prv", prv, pcf);
	struct weft_bursts b;
	struct weft_err err = {0};
	struct weft_bursts_how how = {.of = WEFT_BURSTS_TYPE, .to = WEFT_NEVER, .type = weft_counters_type(t, "User function")};
	REQUIRE(how.type != 0);
	REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
	REQUIRE(b.n == 2);
	check_burst(&b, 0, 0, 400, 900);
	check_burst(&b, 1, 1, 300, 450);
	CHECK_I64(b.value[0], 3);
	CHECK_I64(b.value[1], 2);
	weft_bursts_fini(&b);
	how.to = 500;
	REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
	CHECK_U64(b.n, 1);
	weft_bursts_fini(&b);
	weft_trace_close(t);
}

TEST(names_of_counters)
{
	const char *begin;
	CHECK_U64(weft_counters_name("PAPI_TOT_INS [Instr completed]", &begin), 12);
	CHECK_U64(weft_counters_name("(PAPI_TOT_CYC) Total cycles", &begin), 12);
	CHECK(!strncmp(begin, "PAPI_TOT_CYC", 12));
	CHECK_U64(weft_counters_name("flops", &begin), 5);
	struct weft_trace *t = maker_prv("a.prv", prv, pcf);
	struct weft_counters c;
	static const char *const names[] = {"papi_tot_cyc", "PAPI_TOT", "nothing"};
	const char *missing;
	REQUIRE(weft_counters_find(&c, t, names, 3, &missing) == 0);
	CHECK_STR(missing, "PAPI_TOT");
	weft_counters_fini(&c);
	REQUIRE(weft_counters_all(&c, t) == 0);
	CHECK_U64(c.n, 2);
	weft_counters_fini(&c);
	weft_trace_close(t);
}

/* 0..100 computing in solve, 100..130 MPI, 130..200 computing; a counter that runs on. */
static struct weft_trace *make_ours(void)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "x", "weft", NULL, &err));
	MADE(weft_build_node(b, "n"));
	MADE(weft_build_app(b, "a"));
	MADE(weft_build_process(b, &(struct weft_process){.name = "p",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .begin = 0,
	                                                  .end = 200,
	                                                  .status = -1}));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.process = 0, .number = 1, .name = "", .begin = 0, .end = 200}));
	uint32_t solve = MADE(
		weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "solve", .state = WEFT_STATE_RUNNING}));
	uint32_t send = MADE(weft_build_def(b, WEFT_CLASS_REGION,
	                                    &(struct weft_def_row){.name = "MPI_Send", .state = WEFT_STATE_COMMUNICATING}));
	uint32_t flops = MADE(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "flops"}));
	struct weft_appender *a = weft_builder_appender(b, 0);
	REQUIRE(a);
	MUST(weft_append(a, 0, weft_what(WEFT_EV_ENTER, solve), 0));
	MUST(weft_append(a, 0, weft_what(WEFT_EV_COUNTER, flops), 1000));
	MUST(weft_append(a, 100, weft_what(WEFT_EV_COUNTER, flops), 1600));
	MUST(weft_append(a, 100, weft_what(WEFT_EV_ENTER, send), 0));
	MUST(weft_append(a, 130, weft_what(WEFT_EV_LEAVE, send), 0));
	MUST(weft_append(a, 130, weft_what(WEFT_EV_COUNTER, flops), 1650));
	MUST(weft_append(a, 200, weft_what(WEFT_EV_COUNTER, flops), 2000));
	MUST(weft_append(a, 200, weft_what(WEFT_EV_LEAVE, solve), 0));
	weft_build_keep_zero(b, 200);
	MUST(weft_build_finish(b, NULL, &t, &err));
	return t;
}

TEST(of_a_trace_of_ours)
{
	struct weft_trace *t = make_ours();
	static const char *const names[] = {"flops"};
	const char *missing;
	struct weft_counters c;
	struct weft_bursts b;
	struct weft_filter *f;
	struct weft_err err = {0};
	REQUIRE(weft_counters_find(&c, t, names, 1, &missing) == 0 && !missing);
	struct weft_bursts_how how = {.to = WEFT_NEVER, .counters = &c};
	REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
	REQUIRE(b.n == 2);
	check_burst(&b, 0, 0, 0, 100);
	check_burst(&b, 1, 0, 130, 200);
	CHECK_NEAR(b.count[0], 600, 0);
	CHECK_NEAR(b.count[1], 350, 0);
	CHECK_STR(t->def[WEFT_CLASS_REGION].at[b.region[1]].name, "solve");
	weft_bursts_fini(&b);
	how.of = WEFT_BURSTS_REGIONS;
	REQUIRE(weft_filter_new(&f, "region=MPI_*", &err) == 0);
	REQUIRE(weft_filter_bind(f, t, &err) == 0);
	how.filter = f;
	REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
	REQUIRE(b.n == 1);
	check_burst(&b, 0, 0, 100, 130);
	CHECK_NEAR(b.count[0], 50, 0);
	weft_bursts_fini(&b);
	weft_filter_free(f);
	weft_counters_fini(&c);
	weft_trace_close(t);
}

TEST(same_for_any_threads)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct weft_err err = {0};
	fputs("#Paraver (01/01/2026 at 00:00):900000_ns:1(4):1:4(1:1,1:1,1:1,1:1),0\n", f);
	for (unsigned i = 0; i < 2000; i++)
		fprintf(f, "1:%u:1:%u:1:%u:%u:%u\n", 1 + i % 4, 1 + i % 4, i / 4 * 100, i / 4 * 100 + 60, i % 3 ? 1 : 3);
	fclose(f);
	struct weft_trace *t = maker_prv("m.prv", text, NULL);
	struct weft_bursts one, many;
	struct weft_bursts_how how = {.to = WEFT_NEVER, .threads = 1};
	REQUIRE(weft_bursts_make(&one, t, &how, &err) == 0);
	how.threads = 4;
	REQUIRE(weft_bursts_make(&many, t, &how, &err) == 0);
	REQUIRE(one.n == many.n && one.n > 1000);
	CHECK(!memcmp(one.begin, many.begin, one.n * sizeof *one.begin));
	CHECK(!memcmp(one.thread, many.thread, one.n * sizeof *one.thread));
	weft_bursts_fini(&one);
	weft_bursts_fini(&many);
	weft_trace_close(t);
	free(text);
}
