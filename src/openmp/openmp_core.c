/* SPDX-License-Identifier: Apache-2.0 */
/* Names, threads, and the events that both runtimes end in. */
#include "openmp_priv.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct openmp_names openmp;
__thread struct openmp_thread openmp_thread __attribute__((tls_model("initial-exec"), visibility("hidden")));
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_asked;
static const void *runtime;                    /* NULL: nothing of it lies between the program and us */
static uint64_t n_threads, n_workers, n_teams; /* so far; atomic */

static const struct {
	const char *name;
	enum weft_state_class state;
} regions[OPENMP_REGIONS] = {
#define OPENMP_REGION(id, name, state) {name, WEFT_STATE_##state},
#include "openmp_regions.def"
#undef OPENMP_REGION
};

/* Others are the runtime's, or parts of what stands around them. */
static bool has_callers(enum openmp_region r)
{
	return r != OPENMP_IDLE && r != OPENMP_JOIN && r != OPENMP_CHUNK && r != OPENMP_SECTION && r != OPENMP_LOCK_ON;
}

static bool asked(void)
{
	const char *dir = secure_getenv("WEFT_DIR"), *list = secure_getenv("WEFT_RECORD");
	if (!dir || !*dir)
		return false;
	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, "openmp", 6) == 0 && (at[6] == ',' || !at[6]))
			return true;
	return !list;
}

weft_region openmp_define(const char *name, enum weft_state_class state)
{
	return openmp_bursts ? openmp_burst_region(state) : weft_define_region(name, state, openmp.category);
}

/* Each is defined once: before anybody can enter it. */
weft_region openmp_define_called(const char *name, enum weft_state_class state)
{
	weft_region r = openmp_define(name, state);
	if (!openmp_bursts)
		(void)weft_callers_at(r, (const void *)&openmp_begin, runtime);
	return r;
}

void openmp_is_runtime(const void *address)
{
	runtime = address;
	(void)weft_callers_at(WEFT_OFF, NULL, address);
}

static void define_rest(weft_category c)
{
	openmp.team = weft_define_attr("omp team", "", c);
	openmp.threads = weft_define_attr("omp threads asked", "", c);
	openmp.iterations = weft_define_attr("omp iterations", "", c);
	openmp.chunk = weft_define_attr("omp chunk size", "", c);
	openmp.first = weft_define_attr("omp first iteration", "", c);
	openmp.section = weft_define_attr("omp section number", "", c);
	openmp.done = weft_define_attr("omp sections done", "", c);
	openmp.priority = weft_define_attr("omp task priority", "", c);
	openmp.cancel = weft_define_type("omp cancel", "", c);
	weft_define_value(openmp.cancel, 1, "parallel");
	weft_define_value(openmp.cancel, 2, "loop");
	weft_define_value(openmp.cancel, 4, "sections");
	weft_define_value(openmp.cancel, 8, "taskgroup");
	openmp.in_vain = weft_define_type("omp lock tests in vain", "", c);
	openmp.code = weft_define_type("omp code address", "", c);
	openmp.task = weft_define_own_flow("omp task", c);
	openmp.depends = weft_define_own_flow("omp task dependency", c);
}

static void define_off(void)
{
	weft_def *const all[] = {&openmp.team,       &openmp.threads,
	                         &openmp.iterations, &openmp.chunk,
	                         &openmp.first,      &openmp.section,
	                         &openmp.done,       &openmp.priority,
	                         &openmp.cancel,     &openmp.in_vain,
	                         &openmp.code,       &openmp.task,
	                         &openmp.depends,    &openmp.region[OPENMP_LOCK_ON]};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = WEFT_OFF;
}

static void define(void)
{
	is_asked = asked();
	if (!is_asked)
		return;
	weft_category c = weft_define_category("openmp", 1);
	openmp = (struct openmp_names){.category = c};
	openmp_burst_define(c);
	for (unsigned i = 0; i < OPENMP_REGIONS; i++)
		openmp.region[i] = has_callers((enum openmp_region)i) ? openmp_define_called(regions[i].name, regions[i].state)
		                                                      : openmp_define(regions[i].name, regions[i].state);
	if (openmp_bursts)
		define_off();
	else
		define_rest(c);
}

bool openmp_begin(void)
{
	pthread_once(&once, define);
	return is_asked;
}

struct openmp_thread *openmp_thread_first(void)
{
	struct openmp_thread *me = &openmp_thread;
	uint64_t number = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED); /* relaxed: only unique */
	me->next_task = number << 32;
	me->outer.task.id = 0;
	me->task = &me->outer.task;
	me->schedule = OPENMP_LOOP;
	me->frame = &me->outer;
	return me;
}

uint64_t openmp_next_team(struct openmp_thread *me)
{
	enum { BLOCK = 1000 };
	if (me->next_team % BLOCK == 0)
		me->next_team = __atomic_fetch_add(&n_teams, BLOCK, __ATOMIC_RELAXED); /* relaxed: only unique */
	return ++me->next_team;
}

/* ---- what is open in a frame ---- */

