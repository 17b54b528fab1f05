/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .prv files: every form that tools write, and where the fault is in one that is none. */
#include "harness.h"
#include "trace/paraver/prv_header.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse(struct prv_header *h, const char *line, struct weft_err *err)
{
	*err = (struct weft_err){0};
	return prv_header_parse(h, weft_str(line), err);
}

TEST(a_header_says_units_nodes_applications_and_communicators)
{
	struct prv_header h;
	struct weft_err err;
	REQUIRE(parse(&h, "#Paraver (20/11/2026 at 11:30):1000_ns:2(4,3):2:2(1:1,3:2),1(2:2),7", &err) == 0);
	CHECK_STR(h.date, "20/11/2026 at 11:30");
	CHECK_U64(h.end, 1000);
	CHECK(h.unit == PRV_NS);
	CHECK(h.has_resources);
	CHECK_U64(h.n_nodes, 2);
	CHECK_U64(h.node_cpus[0], 4);
	CHECK_U64(h.node_cpus[1], 3);
	CHECK_U64(h.n_cpus, 7);
	CHECK_U64(h.n_apps, 2);
	CHECK_U64(h.n_tasks, 3);
	CHECK_U64(h.n_threads, 6);
	CHECK_U64(h.app[1].first_task, 2);
	CHECK_U64(h.app[1].n_tasks, 1);
	CHECK_U64(h.task[1].n_threads, 3);
	CHECK_U64(h.task[1].node, 2);
	CHECK_U64(h.task[2].first_thread, 4);
	CHECK_U64(h.n_comms, 7);
	CHECK(h.rest == NULL);
	prv_header_fini(&h);
}

TEST(forms_of_the_header)
{
	static const struct {
		const char *line;
		enum prv_unit unit;
		uint32_t nodes, cpus, threads, first_node;
		bool resources;
	} cases[] = {
		{"#Paraver (x):5:0:1:1(1:0)", PRV_US, 0, 0, 1, 0, false},
		{"#Paraver (x):5:0:1:1(1:3)", PRV_US, 0, 0, 1, 0, false},   /* a node of no machine */
		{"#Paraver (x):5_us:3:1:1(1:1)", PRV_US, 3, 3, 1, 1, true}, /* three nodes of one cpu */
		{"#Paraver (x):5_ms:1(2):1:1(1:1)", PRV_MS, 1, 2, 1, 1, true},
		{"#Paraver (x):5_fortnights:1(2):1:1(2:1)", PRV_US, 1, 2, 2, 1, true}, /* anything else is us */
		{"#Paraver (x):5_ns:1(2):1:1(1:0)\r", PRV_NS, 1, 2, 1, 0, true},
		{"#Paraver (a:b):5_ns:2(0,2):1:1(1:2)", PRV_NS, 2, 2, 1, 2, true},
		{"#Paraver(no blank):5_ns:1(1):1:1(1:1)", PRV_NS, 1, 1, 1, 1, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct prv_header h;
		struct weft_err err;
		int rc = parse(&h, cases[i].line, &err);
		CHECK_STR(err.text, "");
		if (rc == 0) {
			CHECK_U64(h.unit, cases[i].unit);
			CHECK_U64(h.n_nodes, cases[i].nodes);
			CHECK_U64(h.n_cpus, cases[i].cpus);
			CHECK_U64(h.n_threads, cases[i].threads);
			CHECK_U64(h.task[0].node, cases[i].first_node);
			CHECK_U64(h.has_resources, cases[i].resources);
			CHECK_U64(h.n_comms, 0);
		}
		prv_header_fini(&h);
	}
}

TEST(a_bad_header_says_where)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{"", "header, column 1: expected '#Paraver', found the end of the line"},
		{"Paraver (x):5", "header, column 1: expected '#Paraver', found 'P'"},
		{"#Paraver x:5", "header, column 13: expected a date in parentheses, found the end of the line"},
		{"#Paraver (x)5", "header, column 13: expected ':' behind the date, found '5'"},
		{"#Paraver (x)::1(1):1:1(1:1)", "header, column 14: expected the end time, found ':'"},
		{"#Paraver (x):5ns:1(1):1:1(1:1)", "header, column 15: expected '_' or ':' behind the end time, found 'n'"},
		{"#Paraver (x):99999999999999999999:0:1:1(1:0)",
	         "header, column 14: the end time is more than 9223372036854775807"},
		{"#Paraver (x):9223372036854775807:0:1:1(1:0)", "header: the end time does not fit in 63 bits of ns"},
		{"#Paraver (x):5:0(:1:1(1:0)", "header, column 18: expected no list of cpus behind 0 nodes, found ':'"},
		{"#Paraver (x):5:2(1):1:1(1:1)", "header, column 19: expected ',' and the cpus of the next node, found ')'"},
		{"#Paraver (x):5:9999999:1:1(1:1)", "header, column 16: the number of nodes is more than 1048576"},
		{"#Paraver (x):5:1000000(1):1:1(1:1)",
	         "header, column 24: expected a list of as many nodes as are said, found '1'"},
		{"#Paraver (x):5:1(1):0:", "header, column 21: the number of applications is 0"},
		{"#Paraver (x):5:1(1):1:0()", "header, column 23: a number of tasks is 0"},
		{"#Paraver (x):5:1(1):1:1(0:1)", "header, column 25: a number of threads is 0"},
		{"#Paraver (x):5:1(1):1:1(1:2)", "header, column 27: node 2 of 1"},
		{"#Paraver (x):5:1(1):1:2(1:1)", "header, column 28: expected ',' and the next task, found ')'"},
		{"#Paraver (x):5:1(1):2:1(1:1)",
	         "header, column 29: expected ',' and the next application, found the end of the line"},
		{"#Paraver (x):5:1(1):1:1(1048577:1)", "header, column 25: a number of threads is more than 1048576"},
		{"#Paraver (x):5:1(1):1:2(1048576:1,1:1)", "header, column 35: a number of threads is more than 0"},
		{"#Paraver (x):5:1(1):1:1(1:1),",
	         "header, column 30: expected the number of communicators, found the end of the line"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct prv_header h;
		struct weft_err err;
		CHECK_I64(parse(&h, cases[i].line, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].text);
		prv_header_fini(&h);
	}
}

