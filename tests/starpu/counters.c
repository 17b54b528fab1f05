/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of tasks: what there are, and their values in programs of known shape. Misuse ends the program in one line: counters_misuse.c;
 * listeners that come and go while tasks run: counters_threads.c.
 */
#include "starpu_check.h"
#include <starpu_perf_steering.h>

enum { WAITING = 7, FREE = 5, NAP_US = 2000 };
static const enum starpu_perf_counter_scope scopes[] = {starpu_perf_counter_scope_global, starpu_perf_counter_scope_per_worker,
                                                        starpu_perf_counter_scope_per_codelet};

/* ---- what there is ---- */

static const struct {
	enum starpu_perf_counter_scope scope;
	enum starpu_perf_counter_type type;
	const char *name;
} known[] = {
	{starpu_perf_counter_scope_global, starpu_perf_counter_type_int64, "starpu.task.g_total_submitted"},
	{starpu_perf_counter_scope_global, starpu_perf_counter_type_int64, "starpu.task.g_peak_submitted"},
	{starpu_perf_counter_scope_global, starpu_perf_counter_type_int64, "starpu.task.g_peak_ready"},
	{starpu_perf_counter_scope_per_worker, starpu_perf_counter_type_int64, "starpu.task.w_total_executed"},
	{starpu_perf_counter_scope_per_worker, starpu_perf_counter_type_double, "starpu.task.w_cumul_execution_time"},
	{starpu_perf_counter_scope_per_codelet, starpu_perf_counter_type_int64, "starpu.task.c_total_submitted"},
	{starpu_perf_counter_scope_per_codelet, starpu_perf_counter_type_int64, "starpu.task.c_peak_submitted"},
	{starpu_perf_counter_scope_per_codelet, starpu_perf_counter_type_int64, "starpu.task.c_peak_ready"},
	{starpu_perf_counter_scope_per_codelet, starpu_perf_counter_type_int64, "starpu.task.c_total_executed"},
	{starpu_perf_counter_scope_per_codelet, starpu_perf_counter_type_double, "starpu.task.c_cumul_execution_time"},
};
enum { KNOWN = sizeof known / sizeof known[0] };

static void check_names(void)
{
	static const char *const scope_names[] = {"global", "per_worker", "per_codelet"};
	static const char *const type_names[] = {"int32", "int64", "float", "double"};
	for (int i = 0; i < 3; i++) {
		CHECK(starpu_perf_counter_scope_name_to_id(scope_names[i]) == (int)scopes[i]);
		CHECK(!strcmp(starpu_perf_counter_scope_id_to_name(scopes[i]), scope_names[i]));
	}
	for (int i = 0; i < 4; i++) {
		CHECK(starpu_perf_counter_type_name_to_id(type_names[i]) == i + 1);
		CHECK(!strcmp(starpu_perf_counter_type_id_to_name((enum starpu_perf_counter_type)(i + 1)), type_names[i]));
	}
	CHECK(!starpu_perf_counter_type_id_to_name((enum starpu_perf_counter_type)5));
	CHECK(starpu_perf_counter_scope_name_to_id("per_planet") == starpu_perf_counter_scope_undefined);
	CHECK(starpu_perf_counter_type_name_to_id("int128") == starpu_perf_counter_type_undefined);
}

static void check_discovery(void)
{
	int n = 0;
	CHECK(starpu_perf_counter_nb(scopes[0]) == 3 && starpu_perf_counter_nb(scopes[1]) == 2 &&
	      starpu_perf_counter_nb(scopes[2]) == 5);
	for (int s = 0; s < 3; s++)
		for (int i = 0; i < starpu_perf_counter_nb(scopes[s]); i++, n++) {
			int id = starpu_perf_counter_nth_to_id(scopes[s], i);
			CHECK(!strcmp(starpu_perf_counter_id_to_name(id), known[n].name));
			CHECK(starpu_perf_counter_name_to_id(known[n].scope, known[n].name) == id);
			CHECK(starpu_perf_counter_get_type_id(id) == (int)known[n].type);
			CHECK(strlen(starpu_perf_counter_get_help_string(id)) > 10);
			CHECK(starpu_perf_counter_name_to_id(scopes[(s + 1) % 3], known[n].name) == -1);
		}
	CHECK(n == KNOWN);
	CHECK(starpu_perf_counter_nth_to_id(scopes[0], 3) == -1 && starpu_perf_counter_nth_to_id(scopes[0], -1) == -1);
	CHECK(starpu_perf_counter_name_to_id(scopes[0], "starpu.task.g_none") == -1);
	static const int none[] = {-1, 0, 1, 4711}; /* nor a knob's */
	for (int i = 0; i < 4; i++)
		CHECK(!starpu_perf_counter_id_to_name(none[i]) && !starpu_perf_counter_get_help_string(none[i]) &&
		      starpu_perf_counter_get_type_id(none[i]) == starpu_perf_counter_type_undefined);
}

