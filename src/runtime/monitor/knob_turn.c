/* SPDX-License-Identifier: Apache-2.0 */
/* What each knob reads and does. A value that cannot be is refused in one line, and nothing changes. */
#include "knob.h"
#include "runtime/perf/perf.h"
#include "runtime/sched/sched_knobs.h"
#include "runtime/task/begin.h"
#include "runtime/task/complain.h"
#include <math.h>

static double read_global(unsigned at, const struct knob_of *of)
{
	(void)of;
	return at == KNOB_CALIBRATE ? rt_perf_calibrates() > 0 : rt_signals_are_caught();
}

static bool turn_global(unsigned at, const struct knob_of *of, double value)
{
	(void)of;
	if (at == KNOB_CALIBRATE)
		rt_perf_calibrate(value != 0);
	else
		rt_signals_catch(value != 0);
	return true;
}

static double read_bind(unsigned at, const struct knob_of *of)
{
	(void)at;
	return rt_worker_pu(&rt_machine.worker[of->worker]);
}

static bool turn_bind(unsigned at, const struct knob_of *of, double value)
{
	int rc = rt_worker_bind(of->worker, (int)value);
	if (rc)
		rt_say("%s: worker %u is not bound to processing unit %d: %s", knob_items.item[at].name, of->worker, (int)value,
		       rc == -EINVAL   ? "there is none"
		       : rc == -ENOMEM ? "no memory"
		                       : "its thread cannot be bound");
	return !rc;
}

static double read_enable(unsigned at, const struct knob_of *of)
{
	(void)at;
	return sched_worker_is_on(of->worker);
}

static bool turn_enable(unsigned at, const struct knob_of *of, double value)
{
	(void)at;
	sched_worker_turn(of->worker, value != 0);
	return true;
}

static double read_cap(unsigned at, const struct knob_of *of)
{
	return weft_load_i32(at == KNOB_MAX_PRIORITY ? &of->policy->max_priority : &of->policy->min_priority);
}

static bool turn_cap(unsigned at, const struct knob_of *of, double value)
{
	int min = weft_load_i32(&of->policy->min_priority), max = weft_load_i32(&of->policy->max_priority);
	*(at == KNOB_MAX_PRIORITY ? &max : &min) = (int)value;
	if (min > max) {
		rt_say("%s: %d is not taken: the least priority of '%s' would be %d and the greatest %d",
		       knob_items.item[at].name, (int)value, of->policy->policy, min, max);
		return false;
	}
	sched_knobs_cap(of->policy, min, max);
	return true;
}

static struct sched_instant *scale_of(unsigned at, const struct knob_of *of)
{
	struct sched_knobs *k = of->policy;
	struct sched_instant *const scales[] = {&k->alpha, &k->beta, &k->gamma, &k->idle_power};
	return scales[at - KNOB_ALPHA];
}

static double read_scale(unsigned at, const struct knob_of *of)
{
	return sched_instant(scale_of(at, of));
}

static bool turn_scale(unsigned at, const struct knob_of *of, double value)
{
	if (!(value >= 0) || isinf(value)) {
		rt_say("%s: %g is not taken: a factor is a number from 0 on", knob_items.item[at].name, value);
		return false;
	}
	sched_instant_set(scale_of(at, of), value);
	return true;
}

static const struct {
	double (*read)(unsigned at, const struct knob_of *of);
	bool (*turn)(unsigned at, const struct knob_of *of, double value);
} groups[KNOBS] = {
	[KNOB_CALIBRATE] = {read_global, turn_global}, [KNOB_CATCH_SIGNALS] = {read_global, turn_global},
	[KNOB_BIND] = {read_bind, turn_bind},          [KNOB_ENABLE] = {read_enable, turn_enable},
	[KNOB_MAX_PRIORITY] = {read_cap, turn_cap},    [KNOB_MIN_PRIORITY] = {read_cap, turn_cap},
	[KNOB_ALPHA] = {read_scale, turn_scale},       [KNOB_BETA] = {read_scale, turn_scale},
	[KNOB_GAMMA] = {read_scale, turn_scale},       [KNOB_IDLE_POWER] = {read_scale, turn_scale},
};

double knob_read(unsigned at, const struct knob_of *of)
{
	return groups[at].read(at, of);
}

bool knob_turn(unsigned at, const struct knob_of *of, double value)
{
	return groups[at].turn(at, of, value);
}
