/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks as the program sees them: made, copied, queried, destroyed.
 *
 * Most tasks are a struct made: StarPU's struct, our private part and a place for dates in one
 * piece of memory, copied from a template and recycled by thread. A struct that the program has
 * allocated itself gets its private part at the first need. The private part is reference-counted
 * (`holders`): its task and each dependent hold one, and the last unref frees it. Its lock is a
 * spin lock for some instructions; what has to be read by others without it is atomic.
 */
#include "complain.h"
#include "task.h"
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct made {
	struct starpu_task task;
	struct rt_task own;
	struct starpu_profiling_task_info *info; /* of a task that was here before, for the next one; or NULL */
};

/*
 * Tasks that this thread has freed, for those that it makes next: programs that make tasks in tasks
 * free as many. Where one thread makes what others free, batches of them go through the depot. With
 * AddressSanitizer there are none, so that it reports uses of freed tasks.
 */
#if defined __SANITIZE_ADDRESS__
enum { SPARE_TASKS = 0 };
#else
enum { SPARE_TASKS = 128 };
#endif
static _Thread_local RT_NEAR struct spare {
	struct starpu_task *first; /* by `next` */
	unsigned n;
	bool known; /* to the thread's end */
} spare;
enum { MOST_BATCHES = 128 };
static struct {
	pthread_mutex_t lock;
	struct starpu_task *batch[MOST_BATCHES]; /* of SPARE_TASKS each */
	struct weft_atomic_u32 n;
} depot = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};
static pthread_once_t spares_once = PTHREAD_ONCE_INIT;
static pthread_key_t spares_key;

static void made_end(struct made *m)
{
	free(m->info);
	free(m);
}

static void spare_free(void *of_thread)
{
	struct spare *s = of_thread;
	for (struct starpu_task *t = s->first, *next; t; t = next) {
		next = t->next;
		made_end((struct made *)(void *)t);
	}
	*s = (struct spare){0};
}

static void spares_begin(void)
{
	pthread_key_create(&spares_key, spare_free);
}

/* Registers that this thread's spare tasks are freed at its end. */
static bool ends_known(void)
{
	if (WEFT_UNLIKELY(!spare.known)) {
		pthread_once(&spares_once, spares_begin);
		spare.known = !pthread_setspecific(spares_key, &spare);
	}
	return spare.known;
}

static void take_batch(void)
{
	pthread_mutex_lock(&depot.lock);
	uint32_t n = weft_load_u32(&depot.n);
	if (n) {
		spare.first = depot.batch[n - 1];
		spare.n = SPARE_TASKS;
		weft_store_u32(&depot.n, n - 1);
	}
	pthread_mutex_unlock(&depot.lock);
}

/* This thread's surplus goes to the depot. */
static void give_batch(void)
{
	pthread_mutex_lock(&depot.lock);
	uint32_t n = weft_load_u32(&depot.n);
	bool room = n < MOST_BATCHES;
	if (room) {
		depot.batch[n] = spare.first;
		weft_store_u32(&depot.n, n + 1);
		spare.first = NULL;
		spare.n = 0;
	}
	pthread_mutex_unlock(&depot.lock);
}

static struct made *made_new(void)
{
	if (!spare.first && weft_load_u32(&depot.n) && ends_known())
		take_batch();
	struct starpu_task *t = spare.first;
	if (!t) {
		struct made *m = malloc(sizeof *m);
		if (m)
			m->info = NULL;
		return m;
	}
	spare.first = t->next;
	spare.n--;
	return (struct made *)t;
}

static void made_free(struct made *m)
{
	if (SPARE_TASKS && spare.n == SPARE_TASKS)
		give_batch();
	if (spare.n == SPARE_TASKS || !ends_known()) {
		made_end(m);
		return;
	}
	m->task.next = spare.first;
	spare.first = &m->task;
	spare.n++;
}

static const struct made fresh = {.task = STARPU_TASK_INITIALIZER, .own = {.embedded = true, .ends = {1}, .holders = {1}}};

/*
 * Programs index tables by them: they have no gaps, and so a task gets one when it is first
 * queried.
 */
static struct weft_atomic_u64 numbers;

uint64_t rt_number_new(void)
{
	return weft_add_u64(&numbers, 1) + 1;
}

uint64_t rt_task_number(struct rt_task *own)
{
	rt_task_lock(own);
	if (!own->number)
		own->number = rt_number_new();
	uint64_t number = own->number;
	rt_task_unlock(own);
	return number;
}

/* By the library: in 5 ns; the instruction that a compiler takes for this size needs 14. */
static void task_copy(void *to, const void *from, size_t bytes)
{
	__asm__("" : "+r"(bytes));
	memcpy(to, from, bytes);
}

