/* SPDX-License-Identifier: Apache-2.0 */
/* A small trace in the test's folder, with an index that stays beside it, or without. */
#ifndef WEFT_TESTS_SAMPLE_INDEX_H
#define WEFT_TESTS_SAMPLE_INDEX_H

#include "harness.h"
#include "trace/open.h"
#include <stdio.h>

static inline struct weft_trace *sample_index_open_how(const struct weft_open_how *how)
{
	char path[4096];
	struct weft_trace *t;
	struct weft_err err = {0};
	snprintf(path, sizeof path, "%s/t.prv", test_dir());
	FILE *to = fopen(path, "w");
	REQUIRE(to && fputs("#Paraver (01/01/2024 at 10:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:100:1\n", to) >= 0 &&
	        fclose(to) == 0);
	int rc = weft_trace_open(&t, path, how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return t;
}

static inline struct weft_trace *sample_index_open(void)
{
	return sample_index_open_how(&(struct weft_open_how){.rebuild = true});
}

static inline struct weft_trace *sample_index_none(void)
{
	return sample_index_open_how(&(struct weft_open_how){.no_index = true});
}

#endif
