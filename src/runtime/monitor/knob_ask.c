/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and turning, in three scopes and four types. What does not fit (number, scope, type, worker, policy) is misuse; what comes
 * before the runtime has begun or after it began to end is refused in a line.
 */
#include "knob.h"
#include "monitor.h"
#include "runtime/sched/sched_knobs.h"
#include "runtime/task/complain.h"
#include <starpu_perf_steering.h>

struct request {
	const char *function;
	int id, scope;
	enum monitor_type type;
	unsigned worker;    /* of scope per_worker */
	const char *policy; /* of scope per_scheduler */
};

/* With the lock. False: there is no runtime. */
static bool find(const struct request *r, unsigned *at, struct knob_of *of)
{
	*at = monitor_typed(&knob_items, r->id, r->scope, r->type, r->function);
	*of = (struct knob_of){.worker = r->worker};
	if (!monitor_is_up()) {
		rt_say("%s: StarPU does not run: '%s' is left as it is", r->function, knob_items.item[*at].name);
		return false;
	}
	if (r->scope == starpu_perf_knob_scope_per_worker)
		RT_EXPECT(r->worker < rt_machine.n_workers, "%s: there is no worker %u", r->function, r->worker);
	if (r->scope == starpu_perf_knob_scope_per_scheduler) {
		of->policy = sched_knobs_of(r->policy);
		RT_EXPECT(of->policy, "%s: there is no scheduling policy '%s'", r->function, r->policy ? r->policy : "");
	}
	return true;
}

static double ask(const struct request *r)
{
	unsigned at;
	struct knob_of of;
	monitor_lock();
	double value = find(r, &at, &of) ? knob_read(at, &of) : 0;
	monitor_unlock();
	return value;
}

static void turn(const struct request *r, double value)
{
	unsigned at;
	struct knob_of of;
	monitor_lock();
	if (find(r, &at, &of))
		knob_turn(at, &of, value);
	monitor_unlock();
}

#define GLOBAL(name, ctype, kind) \
	ctype starpu_perf_knob_get_global_##name##_value(const int knob_id) \
	{ \
		return (ctype)ask(&(struct request){__func__, knob_id, starpu_perf_knob_scope_global, kind, 0, NULL}); \
	} \
	void starpu_perf_knob_set_global_##name##_value(const int knob_id, ctype new_value) \
	{ \
		turn(&(struct request){__func__, knob_id, starpu_perf_knob_scope_global, kind, 0, NULL}, (double)new_value); \
	}
#define PER_WORKER(name, ctype, kind) \
	ctype starpu_perf_knob_get_per_worker_##name##_value(const int knob_id, unsigned workerid) \
	{ \
		return (ctype)ask( \
			&(struct request){__func__, knob_id, starpu_perf_knob_scope_per_worker, kind, workerid, NULL}); \
	} \
	void starpu_perf_knob_set_per_worker_##name##_value(const int knob_id, unsigned workerid, ctype new_value) \
	{ \
		turn(&(struct request){__func__, knob_id, starpu_perf_knob_scope_per_worker, kind, workerid, NULL}, \
		     (double)new_value); \
	}
#define PER_SCHEDULER(name, ctype, kind) \
	ctype starpu_perf_knob_get_per_scheduler_##name##_value(const int knob_id, const char *sched_policy_name) \
	{ \
		return (ctype)ask( \
			&(struct request){__func__, knob_id, starpu_perf_knob_scope_per_scheduler, kind, 0, sched_policy_name}); \
	} \
	void starpu_perf_knob_set_per_scheduler_##name##_value(const int knob_id, const char *sched_policy_name, \
	                                                       ctype new_value) \
	{ \
		turn(&(struct request){__func__, knob_id, starpu_perf_knob_scope_per_scheduler, kind, 0, sched_policy_name}, \
		     (double)new_value); \
	}
#define ALL(name, ctype, kind) GLOBAL(name, ctype, kind) PER_WORKER(name, ctype, kind) PER_SCHEDULER(name, ctype, kind)
ALL(int32, int32_t, MONITOR_INT32)
ALL(int64, int64_t, MONITOR_INT64)
ALL(float, float, MONITOR_FLOAT)
ALL(double, double, MONITOR_DOUBLE)