void openmp_close_open(struct openmp_frame *f)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	if (f->open & OPENMP_OPEN_CHUNK)
		openmp_add(&b, openmp.region[OPENMP_CHUNK], WEFT_HEAD_LEAVE);
	if (f->open & OPENMP_OPEN_SECTION)
		openmp_add(&b, openmp.region[OPENMP_SECTION], WEFT_HEAD_LEAVE);
	if (f->open & OPENMP_OPEN_LOOP)
		openmp_add(&b, openmp.region[f->loop], WEFT_HEAD_LEAVE);
	if (f->open & OPENMP_OPEN_SINGLE)
		openmp_add(&b, openmp.region[OPENMP_SINGLE], WEFT_HEAD_LEAVE);
	weft_bundle_record(&b);
	f->open = 0;
}

void openmp_loop_begin(struct openmp_frame *f, enum openmp_region loop, uint64_t iterations, uint64_t chunk)
{
	weft_region r = openmp.region[loop];
	openmp_close(f);
	if (chunk)
		openmp_three(OPENMP_ENTER(r), OPENMP_ATTR(openmp.iterations, iterations), OPENMP_ATTR(openmp.chunk, chunk));
	else
		openmp_two(OPENMP_ENTER(r), OPENMP_ATTR(openmp.iterations, iterations));
	f->loop = (uint16_t)loop;
	f->open = OPENMP_OPEN_LOOP;
}

void openmp_sections_begin(struct openmp_frame *f, unsigned n)
{
	openmp_close(f);
	openmp_enter_with(openmp.region[OPENMP_SECTIONS], openmp.iterations, n);
	f->loop = OPENMP_SECTIONS;
	f->open = OPENMP_OPEN_LOOP;
}

void openmp_section(struct openmp_frame *f, unsigned number)
{
	if (f->open & OPENMP_OPEN_SECTION)
		openmp_leave(OPENMP_SECTION);
	f->open &= ~(uint32_t)OPENMP_OPEN_SECTION;
	if (!number)
		return;
	openmp_enter_with(openmp.region[OPENMP_SECTION], openmp.section, number);
	f->open |= OPENMP_OPEN_SECTION;
}

void openmp_single_begin(struct openmp_frame *f)
{
	openmp_close(f);
	openmp_enter(OPENMP_SINGLE);
	f->open = OPENMP_OPEN_SINGLE;
}

void openmp_tell_in_vain(struct openmp_thread *me)
{
	if (me->in_vain)
		weft_point(openmp.in_vain, me->in_vain);
	me->in_vain = 0;
}

/* ---- teams and tasks ---- */

/* A team's threads other than who has met the construct are the runtime's own: nobody else has named them. */
static void name_worker(struct openmp_thread *me)
{
	char name[32];
	me->named = true;
	snprintf(name, sizeof name, "omp worker %u",
	         (unsigned)__atomic_add_fetch(&n_workers, 1, __ATOMIC_RELAXED)); /* relaxed: only unique */
	weft_name_thread(name);
}

void openmp_body_begin(struct openmp_frame *f, weft_region body, uint64_t team, bool is_worker)
{
	struct openmp_thread *me = openmp_me();
	if (WEFT_UNLIKELY(is_worker && !me->named))
		name_worker(me);
	if (me->idle)
		openmp_three(OPENMP_LEAVE(openmp.region[OPENMP_IDLE]), OPENMP_ENTER(body), OPENMP_ATTR(openmp.team, team));
	else
		openmp_two(OPENMP_ENTER(body), OPENMP_ATTR(openmp.team, team));
	me->idle = false;
	*f = (struct openmp_frame){.up = me->frame, .task = {.id = openmp_next_task(me), .up = me->task}};
	me->frame = f;
	me->task = &f->task;
}

void openmp_body_end(struct openmp_frame *f, weft_region body, bool is_worker)
{
	struct openmp_thread *me = openmp_me();
	openmp_close(f);
	openmp_leave_enter(body, openmp.region[is_worker ? OPENMP_IDLE : OPENMP_JOIN]);
	me->idle = is_worker;
	me->frame = f->up;
	me->task = f->task.up;
	if (WEFT_UNLIKELY(f->task.depends != NULL))
		openmp_depends_free(f->task.depends);
}

void openmp_parallel_begin(weft_region construct, uint64_t team, unsigned threads)
{
	if (threads)
		openmp_three(OPENMP_ENTER(construct), OPENMP_ATTR(openmp.team, team), OPENMP_ATTR(openmp.threads, threads));
	else
		openmp_two(OPENMP_ENTER(construct), OPENMP_ATTR(openmp.team, team));
}

void openmp_parallel_end(weft_region construct, bool joined)
{
	if (joined)
		openmp_two(OPENMP_LEAVE(openmp.region[OPENMP_JOIN]), OPENMP_LEAVE(construct));
	else
		openmp_out(construct);
}

void openmp_task_begin(struct openmp_task *t, weft_region body, uint64_t id)
{
	struct openmp_thread *me = openmp_me();
	*t = (struct openmp_task){.id = id, .up = me->task};
	me->task = t;
	if (id)
		openmp_in_task(body, id);
	else
		openmp_in(body);
}

void openmp_task_end(struct openmp_task *t, weft_region body)
{
	openmp_out(body);
	openmp_thread.task = t->up;
	if (WEFT_UNLIKELY(t->depends != NULL))
		openmp_depends_free(t->depends);
}