struct rt_task *rt_task_of(struct starpu_task *t)
{
	if (t->starpu_private)
		return t->starpu_private;
	struct rt_task *own = malloc(sizeof *own);
	if (!own)
		return NULL;
	*own = fresh.own;
	own->embedded = false;
	own->task = t;
	t->starpu_private = own;
	return own;
}

/*
 * With its lock, or before other threads know it. A job of an earlier runtime was freed with that.
 */
static struct rt_job *task_prepare(struct rt_task *own)
{
	struct rt_submitter *s = rt_machine.core ? rt_self(rt_machine.core) : NULL;
	if (!s || (own->job && own->job_of == rt_machine.core->serial))
		return s ? own->job : NULL;
	own->job = rt_job_new(s->pool);
	if (own->job) {
		own->job->n_accesses = 0;
		own->job_of = rt_machine.core->serial;
		own->ref = rt_job_ref(own->job);
	}
	return own->job;
}

struct rt_job *rt_task_prepare(struct rt_task *own)
{
	if (WEFT_LIKELY(own->made_with_job && own->job_of == rt_machine.core->serial))
		return own->job;
	rt_task_lock(own);
	struct rt_job *j = task_prepare(own);
	rt_task_unlock(own);
	return j;
}

int rt_task_name(struct rt_task *own, uint32_t turn, rt_ref *out)
{
	*out = 0;
	rt_task_lock(own);
	bool to_come = own->turns == turn && !own->gone;
	bool there = to_come && task_prepare(own);
	if (there) {
		own->named = true;
		*out = own->ref;
	}
	rt_task_unlock(own);
	return to_come && !there ? -ENOMEM : 0;
}

void rt_task_lock(struct rt_task *own)
{
	while (weft_swap_bool(&own->lock, true))
		sched_yield();
}

void rt_task_unlock(struct rt_task *own)
{
	weft_store_bool(&own->lock, false);
}

void rt_task_unref(struct rt_task *own)
{
	/* The last reference needs no atomic update. */
	if (weft_load_u32(&own->holders) != 1 && weft_add_u32(&own->holders, -UINT32_C(1)) != 1)
		return;
	if (own->embedded)
		made_free((struct made *)(void *)((char *)own - offsetof(struct made, own)));
	else
		free(own);
}

void starpu_task_init(struct starpu_task *task)
{
	if (!task)
		rt_misuse("starpu_task_init: no task is given");
	task_copy(task, &fresh.task, sizeof *task);
}

static struct made *task_make(void)
{
	struct made *m = made_new();
	if (!m)
		rt_misuse("no memory for a task");
	task_copy(m, &fresh, offsetof(struct made, info));
	m->task.destroy = 1;
	m->task.starpu_private = &m->own;
	m->own.task = &m->task;
	return m;
}

/* It will want a job: made now, it needs no lock. */
struct starpu_task *starpu_task_create(void)
{
	struct made *m = task_make();
	m->own.made_with_job = task_prepare(&m->own);
	return &m->task;
}

static void nothing_to_do(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
}

struct starpu_task *starpu_task_create_sync(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
	static struct starpu_codelet cl = {.where = STARPU_NOWHERE,
	                                   .cpu_funcs = {nothing_to_do},
	                                   .nbuffers = STARPU_VARIABLE_NBUFFERS};
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->nbuffers = 1;
	t->handles[0] = handle;
	t->modes[0] = mode;
	return t;
}

struct starpu_task *rt_job_task(struct rt_job *j)
{
	struct rt_upper *p = rt_upper(j);
	if (p->task)
		return p->task;
	struct starpu_task *t = &task_make()->task;
	struct rt_task *own = t->starpu_private;
	t->cl = p->cl;
	t->where = (int32_t)p->cl->where;
	t->name = p->name;
	t->file = p->file;
	t->line = p->line;
	t->cl_arg = j->arg;
	t->cl_arg_size = p->arg_bytes;
	t->priority = j->priority;
	t->sched_ctx = p->ctx;
	t->status = STARPU_TASK_RUNNING;
	t->nbuffers = j->n_accesses;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		t->handles[i] = (starpu_data_handle_t)(void *)rt_job_handles(j)[i];
		t->modes[i] = (enum starpu_data_access_mode)(rt_job_modes(j)[i] & (STARPU_ACCESS_MODE_MAX - 1));
	}
	own->job = j;
	own->job_of = rt_machine.core->serial;
	own->ref = rt_job_ref(j);
	rt_codelet_mask(p->cl, &own->mask);
	if (p->bits & RT_U_TIMED)
		own->submitted_ns = p->submitted_ns;
	weft_store_u32(&own->state, RT_T_SUBMITTED);
	p->bits |= RT_U_MADE_TASK;
	return p->task = t;
}

