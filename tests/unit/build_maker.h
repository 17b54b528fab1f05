/* SPDX-License-Identifier: Apache-2.0 */
/* Traces for tests, made through the builder: one process, some threads, a region and a type. */
#ifndef WEFT_TESTS_BUILD_MAKER_H
#define WEFT_TESTS_BUILD_MAKER_H

#include "harness.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <stdlib.h>
#include <string.h>

static inline struct weft_builder *made_builder_in(unsigned n_threads, uint64_t memory)
{
	struct weft_builder *b;
	struct weft_open_how how = {.no_index = true, .memory = memory};
	REQUIRE(weft_builder_new(&b, "test", "test", &how, NULL) == 0);
	REQUIRE(weft_build_app(b, "app") == 0);
	struct weft_process p = {.node = WEFT_NONE, .rank = -1, .begin = WEFT_NEVER, .end = WEFT_NEVER, .status = -1};
	REQUIRE(weft_build_process(b, &p) == 0);
	for (unsigned i = 0; i < n_threads; i++) {
		struct weft_thread_row t = {.begin = WEFT_NEVER, .end = WEFT_NEVER};
		REQUIRE(weft_build_thread(b, &t) == i);
	}
	REQUIRE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "region"}) == 1);
	REQUIRE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "type"}) == 1);
	return b;
}

static inline struct weft_builder *made_builder(unsigned n_threads)
{
	return made_builder_in(n_threads, 0);
}

static inline struct weft_trace *made_trace(struct weft_builder *b)
{
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	CHECK(weft_build_finish(b, NULL, &t, &err) == 0);
	CHECK_STR(err.text, "");
	REQUIRE(t != NULL);
	return t;
}

static inline void made_point(struct weft_builder *b, uint32_t thread, uint64_t time, uint64_t value)
{
	struct weft_appender *a = weft_builder_appender(b, thread);
	REQUIRE(a && weft_append(a, time, weft_what(WEFT_EV_POINT, 1), value) == 0);
}

#endif
