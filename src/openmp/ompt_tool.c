/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM's runtime by OpenMP's tool interface: teams and tasks. `weft record` names this library in OMP_TOOL_LIBRARIES, behind what stands there,
 * so a tool of the program's own goes before.
 *
 * The runtime tells that a worker's part is at its end only when the next begins: it is at its end when the last barrier is met,
 * which is the one that has no place in the program, or, for who has met the construct, the construct's place.
 *
 * A task's number, what it runs and whether it has begun are kept in the word that the runtime keeps for us.
 */
#include "ompt_priv.h"
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((visibility("default"))) struct ompt_start *ompt_start_tool(unsigned version, const char *runtime);

/* ---- words: what we keep of a team and of a task ---- */

enum { NUMBER_BITS = 48, CODE_BITS = 12, KIND_SHIFT = NUMBER_BITS + CODE_BITS };
#define NUMBER_MASK ((UINT64_C(1) << NUMBER_BITS) - 1)
#define TASK_RUNS (UINT64_C(1) << 61)  /* on some thread, or is suspended there */
#define TASK_BEGAN (UINT64_C(1) << 62) /* its arrow has ended */
#define TASK_KNOWN (UINT64_C(1) << 63)

static uint64_t word_of(enum openmp_code_kind kind, unsigned code, uint64_t number)
{
	return (number & NUMBER_MASK) | (uint64_t)code << NUMBER_BITS | (uint64_t)kind << KIND_SHIFT;
}

static const struct openmp_code *code_of(uint64_t word)
{
	return &openmp_codes[word >> KIND_SHIFT & 1][word >> NUMBER_BITS & (OPENMP_CODES - 1)];
}

/* ---- teams ---- */

static void parallel_begin(union ompt_data *encountering, const void *at, union ompt_data *parallel, unsigned asked, int flags,
                           const void *place)
{
	enum openmp_code_kind kind = flags & OMPT_PARALLEL_LEAGUE ? OPENMP_TEAMS : OPENMP_PARALLEL;
	(void)encountering, (void)at;
	parallel->value = word_of(kind, openmp_code_of(kind, place), openmp_next_team(openmp_me()));
	openmp_parallel_begin(code_of(parallel->value)->construct, parallel->value & NUMBER_MASK, asked);
}

static void parallel_end(union ompt_data *parallel, union ompt_data *encountering, int flags, const void *place)
{
	struct openmp_thread *me = openmp_me();
	bool joined = me->joins;
	(void)encountering, (void)flags, (void)place;
	me->joins = false;
	openmp_parallel_end(code_of(parallel->value)->construct, joined);
}

static void part_end(struct openmp_thread *me, struct ompt_part *p)
{
	p->ended = true;
	openmp_body_end(&p->frame, p->body, p->is_worker);
	me->joins = !p->is_worker;
}

static void part_begin(struct openmp_thread *me, uint64_t team, unsigned index)
{
	struct ompt_part *p = me->spare;
	if (p)
		me->spare = p->up;
	else if (!(p = malloc(sizeof *p)))
		return;
	const struct openmp_code *code = code_of(team);
	*p = (struct ompt_part){.up = me->part, .body = code->body, .is_worker = index != 0, .met = index ? NULL : code->at};
	me->part = p;
	openmp_body_begin(&p->frame, p->body, team & NUMBER_MASK, p->is_worker);
}

static void implicit_task(enum ompt_endpoint end, union ompt_data *parallel, union ompt_data *task, unsigned threads,
                          unsigned index, int flags)
{
	struct openmp_thread *me = openmp_me();
	struct ompt_part *p = me->part;
	(void)threads;
	if (flags & OMPT_TASK_INITIAL)
		return;
	if (end == OMPT_BEGIN) {
		task->value = 0;
		part_begin(me, parallel->value, index);
	} else if (p) {
		if (!p->ended)
			part_end(me, p);
		me->part = p->up;
		p->up = me->spare;
		me->spare = p;
	}
}

static void thread_end(union ompt_data *thread)
{
	struct openmp_thread *me = openmp_me();
	(void)thread;
	if (me->idle)
		openmp_leave(OPENMP_IDLE);
	me->idle = false;
	for (struct ompt_part *p; (p = me->spare);) {
		me->spare = p->up;
		free(p);
	}
}

/* ---- what waits for all ---- */

static const uint16_t wait_region[] = {[OMPT_SYNC_TASKWAIT] = OPENMP_TASKWAIT,
                                       [OMPT_SYNC_TASKGROUP] = OPENMP_TASKGROUP,
                                       [OMPT_SYNC_REDUCTION] = OPENMP_REDUCTION};

static void barrier(struct openmp_thread *me, enum ompt_sync kind, enum ompt_endpoint end, const void *place)
{
	struct ompt_part *p = me->part;
	if (p && p->ended)
		return;
	if (end != OMPT_BEGIN) {
		openmp_leave(OPENMP_BARRIER);
		return;
	}
	bool implicit = kind == OMPT_SYNC_BARRIER_IMPLICIT || kind == OMPT_SYNC_BARRIER_PARALLEL;
	if (p && implicit && (kind == OMPT_SYNC_BARRIER_PARALLEL || place == p->met)) {
		part_end(me, p);
		return;
	}
	openmp_close(me->frame);
	openmp_enter(OPENMP_BARRIER);
}

static void sync_region(enum ompt_sync kind, enum ompt_endpoint end, union ompt_data *parallel, union ompt_data *task,
                        const void *place)
{
	(void)parallel, (void)task;
	if ((unsigned)kind >= sizeof wait_region / sizeof *wait_region || !wait_region[kind])
		barrier(openmp_me(), kind, end, place);
	else if (end == OMPT_BEGIN)
		openmp_enter((enum openmp_region)wait_region[kind]);
	else
		openmp_leave((enum openmp_region)wait_region[kind]);
}