/* What a function prints. */
static void check_prints(void (*print)(void), const char *const *each, int n)
{
	char path[] = "/tmp/counters-XXXXXX", text[8192] = "";
	int file = mkstemp(path), out = dup(1);
	fflush(stdout);
	dup2(file, 1);
	print();
	fflush(stdout);
	dup2(out, 1);
	ssize_t got = pread(file, text, sizeof text - 1, 0);
	CHECK(got > 0);
	for (int i = 0; i < n; i++)
		CHECK(strstr(text, each[i]));
	close(out);
	close(file);
	unlink(path);
}

static void list_global(void)
{
	starpu_perf_counter_list_avail(scopes[0]);
}

static void check_lists(void)
{
	const char *names[KNOWN];
	for (int i = 0; i < KNOWN; i++)
		names[i] = known[i].name;
	check_prints(starpu_perf_counter_list_all_avail, names, KNOWN);
	check_prints(list_global, names, 3);
}

/* ---- values ---- */

/* The last sample of a listener. */
struct heard {
	enum starpu_perf_counter_scope scope;
	struct starpu_perf_counter_set *set;
	struct starpu_perf_counter_listener *listener;
	int id[5], n, calls, codelet_calls;
	int64_t last[5];
	double last_time;
	void *context;
};
static struct heard of_all, of_worker[STARPU_NMAXWORKERS], of_codelet;
static struct starpu_codelet gates, waits, frees;

static void read_sample(struct heard *h, struct starpu_perf_counter_sample *sample)
{
	for (int i = 0; i < h->n; i++)
		if (starpu_perf_counter_get_type_id(h->id[i]) == starpu_perf_counter_type_double)
			h->last_time = starpu_perf_counter_sample_get_double_value(sample, h->id[i]);
		else
			h->last[i] = starpu_perf_counter_sample_get_int64_value(sample, h->id[i]);
	__atomic_add_fetch(&h->calls, 1, __ATOMIC_RELEASE);
}

static void hear_all(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *sample, void *context)
{
	CHECK(l == of_all.listener && !context);
	read_sample(&of_all, sample);
}
static void hear_worker(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *sample, void *context)
{
	int me = starpu_worker_get_id();
	CHECK(l == of_worker[0].listener && me >= 0 && context && *(const int *)context == me);
	if (me >= 0)
		read_sample(&of_worker[me], sample);
}
static void hear_codelet(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *sample, void *context)
{
	CHECK(l == of_codelet.listener && context == &waits);
	read_sample(&of_codelet, sample);
}
static void hear_as_user(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *sample, void *context)
{
	(void)l;
	read_sample(context, sample);
}

static void listen_to(struct heard *h, enum starpu_perf_counter_scope scope,
                      void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *),
                      void *user_arg)
{
	memset(h, 0, sizeof *h);
	h->scope = scope;
	h->set = starpu_perf_counter_set_alloc(scope);
	h->n = starpu_perf_counter_nb(scope);
	for (int i = 0; i < h->n; i++) {
		h->id[i] = starpu_perf_counter_nth_to_id(scope, i);
		starpu_perf_counter_set_enable_id(h->set, h->id[i]);
	}
	h->listener = starpu_perf_counter_listener_init(h->set, callback, user_arg);
}

static void listen_no_more(const struct heard *h)
{
	starpu_perf_counter_listener_exit(h->listener);
	starpu_perf_counter_set_free(h->set);
}