/* A task that will not run: jobs that already depend on it are released. */
static void task_abandon(struct rt_task *own)
{
	struct rt_submitter *s = rt_machine.core ? rt_self(rt_machine.core) : NULL;
	if ((weft_load_u32(&own->state) & RT_T_STATE) == RT_T_SUBMITTED || !s || own->job_of != rt_machine.core->serial)
		return;
	own->job->body = NULL;
	own->job->arg = NULL;
	if (own->named)
		rt_run_relay(s, own->job);
	else
		rt_forget(s, own->job);
	own->job = NULL;
}

/* Most have nothing to free, and a call is dearer than a look. */
static void give_up(void **what)
{
	if (WEFT_LIKELY(!*what))
		return;
	free(*what);
	*what = NULL;
}

static void give_up_arg(void *arg, bool is_ours)
{
	if (WEFT_UNLIKELY(is_ours))
		free(arg);
}

/*
 * With profiling each task has one: it stays with the memory of the task, for the next one that
 * lies there.
 */
static void give_up_info(struct starpu_task *task, struct rt_task *own)
{
	struct made *m = own && own->embedded ? (struct made *)(void *)((char *)own - offsetof(struct made, own)) : NULL;
	if (m && !m->info)
		m->info = task->profiling_info;
	else
		free(task->profiling_info);
	task->profiling_info = NULL;
}

struct starpu_profiling_task_info *rt_task_info_new(struct rt_task *own)
{
	struct made *m = own && own->embedded ? (struct made *)(void *)((char *)own - offsetof(struct made, own)) : NULL;
	struct starpu_profiling_task_info *info = m ? m->info : NULL;
	if (!info)
		return malloc(sizeof *info);
	m->info = NULL;
	return info;
}

/* Everything that the task owns; `own` stays. */
static void task_clean(struct starpu_task *task, struct rt_task *own)
{
	give_up((void **)(void *)&task->dyn_handles);
	give_up((void **)(void *)&task->dyn_interfaces);
	give_up((void **)(void *)&task->dyn_modes);
	if (WEFT_UNLIKELY(task->profiling_info != NULL))
		give_up_info(task, own);
	if (task->bundle)
		starpu_task_bundle_remove(task->bundle, task);
	if (!own)
		return;
	if (WEFT_UNLIKELY(__atomic_load_n(&own->known_by, __ATOMIC_RELAXED) != NULL))
		rt_tag_forget(own);
	if (own->has_nodes)
		give_up((void **)(void *)&task->dyn_nodes);
	if (own->job)
		task_abandon(own);
	if (own->ends_with) { /* it had no turn */
		rt_task_end_one(own->ends_with);
		own->ends_with = NULL;
	}
	if (own->dep)
		rt_task_drop_deps(own);
	give_up((void **)(void *)&own->before.at);
	own->before.n = own->before.cap = 0;
	give_up(&own->parallel);
}

/* Its task is destroyed; dependents may still hold references. */
static void task_leave(struct rt_task *own)
{
	if (weft_load_u32(&own->holders) > 1) {
		rt_task_lock(own);
		own->gone = true;
		rt_task_unlock(own);
	}
	rt_task_unref(own);
}

void rt_task_wait_callback(const struct rt_task *own)
{
	while (rt_calling.task != own->task && (weft_load_u32(&own->state) & RT_T_STATE) == RT_T_CALLBACK)
		sched_yield();
}

void starpu_task_clean(struct starpu_task *task)
{
	struct rt_task *own = task->starpu_private;
	if (own)
		rt_task_wait_callback(own);
	task_clean(task, own);
	if (!own || own->embedded)
		return;
	task->starpu_private = NULL;
	task_leave(own);
}

void rt_task_free(struct starpu_task *t)
{
	struct rt_task *own = t->starpu_private;
	give_up_arg(t->cl_arg, t->cl_arg_free);
	give_up_arg(t->cl_ret, t->cl_ret_free);
	give_up_arg(t->callback_arg, t->callback_arg_free);
	give_up_arg(t->epilogue_callback_arg, t->epilogue_callback_arg_free);
	give_up_arg(t->prologue_callback_arg, t->prologue_callback_arg_free);
	give_up_arg(t->prologue_callback_pop_arg, t->prologue_callback_pop_arg_free);
	give_up_arg(t->soon_callback_arg, t->soon_callback_arg_free);
	task_clean(t, own);
	if (!own || !own->embedded)
		free(t);
	if (own)
		task_leave(own);
}

