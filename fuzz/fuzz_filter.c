/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters: any text is refused with its column, or reads back from its canonical form; bound to a trace it answers on every
 * event, its negation answers the opposite, and what it lets pass lies within the bounds that it gives.
 */
#include "fuzz.h"

#include "trace/store/build.h"
#include "trace/filter/filter.h"

#include <string.h>

#define MADE(id) made(id)

static uint32_t made(int64_t id)
{
	FUZZ_REQUIRE(id >= 0);
	return (uint32_t)id;
}

static void append_events(struct weft_builder *b, uint32_t thread, const uint32_t *id)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	uint64_t data[] = {0xfeed, 512};
	int rc = weft_append(a, 0, weft_what(WEFT_EV_CPU, 0), thread);
	rc |= weft_append(a, 10, weft_what(WEFT_EV_ENTER, id[1]), 0);
	rc |= weft_append(a, 20, weft_what(WEFT_EV_POINT, id[2]), 17);
	rc |= weft_append(a, 30, weft_what(WEFT_EV_POINT_S, id[2]), id[4]);
	rc |= weft_append(a, 35, weft_what(WEFT_EV_COUNTER_F, id[3]), 0x3ff8000000000000);
	rc |= weft_append_extra(a, 40, weft_what(WEFT_EV_DATA, id[5]), data, 2);
	rc |= weft_append(a, 50, weft_what(WEFT_EV_STATE, id[6]), 20);
	rc |= weft_append_half(a, &(struct weft_half_row){.time = 60 + thread,
	                                                  .began = 55,
	                                                  .size = 4096,
	                                                  .comm = id[7],
	                                                  .peer = !thread,
	                                                  .tag = 3,
	                                                  .key = 1,
	                                                  .is_send = thread == 0});
	rc |= weft_append(a, 1000, weft_what(WEFT_EV_LEAVE, id[1]), 0);
	FUZZ_REQUIRE(rc == 0);
}

static struct weft_trace *make_trace(void)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	FUZZ_REQUIRE(weft_builder_new(&b, "fuzz", "test", &how, NULL) == 0);
	MADE(weft_build_app(b, "app"));
	MADE(weft_build_node(b, "node"));
	for (uint32_t i = 0; i < 2; i++) {
		MADE(weft_build_cpu(b, &(struct weft_cpu){.os = i, .name = ""}));
		MADE(weft_build_process(b, &(struct weft_process){.pid = 10 + i,
		                                                  .rank = (int32_t)i,
		                                                  .name = "p",
		                                                  .command = "p",
		                                                  .host = "host",
		                                                  .end = 1000,
		                                                  .status = -1}));
		MADE(weft_build_thread(b, &(struct weft_thread_row){.process = i,
		                                                    .number = 1,
		                                                    .tid = 10 + i,
		                                                    .name = "main",
		                                                    .end = 1000}));
	}
	uint32_t id[] = {
		MADE(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "user"})),
		MADE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "solve", .category = 1, .state = 1})),
		MADE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "phase", .code = 5000})),
		MADE(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "flops"})),
		MADE(weft_build_string(b, "text", 4)),
		MADE(weft_build_def(b, WEFT_CLASS_DATA, &(struct weft_def_row){.name = "pack"})),
		MADE(weft_build_def(b, WEFT_CLASS_STATE, &(struct weft_def_row){.name = "Running", .code = 1})),
		MADE(weft_build_def(b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "world", .key = 7})),
	};
	FUZZ_REQUIRE(weft_build_label(b, id[2], 17, "seventeen") == 0);
	for (uint32_t i = 0; i < 2; i++)
		append_events(b, i, id);
	FUZZ_REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	return t;
}

static void ask(const struct weft_filter *f, const struct weft_filter *opposite, const struct weft_trace *t)
{
	uint64_t from, to;
	weft_filter_range(f, &from, &to);
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		FUZZ_REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0) {
			for (uint32_t k = 0; k < b.n; k++) {
				struct weft_event e = {b.time[k], i, weft_what_kind(b.what[k]), weft_what_id(b.what[k]),
				                       b.value[k]};
				bool pass = weft_filter_event(f, &e);
				FUZZ_REQUIRE(pass != weft_filter_event(opposite, &e));
				FUZZ_REQUIRE(!pass || (weft_filter_thread(f, i) && e.time >= from && e.time < to));
			}
		}
		weft_cursor_end(&c);
		struct weft_span s = {.thread = i, .region = 1, .begin = 10, .end = 1000};
		bool either = weft_filter_enter(f, &s) || weft_filter_leave(f, &s);
		FUZZ_REQUIRE(!either || weft_filter_thread(f, i));
		weft_filter_state(f, i, 1, 50, 70);
	}
	for (uint64_t m = 0; m < t->message.n; m++)
		weft_filter_message(f, m);
}

static void check_accepted(struct weft_filter *f, const struct weft_trace *t)
{
	struct weft_buf once = {0}, twice = {0}, negated = {0};
	struct weft_filter *again, *opposite;
	FUZZ_REQUIRE(weft_filter_text(f, &once) == 0);
	FUZZ_REQUIRE(weft_filter_new(&again, once.at, NULL) == 0);
	FUZZ_REQUIRE(weft_filter_text(again, &twice) == 0);
	FUZZ_REQUIRE(strcmp(once.at, twice.at) == 0);
	weft_buf_printf(&negated, "not (%s)", once.at);
	FUZZ_REQUIRE(weft_filter_bind(f, t, NULL) == 0);
	/* One level deeper may be too deep. */
	if (weft_filter_new(&opposite, negated.at, NULL) == 0) {
		FUZZ_REQUIRE(weft_filter_bind(opposite, t, NULL) == 0);
		ask(f, opposite, t);
	}
	weft_filter_free(opposite);
	weft_filter_free(again);
	weft_buf_fini(&once);
	weft_buf_fini(&twice);
	weft_buf_fini(&negated);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	static struct weft_trace *t; /* made once, kept until the end */
	struct weft_err err = {0};
	struct weft_filter *f;
	if (!t)
		t = make_trace();
	char *text = malloc(n + 1);
	FUZZ_REQUIRE(text != NULL);
	if (n)
		memcpy(text, at, n);
	text[n] = '\0';
	int rc = weft_filter_new(&f, text, &err);
	FUZZ_REQUIRE(rc == 0 ||
	             (rc == WEFT_E_SYNTAX && strncmp(err.text, "filter: column ", 15) == 0 && !strchr(err.text, '\n')));
	if (rc == 0)
		check_accepted(f, t);
	weft_filter_free(f);
	uint64_t from, to;
	rc = weft_time_range(text, 1000, &from, &to, NULL);
	FUZZ_REQUIRE(rc != 0 || from < to);
	free(text);
	return 0;
}
