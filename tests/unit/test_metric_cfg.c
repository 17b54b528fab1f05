/* SPDX-License-Identifier: Apache-2.0 */
/* Views: what a .cfg says, what is said of one that is wrong, and that writing and reading give the same view. */
#include "base/fs.h"
#include "harness.h"
#include "metric/hist/hist.h"
#include "metric/view/view.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "#ParaverCFG\nConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n"
#define STATE_WINDOW "window_name s\nwindow_type single\nwindow_selected_functions { 1, { {thread, State As Is} } }\n"

static int read_text(struct weft_view *v, const char *text, struct weft_err *err)
{
	*err = (struct weft_err){0};
	return weft_view_read(v, text, strlen(text), "v.cfg", err);
}

TEST(a_view_is_told_by_its_first_words)
{
	static const struct {
		const char *text;
		bool is;
	} cases[] = {
		{"#ParaverCFG\n", true},
		{"ConfigFile.Version: 3.4\nConfigFile.NumWindows: 1\n", true},
		{"version 3.4\nnumber_of_windows 1\n", true},
		{"version 3.4\n", false},
		{"ConfigFile.Version: 3.4\n", false},
		{"", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK(weft_view_is_cfg(cases[i].text, strlen(cases[i].text)) == cases[i].is);
}

TEST(what_is_wrong_is_said_with_its_line_and_the_nearest_name)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{HEAD, "v.cfg:4: no window in it"},
		{HEAD "window_name a\nwindow_type single\n", "v.cfg:6: the window 'a' has no thread function"},
		{HEAD "window_name a\nwindow_selected_functions { 1, { {thread, Last Evt Vale} } }\n",
	         "v.cfg:5: unknown function 'Last Evt Vale' (did you mean 'Last Evt Val'?)"},
		{HEAD "window_name a\nwindow_level tread\n", "v.cfg:5: unknown level 'tread' (did you mean 'thread'?)"},
		{HEAD "window_name a\nwindow_logical_filtered yes\n", "v.cfg:5: expected true or false, found 'yes'"},
		{HEAD "window_name a\nwindow_type composed\nwindow_identifiers 1 2\n",
	         "v.cfg:6: there is no window 1 before this one"},
		{HEAD STATE_WINDOW "window_filter_module evt_type 2 1\n", "v.cfg:7: expected 2 numbers, found 1"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_view v;
		struct weft_err err;
		CHECK_I64(read_text(&v, cases[i].text, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].says);
		weft_view_fini(&v);
	}
}

TEST(a_wrong_histogram_is_dropped_and_said)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"Analyzer2D.Statistic: Tim\n", "v.cfg:8: unknown statistic 'Tim' (did you mean 'Time'?)"},
		{"Analyzer2D.ControlWindow: 2\n", "v.cfg:8: there is no window 2"},
		{"Analyzer2D.ControlWindow: 1\n", "v.cfg:9: the histogram '' has no statistic"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[600];
		struct weft_view v;
		struct weft_err err;
		snprintf(text, sizeof text, "%s< NEW ANALYZER2D >\n%s", HEAD STATE_WINDOW, cases[i].text);
		CHECK_I64(read_text(&v, text, &err), 0);
		CHECK_STR(v.dropped, cases[i].says);
		CHECK_U64(v.n_windows, 1);
		CHECK_U64(v.n_hists, 0);
		weft_view_fini(&v);
	}
}

