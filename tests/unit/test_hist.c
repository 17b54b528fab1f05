/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: every statistic over the same small trace, how columns are made and shown. Of thread 1.1.1 the pieces are
 *
 *   control  0 0..100 | 1 100..300       | 2 300..600       | 0 600..1000
 *   data     0 0..200      | 10 200..500      | 0 500..700       | -4 700..1000
 *
 * and thread 1.1.2 has control 1 from 400 on, and no data.
 */
#include "metric_maker.h"

static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:1(2:1)\n"
			  "2:1:1:1:1:100:50:1\n2:1:1:1:1:300:50:2\n2:1:1:1:1:600:50:0\n2:2:1:1:2:400:50:1\n"
			  "2:1:1:1:1:200:60:10\n2:1:1:1:1:500:60:0\n2:1:1:1:1:700:60:-4\n";

#define OF(type) \
	SINGLE("thread", "Last Evt Val", \
	       "window_selected_functions { 1, { {evt_type, =} } }\nwindow_filter_module evt_type 1 " type "\n")
#define TWO(statistic, more) \
	CFG OF("50") OF( \
		"60") "< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: 1\nAnalyzer2D.DataWindow: 2\nAnalyzer2D.Statistic: " statistic \
		      "\n" more
#define TO_2 "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 2\nAnalyzer2D.Delta: 1\n"

static const struct {
	const char *view, *rows;
} statistics[] = {
	{TWO("Time", TO_2), "THREAD 1.1.1\t500.00\t200.00\t300.00\t\nTHREAD 1.1.2\t400.00\t600.00\t0.00\t\n"},
	{TWO("% Time", TO_2), "THREAD 1.1.1\t50.00\t20.00\t30.00\t\nTHREAD 1.1.2\t40.00\t60.00\t0.00\t\n"},
	{TWO("% Time Not Zero", TO_2), "THREAD 1.1.1\t0.00\t40.00\t60.00\t\nTHREAD 1.1.2\t0.00\t100.00\t0.00\t\n"},
	{TWO("% Window Time", TO_2), "THREAD 1.1.1\t50.00\t20.00\t30.00\t\nTHREAD 1.1.2\t40.00\t60.00\t0.00\t\n"},
	{TWO("# Bursts", TO_2), "THREAD 1.1.1\t3.00\t2.00\t2.00\t\nTHREAD 1.1.2\t1.00\t1.00\t0.00\t\n"},
	{TWO("% # Bursts", TO_2), "THREAD 1.1.1\t42.86\t28.57\t28.57\t\nTHREAD 1.1.2\t50.00\t50.00\t0.00\t\n"},
	{TWO("Integral", TO_2), "THREAD 1.1.1\t1200.00\t1000.00\t2000.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Average value", TO_2), "THREAD 1.1.1\t-2.40\t5.00\t6.67\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Maximum", TO_2), "THREAD 1.1.1\t0.00\t10.00\t10.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Minimum", TO_2), "THREAD 1.1.1\t-4.00\t10.00\t10.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Average Burst Time", TO_2), "THREAD 1.1.1\t166.67\t100.00\t150.00\t\nTHREAD 1.1.2\t400.00\t600.00\t0.00\t\n"},
	{TWO("Stdev Burst Time", TO_2), "THREAD 1.1.1\t94.28\t0.00\t50.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Average per Burst", TO_2), "THREAD 1.1.1\t-1.33\t5.00\t5.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Average value != 0", TO_2), "THREAD 1.1.1\t-4.00\t10.00\t10.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Average per Burst != 0", TO_2), "THREAD 1.1.1\t-4.00\t10.00\t10.00\t\nTHREAD 1.1.2\t-nan\t-nan\t0.00\t\n"},
	{TWO("# Bursts != 0", TO_2), "THREAD 1.1.1\t1.00\t1.00\t1.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
	{TWO("Sum bursts", TO_2), "THREAD 1.1.1\t-4.00\t10.00\t10.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n"},
};

TEST(every_statistic_of_the_same_pieces)
{
	struct made f;
	struct weft_buf got = {0};
	make_trace(&f, prv, NULL, NULL);
	for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
		view_text(&f, statistics[i].view, &(struct weft_paraver_how){.decimals = 2}, &got);
		const char *rows = strchr(got.at, '\n'), *end = rows ? strstr(rows, "\n\nTotal") : NULL;
		REQUIRE(end);
		got.at[end - got.at + 1] = 0;
		CHECK_STR(rows + 1, statistics[i].rows);
	}
	weft_buf_fini(&got);
	unmake_trace(&f);
}

