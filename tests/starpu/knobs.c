/* SPDX-License-Identifier: Apache-2.0 */
/* Knobs: what there are, and what turning each of them does. */
#include "starpu_check.h"
#include <hwloc.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <starpu_perf_steering.h>

static const enum starpu_perf_knob_scope scopes[] = {starpu_perf_knob_scope_global, starpu_perf_knob_scope_per_worker,
                                                     starpu_perf_knob_scope_per_scheduler};
static const struct {
	int scope; /* in `scopes` */
	enum starpu_perf_knob_type type;
	const char *name;
} known[] = {
	{0, starpu_perf_knob_type_int32, "starpu.global.g_calibrate_knob"},
	{0, starpu_perf_knob_type_int32, "starpu.global.g_enable_catch_signal_knob"},
	{1, starpu_perf_knob_type_int32, "starpu.worker.w_bind_to_pu_knob"},
	{1, starpu_perf_knob_type_int32, "starpu.worker.w_enable_worker_knob"},
	{2, starpu_perf_knob_type_int32, "starpu.task.s_max_priority_cap_knob"},
	{2, starpu_perf_knob_type_int32, "starpu.task.s_min_priority_cap_knob"},
	{2, starpu_perf_knob_type_double, "starpu.dmda.s_alpha_knob"},
	{2, starpu_perf_knob_type_double, "starpu.dmda.s_beta_knob"},
	{2, starpu_perf_knob_type_double, "starpu.dmda.s_gamma_knob"},
	{2, starpu_perf_knob_type_double, "starpu.dmda.s_idle_power_knob"},
};
enum { KNOWN = sizeof known / sizeof known[0] };
static int id_calibrate, id_signals, id_bind, id_enable, id_max, id_min, id_alpha, id_beta, id_gamma, id_idle;

static void begin(int workers, const char *policy)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = workers;
	conf.nopencl = 0;
	conf.calibrate = 0;
	conf.sched_policy_name = policy;
	if (starpu_init(&conf))
		cannot_begin();
}

static void check_discovery(void)
{
	static const char *const names[] = {"global", "per_worker", "per_scheduler"};
	int *const ids[] = {&id_calibrate, &id_signals, &id_bind, &id_enable, &id_max,
	                    &id_min,       &id_alpha,   &id_beta, &id_gamma,  &id_idle};
	int n = 0;
	for (int s = 0; s < 3; s++) {
		CHECK(starpu_perf_knob_scope_name_to_id(names[s]) == (int)scopes[s]);
		CHECK(!strcmp(starpu_perf_knob_scope_id_to_name(scopes[s]), names[s]));
		for (int i = 0; i < starpu_perf_knob_nb(scopes[s]); i++, n++) {
			int id = *ids[n] = starpu_perf_knob_nth_to_id(scopes[s], i);
			CHECK(known[n].scope == s && !strcmp(starpu_perf_knob_id_to_name(id), known[n].name));
			CHECK(starpu_perf_knob_name_to_id(scopes[s], known[n].name) == id);
			CHECK(starpu_perf_knob_get_type_id(id) == (int)known[n].type);
			CHECK(strlen(starpu_perf_knob_get_help_string(id)) > 10);
		}
	}
	CHECK(n == KNOWN);
	CHECK(starpu_perf_knob_type_name_to_id("double") == starpu_perf_knob_type_double);
	CHECK(!strcmp(starpu_perf_knob_type_id_to_name(starpu_perf_knob_type_int32), "int32"));
	CHECK(starpu_perf_knob_name_to_id(scopes[0], "starpu.none") == -1);
	starpu_perf_knob_list_avail(scopes[1]);
	starpu_perf_knob_list_all_avail();
}

/* ---- workers that are off ---- */

static int ran_on[STARPU_NMAXWORKERS], gates_run, gates_open;
static void note(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran_on[starpu_worker_get_id()], 1, __ATOMIC_ACQ_REL);
}
static void gate(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&gates_run, 1, __ATOMIC_ACQ_REL);
	while (!LOOK(gates_open))
		usleep(100);
}
static double cost[STARPU_NMAXWORKERS], joules[STARPU_NMAXWORKERS];
static double cost_on(struct starpu_task *t, unsigned worker, unsigned impl)
{
	(void)t, (void)impl;
	return cost[worker];
}
static double energy_on(struct starpu_task *t, unsigned worker, unsigned impl)
{
	(void)t, (void)impl;
	return joules[worker];
}
static struct starpu_perfmodel lengths = {.type = STARPU_PER_WORKER, .worker_cost_function = cost_on, .symbol = "knob_lengths"};
static struct starpu_perfmodel energies = {.type = STARPU_PER_WORKER,
                                           .worker_cost_function = energy_on,
                                           .symbol = "knob_energies"};