TEST(keys_become_what_they_mean)
{
	static const char text[] = HEAD
		"window_name one\nwindow_type single\nwindow_level ptask\nwindow_units Seconds\nwindow_comm_fromto false\n"
		"window_begin_time_relative 0.25\nwindow_stop_time 700\nwindow_drawmode 5\nwindow_own_key some words\n"
		"window_selected_functions { 2, { {thread, Given Evt Val}, {evt_type, [x,y]} } }\n"
		"window_compose_functions { 3, { {compose1, Select Range [)}, {topcompose2, As Is}, {thread, Mod+1} } }\n"
		"window_semantic_module thread Given Evt Val { 1, { 2 4.5 -3 } }\n"
		"window_semantic_module compose1 Select Range [) { 2, { 1 9, 1 2 } }\n"
		"window_semantic_module compose_thread Prod { 1, { 1 9 } }\n"
		"window_filter_module evt_type 2 10 20\n";
	struct weft_view v;
	struct weft_err err;
	REQUIRE(read_text(&v, text, &err) == 0);
	const struct weft_window *w = &v.window[0];
	const struct weft_metric *m = &w->metric;
	CHECK_STR(m->name, "one");
	CHECK_U64(m->level, WEFT_APPL);
	CHECK_U64(m->unit, WEFT_SECONDS);
	CHECK(m->filter.or_from_to && !m->filter.or_tag_size && m->filter.logical && !m->filter.physical);
	CHECK(w->begin_is_part && w->begin_part == 0.25 && !w->end_is_part && w->end_time == 700);
	CHECK_U64(w->draw_time, WEFT_DRAW_AVERAGE);
	CHECK_STR(m->of_level[WEFT_THREAD].func->name, "Given Evt Val");
	CHECK(m->of_level[WEFT_THREAD].param[0].n == 2 && m->of_level[WEFT_THREAD].param[0].at[1] == -3);
	CHECK_STR(m->top[0].func->name, "Select Range [)");
	CHECK(m->top[0].param[0].at[0] == 9 && m->top[0].param[1].at[0] == 2);
	CHECK_STR(m->compose[WEFT_THREAD].func->name, "Mod+1"); /* and the module of another function is left alone */
	CHECK_U64(m->compose[WEFT_THREAD].param[0].n, 0);
	CHECK_U64(m->filter.test[WEFT_OF_TYPE].kind, WEFT_TEST_RANGE);
	CHECK(w->other.n == 1 && !strcmp(w->other.at[0].key, "window_own_key") && !strcmp(w->other.at[0].text, "some words"));
	weft_view_fini(&v);
}

TEST(a_window_keeps_its_keys_when_a_histogram_follows)
{
	struct weft_view v;
	struct weft_err err;
	REQUIRE(read_text(&v,
	                  HEAD STATE_WINDOW
	                  "window_own_key x\nwindow_object appl { 1, { All } }\n"
	                  "window_compose_functions { 1, { {extratopcompose1, Sign} } }\n"
	                  "< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: 1\nAnalyzer2D.Statistic: Time\nAnalyzer2D.X: 9\n",
	                  &err) == 0);
	CHECK(v.window[0].other.n == 1 && v.window[0].n_chosen == 1 && v.window[0].metric.n_extra == 1);
	CHECK(v.n_hists == 1 && v.hist[0].other.n == 1);
	weft_view_fini(&v);
}

/* However a line of parameters calls the place: it never makes one. */
TEST(parameters_of_extra_functions_go_to_those_that_are_there)
{
	struct weft_view v;
	struct weft_err err;
	REQUIRE(read_text(&v,
	                  HEAD STATE_WINDOW
	                  "window_compose_functions { 2, { {extratopcompose1, Prod}, {compose_extratopcompose2, Prod} } }\n"
	                  "window_semantic_module compose_extratopcompose1 Prod { 1, { 1 4 } }\n"
	                  "window_semantic_module extratopcompose2 Prod { 1, { 1 5 } }\n"
	                  "window_semantic_module compose_extratopcompose3 Prod { 1, { 1 6 } }\n"
	                  "window_semantic_module compose_compose_extratopcompose1 Prod { 1, { 1 7 } }\n",
	                  &err) == 0);
	const struct weft_metric *m = &v.window[0].metric;
	CHECK_U64(m->n_extra, 2);
	CHECK(m->extra[0].param[0].n == 1 && m->extra[0].param[0].at[0] == 4);
	CHECK(m->extra[1].param[0].n == 1 && m->extra[1].param[0].at[0] == 5);
	weft_view_fini(&v);
}