static int gate_runs, gate_opens;
static void gate(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_store_n(&gate_runs, 1, __ATOMIC_RELEASE);
	while (!LOOK(gate_opens))
		usleep(100);
}
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static void nap(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	usleep(NAP_US);
}
static struct starpu_codelet gates = {.cpu_funcs = {gate}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "gates"};
static struct starpu_codelet waits = {.cpu_funcs = {nap}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "waits"};
static struct starpu_codelet frees = {.cpu_funcs = {nothing}, .name = "frees"};

/* One worker: a gate, a chain of WAITING behind it, FREE that are ready at once and have to wait for the worker. */
static void run_gate(void)
{
	static int value;
	starpu_data_handle_t h;
	gate_runs = gate_opens = 0;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	CHECK(!starpu_task_insert(&gates, STARPU_RW, h, 0));
	WAIT_FOR(LOOK(gate_runs));
	CHECK(LOOK(gate_runs));
	for (int i = 0; i < WAITING; i++)
		CHECK(!starpu_task_insert(&waits, STARPU_RW, h, 0));
	for (int i = 0; i < FREE; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &frees;
		CHECK(!starpu_task_submit(t));
	}
	__atomic_store_n(&gate_opens, 1, __ATOMIC_RELEASE);
	CHECK(!starpu_task_wait_for_all());
	starpu_data_unregister(h);
}

static void check_one_worker(void)
{
	listen_to(&of_all, scopes[0], hear_all, NULL);
	listen_to(&of_codelet, scopes[2], hear_codelet, NULL);
	starpu_perf_counter_set_global_listener(of_all.listener);
	starpu_perf_counter_set_per_codelet_listener(&waits, of_codelet.listener);
	run_gate(); /* nothing is collected */
	CHECK(!of_all.calls && !of_codelet.calls);

	starpu_perf_counter_collection_start();
	double began = starpu_timing_now();
	run_gate();
	double took = starpu_timing_now() - began;
	CHECK(of_all.last[0] == 1 + WAITING + FREE);
	CHECK(of_all.last[1] == WAITING);
	CHECK(of_all.last[2] == FREE + 1); /* and the first of the chain, when the gate ends */
	CHECK(of_all.calls == 1 + WAITING + FREE + 1);
	CHECK(of_codelet.last[0] == WAITING && of_codelet.last[1] == WAITING && of_codelet.last[2] == 1);
	CHECK(of_codelet.last[3] == WAITING);
	CHECK(of_codelet.last_time >= WAITING * NAP_US && of_codelet.last_time <= took);
	CHECK(of_codelet.calls == 2 * WAITING);

	/* Stopped, and begun again: totals go on, and what was submitted meanwhile is in none of them. */
	starpu_perf_counter_collection_stop();
	run_gate();
	CHECK(of_all.calls == 1 + WAITING + FREE + 1);
	starpu_perf_counter_collection_start();
	run_gate();
	CHECK(of_all.last[0] == 2 * (1 + WAITING + FREE) && of_all.last[1] == WAITING && of_all.last[2] == FREE + 1);
	CHECK(of_codelet.last[0] == 2 * WAITING && of_codelet.last[3] == 2 * WAITING);

	/* A codelet without a listener is heard no more, and its counts go on. */
	starpu_perf_counter_unset_per_codelet_listener(&waits);
	starpu_perf_counter_unset_per_codelet_listener(&frees); /* which had none */
	int calls = of_codelet.calls;
	run_gate();
	CHECK(of_codelet.calls == calls && of_codelet.last[3] == 2 * WAITING);
	starpu_perf_counter_set_per_codelet_listener(&waits, of_codelet.listener);
	starpu_perf_counter_unset_global_listener();
	calls = of_all.calls;
	run_gate();
	CHECK(of_all.calls == calls && of_codelet.last[3] == 4 * WAITING);
	starpu_perf_counter_collection_stop();
	listen_no_more(&of_all);
	listen_no_more(&of_codelet);
}

