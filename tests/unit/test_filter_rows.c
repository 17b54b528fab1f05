/* SPDX-License-Identifier: Apache-2.0 */
/* filter_rows.c: the grammar over rows of a table, what is not there, texts that are matched once, errors. */
#include "harness.h"
#include "trace/filter/filter_rows.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, WORKER, STEP, LASTS, SIZE, WHEN, FIELDS };
static const struct weft_row_field fields[FIELDS] = {
	{"name", WEFT_ROW_TEXT, 3}, {"worker", WEFT_ROW_ANY, 0}, {"step", WEFT_ROW_INTEGER, 0},
	{"lasts", WEFT_ROW_NS, 0},  {"size", WEFT_ROW_BYTES, 0}, {"time", WEFT_ROW_TIME, 0},
};

struct row {
	const char *name;
	uint32_t id;
	double worker;
	int64_t step; /* < 0: none */
	uint64_t from, to;
	int64_t size;
};
static unsigned asked;

static struct weft_row_value value_of(const void *at, unsigned field)
{
	const struct row *r = at;
	struct weft_row_value v = {0};
	asked++;
	if (field == NAME || field == WORKER)
		v = (struct weft_row_value){.has = WEFT_ROW_HAS_TEXT, .text = field == NAME ? r->name : "CPU", .id = r->id};
	if (field == WORKER) {
		v.has |= WEFT_ROW_HAS_REAL;
		v.real = r->worker;
	} else if (field == STEP && r->step >= 0) {
		v = (struct weft_row_value){.has = WEFT_ROW_HAS_WHOLE, .whole = r->step, .until = r->step};
	} else if (field == LASTS || field == SIZE) {
		int64_t whole = field == SIZE ? r->size : (int64_t)(r->to - r->from);
		v = (struct weft_row_value){.has = WEFT_ROW_HAS_WHOLE, .whole = whole, .until = whole};
	} else if (field == WHEN) {
		v = (struct weft_row_value){.has = WEFT_ROW_HAS_WHOLE, .whole = (int64_t)r->from, .until = (int64_t)r->to};
	}
	return v;
}

static const struct row rows[] = {
	{"potrf", 1, 0.5, 0, 0, 1000, 4096},
	{"gemm", 2, 1, 3, 500, 2500000, 1 << 20},
	{"trsm", 7, 2, -1, 9000000, 9999999, 0}, /* its id is beyond what is remembered */
};

static const struct {
	const char *filter, *passing;
} cases[] = {
	{"name=potrf", "0"},
	{"name!=potrf", "12"},
	{"name=p*,t*", "02"},
	{"name=\"p*\"", ""},
	{"not name=trsm", "01"},
	{"worker=1..", "12"},
	{"worker<1", "0"},
	{"worker=cpu", ""},
	{"worker=CPU", "012"},
	{"step=0", "0"},
	{"step!=0", "1"}, /* the third has none */
	{"not step=0", "12"},
	{"step>=0", "01"},
	{"lasts>1us", "12"},
	{"lasts<=1us", "0"},
	{"size>=4K", "01"},
	{"size=0,1M", "12"},
	{"time=..600", "01"},
	{"time=90%..", "2"},
	{"time=5%..20%", "1"},
	{"time!=5%..20%", "02"},
	{"name=gemm or (step=0 and size=4K)", "01"},
	{"name=gemm step=4", ""},
};

TEST(rows_that_pass)
{
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct weft_err err = {0};
		struct weft_filter *f;
		char passing[8] = "";
		if (weft_row_filter_new(&f, cases[k].filter, fields, FIELDS, 10000000, &err)) {
			CHECK_STR(err.text, cases[k].filter);
			continue;
		}
		for (unsigned i = 0; i < 3; i++)
			for (unsigned twice = 0; twice < 2; twice++) /* what is remembered is what was found */
				if (weft_row_filter_passes(f, value_of, &rows[i]) && twice)
					passing[strlen(passing)] = (char)('0' + i);
		if (strcmp(passing, cases[k].passing) != 0) {
			CHECK_STR(cases[k].filter, "");
			CHECK_STR(passing, cases[k].passing);
		}
		weft_filter_free(f);
	}
}

static const struct {
	const char *filter, *error;
} wrong[] = {
	{"nme=x", "filter: column 1: unknown field 'nme' (did you mean 'name'?)"},
	{"region=x", "filter: column 1: unknown field 'region'"},
	{"name<x", "filter: column 5: 'name' is compared with '=' and '!=' only"},
	{"lasts=10parsec", "filter: column 7: expected a time like 10ms, found '10parsec'"},
	{"step=1K", "filter: column 6: expected a whole number, found '1K'"},
	{"", "filter: column 1: expected a test like region=solve, found the end"},
};

TEST(errors_are_those_of_the_table)
{
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct weft_err err = {0};
		struct weft_filter *f;
		CHECK_I64(weft_row_filter_new(&f, wrong[k].filter, fields, FIELDS, 0, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, wrong[k].error);
		CHECK(!f);
	}
}

TEST(what_is_decided_is_not_asked)
{
	struct weft_err err = {0};
	struct weft_filter *f;
	REQUIRE(weft_row_filter_new(&f, "step=5 name=x name=y", fields, FIELDS, 0, &err) == 0);
	asked = 0;
	CHECK(!weft_row_filter_passes(f, value_of, &rows[0]));
	CHECK_U64(asked, 1);
	CHECK(weft_row_filter_uses(f, STEP) && weft_row_filter_uses(f, NAME) && !weft_row_filter_uses(f, SIZE));
	CHECK(!weft_row_filter_uses(f, 100));
	weft_filter_free(f);
}

TEST(every_allocation_may_fail)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct weft_filter *f;
		int rc = weft_row_filter_new(&f, "name=a,b or not step=1..2", fields, FIELDS, 0, &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		weft_filter_free(f);
	}
}