/* What is written reads back, and is written the same. */
static void check_written(const char *text, size_t n, const char *name)
{
	struct weft_view v, again;
	struct weft_err err = {0};
	struct weft_buf once = {0}, twice = {0};
	REQUIRE(weft_view_read(&v, text, n, name, &err) == 0);
	weft_view_write(&v, &once);
	CHECK_I64(weft_view_read(&again, once.at, once.n, name, &err), 0);
	CHECK_STR(err.text, "");
	weft_view_write(&again, &twice);
	CHECK_STR(twice.at, once.at);
	CHECK_U64(again.n_windows, v.n_windows);
	CHECK_U64(again.n_hists, v.n_hists);
	weft_view_fini(&v);
	weft_view_fini(&again);
	weft_buf_fini(&once);
	weft_buf_fini(&twice);
}

/* What a key alone changes, in a window of states or in a table of it. */
#define TABLE_OF "< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: 1\nAnalyzer2D.Statistic: Time\n"
#define EACH_KEY(X) \
	X(tagsize, "window_comm_tagsize false", w->metric.filter.or_tag_size && !w->metric.filter.or_from_to) \
	X(typeval, "window_comm_typeval false", w->metric.filter.or_type_value && !w->metric.filter.or_tag_size) \
	X(logical, "window_logical_filtered false", !w->metric.filter.logical && !w->metric.filter.physical) \
	X(physical, "window_physical_filtered true", w->metric.filter.logical && w->metric.filter.physical) \
	X(intra, "window_intracomms_enabled false", !w->metric.filter.intra && w->metric.filter.inter) \
	X(inter, "window_intercomms_enabled false", w->metric.filter.intra && !w->metric.filter.inter) \
	X(drawmode, "window_drawmode draw_absolute_minimum", w->draw_time == WEFT_DRAW_ABS_MINIMUM) \
	X(drawrows, "window_drawmode_rows 3", w->draw_rows == WEFT_DRAW_RANDOM) \
	X(code, "window_color_mode window_in_code_mode", w->color == WEFT_COLOR_CODE) \
	X(gradient, "window_color_mode window_in_gradient_mode", w->color == WEFT_COLOR_GRADIENT) \
	X(null, "window_color_mode window_in_null_gradient_mode", w->color == WEFT_COLOR_NOT_NULL) \
	X(alternative, "window_color_mode window_in_alternative_gradient_mode", w->color == WEFT_COLOR_ALTERNATIVE) \
	X(punctual, "window_color_mode window_in_punctual_mode", w->color == WEFT_COLOR_PUNCTUAL) \
	X(fused, "window_color_mode window_in_fused_lines_mode", w->color == WEFT_COLOR_FUSED) \
	X(zoom, "window_zoom_objects 1 2", w->zoom_first == 1 && w->zoom_last == 2) \
	X(y_max, "window_maximum_y 7.5", w->y_max == 7.5) \
	X(y_min, "window_minimum_y -2", w->y_min == -2) \
	X(y_computed, "window_compute_y_max true", w->compute_y_max) \
	X(end, "window_end_time 600", !w->end_is_part && w->end_time == 600) \
	X(end_part, "window_end_time_relative 0.5", w->end_is_part && w->end_part == 0.5) \
	X(scale, "window_scale_relative 0.25", w->end_is_part && w->end_part == 0.25) \
	X(unit, "window_units Days", w->metric.unit == WEFT_DAYS) \
	X(workload, "window_level workload", w->metric.level == WEFT_WORKLOAD) \
	X(hidden, TABLE_OF "Analyzer2D.HideCols: True", h->hide_empty && !h->vertical) \
	X(vertical, TABLE_OF "Analyzer2D.HorizVert: Vertical", h->vertical && !h->sorted) \
	X(sorted, TABLE_OF "Analyzer2D.SortCols: True\nAnalyzer2D.SortCriteria: Avg/Max", \
	  h->sorted && h->sort == WEFT_SORT_AVG_MAX) \
	X(reverse, TABLE_OF "Analyzer2D.SortReverse: True", h->reverse) \
	X(totals, TABLE_OF "Analyzer2D.ShowOnlyTotals: True", h->only_totals) \
	X(shortened, TABLE_OF "Analyzer2D.ShortHeaderLabels: False", !h->short_labels) \
	X(shortened_unsaid, TABLE_OF "Analyzer2D.X: 1", h->short_labels) \
	X(limits, TABLE_OF "Analyzer2D.AnalysisLimits: Allwindow", h->limits == WEFT_ALL_WINDOW) \
	X(name, TABLE_OF "Analyzer2D.Name: a table", !strcmp(h->name, "a table")) \
	X(columns, TABLE_OF "Analyzer2D.NumColumns: 12", h->scale.n == 12) \
	X(delta, TABLE_OF "Analyzer2D.Delta: 2.5", h->scale.delta == 2.5) \
	X(zeros, TABLE_OF "Analyzer2D.ComputeYScaleZero: True", h->scale.zero) \
	X(planes, TABLE_OF "Analyzer2D.3D_ControlWindow: 1\nAnalyzer2D.3D_Minimum: 3", h->extra == 0 && h->planes.min == 3) \
	X(plane, TABLE_OF "Analyzer2D.3D_ControlWindow: 1\nAnalyzer2D.3D_FixedValue: 4", h->has_plane && h->plane == 4)