#define TOTALS "Total\t900.00\t800.00\t300.00\t\n"
static const struct {
	const char *view, *table;
} layouts[] = {
	/* Cells that are there count; zeros are no minimum. */
	{TWO("Maximum", TO_2),
         "\tvalue 0\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t0.00\t10.00\t10.00\t\nTHREAD 1.1.2\t0.00\t0.00\t0.00\t\n\n"
         "Total\t0.00\t10.00\t10.00\t\nAverage\t0.00\t5.00\t10.00\t\nMaximum\t0.00\t10.00\t10.00\t\n"
         "Minimum\t0.00\t10.00\t10.00\t\nStDev\t0.00\t5.00\t0.00\t\nAvg/Max\t-nan\t0.50\t1.00\t\n\n"},
	{TWO("Maximum", TO_2 "Analyzer2D.HideCols: True\nAnalyzer2D.HorizVert: Vertical\n"),
         "\tTHREAD 1.1.1\tTHREAD 1.1.2\t\nvalue 1\t10.00\t0.00\t\nvalue 2\t10.00\t0.00\t\n\nTotal\t20.00\t0.00\t\n"
         "Average\t6.67\t0.00\t\nMaximum\t10.00\t0.00\t\nMinimum\t10.00\t0.00\t\nStDev\t4.71\t0.00\t\nAvg/Max\t0.67\t-nan\t\n\n"},
	/* One column for [0..1) and [1..2]: what is at the last edge is in it. */
	{TWO("Time", "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 0\nAnalyzer2D.Maximum: 2\nAnalyzer2D.Delta: 2\n"
                     "Analyzer2D.UseFixedDelta: True\nAnalyzer2D.NumColumns: 9\n"),
         "\t[0.00..2.00]\t\nTHREAD 1.1.1\t1000.00\t\nTHREAD 1.1.2\t1000.00\t\n\nTotal\t2000.00\t\nAverage\t1000.00\t\n"
         "Maximum\t1000.00\t\nMinimum\t1000.00\t\nStDev\t0.00\t\nAvg/Max\t1.00\t\n\n"},
	{TWO("Time", "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 1\nAnalyzer2D.Maximum: 3\nAnalyzer2D.NumColumns: 4\n"
                     "Analyzer2D.UseFixedDelta: False\nAnalyzer2D.HideCols: True\n"),
         "\t[1.00..1.50)\t[2.00..2.50)\t\nTHREAD 1.1.1\t200.00\t300.00\t\nTHREAD 1.1.2\t600.00\t0.00\t\n\n"
         "Total\t800.00\t300.00\t\nAverage\t400.00\t300.00\t\nMaximum\t600.00\t300.00\t\nMinimum\t200.00\t300.00\t\n"
         "StDev\t200.00\t0.00\t\nAvg/Max\t0.67\t1.00\t\n\n"},
	/* Sorted: by the greatest time; then the other way round. */
	{TWO("Time", TO_2 "Analyzer2D.SortCols: True\nAnalyzer2D.SortCriteria: Maximum\nAnalyzer2D.HideCols: True\n"),
         "\tvalue 1\tvalue 0\tvalue 2\t\nTHREAD 1.1.1\t200.00\t500.00\t300.00\t\nTHREAD 1.1.2\t600.00\t400.00\t0.00\t\n\n"
         "Total\t800.00\t900.00\t300.00\t\nAverage\t400.00\t450.00\t300.00\t\nMaximum\t600.00\t500.00\t300.00\t\n"
         "Minimum\t200.00\t400.00\t300.00\t\nStDev\t200.00\t50.00\t0.00\t\nAvg/Max\t0.67\t0.90\t1.00\t\n\n"},
	{TWO("Time", TO_2 "Analyzer2D.SortCols: True\nAnalyzer2D.SortCriteria: Stdev\nAnalyzer2D.SortReverse: True\n"),
         "\tvalue 2\tvalue 0\tvalue 1\t\nTHREAD 1.1.1\t300.00\t500.00\t200.00\t\nTHREAD 1.1.2\t0.00\t400.00\t600.00\t\n\n"
         "Total\t300.00\t900.00\t800.00\t\nAverage\t300.00\t450.00\t400.00\t\nMaximum\t300.00\t500.00\t600.00\t\n"
         "Minimum\t300.00\t400.00\t200.00\t\nStDev\t0.00\t50.00\t200.00\t\nAvg/Max\t1.00\t0.90\t0.67\t\n\n"},
	/* A computed scale: from the least value that is not 0 to the greatest; with zeros when it says so. */
	{TWO("Time", ""), "\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t200.00\t300.00\t\nTHREAD 1.1.2\t600.00\t0.00\t\n\n"
                          "Total\t800.00\t300.00\t\nAverage\t400.00\t300.00\t\nMaximum\t600.00\t300.00\t\n"
                          "Minimum\t200.00\t300.00\t\nStDev\t200.00\t0.00\t\nAvg/Max\t0.67\t1.00\t\n\n"},
	{TWO("Time", "Analyzer2D.ComputeYScale: True\nAnalyzer2D.ComputeYScaleZero: True\n"),
         "\tvalue 0\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t500.00\t200.00\t300.00\t\nTHREAD 1.1.2\t400.00\t600.00\t0.00\t\n\n" TOTALS
         "Average\t450.00\t400.00\t300.00\t\nMaximum\t500.00\t600.00\t300.00\t\nMinimum\t400.00\t200.00\t300.00\t\n"
         "StDev\t50.00\t200.00\t0.00\t\nAvg/Max\t0.90\t0.67\t1.00\t\n\n"},
};