static struct starpu_codelet notes = {.cpu_funcs = {note}, .name = "notes"};
static struct starpu_codelet gates = {.cpu_funcs = {gate}, .name = "gates"};
static struct starpu_codelet weighed = {.cpu_funcs = {note}, .model = &lengths, .energy_model = &energies, .name = "weighed"};
static struct starpu_codelet moved = {.cpu_funcs = {note},
                                      .model = &lengths,
                                      .nbuffers = 1,
                                      .modes = {STARPU_R},
                                      .name = "moved"};

static void submit_to(struct starpu_codelet *cl, int worker)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	if (worker >= 0) {
		t->execute_on_a_specific_worker = 1;
		t->workerid = (unsigned)worker;
	}
	CHECK(!starpu_task_submit(t));
}

static void close_gates(int workers)
{
	gates_run = gates_open = 0;
	for (int w = 0; w < workers; w++)
		submit_to(&gates, w);
	WAIT_FOR(LOOK(gates_run) == workers);
	CHECK(LOOK(gates_run) == workers);
}

static void open_gates(void)
{
	__atomic_store_n(&gates_open, 1, __ATOMIC_RELEASE);
	CHECK(!starpu_task_wait_for_all());
}

static void enable(unsigned worker, int on)
{
	starpu_perf_knob_set_per_worker_int32_value(id_enable, worker, on);
	CHECK(starpu_perf_knob_get_per_worker_int32_value(id_enable, worker) == (on != 0));
}

/* Under this policy a worker that is off gets nothing, and is given tasks again. */
static void check_policy(const char *policy)
{
	enum { TASKS = 100 };
	memset(ran_on, 0, sizeof ran_on);
	for (int w = 0; w < STARPU_NMAXWORKERS; w++)
		cost[w] = 10;
	begin(2, policy);
	enable(1, 0);
	for (int i = 0; i < TASKS; i++)
		CHECK(!starpu_task_insert(&notes, 0) && !starpu_task_insert(&weighed, STARPU_PRIORITY, i % 3, 0));
	CHECK(!starpu_task_wait_for_all());
	if (LOOK(ran_on[1]) || LOOK(ran_on[0]) != 2 * TASKS)
		fprintf(stderr, "policy %s: %d on worker 0, %d on worker 1\n", policy, LOOK(ran_on[0]), LOOK(ran_on[1]));
	CHECK(LOOK(ran_on[0]) == 2 * TASKS && LOOK(ran_on[1]) == 0);
	enable(1, 2);
	for (int turn = 0; turn < 100000 && !LOOK(ran_on[1]); turn++) {
		CHECK(!starpu_task_insert(turn % 2 ? &notes : &weighed, 0));
		if (turn % 16 == 0)
			CHECK(!starpu_task_wait_for_all());
	}
	CHECK(!starpu_task_wait_for_all());
	if (!LOOK(ran_on[1]))
		fprintf(stderr, "policy %s: worker 1 gets nothing any more\n", policy);
	CHECK(LOOK(ran_on[1]) > 0);
	starpu_shutdown();
}

static void check_all_policies(void)
{
	struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
	for (int i = 0; all[i]; i++)
		check_policy(all[i]->policy_name);
}

/* What stands in the core's own queues when the worker goes off is for the others. */
static void check_queued(void)
{
	enum { TASKS = 200 };
	begin(2, "lws");
	memset(ran_on, 0, sizeof ran_on);
	close_gates(2);
	for (int i = 0; i < TASKS; i++)
		CHECK(!starpu_task_insert(&notes, 0));
	enable(0, 0);
	open_gates();
	CHECK(LOOK(ran_on[0]) == 0 && LOOK(ran_on[1]) == TASKS);
	/* A task that names its worker runs there; and when all are off, all run. */
	submit_to(&notes, 0);
	CHECK(!starpu_task_wait_for_all() && LOOK(ran_on[0]) == 1);
	enable(1, 0);
	for (int i = 0; i < TASKS; i++)
		CHECK(!starpu_task_insert(&notes, 0));
	CHECK(!starpu_task_wait_for_all() && LOOK(ran_on[0]) + LOOK(ran_on[1]) == 2 * TASKS + 1);
	starpu_shutdown();
}