#define HOLDS(name, key, condition) \
	static bool key_##name(const struct weft_window *w, const struct weft_hist *h) \
	{ \
		(void)w; \
		(void)h; \
		return condition; \
	}
#define KEY_ROW(name, key, condition) {key, key_##name},
EACH_KEY(HOLDS)

static const struct {
	const char *key;
	bool (*holds)(const struct weft_window *w, const struct weft_hist *h);
} keys[] = {EACH_KEY(KEY_ROW)};

TEST(every_key_alone)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char text[700];
		struct weft_view v;
		struct weft_err err;
		struct weft_hist none = {0};
		snprintf(text, sizeof text, "%s%s\n", HEAD STATE_WINDOW, keys[i].key);
		REQUIRE(read_text(&v, text, &err) == 0);
		if (!keys[i].holds(&v.window[0], v.n_hists ? &v.hist[0] : &none))
			CHECK_STR("not as it says", keys[i].key);
		CHECK_U64(v.n_hists, strncmp(keys[i].key, TABLE_OF, sizeof TABLE_OF - 1) == 0);
		check_written(text, strlen(text), keys[i].key);
		weft_view_fini(&v);
	}
}

TEST(views_read_back_as_they_are_written)
{
	char *folder = strdup(test_source("tests/golden/paraver/views/generated")), **names, path[4096], *text;
	size_t n;
	int count = weft_list_dir(folder, &names, NULL);
	REQUIRE(count > 100);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		REQUIRE(weft_read_file(path, &text, &n, NULL) == 0);
		check_written(text, n, names[i]);
		free(text);
	}
	weft_list_free(names, count);
	free(folder);
}

TEST(no_failed_allocation_is_lost)
{
	static const char text[] = HEAD STATE_WINDOW
		"window_object task { 0, 2, { All, None } }\nwindow_x y\n< NEW ANALYZER2D >\n"
		"Analyzer2D.ControlWindow: 1\nAnalyzer2D.Statistic: Time\n";
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_view v;
		struct weft_err err;
		int rc = read_text(&v, text, &err);
		CHECK_I64(rc, test_alloc_failed() ? -12 : 0);
		weft_view_fini(&v);
	}
}