/* The others wait all the time. */
static void sync_wait(enum ompt_sync kind, enum ompt_endpoint end, union ompt_data *parallel, union ompt_data *task,
                      const void *place)
{
	(void)parallel, (void)task, (void)place;
	if (kind == OMPT_SYNC_TASKGROUP && end == OMPT_BEGIN)
		openmp_enter(OPENMP_TASKGROUP_WAIT);
	else if (kind == OMPT_SYNC_TASKGROUP)
		openmp_leave(OPENMP_TASKGROUP_WAIT);
}

/* ---- tasks ---- */

static void task_create(union ompt_data *parent, const void *at, union ompt_data *task, int flags, int has_dependences,
                        const void *place)
{
	(void)parent, (void)at, (void)has_dependences;
	if (!(flags & OMPT_TASK_EXPLICIT) || flags & OMPT_TASK_TASKWAIT)
		return;
	struct openmp_thread *me = openmp_me();
	place = me->taskloop ? me->taskloop : place;
	task->value = word_of(0, openmp_code_of(OPENMP_TASK, place), openmp_next_task(me)) | TASK_KNOWN;
	weft_region r = openmp.region[OPENMP_TASK_CREATE];
	openmp_three(OPENMP_ENTER(r), OPENMP_FLOW_OUT(openmp.task, task->value & NUMBER_MASK), OPENMP_LEAVE(r));
}

static weft_region task_region(const union ompt_data *task)
{
	return openmp_codes[OPENMP_TASK][task->value >> NUMBER_BITS & (OPENMP_CODES - 1)].body;
}

static void task_begin(union ompt_data *task)
{
	if (task->value & TASK_BEGAN)
		openmp_in(task_region(task));
	else
		openmp_in_task(task_region(task), task->value & NUMBER_MASK);
	task->value |= TASK_BEGAN | TASK_RUNS;
}

/*
 * A task that waits stays where it is, and what runs meanwhile lies in it. One that ends a part without being complete (untied ones do) is left,
 * as it may go on elsewhere: nothing new runs then.
 */
static void task_schedule(union ompt_data *prior, enum ompt_task_status status, union ompt_data *next)
{
	bool is_over = status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL || status == OMPT_TASK_DETACH;
	bool begins = next && next->value & TASK_KNOWN && !(next->value & TASK_RUNS);
	if (prior && prior->value & TASK_KNOWN && prior->value & TASK_RUNS && status != OMPT_TASK_EARLY &&
	    status != OMPT_TASK_LATE && (is_over || !begins)) {
		openmp_out(task_region(prior));
		prior->value &= ~TASK_RUNS;
	}
	if (begins && status != OMPT_TASK_EARLY && status != OMPT_TASK_LATE)
		task_begin(next);
	if (next)
		openmp_me()->in_task = next->value & TASK_KNOWN;
}

/*
 * The runtime tells of a dependency only if what is waited for has not run yet. Where a team's thread makes tasks itself, we know better from the
 * addresses that they name; where a task does, it is taken as it is told.
 */
static void dependences(union ompt_data *task, const struct ompt_dependence *on, int n)
{
	struct openmp_thread *me = openmp_me();
	for (int i = 0; i < n && !me->in_task && task->value & TASK_KNOWN; i++)
		if (on[i].kind <= OMPT_DEPENDENCE_MOST)
			openmp_depend(&me->frame->task.depends, task->value & NUMBER_MASK, on[i].on.ptr,
			              on[i].kind != OMPT_DEPENDENCE_IN);
}

static void task_dependence(union ompt_data *from, union ompt_data *to)
{
	const uint64_t w[2] = {from->value & NUMBER_MASK, to->value & NUMBER_MASK};
	if (from->value & to->value & TASK_KNOWN && openmp_me()->in_task)
		weft_record(openmp.depends, WEFT_HEAD_DEPENDENCY, 2, w);
}

const struct ompt_callback_row ompt_teams[] = {
	OMPT_ROW(PARALLEL_BEGIN, parallel_begin),   OMPT_ROW(PARALLEL_END, parallel_end),
	OMPT_ROW(IMPLICIT_TASK, implicit_task),     OMPT_ROW(THREAD_END, thread_end),
	OMPT_ROW(SYNC_REGION, sync_region),         OMPT_ROW(SYNC_REGION_WAIT, sync_wait),
	OMPT_ROW(REDUCTION, sync_region),           OMPT_ROW(TASK_CREATE, task_create),
	OMPT_ROW(TASK_SCHEDULE, task_schedule),     OMPT_ROW(DEPENDENCES, dependences),
	OMPT_ROW(TASK_DEPENDENCE, task_dependence), {0, NULL},
};

/* ---- the begin ---- */

static int initialize(ompt_lookup *lookup, int device, union ompt_data *tool)
{
	static const struct ompt_callback_row *const all[] = {ompt_teams, ompt_works};
	ompt_set_callback *set = (ompt_set_callback *)lookup("ompt_set_callback");
	(void)device, (void)tool;
	if (!set)
		return 0;
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct ompt_callback_row *r = all[i]; r->which; r++)
			(void)set(r->which, r->with);
	return 1;
}

static void finalize(union ompt_data *tool)
{
	(void)tool;
}

/* A program with ThreadSanitizer needs the runtime's own tool (Archer), which says what is no race; there can be but one. */
static bool needs_another_tool(void)
{
	return dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;
}

struct ompt_start *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct ompt_start start = {.initialize = initialize, .finalize = finalize};
	(void)version, (void)runtime;
	if (needs_another_tool())
		return NULL;
	openmp_is_runtime(__builtin_return_address(0));
	return openmp_begin() ? &start : NULL;
}
