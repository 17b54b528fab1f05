/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts that a list gives: objects, units, what is no burst; each wrong line with its number. */
#include "analyze/burst/burst_csv.h"
#include "structure_maker.h"
#include <errno.h>

static const char prv[] = "#Paraver (01/01/2026 at 00:00):1000:1(4):2:2(2:1,1:1),1(1:1),0\n" /* microseconds */
			  "1:1:1:1:1:0:100:1\n"
			  "2:1:1:1:1:80:42000050:3\n"
			  "2:1:1:1:1:90:42000050:4\n"
			  "2:1:1:1:1:100:42000050:7\n"
			  "1:4:2:1:1:0:300:1\n";

static int parse(struct weft_burst_row **row, size_t *n, const struct weft_trace *t, const char *text, struct weft_err *err)
{
	*err = (struct weft_err){0};
	return weft_burst_csv_parse(row, n, t, "list.csv", text, strlen(text), err);
}

TEST(a_list)
{
	struct weft_trace *t = maker_prv("a.prv", prv, NULL);
	static const char list[] =
		"# Paraver\n\n2.1\t5\t10\t3\n1.1.2 20 5.5 -2.00\r\n1.1.1\t85\t15\t1\n1.1.1\t0\t85\t0.000\n1.2.1\t1\t1\t9";
	struct weft_burst_row *row;
	struct weft_err err;
	size_t n;
	REQUIRE(parse(&row, &n, t, list, &err) == 0);
	REQUIRE(n == 4); /* by thread; a value of 0 is none */
	const struct weft_burst_row truth[] = {{85000, 100000, 1, 0},
	                                       {20000, 25500, -2, 1},
	                                       {1000, 2000, 9, 2},
	                                       {5000, 15000, 3, 3}};
	for (size_t i = 0; i < n; i++) {
		CHECK_U64(row[i].thread, truth[i].thread);
		CHECK_U64(row[i].begin, truth[i].begin);
		CHECK_U64(row[i].end, truth[i].end);
		CHECK_I64(row[i].value, truth[i].value);
	}
	struct weft_counters c;
	struct weft_bursts b;
	const char *missing;
	static const char *const names[] = {"42000050"};
	REQUIRE(weft_counters_find(&c, t, names, 1, &missing) == 0 && !missing);
	const struct weft_bursts_how how = {.of = WEFT_BURSTS_LISTED, .row = row, .n_rows = n, .to = WEFT_NEVER, .counters = &c};
	REQUIRE(weft_bursts_make(&b, t, &how, &err) == 0);
	REQUIRE(b.n == 4);
	for (size_t i = 0; i < b.n; i++) {
		CHECK_U64(b.begin[i], truth[i].begin); /* none has a next: by thread */
		CHECK_I64(b.value[i], truth[i].value);
	}
	CHECK_NEAR(b.count[0], 11, 0); /* both events that lie in it */
	CHECK(isnan(b.count[1]));
	weft_bursts_fini(&b);
	weft_counters_fini(&c);
	free(row);
	weft_trace_close(t);
}

TEST(wrong_lists)
{
	struct weft_trace *t = maker_prv("a.prv", prv, NULL);
	static const char *const wrong[] = {"1.1.3 0 1 1",   "3.1 0 1 1",   "1.3.1 0 1 1", "1.1 0 1 1", "1 0 1 1",
	                                    "1.1.1.1 0 1 1", "1.0.1 0 1 1", "x.1 0 1 1",   "1.2.1 0 1", "2.1 0 1 1 2",
	                                    "2.1 -1 1 1",    "2.1 0 -1 1",  "2.1 0 1 one", "2.1 a 1 1", "2.1 0 b 1",
	                                    "2.1 1e30 1 1",  ". 0 1 1"};
	struct weft_burst_row *row;
	struct weft_err err;
	char text[64];
	size_t n;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf(text, sizeof text, "2.1 0 1 1\n%s\n", wrong[i]);
		CHECK_I64(parse(&row, &n, t, text, &err), -EINVAL);
		CHECK(strstr(err.text, "'list.csv', line 2: ") != NULL);
		free(row);
	}
	REQUIRE(parse(&row, &n, t, "", &err) == 0);
	CHECK_U64(n, 0);
	free(row);
	weft_trace_close(t);
}