TEST(columns_and_totals_as_the_view_says)
{
	struct made f;
	make_trace(&f, prv, NULL, NULL);
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		check_view(&f, layouts[i].view, layouts[i].table);
	unmake_trace(&f);
}

TEST(ranges_and_rows_are_those_of_the_control)
{
	struct made f;
	make_trace(&f, prv, NULL, NULL);
	/* The second half; thread 1.1.2 is not chosen. */
	check_view(&f,
	           CFG SINGLE("thread", "Last Evt Val",
	                      "window_selected_functions { 1, { {evt_type, =} } }\nwindow_filter_module evt_type 1 50\n"
	                      "window_begin_time_relative 0.5\nwindow_object thread { 0, 0, 2, { 1, 0 } }\n")
	                   TABLE("Time", TO_2 "Analyzer2D.AnalysisLimits: Allwindow\nAnalyzer2D.HideCols: True\n"),
	           "\tvalue 0\tvalue 2\t\nTHREAD 1.1.1\t400.00\t100.00\t\n\nTotal\t400.00\t100.00\t\nAverage\t400.00\t100.00\t\n"
	           "Maximum\t400.00\t100.00\t\nMinimum\t400.00\t100.00\t\nStDev\t0.00\t0.00\t\nAvg/Max\t1.00\t1.00\t\n\n");
	unmake_trace(&f);
}

TEST(planes_come_with_their_labels_and_empty_ones_do_not)
{
	struct made f;
	struct weft_buf got = {0};
	static const char view[] =
		TWO("Time", TO_2
	            "Analyzer2D.HideCols: True\nAnalyzer2D.3D_ControlWindow: 2\nAnalyzer3D.ComputeYScale: False\n"
	            "Analyzer2D.3D_Minimum: -4\nAnalyzer2D.3D_Maximum: 12\nAnalyzer2D.3D_Delta: 4\nAnalyzer2D.3D_FixedValue: "
	            "8\n");
	make_trace(&f, prv, NULL, NULL);
	check_view(
		&f, view,
		"[-4.00..0.00)\n\tvalue 0\t\nTHREAD 1.1.1\t300.00\t\nTHREAD 1.1.2\t0.00\t\n\nTotal\t300.00\t\nAverage\t300.00\t\n"
		"Maximum\t300.00\t\nMinimum\t300.00\t\nStDev\t0.00\t\nAvg/Max\t1.00\t\n\n"
		"[0.00..4.00)\n\tvalue 0\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t200.00\t100.00\t100.00\t\n"
		"THREAD 1.1.2\t400.00\t600.00\t0.00\t\n\nTotal\t600.00\t700.00\t100.00\t\nAverage\t300.00\t350.00\t100.00\t\n"
		"Maximum\t400.00\t600.00\t100.00\t\nMinimum\t200.00\t100.00\t100.00\t\nStDev\t100.00\t250.00\t0.00\t\n"
		"Avg/Max\t0.75\t0.58\t1.00\t\n\n"
		"[8.00..12.00]\n\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t100.00\t200.00\t\nTHREAD 1.1.2\t0.00\t0.00\t\n\n"
		"Total\t100.00\t200.00\t\nAverage\t100.00\t200.00\t\nMaximum\t100.00\t200.00\t\nMinimum\t100.00\t200.00\t\n"
		"StDev\t0.00\t0.00\t\nAvg/Max\t1.00\t1.00\t\n\n");
	view_text(&f, view, &(struct weft_paraver_how){.decimals = 1, .one_plane = true}, &got);
	CHECK(!strncmp(got.at, "[8.00..12.00]\n\tvalue 1\tvalue 2\t\nTHREAD 1.1.1\t100.0\t200.0\t\n", 57));
	CHECK(!strstr(got.at, "[0.00..4.00)"));
	weft_buf_fini(&got);
	unmake_trace(&f);
}