/* The user's argument arrives; a set may be changed while it is listened to; a codelet that cannot be written to is counted. */
static void check_user_argument(void)
{
	static const struct starpu_codelet constant = {.cpu_funcs = {nothing},
	                                               .where = STARPU_CPU,
	                                               .checked = 1,
	                                               .name = "constant"};
	struct starpu_codelet *cl = (struct starpu_codelet *)(uintptr_t)&constant;
	struct heard h;
	listen_to(&h, scopes[2], hear_as_user, &h);
	starpu_perf_counter_set_per_codelet_listener(cl, h.listener);
	starpu_perf_counter_collection_start();
	for (int i = 0; i < 6; i++)
		CHECK(!starpu_task_insert(cl, 0));
	CHECK(!starpu_task_wait_for_all());
	CHECK(h.last[0] == 6 && h.last[3] == 6 && h.calls == 12);
	starpu_perf_counter_set_disable_id(h.set, h.id[0]);
	starpu_perf_counter_set_disable_id(h.set, h.id[0]);
	CHECK(!starpu_task_insert(cl, 0) && !starpu_task_wait_for_all());
	CHECK(h.last[3] == 7);
	starpu_perf_counter_collection_stop();
	listen_no_more(&h); /* it is still set */
	CHECK(!starpu_task_insert(cl, 0) && !starpu_task_wait_for_all());
	CHECK(h.last[3] == 7);
}

/* So many tasks on each worker, by name; the plain ones are counted wherever they run. */
static void check_workers(void)
{
	static const int each[] = {3, 5};
	int sum = 0;
	double began = starpu_timing_now();
	for (int w = 0; w < 2; w++)
		for (int i = 0; i < each[w]; i++) {
			static struct starpu_codelet naps = {.cpu_funcs = {nap}, .name = "naps"};
			struct starpu_task *t = starpu_task_create();
			t->cl = &naps;
			t->execute_on_a_specific_worker = 1;
			t->workerid = (unsigned)w;
			CHECK(!starpu_task_submit(t));
		}
	CHECK(!starpu_task_wait_for_all());
	double took = starpu_timing_now() - began;
	for (int w = 0; w < 2; w++) {
		CHECK(of_worker[w].last[0] == each[w] && of_worker[w].calls == each[w]);
		CHECK(of_worker[w].last_time >= each[w] * NAP_US && of_worker[w].last_time <= took);
	}
	for (int i = 0; i < 100; i++)
		CHECK(!starpu_task_insert(&frees, 0));
	CHECK(!starpu_task_wait_for_all());
	for (int w = 0; w < 2; w++)
		sum += (int)of_worker[w].last[0];
	CHECK(sum == 3 + 5 + 100);
	starpu_perf_counter_unset_per_worker_listener(0);
	int calls[2] = {of_worker[0].calls, of_worker[1].calls};
	for (int i = 0; i < 2; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &frees;
		t->execute_on_a_specific_worker = 1;
		t->workerid = (unsigned)i;
		CHECK(!starpu_task_submit(t));
	}
	CHECK(!starpu_task_wait_for_all());
	CHECK(of_worker[0].calls == calls[0] && of_worker[1].calls == calls[1] + 1);
}

static void begin(int workers, unsigned collect)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.precedence_over_environment_variables = 1;
	conf.ncpus = workers;
	conf.nopencl = 0;
	conf.start_perf_counter_collection = collect;
	if (starpu_init(&conf))
		cannot_begin();
}

int main(void)
{
	CHECK(starpu_perf_counter_nb(scopes[0]) == 0 && starpu_perf_counter_name_to_id(scopes[0], known[0].name) == -1);
	starpu_perf_counter_collection_start(); /* a line, and nothing */
	for (int life = 0; life < 2; life++) {
		begin(1, 0);
		check_names();
		check_discovery();
		check_lists();
		check_one_worker();
		check_user_argument();
		starpu_shutdown();

		begin(2, 1);
		listen_to(&of_worker[0], scopes[1], hear_worker, NULL);
		memcpy(of_worker[1].id, of_worker[0].id, sizeof of_worker[0].id);
		of_worker[1].n = of_worker[0].n;
		of_worker[1].calls = 0;
		starpu_perf_counter_set_all_per_worker_listeners(of_worker[0].listener);
		check_workers();
		starpu_perf_counter_unset_all_per_worker_listeners();
		struct heard last = of_worker[0];
		starpu_shutdown();
		listen_no_more(&last);
	}
	return checks_failed();
}