/* dmda: what was queued for the worker runs there, what comes later does not. */
static void check_drains(void)
{
	enum { BEFORE = 5, LATER = 4 };
	begin(2, "dmda");
	memset(ran_on, 0, sizeof ran_on);
	cost[0] = 1e6;
	cost[1] = 10;
	close_gates(2);
	for (int i = 0; i < BEFORE; i++)
		submit_to(&weighed, -1);
	enable(1, 0);
	for (int i = 0; i < LATER; i++)
		submit_to(&weighed, -1);
	open_gates();
	CHECK(LOOK(ran_on[1]) == BEFORE && LOOK(ran_on[0]) == LATER);
	enable(1, 1);
	submit_to(&weighed, -1);
	CHECK(!starpu_task_wait_for_all() && LOOK(ran_on[1]) == BEFORE + 1);
	starpu_shutdown();
}

/* ---- what dmda weighs with ---- */

static int chosen(struct starpu_codelet *cl, starpu_data_handle_t h)
{
	memset(ran_on, 0, sizeof ran_on);
	CHECK(!(h ? starpu_task_insert(cl, STARPU_R, h, 0) : starpu_task_insert(cl, 0)));
	CHECK(!starpu_task_wait_for_all());
	return LOOK(ran_on[0]) ? 0 : 1;
}

static void scale(int id, const char *policy, double factor)
{
	starpu_perf_knob_set_per_scheduler_double_value(id, policy, factor);
	CHECK(starpu_perf_knob_get_per_scheduler_double_value(id, policy) == factor);
}

/* Worker 0 is faster, worker 1 thriftier: 10 J against 2 ms more and 0.1 J. */
static void check_weights(const char *policy)
{
	setenv("STARPU_IDLE_POWER", "1", 1);
	begin(2, policy);
	cost[0] = 1000;
	cost[1] = 3000;
	joules[0] = 10;
	joules[1] = 0.1;
	int scales[] = {id_alpha, id_beta, id_gamma, id_idle};
	for (int i = 0; i < 4; i++)
		CHECK(starpu_perf_knob_get_per_scheduler_double_value(scales[i], policy) == 1);
	CHECK(chosen(&weighed, NULL) == 1); /* 1000 × 10 against 2000 + 1000 × 0.1 */
	scale(id_alpha, policy, 10);
	CHECK(chosen(&weighed, NULL) == 0); /* 10000 against 10 × 2000 + 100 */
	scale(id_alpha, policy, 1);
	scale(id_gamma, policy, 0.01);
	CHECK(chosen(&weighed, NULL) == 0); /* 100 against 2001 */
	scale(id_gamma, policy, 1);
	CHECK(chosen(&weighed, NULL) == 1);
	scale(id_idle, policy, 1e4);
	CHECK(chosen(&weighed, NULL) == 0); /* 1000 × 1e4 W × 2 ms = 20000 more */
	scale(id_idle, policy, 1);
	starpu_perf_knob_set_per_scheduler_double_value(id_gamma, policy, -1); /* refused */
	CHECK(starpu_perf_knob_get_per_scheduler_double_value(id_gamma, policy) == 1);
	scale(id_alpha, "modular-heft2", 4); /* another policy's */
	CHECK(chosen(&weighed, NULL) == 1);
	starpu_shutdown();
	begin(1, policy); /* a new life begins anew */
	CHECK(starpu_perf_knob_get_per_scheduler_double_value(id_alpha, "modular-heft2") == 1);
	starpu_shutdown();
	unsetenv("STARPU_IDLE_POWER");
}

/* Two memory nodes: the data is with worker 0; worker 1 would be done earlier, by half of what the transfer takes. */
static void check_beta(void)
{
	enum { BYTES = 16 << 20 };
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
	begin(2, "dmda");
	char *data = calloc(1, BYTES);
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, 0, (uintptr_t)data, BYTES, 1);
	double transfer = starpu_transfer_predict(0, 1, BYTES);
	CHECK(starpu_memory_nodes_get_count() == 2 && transfer > 0);
	int far = starpu_worker_get_memory_node(0) == 0 ? 1 : 0;
	cost[far] = 100;
	cost[!far] = 100 + 1.5 * transfer;
	CHECK(chosen(&moved, h) == !far);
	scale(id_beta, "dmda", 0.1);
	CHECK(chosen(&moved, h) == far);
	starpu_data_unregister(h);
	starpu_shutdown();
	free(data);
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("STARPU_USE_NUMA");
}