/* A table over a derived metric, one of messages at the level of cpus, and a row that begins late. */
TEST(no_failed_allocation_is_lost)
{
	static const char text[] =
		"#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:1(2:1)\n1:1:1:1:1:0:400:1\n1:1:1:1:1:400:900:2\n"
		"2:1:1:1:1:100:50:1\n3:1:1:1:1:100:110:2:1:1:2:200:210:7:1\n";
	static const char *const views[] = {
		CFG SINGLE("thread", "Useful", "window_compose_functions { 1, { {topcompose1, Burst Time} } }\n")
			SINGLE("thread", "Useful", "")
				COMPOSED("product", "thread", "") "< NEW ANALYZER2D >\nAnalyzer2D.ControlWindow: 3\n"
								  "Analyzer2D.DataWindow: 1\nAnalyzer2D.Statistic: Time\n",
		CFG SINGLE("cpu", "Last Evt Val", "") TABLE("Bytes sent", ""),
		CFG SINGLE("task", "Event Bytes", "window_begin_time_relative 0.5\n")
			TABLE("Maximum", "Analyzer2D.AnalysisLimits: Allwindow\n"),
	};
	struct made f;
	make_trace(&f, text, NULL, NULL);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		struct weft_view v;
		struct weft_view_lack lack = {0};
		struct weft_err err = {0};
		REQUIRE(weft_view_read(&v, views[i], strlen(views[i]), "v.cfg", &err) == 0);
		REQUIRE(weft_view_bind(&v, &f.s, &lack, &err) == 0);
		TEST_EACH_ALLOCATION_FAILS {
			struct weft_result r;
			int rc = weft_hist_compute(&r, &v, &v.hist[0], &f.s, 1);
			CHECK_I64(rc, test_alloc_failed() ? -12 : 0);
			weft_result_fini(&r);
		}
		weft_view_fini(&v);
	}
	unmake_trace(&f);
}

/* ---- many pieces ---- */

enum { EVENTS = 6000, VALUES = 5 };

/* Events of both types, each at a time of its own or all at one; what the cells are by looking at one event after the other. */
static void make_many(struct weft_buf *text, unsigned apart, double time[VALUES], double bursts[VALUES], double data[VALUES])
{
	uint64_t now = 0, value[2] = {0}, seed = 7;
	weft_buf_puts(text, "#Paraver (01/01/2024 at 10:00):100000_ns:1(1):1:1(1:1)\n");
	for (unsigned i = 0; i <= EVENTS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t next = i < EVENTS ? now + (seed >> 40) % 4 * apart : 100000, which = seed >> 60 & 1;
		if (next > now) { /* what is overwritten at the same time has no length */
			time[value[0]] += (double)(next - now);
			bursts[value[0]]++;
			data[value[0]] += (double)value[1];
		}
		now = next;
		value[which] = (seed >> 33) % VALUES;
		weft_buf_printf(text, "2:1:1:1:1:%llu:%d:%llu\n", (unsigned long long)now, which ? 60 : 50,
		                (unsigned long long)value[which]);
	}
}

static void row_of(struct weft_buf *out, const double cell[VALUES], unsigned first)
{
	out->n = 0;
	weft_buf_puts(out, "THREAD 1.1.1");
	for (unsigned i = first; i < VALUES; i++)
		weft_buf_printf(out, "\t%.2f", cell[i]);
	weft_buf_puts(out, "\t\n");
}

/* Three columns of five: the others' pieces go nowhere. */
#define TO_4 "Analyzer2D.ComputeYScale: False\nAnalyzer2D.Minimum: 2\nAnalyzer2D.Maximum: 4\nAnalyzer2D.Delta: 1\n"

TEST(pieces_of_many_batches_are_those_of_one_walk)
{
	for (unsigned apart = 1; apart <= 4; apart += 3) {
		struct made f;
		struct weft_buf text = {0}, got = {0}, want = {0};
		double cell[3][VALUES] = {{0}};
		make_many(&text, apart, cell[0], cell[1], cell[2]);
		make_trace(&f, text.at, NULL, NULL);
		static const char *const view[] = {TWO("Time", TO_4), TWO("# Bursts", TO_4), TWO("Sum bursts", TO_4)};
		for (unsigned i = 0; i < 3; i++) {
			view_text(&f, view[i], &(struct weft_paraver_how){.decimals = 2}, &got);
			row_of(&want, cell[i], 2);
			const char *row = strchr(got.at, '\n');
			REQUIRE(row && strlen(row) > want.n);
			got.at[row + 1 - got.at + (ptrdiff_t)want.n] = 0;
			CHECK_STR(row + 1, want.at);
		}
		weft_buf_fini(&text);
		weft_buf_fini(&got);
		weft_buf_fini(&want);
		unmake_trace(&f);
	}
}
