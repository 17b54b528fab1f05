/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of cpus, nodes and the system: threads that move between cpus, and messages whose ends are on cpus. */
#include "metric_maker.h"

/* Two nodes of two cpus. Thread 1.1.1 goes from cpu 1 to 2 and back, 1.1.2 is on cpu 1, 1.2.1 on cpu 3 and 4 of node 2. */
static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:2(2,2):1:2(2:1,1:2)\n"
			  "2:1:1:1:1:100:50:1\n2:2:1:1:1:200:50:2\n2:1:1:1:1:300:50:3\n"
			  "2:1:1:1:2:150:50:7\n2:0:1:1:2:250:50:8\n"
			  "2:3:1:2:1:400:50:4\n2:4:1:2:1:500:50:5\n"
			  "3:1:1:1:1:310:310:4:1:2:1:600:600:10:1\n"
			  "3:3:1:2:1:450:450:1:1:1:2:460:460:20:2\n";

static void metric_of(struct weft_metric *m, enum weft_level level, const char *function)
{
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->level = level;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, function);
	REQUIRE(m->of_level[WEFT_THREAD].func);
}

TEST(a_cpu_shows_the_thread_whose_record_it_had_last)
{
	struct made f;
	struct weft_metric m;
	make_trace(&f, prv, NULL, NULL);
	metric_of(&m, WEFT_CPU, "Last Evt Val");
	/* What thread 1.1.1 does on cpu 2 from 200 on is not seen before the next record on cpu 1. */
	check_row(&f, &m, 0, "0| 0 100| 1 150| 7 300| 3 1000|");
	check_row(&f, &m, 1, "0| 0 200| 2 1000|");
	check_row(&f, &m, 2, "0| 0 400| 4 1000|");
	m.level = WEFT_NODE;
	check_row(&f, &m, 0, "0| 0 100| 1 150| 7 200| 9 300| 5 1000|");
	m.level = WEFT_SYSTEM;
	check_row(&f, &m, 0, "0| 0 100| 1 150| 7 200| 9 300| 5 400| 9 500| 14 1000|");
	unmake_trace(&f);
}

TEST(functions_of_cpus)
{
	static const struct {
		const char *function;
		double list[2];
		uint32_t n;
		const char *row; /* of cpu 1 */
	} cases[] = {
		{"Active Thd", {0}, 0, "0| 0 100| 1 150| 7 300| 3 1000|"},
		{"Active Thd Sign", {0}, 0, "0| 0 100| 1 150| 1 300| 1 1000|"},
		{"Active Thd Val", {0}, 0, "0| 0 100| 1 150| 0 300| 0 1000|"}, /* 1 is what is listed when nothing is */
		{"Active Thd Val", {7, 3}, 2, "0| 0 100| 0 150| 7 300| 3 1000|"},
		{"Active Thd Val Sign", {7, 2}, 2, "0| 0 100| 0 150| 1 300| 0 1000|"},
	};
	struct made f;
	struct weft_metric m;
	make_trace(&f, prv, NULL, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		metric_of(&m, WEFT_CPU, "Last Evt Val");
		m.of_level[WEFT_CPU].func = weft_func_find(WEFT_FUNC_CPU, cases[i].function);
		REQUIRE(m.of_level[WEFT_CPU].func);
		m.of_level[WEFT_CPU].param[0] = (struct weft_list){cases[i].list, cases[i].n};
		check_row(&f, &m, 0, cases[i].row);
	}
	unmake_trace(&f);
}

TEST(places_of_records_are_values)
{
	struct made f;
	struct weft_metric m;
	static const double one = 1, two = 2;
	make_trace(&f, prv, NULL, NULL);
	metric_of(&m, WEFT_THREAD, "Cpu ID");
	check_row(&f, &m, 0, "0| 0 100| 1 200| 2 300| 1 1000|");
	check_row(&f, &m, 1, "0| 0 150| 1 250| 0 1000|");
	metric_of(&m, WEFT_THREAD, "In Cpu ID");
	m.of_level[WEFT_THREAD].param[0] = (struct weft_list){&two, 1};
	check_row(&f, &m, 0, "0| 0 100| 0 200| 2 300| 0 1000|");
	metric_of(&m, WEFT_THREAD, "Node ID");
	check_row(&f, &m, 2, "0| 0 400| 2 500| 2 1000|");
	metric_of(&m, WEFT_THREAD, "In Node ID"); /* the list counts from 0 */
	m.of_level[WEFT_THREAD].param[0] = (struct weft_list){&one, 1};
	check_row(&f, &m, 0, "0| 0 100| 0 200| 0 300| 0 1000|");
	check_row(&f, &m, 2, "0| 0 400| 2 500| 2 1000|");
	unmake_trace(&f);
}

TEST(messages_of_cpus_have_cpus_as_partners)
{
	struct made f;
	struct weft_metric m;
	static const double four = 4, two = 2;
	make_trace(&f, prv, NULL, NULL);
	metric_of(&m, WEFT_CPU, "Number Of Sends");
	m.filter.test[WEFT_OF_TO] = (struct weft_test){WEFT_TEST_EQ, {&four, 1}};
	struct weft_buf got = {0};
	row_text(&f, &m, 0, 0, INFINITY, &got);
	CHECK(strstr(got.at, " 1 1000|") != NULL);
	row_text(&f, &m, 2, 0, INFINITY, &got);
	CHECK(strstr(got.at, " 1 1000|") == NULL);
	m.level = WEFT_NODE;
	m.filter.test[WEFT_OF_TO].list.at = &two;
	row_text(&f, &m, 0, 0, INFINITY, &got);
	CHECK(strstr(got.at, " 1 1000|") != NULL);
	weft_buf_fini(&got);
	unmake_trace(&f);
}

TEST(columns_of_communication_are_objects_of_the_level)
{
	struct made f;
	make_trace(&f, prv, NULL, NULL);
	check_view(&f, CFG SINGLE("cpu", "Last Evt Val", "") TABLE("Bytes sent", "Analyzer2D.HideCols: True\n"),
	           "\tCPU 1.1\tCPU 2.2\t\nCPU 1.1\t0.00\t10.00\t\nCPU 1.2\t0.00\t0.00\t\nCPU 2.1\t20.00\t0.00\t\n"
	           "CPU 2.2\t0.00\t0.00\t\n\nTotal\t20.00\t10.00\t\nAverage\t10.00\t10.00\t\nMaximum\t20.00\t10.00\t\n"
	           "Minimum\t20.00\t10.00\t\nStDev\t10.00\t0.00\t\nAvg/Max\t0.50\t1.00\t\n\n");
	check_view(&f, CFG SINGLE("node", "Last Evt Val", "") TABLE("Bytes received", "Analyzer2D.HideCols: True\n"),
	           "\tNODE 1\tNODE 2\t\nNODE 1\t0.00\t20.00\t\nNODE 2\t10.00\t0.00\t\n\nTotal\t10.00\t20.00\t\n"
	           "Average\t10.00\t20.00\t\nMaximum\t10.00\t20.00\t\nMinimum\t10.00\t20.00\t\nStDev\t0.00\t0.00\t\n"
	           "Avg/Max\t1.00\t1.00\t\n\n");
	unmake_trace(&f);
}
