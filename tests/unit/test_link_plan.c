/* SPDX-License-Identifier: Apache-2.0 */
/* Which counters are read where: what --counters and WEFT_COUNTERS may say. */
#include "harness.h"
#include "link/link_counter.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

static struct link_plans plans;
static struct weft_err err;

static int plan(const char *text)
{
	err = (struct weft_err){0};
	return link_plans_read(text, &plans, &err);
}

TEST(link_plan_says_what_is_read_with_samples)
{
	REQUIRE(plan("instructions,PAPI_TOT_CYC") == 0);
	CHECK_U64(plans.n, 1);
	CHECK_U64(plans.n_counted, 2);
	CHECK_U64(plans.plan[0].where, LINK_AT_SAMPLES);
	CHECK_U64(plans.plan[0].n_sets, 1);
	CHECK_STR(plans.counted[1].name, "PAPI_TOT_CYC");
	CHECK_STR(plans.counted[1].of.name, "cpu-cycles");
	CHECK(!link_plan_wants(&plans.plan[0], "mpi"));
}

TEST(link_plan_says_regions_and_turns)
{
	REQUIRE(plan("instructions,r1aC/page-faults,minor-faults@regions:20ms;rss,net-tx:eth0@100ms;heap") == 0);
	CHECK_U64(plans.n, 3);
	CHECK_U64(plans.plan[0].where, LINK_AT_REGIONS);
	CHECK_U64(plans.plan[0].n_sets, 2);
	CHECK_U64(plans.plan[0].turn_ns, 20000000);
	CHECK(link_plan_wants(&plans.plan[0], "mpi"));
	CHECK(link_plan_wants(&plans.plan[0], "user"));
	CHECK(!link_plan_wants(&plans.plan[0], "memory"));
	CHECK_U64(plans.counted[1].of.type, PERF_TYPE_RAW);
	CHECK_U64(plans.counted[1].of.config, 0x1ac);
	CHECK_U64(plans.counted[2].set, 1);
	CHECK_U64(plans.plan[1].each_ns, 100000000);
	CHECK_STR(plans.counted[5].part, "eth0");
	CHECK_U64(plans.plan[2].where, LINK_AT_TIMES); /* it is no thread's, so that it needs a time */
	REQUIRE(plan("page-faults@mpi+openmp") == 0);
	CHECK(link_plan_wants(&plans.plan[0], "openmp"));
	CHECK(!link_plan_wants(&plans.plan[0], "open"));
}

TEST(link_plan_refuses_in_a_line)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"", "expected names of counters"},
		{"page-fault", "no counter is called 'page-fault' (weft record --counters list)"},
		{"mpi_t", "no counter is called 'mpi_t' (weft record --counters list)"},
		{"rss:x", "no counter is called 'rss:x' (weft record --counters list)"},
		{"r1g", "no counter is called 'r1g' (weft record --counters list)"},
		{"r11112222333344445", "no counter is called 'r11112222333344445' (weft record --counters list)"},
		{"rss@", "expected 'samples', 'regions', categories or a time behind '@'"},
		{"rss@1us", "expected a time from 1ms, found '1us'"},
		{"rss@regions:never", "expected a time from 1ms, found 'never'"},
		{"energy@regions", "'energy' is of the whole machine: give it a time, as in '@100ms'"},
		{"heap@samples", "'heap' is of the whole process: give it a time, as in '@100ms'"},
		{"mpi_t:*@samples", "'mpi_t:*' is read in calls of MPI: '@regions', or a time"},
		{"rss@1s;rss", "'rss' is there twice"},
		{"rss,rss", "'rss' is there twice"},
		{"rss/", "no counter is called '' (weft record --counters list)"},
		{"rss@1s;heap@2s;energy@1s;net-rx@1s;net-tx@1s", "more than 4 parts"},
		{"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd", "expected 1 to 12 names, found 13"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		CHECK_I64(plan(wrong[i].text), -EINVAL);
		CHECK_STR(err.text, wrong[i].why);
	}
}
