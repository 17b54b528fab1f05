/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of multiple regressions: StarPU's text, places beside it, what is refused, allocations that fail. */
#include "harness.h"
#include "models/model_rows.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "Duration, M, N, K\n12.5, 3, 4, 5\n1000000.125, 0, 1e+30, -2\n";

TEST(model_rows_text)
{
	struct weft_model_rows r;
	struct weft_err err = {0};
	char *got = NULL;
	size_t n;
	REQUIRE(weft_model_rows_parse(&r, text, strlen(text), "t", &err) == 0);
	CHECK_U64(r.n, 2);
	CHECK_U64(r.n_parameters, 3);
	CHECK_STR(r.name[2], "K");
	CHECK_NEAR(r.cell.at[4], 1000000.125, 0);
	CHECK_NEAR(r.cell.at[6], 1e30, 0);
	CHECK_U64(r.place.at[1], 0);
	FILE *to = open_memstream(&got, &n);
	weft_model_rows_print(&r, to);
	fclose(to);
	CHECK_STR(got, text);
	free(got);
	weft_model_rows_fini(&r);
}

TEST(model_rows_damaged)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "t:1: expected 'Duration', then the names of parameters"},
		{"Time, M\n", "t:1: expected 'Duration', then the names of parameters"},
		{"Duration, \n", "t:1: expected at most 64 names of parameters"},
		{"Duration, M\n1, 2\n3\n", "t:3: expected a duration and a number for each parameter"},
		{"Duration, M\n1, 2, 3\n", "t:2: expected a duration and a number for each parameter"},
		{"Duration, M\n1, x\n", "t:2: expected a duration and a number for each parameter"},
		{"Duration, M\n1, 2\n3, 4", "t:3: expected the end of a line: the file is cut off"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_model_rows r;
		struct weft_err err = {0};
		CHECK_I64(weft_model_rows_parse(&r, cases[i].text, strlen(cases[i].text), "t", &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].error);
		CHECK_U64(r.n, 0);
	}
}

/* Rows with their places come back; without as many places as rows none is known. */
TEST(model_rows_places)
{
	static const char *const names[] = {"N", NULL};
	struct weft_model_rows r, again;
	struct weft_err err = {0};
	char path[4200], places[4300];
	const double one[] = {1, 2}, two[] = {3, 4};
	snprintf(path, sizeof path, "%s/s.out", test_dir());
	snprintf(places, sizeof places, "%s/s.places", test_dir());
	REQUIRE(weft_model_rows_init(&r, 2, names) == 0);
	CHECK_STR(r.name[1], "P2");
	CHECK(!weft_model_rows_add(&r, 10, one, "0:0:1/0") && !weft_model_rows_add(&r, 20, two, NULL) &&
	      !weft_model_rows_add(&r, 30, one, "1:0:1/0") && !weft_model_rows_add(&r, 40, two, "0:0:1/0"));
	REQUIRE(weft_model_rows_write(&r, path, &err) == 0);
	REQUIRE(weft_model_rows_read(&again, path, &err) == 0);
	CHECK_U64(again.n, 4);
	CHECK_U64(weft_model_rows_place(&again, "1:0:1/0"), 2);
	CHECK_U64(again.place.at[0], 1);
	CHECK_U64(again.place.at[1], 0);
	CHECK_U64(again.place.at[2], 2);
	CHECK_U64(again.place.at[3], 1);
	weft_model_rows_fini(&again);
	FILE *f = fopen(places, "a");
	REQUIRE(f && fputs("0:0:1/0\n", f) >= 0);
	fclose(f);
	REQUIRE(weft_model_rows_read(&again, path, &err) == 0);
	CHECK_U64(again.place.at[0], 0);
	CHECK_U64(weft_model_rows_place(&again, "1:0:1/0"), 0);
	weft_model_rows_fini(&again);
	CHECK(weft_model_rows_read(&again, places, &err) == WEFT_E_SYNTAX);
	weft_model_rows_fini(&r);
	CHECK_I64(weft_model_rows_init(&r, WEFT_MODEL_PARAMETERS + 1, NULL), -EINVAL);
}

TEST(model_rows_allocations_may_fail)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_model_rows r;
		struct weft_err err = {0};
		int rc = weft_model_rows_parse(&r, text, strlen(text), "t", &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_model_rows_fini(&r);
	}
}