/* In its own function or callback, the destruction is only requested. */
void starpu_task_destroy(struct starpu_task *task)
{
	if (!task)
		rt_misuse("starpu_task_destroy: no task is given");
	struct rt_task *own = task->starpu_private;
	struct rt_worker *w = rt_worker_self();
	uint32_t state = own ? weft_load_u32(&own->state) & RT_T_STATE : RT_T_NEW;
	if (state == RT_T_SUBMITTED || state == RT_T_CALLBACK) {
		if (rt_calling.task == task || (w && w->current && w->current == own->job)) {
			task->destroy = 1;
			return;
		}
		if (state == RT_T_SUBMITTED)
			rt_misuse("starpu_task_destroy: the task is still under way");
		rt_task_wait_callback(own);
	}
	rt_task_free(task);
}

void starpu_task_set_destroy(struct starpu_task *task)
{
	struct rt_task *own = rt_task_of(task);
	uint32_t old = own ? __atomic_fetch_or(&own->state.v, RT_T_DESTROY, __ATOMIC_ACQ_REL) : 0;
	if ((old & RT_T_STATE) == RT_T_DONE)
		rt_task_free(task);
}

static void *copy_of(const void *from, size_t bytes)
{
	void *copy = from && bytes ? malloc(bytes) : NULL;
	return copy ? memcpy(copy, from, bytes) : NULL;
}

struct starpu_task *starpu_task_dup(struct starpu_task *task)
{
	struct starpu_task *t = starpu_task_create();
	void *own = t->starpu_private;
	unsigned n = task->cl ? STARPU_TASK_GET_NBUFFERS(task) : 0;
	*t = *task;
	t->starpu_private = own;
	t->status = STARPU_TASK_INIT;
	t->prev = t->next = NULL;
	t->bundle = NULL;
	t->profiling_info = NULL;
	t->destroy = 1;
	/* Each copy owns its own arrays. */
	t->dyn_handles = copy_of(task->dyn_handles, n * sizeof *t->dyn_handles);
	t->dyn_interfaces = task->dyn_handles ? calloc(n ? n : 1, sizeof *t->dyn_interfaces) : NULL;
	t->dyn_modes = copy_of(task->dyn_modes, n * sizeof *t->dyn_modes);
	const struct rt_task *from = task->starpu_private;
	if (from && from->has_nodes) {
		t->dyn_nodes = copy_of(task->dyn_nodes, n * sizeof *t->dyn_nodes);
		((struct rt_task *)own)->has_nodes = true;
	}
	if (from && from->parallel)
		((struct rt_task *)own)->alias_of = task;
	if (t->cl_arg_free)
		t->cl_arg = copy_of(task->cl_arg, task->cl_arg_size);
	return t;
}

/* The codelet's own name where it has no model. */
const char *starpu_task_get_model_name(struct starpu_task *task)
{
	const struct starpu_codelet *cl = task ? task->cl : NULL;
	if (!cl)
		return NULL;
	return cl->model && cl->model->symbol ? cl->model->symbol : cl->name;
}

const char *starpu_task_get_name(struct starpu_task *task)
{
	return task && task->name ? task->name : starpu_task_get_model_name(task);
}

int starpu_task_finished(struct starpu_task *task)
{
	const struct rt_task *own = task->starpu_private;
	return own && (weft_load_u32(&own->state) & RT_T_STATE) == RT_T_DONE;
}

void starpu_task_set_implementation(struct starpu_task *task, unsigned impl)
{
	struct rt_task *own = rt_task_of(task);
	if (!own)
		return;
	own->impl = (uint8_t)impl;
	own->has_impl = true;
}

unsigned starpu_task_get_implementation(struct starpu_task *task)
{
	const struct rt_task *own = task->starpu_private;
	return own && own->has_impl ? own->impl : own && own->job ? rt_upper(own->job)->impl : 0;
}

_Thread_local RT_NEAR struct starpu_task *rt_speaks_of;
_Thread_local RT_NEAR struct rt_calling rt_calling;

int starpu_task_get_current_data_node(unsigned i)
{
	struct rt_worker *w = rt_worker_self();
	(void)i;
	return w && w->current ? (int)w->node : -1;
}

char *starpu_task_status_get_as_string(enum starpu_task_status status)
{
	static char names[][32] = {"STARPU_TASK_INIT",
	                           "STARPU_TASK_BLOCKED",
	                           "STARPU_TASK_READY",
	                           "STARPU_TASK_RUNNING",
	                           "STARPU_TASK_FINISHED",
	                           "STARPU_TASK_BLOCKED_ON_TAG",
	                           "STARPU_TASK_BLOCKED_ON_TASK",
	                           "STARPU_TASK_BLOCKED_ON_DATA",
	                           "STARPU_TASK_STOPPED"};
	static char unknown[] = "STARPU_TASK_STATUS_UNKNOWN";
	return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : unknown;
}
