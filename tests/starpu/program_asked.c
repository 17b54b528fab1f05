/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program asks around its tasks: begin and binding, functions on workers, copies, time, texts; lists and trees; random
 * numbers; tasks by their pieces.
 */
#include "starpu_check.h"
#include <sched.h>
#include <starpu_rand.h>
#include <starpu_tree.h>

/* What a function that prints has printed, in memory that the caller frees. */
static char *printed(void (*print)(FILE *to))
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	print(to);
	fclose(to);
	return text;
}

/* The same of one that prints to stdout or stderr. */
static char *printed_to(int fd, void (*print)(void))
{
	FILE *file = tmpfile();
	char *text = calloc(1, 65536);
	int kept = dup(fd);
	fflush(NULL);
	dup2(fileno(file), fd);
	print();
	fflush(NULL);
	dup2(kept, fd);
	close(kept);
	rewind(file);
	CHECK(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

/* ---- the beginning, from another thread ---- */

static void *wait_for_begin(void *arg)
{
	starpu_wait_initialized();
	*(int *)arg = starpu_is_initialized();
	return NULL;
}

static void check_begin(void)
{
	starpu_pthread_t thread;
	int seen = -1, argc = 1;
	char name[] = "program", *words[] = {name, NULL}, **argv = words;
	struct starpu_conf conf;
	STARPU_PTHREAD_CREATE(&thread, NULL, wait_for_begin, &seen);
	CHECK(starpu_conf_init(&conf) == 0);
	CHECK(starpu_initialize(&conf, &argc, &argv) == 0);
	STARPU_PTHREAD_JOIN(thread, NULL);
	CHECK(seen == 1 && argc == 1 && argv == words);
}

/* ---- what is said of asynchronous copies: all on, all off, one kind off ---- */

static int (*const disabled[])(void) = {
	starpu_asynchronous_cuda_copy_disabled,     starpu_asynchronous_hip_copy_disabled,
	starpu_asynchronous_sycl_copy_disabled,     starpu_asynchronous_opencl_copy_disabled,
	starpu_asynchronous_max_fpga_copy_disabled, starpu_asynchronous_mpi_sc_copy_disabled,
	starpu_asynchronous_mpi_ms_copy_disabled,   starpu_asynchronous_tcpip_sc_copy_disabled,
	starpu_asynchronous_tcpip_ms_copy_disabled, starpu_asynchronous_mic_copy_disabled,
	starpu_asynchronous_copy_disabled,
};
enum { KINDS = sizeof disabled / sizeof *disabled, OPENCL = 3 };

static int *switch_all(struct starpu_conf *conf)
{
	return &conf->disable_asynchronous_copy;
}
static int *switch_opencl(struct starpu_conf *conf)
{
	return &conf->disable_asynchronous_opencl_copy;
}
static int *switch_maps(struct starpu_conf *conf)
{
	return &conf->enable_map;
}

static const struct {
	int *(*field)(struct starpu_conf *conf);
	unsigned off; /* a bit for each of `disabled` */
	int maps;
} switches[] = {
	{switch_all, (1U << KINDS) - 1, 0},
	{switch_opencl, 1U << OPENCL, 0},
	{switch_maps, 0, 1},
};

static void check_switches(void)
{
	for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++) {
		struct starpu_conf conf;
		starpu_conf_init(&conf);
		*switches[i].field(&conf) = 1;
		CHECK(starpu_init(&conf) == 0);
		for (unsigned k = 0; k < KINDS; k++)
			CHECK(!disabled[k]() == !(switches[i].off >> k & 1));
		CHECK(starpu_map_enabled() == switches[i].maps);
		starpu_shutdown();
	}
}

/* ---- where threads are bound ---- */

static int only_cpu(void)
{
	cpu_set_t set;
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
	for (int i = 0; CPU_COUNT(&set) == 1 && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			return i;
	return -1;
}

static void *bind_self(void *arg)
{
	int unit = starpu_worker_get_bindid(0);
	(void)arg;
	CHECK(only_cpu() == -1 || starpu_get_pu_os_index(1) == -1);
	starpu_bind_thread_on_worker(0);
	CHECK(only_cpu() == starpu_get_pu_os_index((unsigned)unit));
	starpu_bind_thread_on_main();
	CHECK(only_cpu() == -1 || starpu_get_pu_os_index(1) == -1);
	starpu_bind_thread_on_cpu(0);
	CHECK(only_cpu() == starpu_cpu_os_index(0) && only_cpu() == starpu_get_pu_os_index(0));
	return NULL;
}

/* A unit is for one active thread: the first is told 0, another one (by its name) -1, and is bound all the same. */
static void *share_unit(void *arg)
{
	unsigned preferred = 0, unit = starpu_get_next_bindid(STARPU_THREAD_ACTIVE, NULL, 0);
	unsigned pus = (unsigned)hwloc_get_nbobjs_by_type(starpu_get_hwloc_topology(), HWLOC_OBJ_PU);
	(void)arg;
	CHECK(unit < pus);
	if (pus > 1) {
		CHECK((int)unit != starpu_worker_get_bindid(0));
		CHECK(starpu_bind_thread_on((int)unit, STARPU_THREAD_ACTIVE, "mine") == 0);
		CHECK(starpu_bind_thread_on((int)unit, STARPU_THREAD_ACTIVE, "mine") == 0);
	}
	CHECK(starpu_bind_thread_on((int)unit, STARPU_THREAD_ACTIVE, "another") == -1);
	CHECK(only_cpu() == starpu_cpu_os_index((int)unit));
	CHECK(starpu_bind_thread_on(starpu_worker_get_bindid(0), 0, "beside a worker") == -1);
	CHECK(starpu_get_next_bindid(0, &preferred, 1) == 0);
	return NULL;
}

static void check_binding(void)
{
	starpu_pthread_t thread;
	STARPU_PTHREAD_CREATE(&thread, NULL, bind_self, NULL);
	STARPU_PTHREAD_JOIN(thread, NULL);
	STARPU_PTHREAD_CREATE(&thread, NULL, share_unit, NULL);
	STARPU_PTHREAD_JOIN(thread, NULL);
	CHECK(starpu_cpu_os_index(0) >= 0);
}

static void check_prints(void)
{
	char *topology = printed(starpu_topology_print), *bindings = printed_to(STDOUT_FILENO, starpu_display_bindings), name[64];
	setenv("STARPU_WORKER_STATS", "1", 1);
	char *stats = printed_to(STDERR_FILENO, starpu_display_stats);
	unsetenv("STARPU_WORKER_STATS");
	starpu_worker_get_name(0, name, sizeof name);
	CHECK(strstr(topology, name) && strstr(bindings, name) && strstr(stats, name));
	free(topology);
	free(bindings);
	free(stats);
}

/* ---- functions on workers ---- */

static unsigned calls[STARPU_NMAXWORKERS];
static char heard_name[STARPU_NMAXWORKERS][32];

static void call(void *arg)
{
	unsigned me = starpu_worker_get_id_check();
	calls[me]++;
	snprintf(heard_name[me], sizeof heard_name[me], "%s", starpu_task_get_name(starpu_task_get_current()));
	CHECK(arg == calls);
}

static void expect_calls(unsigned each, unsigned last)
{
	unsigned n = starpu_worker_get_count();
	for (unsigned i = 0; i < n; i++)
		CHECK(calls[i] == (i == n - 1 ? last : each));
}

static void check_each_worker(void)
{
	unsigned last = starpu_worker_get_count() - 1;
	starpu_execute_on_each_worker(call, calls, STARPU_CPU);
	expect_calls(1, 1);
	starpu_execute_on_each_worker_ex(call, calls, STARPU_CPU, "named");
	expect_calls(2, 2);
	CHECK(!strcmp(heard_name[last], "named"));
	starpu_execute_on_each_worker(call, calls, STARPU_CUDA);
	expect_calls(2, 2);
	starpu_execute_on_specific_workers(call, calls, 1, &last, "last");
	expect_calls(2, 3);
	CHECK(!strcmp(heard_name[last], "last"));
}

/* ---- copies, places, time ---- */

static void hear(void *arg)
{
	STARPU_ATOMIC_ADD((unsigned *)arg, 1);
}

static void check_copies(void)
{
	int from[4] = {1, 2, 3, 4}, to[4] = {0};
	unsigned heard = 0;
	starpu_data_handle_t source, target, same;
	starpu_vector_data_register(&source, STARPU_MAIN_RAM, (uintptr_t)from, 4, sizeof *from);
	starpu_vector_data_register(&target, STARPU_MAIN_RAM, (uintptr_t)to, 4, sizeof *to);
	CHECK(starpu_data_cpy_priority(target, source, 1, hear, &heard, STARPU_MAX_PRIO) == 0);
	starpu_task_wait_for_all();
	CHECK(heard == 1);
	starpu_data_unregister(target);
	CHECK(!memcmp(from, to, sizeof to));
	CHECK(starpu_data_dup_ro(&same, source) == 0);
	starpu_data_acquire(same, STARPU_R);
	CHECK(!memcmp(starpu_data_get_local_ptr(same), from, sizeof from));
	starpu_data_release(same);
	starpu_data_unregister(same);
	same = starpu_data_dup_ro_get(source);
	starpu_data_acquire(same, STARPU_R);
	CHECK(!memcmp(starpu_data_get_local_ptr(same), from, sizeof from));
	starpu_data_release(same);
	starpu_data_unregister(same);
	starpu_data_unregister(source);
}

static void check_place_and_time(void)
{
	static char touched[1 << 16];
	memset(touched, 1, sizeof touched);
	long nodes = starpu_get_memory_location_bitmap(touched, sizeof touched);
	CHECK(nodes == -1 || nodes == 1L << STARPU_MAIN_RAM);
	double reference = starpu_timing_get_reference(), now = starpu_timing_now();
	CHECK(reference > 0 && now >= 0 && starpu_timing_now() >= now && starpu_timing_get_reference() == reference);
}

/* ---- random numbers: those of the C library, with a seed that the environment may name ---- */

static void check_random(void)
{
	unsigned short a[3] = {1, 2, 3}, b[3] = {1, 2, 3};
	starpu_drand48_data ours, theirs;
	double x, y;
	long m, n;
	CHECK(starpu_seed(7) == 7);
	setenv("STARPU_RAND_SEED", "12", 1);
	CHECK(starpu_seed(7) == 12);
	starpu_srand48(7);
	m = starpu_lrand48();
	x = starpu_drand48();
	srand48(12);
	CHECK(m == lrand48() && x == drand48());
	CHECK(starpu_erand48(a) == erand48(b) && !memcmp(a, b, sizeof a));
	starpu_srand48_r(7, &ours);
	srand48_r(12, &theirs);
	starpu_drand48_r(&ours, &x);
	drand48_r(&theirs, &y);
	starpu_lrand48_r(&ours, &m);
	lrand48_r(&theirs, &n);
	CHECK(x == y && m == n);
	starpu_erand48_r(a, &ours, &x);
	erand48_r(b, &theirs, &y);
	CHECK(x == y);
	unsetenv("STARPU_RAND_SEED");
}

/* ---- lists and trees ---- */

static void check_list(void)
{
	struct starpu_task_list list;
	struct starpu_task *one = starpu_task_create(), *two = starpu_task_create();
	starpu_task_list_init(&list);
	CHECK(starpu_task_list_front(&list) == NULL);
	starpu_task_list_push_back(&list, two);
	starpu_task_list_push_front(&list, one);
	CHECK(starpu_task_list_front(&list) == one && starpu_task_list_back(&list) == two);
	CHECK(starpu_task_list_pop_front(&list) == one && starpu_task_list_front(&list) == two);
	CHECK(starpu_task_list_pop_front(&list) == two && starpu_task_list_empty(&list));
	starpu_task_destroy(one);
	starpu_task_destroy(two);
}

/*
 *        root
 *       /    \        leaves are units 0, 1 and 2
 *     [0, 1]  [2]
 */
static void check_tree(void)
{
	struct starpu_tree *root = calloc(1, sizeof *root);
	static const int arity[] = {2, 1};
	int id = 0;
	starpu_tree_insert(root, 0, 0, 0, 2, NULL);
	starpu_tree_prepare_children(2, root);
	for (int i = 0; i < 2; i++) {
		struct starpu_tree *inner = &root->nodes[i];
		starpu_tree_insert(inner, i, 1, 0, arity[i], root);
		starpu_tree_prepare_children((unsigned)arity[i], inner);
		for (int k = 0; k < arity[i]; k++)
			starpu_tree_insert(&inner->nodes[k], id++, 2, 1, 0, inner);
	}
	for (int i = 0; i < 3; i++) {
		struct starpu_tree *leaf = starpu_tree_get(root, i);
		CHECK(leaf && leaf->id == i && leaf->is_pu && leaf->level == 2 && leaf->arity == 0);
		CHECK(leaf && leaf->parent == &root->nodes[i / 2] && leaf->parent->parent == root);
	}
	CHECK(starpu_tree_get(root, 3) == NULL);
	starpu_tree_free(root);
	free(root);
}

/* ---- tasks by their pieces ---- */

static struct {
	unsigned ran;
	int number;
	double real;
} got;

static void take(void *buffers[], void *arg)
{
	(void)buffers;
	starpu_codelet_unpack_args(arg, &got.number, &got.real);
	got.ran++;
}

static void check_packing(void)
{
	struct starpu_codelet cl;
	struct starpu_codelet_pack_arg_data state;
	struct starpu_task *t = starpu_task_create();
	int number = 42;
	double real = 2.5;
	memset(&cl, 0x55, sizeof cl);
	starpu_codelet_init(&cl);
	static const struct starpu_codelet nothing;
	CHECK(!memcmp(&cl, &nothing, sizeof cl));
	cl.cpu_funcs[0] = take;
	cl.name = "takes";
	starpu_codelet_pack_arg_init(&state);
	starpu_codelet_pack_arg(&state, &number, sizeof number);
	starpu_codelet_pack_arg(&state, &real, sizeof real);
	starpu_codelet_pack_arg_fini(&state, &t->cl_arg, &t->cl_arg_size);
	t->cl = &cl;
	t->cl_arg_free = 1;
	t->synchronous = 1;
	CHECK(starpu_task_submit(t) == 0);
	CHECK(got.ran == 1 && got.number == 42 && got.real == 2.5);
	number = 43;
	CHECK(starpu_insert_task(&cl, STARPU_VALUE, &number, sizeof number, STARPU_VALUE, &real, sizeof real, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(got.ran == 2 && got.number == 43);
	t = starpu_task_create();
	starpu_task_set(t, &cl, STARPU_VALUE, &number, sizeof number, STARPU_VALUE, &real, sizeof real, STARPU_TASK_SYNCHRONOUS,
	                1, 0);
	CHECK(t->cl == &cl && t->synchronous == 1 && starpu_task_submit(t) == 0);
	CHECK(got.ran == 3);
}

static struct starpu_codelet *counted;
static void show_counts(void)
{
	starpu_codelet_display_stats(counted);
}

static void pass(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static void check_stats(void)
{
	static struct starpu_codelet cl = {.cpu_funcs = {pass}, .name = "is counted"};
	for (int i = 0; i < 20; i++)
		starpu_task_insert(&cl, 0);
	starpu_task_wait_for_all();
	counted = &cl;
	char *text = printed_to(STDERR_FILENO, show_counts);
	CHECK(strstr(text, "is counted") && strstr(text, " 20"));
	free(text);
}

static void check_nop(void)
{
	int value = 0;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	struct starpu_task *t = starpu_task_create_sync(h, STARPU_RW);
	CHECK(STARPU_TASK_GET_HANDLE(t, 0) == h && STARPU_TASK_GET_NBUFFERS(t) == 1);
	t->detach = 0;
	CHECK(starpu_task_submit(t) == 0 && starpu_task_wait(t) == 0);
	t = starpu_task_create();
	t->cl = &starpu_codelet_nop;
	t->detach = 0;
	t->destroy = 0;
	CHECK(starpu_task_submit(t) == 0 && starpu_task_wait(t) == 0 && t->status == STARPU_TASK_FINISHED);
	starpu_task_destroy(t);
	starpu_data_unregister(h);
}

static const struct {
	enum starpu_task_status status;
	const char *text;
} statuses[] = {
#define STATUS(name) \
	{ \
		name, #name \
	}
	STATUS(STARPU_TASK_INIT),
	STATUS(STARPU_TASK_BLOCKED),
	STATUS(STARPU_TASK_READY),
	STATUS(STARPU_TASK_RUNNING),
	STATUS(STARPU_TASK_FINISHED),
	STATUS(STARPU_TASK_BLOCKED_ON_TAG),
	STATUS(STARPU_TASK_BLOCKED_ON_TASK),
	STATUS(STARPU_TASK_BLOCKED_ON_DATA),
	STATUS(STARPU_TASK_STOPPED),
};

static void check_statuses(void)
{
	for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++)
		CHECK(!strcmp(starpu_task_status_get_as_string(statuses[i].status), statuses[i].text));
}

/* More handles than a task has room for, each at a node of its own choice. */
static void check_nodes(void)
{
	static struct starpu_codelet variable = {.cpu_funcs = {take}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
	enum { N = STARPU_NMAXBUFS + 3 };
	int nodes[N], room = 0, at = 0;
	struct starpu_task *t = starpu_task_create();
	t->cl = &variable;
	for (int i = 0; i < N; i++)
		nodes[i] = i % 3 ? STARPU_SPECIFIC_NODE_LOCAL : STARPU_SPECIFIC_NODE_CPU;
	starpu_task_insert_process_node_array_arg(NULL, t, &room, &at, 2, nodes);
	CHECK(at == 2 && !t->dyn_nodes && STARPU_TASK_GET_NODE(t, 0) == STARPU_SPECIFIC_NODE_CPU);
	starpu_task_insert_process_node_array_arg(NULL, t, &room, &at, N - 2, nodes + 2);
	CHECK(at == N && t->dyn_nodes && room >= N);
	for (int i = 0; i < N; i++)
		CHECK(t->dyn_nodes && t->dyn_nodes[i] == nodes[i]);
	starpu_task_insert_data_make_node_room(NULL, t, &room, at, 40);
	CHECK(room >= N + 40 && t->dyn_nodes && t->dyn_nodes[N - 1] == nodes[N - 1]);
	starpu_task_destroy(t);
}

/* Modes, nodes and handles by their macros: in the codelet where it says how many there are, else in the task. */
static void check_setters(void)
{
	static struct starpu_codelet fixed = {.cpu_funcs = {take}, .nbuffers = 2},
				     variable = {.cpu_funcs = {take}, .nbuffers = STARPU_VARIABLE_NBUFFERS};
	int value = 0;
	starpu_data_handle_t h;
	struct starpu_task *t = starpu_task_create();
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	STARPU_CODELET_SET_MODE(&fixed, STARPU_R, 0);
	STARPU_CODELET_SET_MODE(&fixed, STARPU_RW, 1);
	STARPU_CODELET_SET_NODE(&fixed, STARPU_SPECIFIC_NODE_SLOW, 0);
	STARPU_CODELET_SET_NODE(&fixed, STARPU_SPECIFIC_NODE_FAST, 1);
	CHECK(STARPU_CODELET_GET_MODE(&fixed, 0) == STARPU_R && fixed.modes[1] == STARPU_RW);
	CHECK(STARPU_CODELET_GET_NODE(&fixed, 0) == STARPU_SPECIFIC_NODE_SLOW && fixed.nodes[1] == STARPU_SPECIFIC_NODE_FAST);
	t->cl = &fixed;
	CHECK(STARPU_TASK_GET_NBUFFERS(t) == 2 && STARPU_TASK_GET_MODE(t, 1) == STARPU_RW);
	CHECK(STARPU_TASK_GET_NODE(t, 0) == STARPU_SPECIFIC_NODE_SLOW);
	t->cl = &variable;
	t->nbuffers = 3;
	for (int i = 0; i < 3; i++) {
		STARPU_TASK_SET_HANDLE(t, h, i);
		STARPU_TASK_SET_MODE(t, i == 1 ? STARPU_W : STARPU_R, i);
		STARPU_TASK_SET_NODE(t, STARPU_SPECIFIC_NODE_NONE, i);
	}
	CHECK(STARPU_TASK_GET_NBUFFERS(t) == 3 && STARPU_TASK_GET_HANDLES(t) == t->handles && t->handles[2] == h);
	CHECK(STARPU_TASK_GET_MODE(t, 1) == STARPU_W && t->modes[2] == STARPU_R);
	CHECK(STARPU_TASK_GET_NODE(t, 2) == STARPU_SPECIFIC_NODE_NONE && t->nodes[0] == STARPU_SPECIFIC_NODE_NONE);
	starpu_task_destroy(t);
	starpu_data_unregister(h);
}

/* ---- waiting ---- */

static unsigned go, slow_ran;

static void wait_for_go(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	WAIT_FOR(LOOK(go));
	STARPU_ATOMIC_ADD(&slow_ran, 1);
}

static void *let_go(void *arg)
{
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	return arg;
}

static void check_waiting(void)
{
	static struct starpu_codelet slow = {.cpu_funcs = {wait_for_go}, .name = "slow"};
	starpu_pthread_t thread;
	starpu_tag_t tags[3] = {11, 12, 13};
	for (unsigned i = 0; i < 3; i++)
		CHECK(starpu_task_insert(&slow, STARPU_TAG, tags[i], 0) == 0);
	CHECK(starpu_task_nsubmitted() == 3);
	STARPU_PTHREAD_CREATE(&thread, NULL, let_go, NULL);
	CHECK(starpu_tag_wait_array(3, tags) == 0 && LOOK(slow_ran) == 3);
	CHECK(starpu_task_wait_for_no_ready() == 0 && starpu_task_nready() == 0);
	CHECK(starpu_task_wait_for_n_submitted_in_ctx(0, 0) == 0);
	STARPU_PTHREAD_JOIN(thread, NULL);
	for (unsigned i = 0; i < 3; i++)
		starpu_tag_remove(tags[i]);
}

int main(void)
{
	setenv("STARPU_NCPU", "1", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	check_begin();
	for (unsigned k = 0; k < KINDS; k++)
		CHECK(!disabled[k]());
	CHECK(!starpu_map_enabled());
	check_binding();
	check_prints();
	starpu_shutdown();
	check_switches();
	setenv("STARPU_NCPU", "2", 1);
	CHECK(starpu_init(NULL) == 0);
	check_each_worker();
	check_copies();
	check_place_and_time();
	check_random();
	check_list();
	check_tree();
	check_packing();
	check_stats();
	check_nop();
	check_statuses();
	check_nodes();
	check_setters();
	check_waiting();
	starpu_shutdown();
	return checks_failed();
}
