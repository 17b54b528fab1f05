/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of origin: ours, those of Paraver's cutter, several of them, and texts that are none. */
#include "build_maker.h"
#include "base/str.h"
#include "trace/write/origin.h"

static struct weft_trace *noted(const char *const *note, unsigned n)
{
	struct weft_builder *b = made_builder(1);
	weft_build_keep_zero(b, 5000);
	for (unsigned i = 0; i < n; i++)
		REQUIRE(weft_build_note(b, note[2 * i], note[2 * i + 1]) == 0);
	return made_trace(b);
}

static const struct {
	const char *note[6];
	unsigned n;
	const char *path; /* NULL: none */
	uint64_t offset, begin, end;
} rows[] = {
	{{0}, 0, NULL, 0, 0, 0},
	{{"weft.origin", "\"a.prv\":10:20:30"}, 1, "a.prv", 10, 20, 30},
	{{"weft.origin", "\"a\":1:2\":3\":4:5:6"}, 1, "a\":1:2\":3", 4, 5, 6},
	{{"weft.origin", "\"\":0:0:0"}, 1, "", 0, 0, 0},
	{{"weft.origin", "a.prv:10:20:30"}, 1, NULL, 0, 0, 0},
	{{"weft.origin", "\"a.prv\":10:20"}, 1, NULL, 0, 0, 0},
	{{"weft.origin", "\"a.prv\":10:20:x"}, 1, NULL, 0, 0, 0},
	{{"weft.origin", "\"a.prv\""}, 1, NULL, 0, 0, 0},
	{{"weft.origin", "\""}, 1, NULL, 0, 0, 0},
	{{"prv.comment", "#20261120101500:CUTTER:ORIGINAL:\"b.prv\":7:8:9", "prv.unit", "_ns"}, 2, "b.prv", 7, 8, 9},
	{{"prv.comment", "#20261120101500:CUTTER:ORIGINAL:\"b.prv\":7:8:9", "prv.unit", ""}, 2, "b.prv", 7000, 8000, 9000},
	{{"prv.comment", "#20261120101500:CUTTER:ORIGINAL:\"b.prv\":18446744073709551615:8:9", "prv.unit", ""}, 2, NULL, 0, 0, 0},
	{{"prv.comment", "# CUTTER:ORIGINAL:\"b.prv\":7:8:9"}, 1, NULL, 0, 0, 0},
	{{"prv.comment", "#2:CUTTER:ORIGINAL:\"c.chop1.prv\":7:8:9", "prv.comment", "#1:CUTTER:ORIGINAL:\"c.prv\":100:0:900"},
         2,
         "c.prv",
         107,
         0,
         900},
	{{"weft.origin", "\"a.prv\":10:20:30", "prv.comment", "#1:CUTTER:ORIGINAL:\"b.prv\":7:8:9"}, 2, "a.prv", 10, 20, 30},
};

TEST(notes_of_every_form)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_trace *t = noted(rows[i].note, rows[i].n);
		struct weft_origin o;
		bool found = weft_trace_origin(t, &o);
		CHECK(found == (rows[i].path != NULL));
		if (found && rows[i].path) {
			CHECK(weft_str_eq(o.path, rows[i].path));
			CHECK_U64(o.offset, rows[i].offset);
			CHECK_U64(o.begin, rows[i].begin);
			CHECK_U64(o.end, rows[i].end);
		}
		weft_trace_close(t);
	}
}

TEST(a_cut_of_a_cut_leads_back_to_the_first)
{
	static const char *const note[] = {"weft.origin", "\"first.prv\":1000:1000:6000"};
	struct weft_trace *t = noted(note, 1);
	struct weft_buf b = {0};
	REQUIRE(weft_origin_note(&b, t, 200, 700, false) == 0);
	CHECK_STR(b.at, "\"first.prv\":1200:1200:1700");
	b.n = 0;
	REQUIRE(weft_origin_note(&b, t, 200, WEFT_NEVER, true) == 0);
	CHECK_STR(b.at, "\"first.prv\":1000:1200:6000");
	weft_buf_fini(&b);
	weft_trace_close(t);
	t = noted(NULL, 0);
	REQUIRE(weft_origin_note(&b, t, 200, 700, false) == 0);
	CHECK_STR(b.at, "\"test\":200:200:700");
	weft_buf_fini(&b);
	weft_trace_close(t);
}
