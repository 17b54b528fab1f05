/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handle that was given back by starpu_data_unregister_submit is gone before who waits for all tasks goes on, and before the runtime
 * ends: its interface lingers in what the end of a handle calls, so that whoever does not wait for it is seen. In main memory, and
 * with a copy on a device where there is one. The last user of it ends when it has been given back, so that a worker takes it apart,
 * the thread that brought the copy, or one of the application.
 */
#include "starpu_check.h"
#include <pthread.h>

enum { N = 1000, LINGER_US = 20000 };
enum user { TASK, CALLBACK, THREAD };

static int begun, over, given_back;
static void (*vector_frees)(void *interface, unsigned node);

static void linger(void)
{
	__atomic_add_fetch(&begun, 1, __ATOMIC_ACQ_REL);
	usleep(LINGER_US); /* in which a wait that is too short ends */
	__atomic_add_fetch(&over, 1, __ATOMIC_ACQ_REL);
}
static void handle_ends(starpu_data_handle_t h)
{
	CHECK(h != NULL);
	linger();
}
static void copy_is_freed(void *interface, unsigned node)
{
	linger();
	vector_frees(interface, node);
}
static struct starpu_data_interface_ops lingering;

static void fill(void *buffers[], void *arg)
{
	(void)arg;
	int *at = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (int i = 0; i < N; i++)
		at[i] = i;
}
static void wait_until_given_back(void *buffers[], void *arg)
{
	(void)arg;
	WAIT_FOR(LOOK(given_back));
	CHECK(((int *)STARPU_VECTOR_GET_PTR(buffers[0]))[N - 1] == N - 1);
}
static struct starpu_codelet waits = {.cpu_funcs = {wait_until_given_back}, .nbuffers = 1, .modes = {STARPU_R}, .name = "waits"};
static struct starpu_codelet fills = {.cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}, .name = "fills"};

static void begin(int devices)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = 0;
	conf.nopencl = devices;
	if (starpu_init(&conf))
		cannot_begin();
	begun = over = 0;
}

/* The last user releases what it has acquired: within the callback, or later, by a thread that is nobody's. */
static int acquired;
static void release_in_callback(void *h)
{
	WAIT_FOR(LOOK(given_back));
	starpu_data_release(h);
}
static void say_acquired(void *h)
{
	CHECK(h != NULL);
	__atomic_store_n(&acquired, 1, __ATOMIC_RELEASE);
}
static void *release_in_thread(void *h)
{
	WAIT_FOR(LOOK(given_back));
	starpu_data_release(h);
	return NULL;
}

static void begin_last_use(starpu_data_handle_t h, enum user last, pthread_t *thread)
{
	__atomic_store_n(&given_back, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&acquired, 0, __ATOMIC_RELEASE);
	if (last == TASK)
		CHECK(starpu_task_insert(&waits, STARPU_R, h, 0) == 0);
	if (last == CALLBACK)
		CHECK(starpu_data_acquire_cb(h, STARPU_R, release_in_callback, h) == 0);
	if (last != THREAD)
		return;
	CHECK(starpu_data_acquire_cb(h, STARPU_R, say_acquired, h) == 0);
	WAIT_FOR(LOOK(acquired));
	CHECK(!pthread_create(thread, NULL, release_in_thread, h));
}

/* A task writes it where the runtime has made room for it; then it lies on `node`, too. */
static void give_back(int node, enum user last, pthread_t *thread)
{
	starpu_data_handle_t h;
	struct starpu_vector_interface v = {.id = STARPU_VECTOR_INTERFACE_ID,
	                                    .nx = N,
	                                    .elemsize = sizeof(int),
	                                    .allocsize = N * sizeof(int)};
	starpu_data_register(&h, -1, &v, &lingering);
	CHECK(starpu_task_insert(&fills, STARPU_W, h, 0) == 0);
	if (node > 0) {
		CHECK(starpu_data_acquire_on_node(h, node, STARPU_RW) == 0);
		starpu_data_release_on_node(h, node);
	}
	begin_last_use(h, last, thread);
	starpu_data_unregister_submit(h);
	__atomic_store_n(&given_back, 1, __ATOMIC_RELEASE);
}

/* What began has ended, and it has begun. */
static void check_gone(int least)
{
	CHECK(LOOK(begun) >= least && LOOK(over) == LOOK(begun));
}

static void check_end(int devices)
{
	pthread_t thread;
	begin(devices);
	if (devices && starpu_memory_nodes_get_count() < 2) {
		starpu_shutdown();
		skip_test("no OpenCL device: with main memory alone it was tested");
	}
	for (enum user last = TASK; last <= THREAD; last++) {
		int before = LOOK(begun);
		give_back(devices, last, &thread);
		WAIT_FOR(LOOK(begun) > before); /* in the middle of it */
		CHECK(starpu_task_wait_for_all() == 0);
		check_gone(1);
		if (last == THREAD)
			pthread_join(thread, NULL);
	}
	int before = LOOK(begun);
	give_back(devices, devices ? CALLBACK : TASK, &thread);
	WAIT_FOR(LOOK(begun) > before);
	starpu_shutdown();
	check_gone(4);
}

int main(void)
{
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	lingering = starpu_interface_vector_ops;
	lingering.unregister_data_handle = handle_ends;
	vector_frees = lingering.free_data_on_node;
	lingering.free_data_on_node = copy_is_freed;
	check_end(0);
	check_end(1);
	return checks_failed();
}
