/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of our own traces: regions, counters and attributes are events, with the numbers and labels of a conversion to .prv. */
#include "trace/open.h"
#include "metric_maker.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include "metric/derived.h"
#include "trace/write/export.h"
#include "trace/write/write.h"
#include <unistd.h>

static int64_t made(int64_t id)
{
	REQUIRE(id >= 0);
	return id;
}

/* One process of two threads: "solve" around "send" in the first, a counter and a message; the second receives. */
static struct weft_trace *make_own(void)
{
	struct weft_builder *b;
	struct weft_open_how how = {.no_index = true};
	REQUIRE(weft_builder_new(&b, "own", "weft", &how, NULL) == 0);
	made(weft_build_node(b, "host"));
	made(weft_build_cpu(b, &(struct weft_cpu){.node = 0, .os = 5, .name = ""}));
	made(weft_build_app(b, "app"));
	made(weft_build_process(b, &(struct weft_process){.node = 0, .rank = -1, .end = 1000, .status = -1}));
	for (unsigned i = 0; i < 2; i++)
		made(weft_build_thread(b, &(struct weft_thread_row){.name = i ? "helper" : "", .number = i + 1, .end = 1000}));
	uint32_t user = (uint32_t)made(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "user"}));
	uint32_t solve = (uint32_t)made(
		weft_build_def(b, WEFT_CLASS_REGION,
	                       &(struct weft_def_row){.name = "solve", .category = user, .state = WEFT_STATE_RUNNING}));
	uint32_t send = (uint32_t)made(
		weft_build_def(b, WEFT_CLASS_REGION,
	                       &(struct weft_def_row){.name = "send", .category = user, .state = WEFT_STATE_COMMUNICATING}));
	uint32_t load = (uint32_t)made(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "load"}));
	struct weft_appender *a = weft_builder_appender(b, 0);
	REQUIRE(weft_append(a, 100, weft_what(WEFT_EV_CPU, 0), 0) == 0);
	REQUIRE(weft_append(a, 100, weft_what(WEFT_EV_ENTER, solve), 0) == 0);
	REQUIRE(weft_append(a, 150, weft_what(WEFT_EV_COUNTER, load), 42) == 0);
	REQUIRE(weft_append(a, 200, weft_what(WEFT_EV_ENTER, send), 0) == 0);
	REQUIRE(weft_append(a, 300, weft_what(WEFT_EV_LEAVE, send), 0) == 0);
	REQUIRE(weft_append(a, 600, weft_what(WEFT_EV_LEAVE, solve), 0) == 0);
	const struct weft_message_row m = {.send_thread = 0,
	                                   .recv_thread = 1,
	                                   .size = 64,
	                                   .tag = 3,
	                                   .send_began = 210,
	                                   .send_done = 220,
	                                   .recv_began = 200,
	                                   .recv_done = 400};
	REQUIRE(weft_build_message(b, &m) == 0);
	weft_build_keep_zero(b, 1000);
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	CHECK_I64(weft_build_finish(b, NULL, &t, &err), 0);
	REQUIRE(t != NULL);
	return t;
}

#define REGIONS "window_filter_module evt_type 1 1900000001\n"
#define TYPES(function) SINGLE("thread", function, "window_selected_functions { 1, { {evt_type, =} } }\n")

static const char *const views[] = {
	CFG TYPES("Last Evt Val") REGIONS,
	CFG TYPES("Last Evt Val") REGIONS TABLE("Time", "Analyzer2D.HideCols: True\n"),
	CFG SINGLE("thread", "State As Is", "") TABLE("% Time", "Analyzer2D.HideCols: True\n"),
	CFG TYPES("Next Evt Val") "window_filter_module evt_type 1 1980000001\n",
	CFG SINGLE("thread", "Recv Bytes in Transit", ""),
	CFG SINGLE("cpu", "Useful", "") TABLE("Time", ""),
};

TEST(regions_counters_and_messages_are_what_paraver_sees)
{
	struct made f = {.t = make_own()};
	REQUIRE(weft_space_init(&f.s, f.t) == 0);
	check_view(&f, views[0],
	           "1.1.1\t0.00\t100.00\t0.00\n1.1.1\t100.00\t100.00\t1.00\n1.1.1\t200.00\t100.00\t2.00\n"
	           "1.1.1\t300.00\t300.00\t1.00\n1.1.1\t600.00\t400.00\t0.00\n1.1.2\t0.00\t1000.00\t0.00\n");
	/* A computed scale leaves zeros out. */
	check_view(&f, views[1],
	           "\tsolve\tsend\t\nTHREAD 1.1.1\t400.00\t100.00\t\nhelper\t0.00\t0.00\t\n\n"
	           "Total\t400.00\t100.00\t\nAverage\t400.00\t100.00\t\nMaximum\t400.00\t100.00\t\n"
	           "Minimum\t400.00\t100.00\t\nStDev\t0.00\t0.00\t\nAvg/Max\t1.00\t1.00\t\n\n");
	check_view(&f, views[4],
	           "1.1.1\t0.00\t1000.00\t0.00\n1.1.2\t0.00\t200.00\t0.00\n1.1.2\t200.00\t10.00\t0.00\n"
	           "1.1.2\t210.00\t190.00\t64.00\n1.1.2\t400.00\t600.00\t0.00\n");
	unmake_trace(&f);
}