/* ---- priorities ---- */

static int order[8], n_order;
static void in_order(void *buffers[], void *arg)
{
	(void)buffers;
	order[n_order++] = (int)(intptr_t)arg;
}
static struct starpu_codelet ordered = {.cpu_funcs = {in_order}, .name = "ordered"};

static void run_ordered(const int *priority, int n)
{
	n_order = 0;
	close_gates(1);
	for (int i = 0; i < n; i++)
		CHECK(!starpu_task_insert(&ordered, STARPU_PRIORITY, priority[i], STARPU_CL_ARGS_NFREE, (void *)(intptr_t)(i + 1),
		                          sizeof(void *), 0));
	open_gates();
	CHECK(n_order == n);
}

static void check_caps(const char *policy)
{
	static const int priority[] = {1, 5, 100};
	begin(1, policy);
	CHECK(starpu_perf_knob_get_per_scheduler_int32_value(id_max, policy) == INT_MAX);
	CHECK(starpu_perf_knob_get_per_scheduler_int32_value(id_min, policy) == INT_MIN);
	run_ordered(priority, 3);
	CHECK(order[0] == 3 && order[1] == 2 && order[2] == 1);
	starpu_perf_knob_set_per_scheduler_int32_value(id_max, policy, 5);
	CHECK(starpu_sched_get_max_priority() == 5);
	run_ordered(priority, 3);
	CHECK(order[0] == 2 && order[1] == 3 && order[2] == 1);
	starpu_perf_knob_set_per_scheduler_int32_value(id_min, policy, 6); /* more than the greatest: refused */
	CHECK(starpu_perf_knob_get_per_scheduler_int32_value(id_min, policy) == INT_MIN);
	starpu_perf_knob_set_per_scheduler_int32_value(id_min, policy, 5);
	CHECK(starpu_sched_get_min_priority() == 5);
	run_ordered(priority, 3);
	CHECK(order[0] == 1 && order[1] == 2 && order[2] == 3);
	struct starpu_task *t = starpu_task_create();
	t->cl = &ordered;
	t->destroy = 0;
	t->priority = -3;
	n_order = 0;
	CHECK(!starpu_task_submit(t) && !starpu_task_wait_for_all() && t->priority == 5);
	starpu_task_destroy(t);
	starpu_perf_knob_set_per_scheduler_int32_value(id_min, policy, INT_MIN);
	starpu_perf_knob_set_per_scheduler_int32_value(id_max, policy, INT_MAX);
	run_ordered(priority, 3);
	CHECK(order[0] == 3 && order[1] == 2 && order[2] == 1);
	starpu_shutdown();
}

/* ---- binding, signals, calibration ---- */

static cpu_set_t bound_to;
static void look_where(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	CHECK(!pthread_getaffinity_np(pthread_self(), sizeof bound_to, &bound_to));
}
static struct starpu_codelet looks = {.cpu_funcs = {look_where}, .name = "looks"};

static void check_binding(void)
{
	begin(1, NULL);
	int was = starpu_perf_knob_get_per_worker_int32_value(id_bind, 0);
	int units = hwloc_get_nbobjs_by_type(starpu_get_hwloc_topology(), HWLOC_OBJ_PU);
	CHECK(was == starpu_worker_get_bindid(0));
	for (int pu = units - 1; pu >= 0 && pu > units - 3; pu--) {
		starpu_perf_knob_set_per_worker_int32_value(id_bind, 0, pu);
		CHECK(starpu_perf_knob_get_per_worker_int32_value(id_bind, 0) == pu && starpu_worker_get_bindid(0) == pu);
		submit_to(&looks, 0);
		CHECK(!starpu_task_wait_for_all());
		CHECK(CPU_COUNT(&bound_to) == 1 && CPU_ISSET(starpu_get_pu_os_index((unsigned)pu), &bound_to));
	}
	int is = starpu_perf_knob_get_per_worker_int32_value(id_bind, 0);
	starpu_perf_knob_set_per_worker_int32_value(id_bind, 0, 100000);
	starpu_perf_knob_set_per_worker_int32_value(id_bind, 0, -2);
	CHECK(starpu_perf_knob_get_per_worker_int32_value(id_bind, 0) == is);
	starpu_shutdown();
}

static int is_caught(void)
{
	struct sigaction now;
	CHECK(!sigaction(SIGTRAP, NULL, &now));
	return now.sa_handler != SIG_DFL;
}

