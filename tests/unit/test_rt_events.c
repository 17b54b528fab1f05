/* SPDX-License-Identifier: Apache-2.0 */
/* Names of events in all their spellings; and, where the kernel lets us count, page faults of a known number. */
#include "harness.h"
#include "runtime/meter/events.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int means(const char *name, uint32_t type, uint64_t config)
{
	struct rt_event e;
	struct weft_err err = {0};
	return !rt_event_find(&e, name, &err) && e.type == type && e.config == config && !strcmp(e.name, name);
}

TEST(names_mean_what_perf_counts)
{
	CHECK(means("PAPI_TOT_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES));
	CHECK(means("PAPI_TOT_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS));
	CHECK(means("PAPI_RES_STL", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND));
	CHECK(means("perf::PERF_COUNT_HW_BRANCH_MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES));
	CHECK(means("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS));
	CHECK(means("PAGE_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS));
	CHECK(means("perf::PERF_COUNT_SW_CONTEXT_SWITCHES", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES));
	CHECK(means("perf::task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK));
	CHECK(means("L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
	            PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16));
	CHECK(means("LLC-stores", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_WRITE << 8));
	CHECK(means("r01c2", PERF_TYPE_RAW, 0x1c2));
}

TEST(other_names_are_refused)
{
	static const char *const wrong[] = {"PAPI_NO_SUCH", "", "r", "rxyz", "L1-dcache-", "no:such", "../x:y", "perf::"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct rt_event e;
		struct weft_err err = {0};
		CHECK(rt_event_find(&e, wrong[i], &err) == -EINVAL);
		CHECK(strstr(err.text, "is not known"));
	}
}

static unsigned said;
static char last[200];
static void say(const char *line)
{
	said++;
	snprintf(last, sizeof last, "%s", line);
}

TEST(lists_are_separated_by_blanks_and_commas)
{
	struct rt_events e;
	said = 0;
	rt_events_parse(&e, " PAPI_NO_SUCH, perf::NEITHER\tnor_this", say);
	CHECK(e.n == 0);
	CHECK(said == 3);
	CHECK_STR(last, "event 'nor_this' is not known");
}

static void touch(unsigned pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(at != MAP_FAILED);
	madvise(at, pages * page, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < pages; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, pages * page);
}

TEST(faults_are_counted)
{
	enum { PAGES = 300, OTHERS = 100 };
	struct rt_events e;
	struct rt_event_counters c;
	long long before[RT_EVENTS], after[RT_EVENTS];
	said = 0;
	rt_events_parse(&e, "page-faults,task-clock", say);
	if (e.n < 2)
		SKIP("this kernel lets nobody count page faults");
	REQUIRE(rt_event_open(&c, &e) == 0);
	touch(1); /* what is needed for touching is there */
	rt_event_read(&c, before);
	rt_event_read(&c, after);
	CHECK(after[0] - before[0] <= OTHERS);
	rt_event_read(&c, before);
	touch(PAGES);
	rt_event_read(&c, after);
	CHECK(after[0] - before[0] >= PAGES);
	CHECK(after[0] - before[0] <= PAGES + OTHERS);
	CHECK(after[1] > before[1]);
	rt_event_close(&c);
}

/* Each counts its own, whatever their order; what is behind the last is 0. */
TEST(several_events_are_counted_at_once)
{
	enum { PAGES = 300, OTHERS = 100 };
	static const struct {
		const char *names;
		unsigned faults, minor, clock;
	} orders[] = {{"page-faults,minor-faults,task-clock", 0, 1, 2}, {"task-clock,page-faults,minor-faults", 1, 2, 0}};
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct rt_events e;
		struct rt_event_counters c;
		long long before[RT_EVENTS], after[RT_EVENTS];
		rt_events_parse(&e, orders[i].names, say);
		if (e.n < 3)
			SKIP("this kernel lets nobody count page faults");
		REQUIRE(rt_event_open(&c, &e) == 0);
		touch(1);
		rt_event_read(&c, before);
		touch(PAGES);
		rt_event_read(&c, after);
		long long faults = after[orders[i].faults] - before[orders[i].faults];
		long long minor = after[orders[i].minor] - before[orders[i].minor];
		CHECK(faults >= PAGES && faults <= PAGES + OTHERS);
		CHECK(minor >= PAGES && minor <= faults);
		CHECK(after[orders[i].clock] - before[orders[i].clock] > faults); /* ns, and a fault takes some hundred */
		for (unsigned k = 3; k < RT_EVENTS; k++)
			CHECK_I64(after[k], 0);
		rt_event_close(&c);
	}
}