TEST(a_trace_and_its_conversion_give_the_same_tables)
{
	struct made own = {.t = make_own()}, prv = {0};
	struct weft_err err = {0};
	struct weft_buf a = {0}, b = {0};
	char path[4096];
	const struct weft_paraver_how how = {.decimals = 10};
	snprintf(path, sizeof path, "%s/c.prv", test_dir());
	REQUIRE(weft_export_prv(own.t, path, &(struct weft_export_how){.filter = NULL}, &err) == 0);
	REQUIRE(weft_trace_open(&prv.t, path, &(struct weft_open_how){.no_index = true}, &err) == 0);
	REQUIRE(weft_space_init(&own.s, own.t) == 0 && weft_space_init(&prv.s, prv.t) == 0);
	CHECK(own.s.own && !prv.s.own);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		view_text(&own, views[i], &how, &a);
		view_text(&prv, views[i], &how, &b);
		CHECK_STR(a.at, b.at);
		CHECK(a.n > 10);
	}
	weft_buf_fini(&a);
	weft_buf_fini(&b);
	unmake_trace(&own);
	unmake_trace(&prv);
}

/* ---- what is kept of them ---- */

enum { N_EVENTS = 500000 };

/* t.weft, of some megabytes; the values of its events begin at `first`. */
static struct weft_trace *write_large(uint64_t first, char path[4096])
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	REQUIRE(weft_builder_new(&b, "large", "weft", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	made(weft_build_node(b, "host"));
	made(weft_build_app(b, "app"));
	made(weft_build_process(b, &(struct weft_process){.node = 0, .rank = -1, .end = N_EVENTS, .status = -1}));
	made(weft_build_thread(b, &(struct weft_thread_row){.name = "", .number = 1, .end = N_EVENTS}));
	uint32_t type = (uint32_t)made(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "step"}));
	struct weft_appender *a = weft_builder_appender(b, 0);
	for (uint64_t i = 0; i < N_EVENTS; i++)
		REQUIRE(weft_append(a, i, weft_what(WEFT_EV_POINT, type), first + i) == 0);
	REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	snprintf(path, 4096, "%s/t.weft", test_dir());
	REQUIRE(weft_trace_write((const struct weft_trace *const[]){t}, 1, path, &(struct weft_write_how){.to = WEFT_NEVER},
	                         false, true, NULL) == 0);
	weft_trace_close(t);
	REQUIRE(weft_trace_open(&t, path, NULL, NULL) == 0);
	return t;
}

static uint64_t largest_value(const struct weft_trace *t)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t most = 0;
	REQUIRE(weft_cursor_begin(&c, t, 0, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &b) > 0)
		for (uint32_t i = 0; i < b.n; i++)
			most = b.value[i] > most ? b.value[i] : most;
	weft_cursor_end(&c);
	return most;
}

TEST(what_metrics_read_of_them_stays_while_the_trace_does)
{
	char path[4096];
	struct weft_trace *kept;
	struct weft_space s;
	struct weft_trace *t = write_large(1, path);
	CHECK(weft_derived_open(&kept, t, "prv") != 0);
	REQUIRE(weft_space_init(&s, t) == 0);
	CHECK_U64(largest_value(s.trace), N_EVENTS);
	weft_space_fini(&s);
	REQUIRE(weft_derived_open(&kept, t, "prv") == 0);
	CHECK_U64(largest_value(kept), N_EVENTS);
	CHECK_STR(kept->format, "prv");
	weft_trace_close(kept);
	weft_trace_close(t);
	/* Another trace of that name has nothing of the first. */
	t = write_large(1001, path);
	CHECK(weft_derived_open(&kept, t, "prv") != 0);
	REQUIRE(weft_space_init(&s, t) == 0);
	CHECK_U64(largest_value(s.trace), N_EVENTS + 1000);
	weft_space_fini(&s);
	/* What is damaged there is made again. */
	char columns[8192];
	snprintf(columns, sizeof columns, "%s/index/prv/index/tables", path);
	REQUIRE(truncate(columns, 100) == 0);
	REQUIRE(weft_space_init(&s, t) == 0);
	CHECK_U64(largest_value(s.trace), N_EVENTS + 1000);
	weft_space_fini(&s);
	weft_trace_close(t);
}