static void check_signals(void)
{
	begin(1, NULL);
	for (int i = 0; i < 4; i++) {
		starpu_perf_knob_set_global_int32_value(id_signals, i % 2);
		CHECK(starpu_perf_knob_get_global_int32_value(id_signals) == i % 2 && is_caught() == i % 2);
	}
	starpu_shutdown();
	CHECK(!is_caught());
}

static struct starpu_perfmodel learnt = {.type = STARPU_HISTORY_BASED, .symbol = "knob_learnt"};
static struct starpu_codelet learns = {.cpu_funcs = {note}, .model = &learnt, .name = "learns"};

static unsigned samples(void)
{
	for (int i = 0; i < 20; i++)
		CHECK(!starpu_task_insert(&learns, 0));
	CHECK(!starpu_task_wait_for_all());
	struct starpu_perfmodel_per_arch *p = starpu_perfmodel_get_model_per_arch(&learnt, starpu_worker_get_perf_archtype(0, 0),
	                                                                          0);
	return p && p->list ? p->list->entry->nsample + p->list->entry->nerror : 0;
}

static void check_calibration(void)
{
	setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1); /* whatever the machine does, a sample is one */
	begin(1, NULL);
	CHECK(starpu_perf_knob_get_global_int32_value(id_calibrate) == 0 && samples() == 0);
	starpu_perf_knob_set_global_int32_value(id_calibrate, 1);
	CHECK(starpu_perf_knob_get_global_int32_value(id_calibrate) == 1);
	unsigned first = samples();
	CHECK(first > 10 && first <= 20);
	starpu_perf_knob_set_global_int32_value(id_calibrate, 0);
	CHECK(starpu_perf_knob_get_global_int32_value(id_calibrate) == 0 && samples() == first);
	starpu_shutdown();
}

/* ---- knobs that are turned while the machine begins and ends ---- */

static int stops;
static void *turn_all(void *arg)
{
	while (!LOOK(stops)) {
		starpu_perf_knob_set_per_worker_int32_value(id_enable, 0, 0);
		starpu_perf_knob_set_per_worker_int32_value(id_bind, 0, 0);
		starpu_perf_knob_set_global_int32_value(id_calibrate, 1);
		starpu_perf_knob_set_per_scheduler_int32_value(id_max, "lws", 3);
		starpu_perf_knob_set_per_scheduler_double_value(id_alpha, "dmda", 2);
		starpu_perf_knob_set_per_worker_int32_value(id_enable, 0, 1);
	}
	return arg;
}

static void check_any_time(void)
{
	pthread_t thread;
	setenv("STARPU_SILENT", "1", 1);
	CHECK(!pthread_create(&thread, NULL, turn_all, NULL));
	for (int life = 0; life < 20; life++) {
		begin(2, NULL);
		for (int i = 0; i < 50; i++)
			CHECK(!starpu_task_insert(&notes, STARPU_PRIORITY, i % 5, 0));
		CHECK(!starpu_task_wait_for_all());
		starpu_shutdown();
	}
	__atomic_store_n(&stops, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	unsetenv("STARPU_SILENT");
}

/* For tests/compat/record_starpu.sh: off, and on again. */
static void off_and_on(const char *policy)
{
	enum { TASKS = 100 };
	begin(2, policy);
	check_discovery();
	memset(ran_on, 0, sizeof ran_on);
	for (int on = 0; on < 2; on++) {
		enable(1, on);
		for (int i = 0; i < TASKS; i++)
			CHECK(!starpu_task_insert(&notes, 0));
		CHECK(!starpu_task_wait_for_all() && (on || LOOK(ran_on[1]) == 0));
	}
	CHECK(LOOK(ran_on[0]) + LOOK(ran_on[1]) == 2 * TASKS);
	starpu_shutdown();
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		off_and_on(argv[1]);
		return checks_failed();
	}
	char home[] = "/tmp/knobs-XXXXXX", clean[64]; /* models of no other run */
	CHECK(mkdtemp(home) && !setenv("STARPU_HOME", home, 1));
	begin(2, NULL);
	check_discovery();
	starpu_shutdown();
	check_all_policies();
	check_queued();
	check_drains();
	check_weights("dmda");
	check_weights("modular-dmda");
	check_beta();
	check_caps("prio");
	check_caps("lws");
	check_caps("dmdas");
	check_binding();
	check_signals();
	check_calibration();
	check_any_time();
	snprintf(clean, sizeof clean, "rm -rf %s", home);
	CHECK(!system(clean));
	return checks_failed();
}
