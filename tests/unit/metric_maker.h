/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of metrics: small traces from text, rows and tables as text. A row reads "begin| value until | ...", as
 * "0| 0 100| 1 300| 0 1000|"; a table is what paramedir would write.
 */
#ifndef WEFT_TESTS_METRIC_MAKER_H
#define WEFT_TESTS_METRIC_MAKER_H

#include "trace/open.h"
#include "base/fs.h"
#include "base/str.h"
#include "harness.h"
#include "metric/paraver/paraver_out.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
	struct weft_trace *t;
	struct weft_space s;
};

static inline void made_file(const char *name, const char *text)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* pcf and row may be NULL. */
static inline void make_trace(struct made *m, const char *prv, const char *pcf, const char *row)
{
	char path[4096];
	struct weft_err err = {0};
	made_file("t.prv", prv);
	made_file("t.pcf", pcf ? pcf : "");
	made_file("t.row", row ? row : "");
	snprintf(path, sizeof path, "%s/t.prv", test_dir());
	int rc = weft_trace_open(&m->t, path, &(struct weft_open_how){.no_index = true}, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	REQUIRE(weft_space_init(&m->s, m->t) == 0);
}

static inline void unmake_trace(struct made *m)
{
	weft_space_fini(&m->s);
	weft_trace_close(m->t);
}

static inline void row_text(const struct made *f, const struct weft_metric *m, uint32_t object, double from, double to,
                            struct weft_buf *out)
{
	struct weft_row *r;
	struct weft_intervals *b = malloc(sizeof *b);
	int rc;
	out->n = 0;
	REQUIRE(b && weft_row_open(&r, &f->s, m, object, from, to) == 0);
	bool first = true;
	while ((rc = weft_row_next(r, b)) > 0) {
		if (first)
			weft_buf_printf(out, "%g|", b->begin);
		first = false;
		for (uint32_t i = 0; i < b->n; i++)
			weft_buf_printf(out, " %g %g|", b->value[i], b->end[i]);
	}
	CHECK_I64(rc, 0);
	weft_row_close(r);
	free(b);
}

static inline void check_row(const struct made *f, const struct weft_metric *m, uint32_t object, const char *want)
{
	struct weft_buf got = {0};
	row_text(f, m, object, 0, INFINITY, &got);
	CHECK_STR(got.at, want);
	weft_buf_fini(&got);
}

/* What paramedir would write for the view; into out, or "" when it would write nothing. */
static inline void view_text(const struct made *f, const char *cfg, const struct weft_paraver_how *how, struct weft_buf *out)
{
	struct weft_view v;
	struct weft_view_lack lack = {0};
	struct weft_err err = {0};
	char path[4096], *text;
	size_t n;
	out->n = 0;
	weft_buf_puts(out, "");
	int rc = weft_view_read(&v, cfg, strlen(cfg), "v.cfg", &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	REQUIRE(weft_view_bind(&v, &f->s, &lack, &err) == 0);
	if (!lack.found || lack.nothing_selected) {
		weft_view_fini(&v);
		return;
	}
	snprintf(path, sizeof path, "%s/out", test_dir());
	if (v.n_hists) {
		struct weft_result r;
		REQUIRE(weft_hist_compute(&r, &v, &v.hist[v.n_hists - 1], &f->s, 0) == 0);
		REQUIRE(weft_paraver_table(&r, path, how, &err) == 0);
		weft_result_fini(&r);
	} else {
		REQUIRE(weft_paraver_rows(&f->s, &v.window[v.n_windows - 1], path, how, &err) == 0);
	}
	REQUIRE(weft_read_file(path, &text, &n, &err) == 0);
	weft_buf_add(out, text, n);
	free(text);
	weft_view_fini(&v);
}

static inline void check_view(const struct made *f, const char *cfg, const char *want)
{
	struct weft_buf got = {0};
	view_text(f, cfg, &(struct weft_paraver_how){.decimals = 2}, &got);
	CHECK_STR(got.at, want);
	weft_buf_fini(&got);
}

/* Words of a .cfg: a single window of a level and a function, further keys; a derived one; a table. */
#define SINGLE(level, function, more) \
	"window_name w\nwindow_type single\nwindow_level " level "\nwindow_units Nanoseconds\n" \
	"window_selected_functions { 1, { {thread, " function "} } }\n" more
#define COMPOSED(operation, level, more) \
	"window_name d\nwindow_type composed\nwindow_level " level "\nwindow_units Nanoseconds\nwindow_operation " operation \
	"\nwindow_identifiers 1 2\n" more
#define TABLE(statistic, more) \
	"< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: 1\nAnalyzer2D.DataWindow: 1\nAnalyzer2D.Statistic: " statistic "\n" more
#define CFG "#ParaverCFG\n"

#endif
