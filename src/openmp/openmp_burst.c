/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts in place of constructs (link_burst.h): a region "OpenMP" where a thread is in the runtime, or in stretches of work that are too short, with what
 * lay between as its attributes. All definitions of OpenMP are off then. A region's is one of the switches here, which says what a
 * thread does in it; so events end where those that are off do, and are counted there:
 *
 *     nothing open | overhead: construct | work: body | wait: barrier | work | wait: join | overhead | nothing open
 *     burst, if long                      burst, if long               likewise                     likewise
 *
 * Events of one instant are one change. A lock that is held changes nothing. A worker between two teams is idle, in a region
 * of its own where that lasts as long as a burst: what was counted before is told there, since it may never come back.
 */
#include "link/link_burst.h"
#include "openmp_priv.h"
#include <string.h>

enum { DEPTH_MOST = 60 };
enum statistic { STAT_WORK_TIME, STAT_WAIT_TIME, STAT_OVERHEAD_TIME, STAT_WORKS, STAT_WAITS, STAT_OVERHEADS, STATISTICS };
enum doing { DOING_NOTHING, DOING_WORK, DOING_WAIT, DOING_OVERHEAD, DOING_IDLE, DOINGS };

bool openmp_bursts;
static struct link_burst burst;
static weft_region between, idle;
static weft_attr attr[STATISTICS];
static const volatile uint32_t switches[DOINGS]; /* all off; which one it is says what is done there */
static __thread struct {
	uint64_t since;       /* ticks of the last change */
	uint64_t ended;       /* ... and of the stretch's end; 0: there was none */
	uint64_t work, works; /* since then: that is a burst, or belongs to the stretch */
	uint64_t n[STATISTICS];
	uint32_t depth;
	bool open; /* the region is */
	uint8_t doing[DEPTH_MOST + 1];
	struct link_burst_last last;
} here __attribute__((tls_model("initial-exec")));

void openmp_burst_define(weft_category category)
{
	static const char *const names[STATISTICS] = {
		[STAT_WORK_TIME] = "time running in parallel",
		[STAT_WAIT_TIME] = "time in synchronization",
		[STAT_OVERHEAD_TIME] = "time in overhead",
		[STAT_WORKS] = "times running in parallel",
		[STAT_WAITS] = "synchronizations",
		[STAT_OVERHEADS] = "overheads",
	};
	openmp_bursts = link_burst_begin(&burst);
	if (!openmp_bursts)
		return;
	between = weft_define_region("OpenMP", WEFT_STATE_SYNCHRONIZING, category);
	idle = weft_define_region("omp idle", WEFT_STATE_IDLE, category);
	for (unsigned i = 0; i < STATISTICS; i++)
		attr[i] = weft_define_attr(names[i], i < STAT_WORKS ? "ns" : "", category);
}

weft_region openmp_burst_region(enum weft_state_class state)
{
	static const uint8_t doing[] =
		{[WEFT_STATE_RUNNING] = DOING_WORK, [WEFT_STATE_SYNCHRONIZING] = DOING_WAIT, [WEFT_STATE_IDLE] = DOING_IDLE};
	unsigned d = (unsigned)state < sizeof doing ? doing[state] : DOING_NOTHING;
	return &switches[d ? d : DOING_OVERHEAD];
}

/* ---- what a thread does ---- */

static enum doing doing_now(void)
{
	return here.depth ? (enum doing)here.doing[here.depth < DEPTH_MOST ? here.depth : DEPTH_MOST] : DOING_NOTHING;
}

static bool computes(enum doing d)
{
	return d == DOING_NOTHING || d == DOING_WORK;
}

static void stretch_begin(uint64_t now)
{
	bool short_one = here.ended && now - here.ended < burst.ticks;
	if (short_one && link_burst_take_back(&here.last)) {
		here.n[STAT_WORK_TIME] += here.work;
		here.n[STAT_WORKS] += here.works;
	} else {
		memset(here.n, 0, sizeof here.n);
		weft_enter(between);
	}
	here.open = true;
}

static void stretch_end(uint64_t now, bool is_idle)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	for (unsigned i = 0; i < STATISTICS; i++)
		if (here.n[i])
			weft_bundle_add(&b, attr[i], WEFT_HEAD_ATTR,
			                i < STAT_WORKS ? link_burst_in_ns(&burst, here.n[i]) : here.n[i]);
	weft_bundle_add(&b, between, WEFT_HEAD_LEAVE, 0);
	if (is_idle)
		weft_bundle_add(&b, idle, WEFT_HEAD_ENTER, 0);
	link_burst_record(&here.last, &b);
	here.open = false;
	here.ended = now;
	here.work = here.works = 0;
}

/* After a short time it is as if the stretch had gone on. */
static void wake(uint64_t now)
{
	here.open = now - here.ended < burst.ticks && link_burst_take_back(&here.last);
	if (here.open)
		return;
	weft_leave(idle);
	here.ended = now;
	here.last.at = 0;
}

static void count(enum doing before, uint64_t took)
{
	if (before == DOING_WORK)
		here.work += took;
	else if (before == DOING_WAIT)
		here.n[STAT_WAIT_TIME] += took;
	else if (before == DOING_OVERHEAD)
		here.n[STAT_OVERHEAD_TIME] += took;
}

static void change(enum doing before, enum doing after)
{
	uint64_t now = weft_ticks();
	count(before, now - here.since);
	here.since = now;
	if (before == DOING_IDLE)
		wake(now);
	if (!computes(after) && !here.open)
		stretch_begin(now);
	if (here.open && (computes(after) || after == DOING_IDLE))
		stretch_end(now, after == DOING_IDLE);
	here.works += after == DOING_WORK;
	here.n[STAT_OVERHEADS] += after == DOING_OVERHEAD;
}

/* What a thread does in the region that the event enters; DOING_NOTHING: it does not enter one of those that are counted. */
static enum doing entered(const struct openmp_event *e)
{
	uintptr_t at = (uintptr_t)e->def, first = (uintptr_t)switches;
	return at >= first && at < first + sizeof switches ? (enum doing)((at - first) / sizeof *switches) : DOING_NOTHING;
}

void openmp_burst_events(const struct openmp_event *e, unsigned n)
{
	enum doing before = doing_now(), after;
	unsigned waits = 0;
	for (unsigned i = 0; i < n; i++) {
		enum doing d = entered(&e[i]);
		if (d && e[i].kind == WEFT_HEAD_ENTER) {
			here.depth++;
			here.doing[here.depth < DEPTH_MOST ? here.depth : DEPTH_MOST] = (uint8_t)d;
			waits += d == DOING_WAIT;
		} else if (d && e[i].kind == WEFT_HEAD_LEAVE && here.depth) {
			here.depth--;
		}
	}
	after = doing_now();
	if (before != after)
		change(before, after);
	here.n[STAT_WAITS] += waits;
}