TEST(what_follows_the_last_field_is_kept_apart)
{
	struct prv_header h;
	struct weft_err err;
	REQUIRE(parse(&h, "#Paraver (x):5:1(1):1:1(1:1),2:more", &err) == 0);
	CHECK_U64(h.n_comms, 2);
	CHECK_STR(h.rest, ":more");
	prv_header_fini(&h);
	REQUIRE(parse(&h, "#Paraver (x):5:1(1):1:1(1:1) tail", &err) == 0);
	CHECK_STR(h.rest, " tail");
	prv_header_fini(&h);
}

TEST(a_header_without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct prv_header h;
		struct weft_err err;
		int rc = parse(&h, "#Paraver (x):1000_ns:2(4,3):2:2(1:1,3:2),1(2:2),7", &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		prv_header_fini(&h);
	}
}

TEST(dates)
{
	static const struct {
		const char *text;
		uint64_t seconds, ns;
	} cases[] = {
		{"01/01/1970 at 00:00", 0, 0},
		{"20/11/2026 at 11:30", 1795174200, 0},
		{"10/Feb/2020", 1581292800, 0},
		{"2023/Jan/05 at 01:02:03.123", 1672880523, 123000000},
		{"2024/02/29 at 23:59:59", 1709251199, 0},
		{"12/25/2021 at 06:00", 1640412000, 0}, /* month first, where it can be nothing else */
		{"Dec/25/2021 06:00", 1640412000, 0},
		{"03/04/2021", 1617408000, 0}, /* day first, where both can be */
		{"  2000/03/01  ", 951868800, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t ns = 0;
		CHECK(prv_date_parse(weft_str(cases[i].text), &ns));
		CHECK_U64(ns, cases[i].seconds * 1000000000u + cases[i].ns);
	}
	static const char *const bad[] = {"",
	                                  "x",
	                                  "1/2",
	                                  "29/02/2023",
	                                  "31/04/2020",
	                                  "1/1/1969",
	                                  "01/13/13",
	                                  "32/01/2020",
	                                  "0/1/2020",
	                                  "01/Foo/2020",
	                                  "01/01/2020 at 24:00",
	                                  "01/01/2020 at 1:2:3.4x",
	                                  "01/01/2020at",
	                                  "1/1/99999"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t ns = 7;
		CHECK(!prv_date_parse(weft_str(bad[i]), &ns));
		CHECK_U64(ns, 7);
	}
}
