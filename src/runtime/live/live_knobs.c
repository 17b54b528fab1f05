/* SPDX-License-Identifier: Apache-2.0 */
/* Knobs over the channel: those of runtime/monitor, each with its value for nobody, for each worker, or for the policy in use. */
#include "live_runtime.h"
#include "runtime/monitor/knob.h"
#include "runtime/monitor/monitor.h"
#include "runtime/sched/sched_knobs.h"
#include <errno.h>
#include <starpu.h>
#include <starpu_perf_steering.h>
#include <stdlib.h>
#include <string.h>

static const char *policy_name(void)
{
	const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
	return policy && policy->policy_name ? policy->policy_name : "eager";
}

static void sample_values(struct weft_json *j, unsigned at, int scope, struct sched_knobs *policy)
{
	struct knob_of of = {.policy = policy};
	if (scope != starpu_perf_knob_scope_per_worker) {
		live_add_number(j, "value", knob_read(at, &of));
		return;
	}
	weft_json_key(j, "values");
	weft_json_array(j);
	for (; of.worker < rt_machine.n_workers; of.worker++)
		weft_json_double(j, knob_read(at, &of));
	weft_json_end(j);
}

void live_knobs_sample(struct weft_json *j)
{
	monitor_lock();
	struct sched_knobs *policy = monitor_is_up() ? sched_knobs_of(policy_name()) : NULL;
	weft_json_key(j, "knobs");
	weft_json_array(j);
	for (unsigned at = 0; at < knob_items.n && monitor_is_up(); at++) {
		const struct monitor_item *knob = &knob_items.item[at];
		bool is_policys = knob->scope == starpu_perf_knob_scope_per_scheduler;
		if (is_policys && !policy)
			continue;
		weft_json_object(j);
		live_add_text(j, "name", knob->name);
		live_add_text(j, "scope", monitor_scope_name(&knob_items, knob->scope));
		live_add_text(j, "type", monitor_type_name(knob->type));
		if (is_policys)
			live_add_text(j, "policy", policy->policy);
		sample_values(j, at, knob->scope, policy);
		weft_json_end(j);
	}
	weft_json_end(j);
	monitor_unlock();
}

static int find_knob(const char *name, unsigned *at, struct weft_err *err)
{
	for (*at = 0; *at < knob_items.n; ++*at)
		if (strcmp(knob_items.item[*at].name, name) == 0)
			return 0;
	return weft_err_set(err, -ENOENT, "there is no knob '%s'", name);
}

/* Whose it is, from the command's last word. With the lock. */
static int find_owner(const struct monitor_item *knob, const char *index, struct knob_of *of, struct weft_err *err)
{
	char *end = NULL;
	if (knob->scope == starpu_perf_knob_scope_per_scheduler) {
		of->policy = sched_knobs_of(index ? index : policy_name());
		return of->policy
		               ? 0
		               : weft_err_set(err, -ENOENT, "there is no scheduling policy '%s'", index ? index : policy_name());
	}
	if (knob->scope != starpu_perf_knob_scope_per_worker)
		return index ? weft_err_set(err, -EINVAL, "'%s' is nobody's in particular", knob->name) : 0;
	unsigned long worker = index ? strtoul(index, &end, 10) : 0;
	if (!index || end == index || *end || worker >= rt_machine.n_workers)
		return weft_err_set(err, -EINVAL, "'%s' is a worker's: 0 to %u", knob->name, rt_machine.n_workers - 1);
	of->worker = (unsigned)worker;
	return 0;
}

int live_knob_set(char *const *words, double *was, struct weft_err *err)
{
	const char *name = words[0], *value = words[1], *index = words[2];
	unsigned at;
	char *end;
	double v = strtod(value, &end);
	int rc = find_knob(name, &at, err);
	if (rc)
		return rc;
	const struct monitor_item *knob = &knob_items.item[at];
	if (end == value || *end ||
	    (knob->type <= MONITOR_INT64 && (v < -2147483648.0 || v > 2147483647.0 || v != (double)(long)v)))
		return weft_err_set(err, -EINVAL, "'%s' is not a value of '%s' (%s)", value, name, monitor_type_name(knob->type));
	struct knob_of of = {0};
	monitor_lock();
	rc = monitor_is_up() ? find_owner(knob, index, &of, err) : weft_err_set(err, -ESHUTDOWN, "the runtime is about to end");
	if (!rc)
		*was = knob_read(at, &of);
	if (!rc && !knob_turn(at, &of, v))
		rc = weft_err_set(err, -EINVAL, "'%s' cannot be %s: the program says why", name, value);
	monitor_unlock();
	return rc;
}
