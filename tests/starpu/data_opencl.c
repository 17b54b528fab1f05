/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coherency over CPUs, OpenCL devices and a disk: a random walk of tasks on workers that are named, acquisitions, prefetches,
 * evictions (by another thread, too), partitions and reductions, each value compared with a model; device memory that is too small
 * for all of it; data that looks differently on devices. Skipped without OpenCL.
 */
#include "data_check.h"
#include <starpu_opencl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "__kernel void change(__global unsigned *at, unsigned first, unsigned n, unsigned add)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n) at[first + i] = at[first + i] * 3 + add;\n"
			     "}\n"
			     "__kernel void add(__global unsigned *to, __global const unsigned *from, unsigned n)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n) to[i] += from[i];\n"
			     "}\n"
			     "__kernel void fill(__global unsigned *at, unsigned n, unsigned with)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n) at[i] = with;\n"
			     "}\n"
			     "__kernel void apart(__global const unsigned *pairs, __global unsigned *apart, unsigned n)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n) { apart[i] = pairs[2 * i]; apart[n + i] = pairs[2 * i + 1]; }\n"
			     "}\n";
static struct starpu_opencl_program program;
static char folder[] = "/tmp/starpu-opencl-XXXXXX";
static unsigned ran[STARPU_NMAXWORKERS];

static void launch(const char *name, size_t n, unsigned n_args, const size_t *size, void *const *arg)
{
	cl_kernel kernel;
	cl_command_queue queue;
	int worker = starpu_worker_get_id_check();
	__atomic_fetch_add(&ran[worker], 1, __ATOMIC_RELAXED);
	CHECK(starpu_opencl_load_kernel(&kernel, &queue, &program, name, starpu_worker_get_devid(worker)) == CL_SUCCESS);
	for (unsigned i = 0; i < n_args; i++)
		CHECK(clSetKernelArg(kernel, i, size[i], arg[i]) == CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) == CL_SUCCESS);
	clFinish(queue);
	starpu_opencl_release_kernel(kernel);
}

/* -- a vector: at = 3·at + add -- */

static void change_cpu(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = v[i] * 3 + (unsigned)(uintptr_t)arg;
}
static void change_opencl(void *buffers[], void *arg)
{
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_uint first = (cl_uint)(STARPU_VECTOR_GET_OFFSET(buffers[0]) / sizeof(unsigned));
	cl_uint n = (cl_uint)STARPU_VECTOR_GET_NX(buffers[0]), add = (cl_uint)(uintptr_t)arg;
	const size_t size[] = {sizeof at, sizeof first, sizeof n, sizeof add};
	launch("change", n, 4, size, (void *[]){&at, &first, &n, &add});
}
static void fill_cpu(void *buffers[], void *arg)
{
	unsigned *v = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		v[i] = (unsigned)(uintptr_t)arg;
}
static void fill_opencl(void *buffers[], void *arg)
{
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_uint n = (cl_uint)STARPU_VECTOR_GET_NX(buffers[0]), with = (cl_uint)(uintptr_t)arg;
	const size_t size[] = {sizeof at, sizeof n, sizeof with};
	launch("fill", n, 3, size, (void *[]){&at, &n, &with});
}
static struct starpu_codelet changes = {.cpu_funcs = {change_cpu},
                                        .opencl_funcs = {change_opencl},
                                        .nbuffers = 1,
                                        .modes = {STARPU_RW}};
static struct starpu_codelet fills = {.cpu_funcs = {fill_cpu}, .opencl_funcs = {fill_opencl}, .nbuffers = 1, .modes = {STARPU_W}};
/* For CPUs only: these take the short way while main memory alone has the value. */
static struct starpu_codelet changes_here = {.cpu_funcs = {change_cpu}, .nbuffers = 1, .modes = {STARPU_RW}};
static void look_cpu(void *buffers[], void *arg)
{
	const unsigned *v = (const unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]);
	size_t n = STARPU_VECTOR_GET_NX(buffers[0]);
	CHECK(n && v[0] == (unsigned)(uintptr_t)arg);
}
static struct starpu_codelet looks_here = {.cpu_funcs = {look_cpu}, .nbuffers = 1, .modes = {STARPU_R}};
static struct starpu_codelet contributes = {.cpu_funcs = {change_cpu},
                                            .opencl_funcs = {change_opencl},
                                            .nbuffers = 1,
                                            .modes = {STARPU_REDUX}};
static void add_up(void *buffers[], void *arg)
{
	unsigned *to = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[0]), *from = (unsigned *)STARPU_VECTOR_GET_PTR(buffers[1]);
	(void)arg;
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		to[i] += from[i];
}
static struct starpu_codelet zeroes = {.cpu_funcs = {fill_cpu},
                                       .opencl_funcs = {fill_opencl},
                                       .nbuffers = 1,
                                       .modes = {STARPU_W}};
static void add_opencl(void *buffers[], void *arg)
{
	cl_mem to = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]), from = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]);
	cl_uint n = (cl_uint)STARPU_VECTOR_GET_NX(buffers[0]);
	const size_t size[] = {sizeof to, sizeof from, sizeof n};
	(void)arg;
	launch("add", n, 3, size, (void *[]){&to, &from, &n});
}
static struct starpu_codelet zeroes_there = {.opencl_funcs = {fill_opencl}, .nbuffers = 1, .modes = {STARPU_W}};
static struct starpu_codelet reduces_there = {.opencl_funcs = {add_opencl},
                                              .nbuffers = 2,
                                              .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};
static struct starpu_codelet reduces = {.cpu_funcs = {add_up}, .nbuffers = 2, .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R}};

static void submit_on(unsigned worker, struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = (void *)(uintptr_t)arg;
	t->handles[0] = h;
	t->execute_on_a_specific_worker = 1;
	t->workerid = worker;
	CHECK(starpu_task_submit(t) == 0);
}

static void submit_to(struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	submit_on(random_below(starpu_worker_get_count()), cl, h, arg);
}

static void insert_here(struct starpu_codelet *cl, enum starpu_data_access_mode mode, starpu_data_handle_t h, unsigned arg)
{
	CHECK(starpu_task_insert(cl, mode, h, STARPU_CL_ARGS_NFREE, (void *)(uintptr_t)arg, (size_t)0, 0) == 0);
}

enum { HANDLES = 6, STEPS = 1600 };
static unsigned model[HANDLES][1 << 16];

/* Evicts what nobody uses just now, from anywhere, as long as the walk goes on. */
static starpu_data_handle_t walked[HANDLES];
static atomic_bool walks;
static void *disturb(void *arg)
{
	unsigned x = 1, nodes = starpu_memory_nodes_get_count();
	(void)arg;
	while (walks) {
		x = x * 1664525 + 1013904223;
		starpu_data_evict_from_node(walked[(x >> 16) % HANDLES], (x >> 24) % nodes);
		usleep(x >> 24);
	}
	return NULL;
}

static void walk(size_t length, unsigned steps)
{
	pthread_t disturber;
	unsigned *home = calloc(length, sizeof *home), nodes = starpu_memory_nodes_get_count();
	for (unsigned k = 0; k < HANDLES; k++) {
		starpu_vector_data_register(&walked[k], k ? -1 : (int)STARPU_MAIN_RAM, k ? 0 : (uintptr_t)home, length,
		                            sizeof(unsigned));
		submit_to(&fills, walked[k], k);
		for (size_t i = 0; i < length; i++)
			model[k][i] = k;
	}
	starpu_data_set_wt_mask(walked[1], (1u << nodes) - 1);
	walks = true;
	CHECK(pthread_create(&disturber, NULL, disturb, NULL) == 0);
	for (unsigned step = 0; step < steps; step++) {
		unsigned k = random_below(HANDLES), node = random_below(nodes), what = random_below(22);
		if (what == 0) {
			CHECK(starpu_data_acquire(walked[k], STARPU_R) == 0);
			CHECK(!memcmp(starpu_data_get_local_ptr(walked[k]), model[k], length * sizeof(unsigned)));
			starpu_data_release(walked[k]);
		} else if (what == 1) {
			CHECK(starpu_data_acquire(walked[k], STARPU_RW) == 0);
			unsigned *v = starpu_data_get_local_ptr(walked[k]);
			for (size_t i = 0; i < length; i++)
				model[k][i] = ++v[i];
			starpu_data_release(walked[k]);
		} else if (what == 2) {
			starpu_data_evict_from_node(walked[k], node);
		} else if (what == 3) {
			CHECK(starpu_data_prefetch_on_node(walked[k], node, 1) == 0);
		} else if (what == 4) {
			CHECK(starpu_data_idle_prefetch_on_node(walked[k], node, 1) == 0);
		} else if (what == 5) {
			starpu_data_wont_use(walked[k]);
		} else if (what == 6 && random_below(8) == 0) {
			struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 3};
			starpu_data_partition(walked[k], &f);
			for (size_t i = 0, at = 0; i < 3; i++) {
				starpu_data_handle_t part = starpu_data_get_child(walked[k], (unsigned)i);
				size_t end = at + starpu_vector_get_nx(part);
				submit_to(&changes, part, (unsigned)i);
				for (; at < end; at++)
					model[k][at] = model[k][at] * 3 + (unsigned)i;
			}
			starpu_data_unpartition(walked[k], random_below(2) ? node : STARPU_MAIN_RAM);
		} else if (what == 7) {
			insert_here(&looks_here, STARPU_R, walked[k], model[k][0]);
		} else {
			if (what < 14)
				submit_to(&changes, walked[k], step);
			else
				insert_here(&changes_here, STARPU_RW, walked[k], step);
			for (size_t i = 0; i < length; i++)
				model[k][i] = model[k][i] * 3 + step;
		}
	}
	walks = false;
	pthread_join(disturber, NULL);
	for (unsigned k = 0; k < HANDLES; k++) {
		CHECK(starpu_data_acquire(walked[k], STARPU_R) == 0);
		CHECK(!memcmp(starpu_data_get_local_ptr(walked[k]), model[k], length * sizeof(unsigned)));
		starpu_data_release(walked[k]);
		starpu_data_unregister(walked[k]);
	}
	CHECK(!memcmp(home, model[0], length * sizeof(unsigned)));
	free(home);
}

/* Contributions of workers of any kind: each is 3·(what it had) + 1, of which only 0 → 1 is a sum; so one a round and worker. */
static void reduce_by(struct starpu_codelet *reduces_by, struct starpu_codelet *begins_by, bool has_value)
{
	unsigned sum[100], n = 0, first = has_value ? 7 : 0;
	starpu_data_handle_t h;
	for (unsigned i = 0; i < 100; i++)
		sum[i] = first;
	starpu_vector_data_register(&h, has_value ? (int)STARPU_MAIN_RAM : -1, has_value ? (uintptr_t)sum : 0, 100,
	                            sizeof sum[0]);
	starpu_data_set_reduction_methods(h, reduces_by, begins_by);
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
			if (!begins_by->cpu_funcs[0] && starpu_worker_get_type((int)w) == STARPU_CPU_WORKER)
				continue;
			struct starpu_task *t = starpu_task_create();
			t->cl = &contributes;
			t->cl_arg = (void *)1;
			t->handles[0] = h;
			t->execute_on_a_specific_worker = 1;
			t->workerid = w;
			n++;
			CHECK(starpu_task_submit(t) == 0);
		}
		CHECK(starpu_data_acquire(h, STARPU_R) == 0);
		unsigned *v = starpu_data_get_local_ptr(h);
		CHECK(v[0] == first + n && v[99] == v[0]);
		starpu_data_release(h);
	}
	starpu_data_unregister(h);
}

static void check_reduction(void)
{
	for (int has_value = 0; has_value < 2; has_value++) {
		reduce_by(&reduces, &zeroes, has_value);
		/* Codelets that only devices have. */
		reduce_by(&reduces_there, &zeroes, has_value);
		reduce_by(&reduces_there, &zeroes_there, has_value);
	}
}

/* -- pairs in main memory; on devices first all firsts, then all seconds -- */

struct pair {
	unsigned first, second;
};
enum { PAIRS = 500 };

static void pairs_cpu(void *buffers[], void *arg)
{
	struct pair *p = STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]);
	(void)arg;
	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = (struct pair){p[i].first * 3 + 1, p[i].second * 3 + 1};
}
static void pairs_opencl(void *buffers[], void *arg)
{
	cl_mem at = STARPU_MULTIFORMAT_GET_OPENCL_PTR(buffers[0]);
	cl_uint first = 0, n = 2 * PAIRS, add = 1;
	(void)arg;
	const size_t size[] = {sizeof at, sizeof first, sizeof n, sizeof add};
	launch("change", n, 4, size, (void *[]){&at, &first, &n, &add});
}
static void to_opencl(void *buffers[], void *arg)
{
	cl_mem from = STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]), to = STARPU_MULTIFORMAT_GET_OPENCL_PTR(buffers[0]);
	cl_uint n = PAIRS;
	(void)arg;
	const size_t size[] = {sizeof from, sizeof to, sizeof n};
	launch("apart", n, 3, size, (void *[]){&from, &to, &n});
}
static void to_cpu(void *buffers[], void *arg)
{
	unsigned *from = STARPU_MULTIFORMAT_GET_OPENCL_PTR(buffers[0]);
	struct pair *to = STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]);
	(void)arg;
	for (unsigned i = 0; i < PAIRS; i++)
		to[i] = (struct pair){from[i], from[PAIRS + i]};
}
static struct starpu_perfmodel to_opencl_model = {.type = STARPU_HISTORY_BASED, .symbol = "data_opencl_to_opencl"},
			       to_cpu_model = {.type = STARPU_HISTORY_BASED, .symbol = "data_opencl_to_cpu"};
static struct starpu_codelet converts_to_opencl = {.opencl_funcs = {to_opencl}, .nbuffers = 1, .model = &to_opencl_model};
static struct starpu_codelet converts_to_cpu = {.cpu_funcs = {to_cpu}, .nbuffers = 1, .model = &to_cpu_model};
static struct starpu_multiformat_data_interface_ops formats = {.cpu_elemsize = sizeof(struct pair),
                                                               .opencl_elemsize = 2 * sizeof(unsigned),
                                                               .cpu_to_opencl_cl = &converts_to_opencl,
                                                               .opencl_to_cpu_cl = &converts_to_cpu};
static struct starpu_codelet changes_pairs = {.cpu_funcs = {pairs_cpu},
                                              .opencl_funcs = {pairs_opencl},
                                              .nbuffers = 1,
                                              .modes = {STARPU_RW}};

/* What converts has taught its model: the task would take that longer where the data look differently. */
static void check_conversion_time(starpu_data_handle_t h)
{
	struct starpu_task task = {.cl = &changes_pairs, .nbuffers = 1, .handles = {h}};
	for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
		int is_there;
		if (starpu_worker_get_type((int)w) == STARPU_CPU_WORKER &&
		    starpu_worker_get_by_type(STARPU_CPU_WORKER, 0) != (int)w)
			continue; /* models know kinds: of CPUs the first stands for all */
		starpu_data_query_status(h, (int)starpu_worker_get_memory_node(w), NULL, &is_there, NULL);
		double us = starpu_task_expected_conversion_time(&task, starpu_worker_get_perf_archtype((int)w, 0), 0);
		CHECK(is_there ? us == 0 : us > 0);
	}
}

static void check_multiformat(void)
{
	struct pair pairs[PAIRS], want[PAIRS];
	starpu_data_handle_t h;
	for (unsigned i = 0; i < PAIRS; i++)
		want[i] = pairs[i] = (struct pair){i, 1000 + i};
	starpu_multiformat_data_register(&h, STARPU_MAIN_RAM, pairs, PAIRS, &formats);
	for (unsigned step = 0; step < 100; step++) {
		submit_on(step % starpu_worker_get_count(), &changes_pairs, h, 0);
		for (unsigned i = 0; i < PAIRS; i++)
			want[i] = (struct pair){want[i].first * 3 + 1, want[i].second * 3 + 1};
		if (step % 10 == 0) {
			CHECK(starpu_data_acquire(h, STARPU_R) == 0);
			CHECK(!memcmp(pairs, want, sizeof want));
			starpu_data_release(h);
		}
	}
	starpu_task_wait_for_all();
	check_conversion_time(h);
	starpu_data_unregister(h);
	CHECK(!memcmp(pairs, want, sizeof want));
}

/* -- a device's task that finds one of its data in main memory -- */

static void count_here(void *buffers[], void *arg)
{
	(void)arg;
	++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	change_opencl(buffers + 1, (void *)2);
}
static struct starpu_codelet counts = {.opencl_funcs = {count_here},
                                       .nbuffers = 2,
                                       .modes = {STARPU_RW, STARPU_RW},
                                       .specific_nodes = 1,
                                       .nodes = {STARPU_SPECIFIC_NODE_CPU, STARPU_SPECIFIC_NODE_LOCAL}};

static void check_specific_nodes(void)
{
	unsigned count = 0, v[10] = {0};
	starpu_data_handle_t c, h;
	starpu_variable_data_register(&c, STARPU_MAIN_RAM, (uintptr_t)&count, sizeof count);
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, 10, sizeof v[0]);
	for (unsigned i = 0; i < 20; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &counts;
		t->handles[0] = c;
		t->handles[1] = h;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_data_unregister(c);
	starpu_data_unregister(h);
	CHECK(count == 20 && v[9] == v[0] && v[0] == 3486784400u);
}

/* -- what is where on a device: a handle of the device and an offset; a variable's is its address, too -- */

enum { KINDS = 6 };
static size_t bytes_of(unsigned kind)
{
	static const size_t n[KINDS] = {1, 16, 16, 16, 16, 8};
	return n[kind] * sizeof(unsigned);
}

static void look_there(void *buffers[], void *arg)
{
	const struct {
		uintptr_t at, buffer, offset;
	} seen[KINDS] = {
		{STARPU_VARIABLE_GET_PTR(buffers[0]), STARPU_VARIABLE_GET_DEV_HANDLE(buffers[0]),
	         STARPU_VARIABLE_GET_OFFSET(buffers[0])},
		{STARPU_VECTOR_GET_PTR(buffers[1]), STARPU_VECTOR_GET_DEV_HANDLE(buffers[1]),
	         STARPU_VECTOR_GET_OFFSET(buffers[1])},
		{STARPU_MATRIX_GET_PTR(buffers[2]), STARPU_MATRIX_GET_DEV_HANDLE(buffers[2]),
	         STARPU_MATRIX_GET_OFFSET(buffers[2])},
		{STARPU_BLOCK_GET_PTR(buffers[3]), STARPU_BLOCK_GET_DEV_HANDLE(buffers[3]), STARPU_BLOCK_GET_OFFSET(buffers[3])},
		{STARPU_TENSOR_GET_PTR(buffers[4]), STARPU_TENSOR_GET_DEV_HANDLE(buffers[4]),
	         STARPU_TENSOR_GET_OFFSET(buffers[4])},
		{STARPU_VECTOR_GET_PTR(buffers[5]), STARPU_VECTOR_GET_DEV_HANDLE(buffers[5]),
	         STARPU_VECTOR_GET_OFFSET(buffers[5])},
	};
	(void)arg;
	for (unsigned i = 0; i < KINDS; i++) {
		size_t bytes = 0;
		CHECK(clGetMemObjectInfo((cl_mem)seen[i].buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS);
		CHECK(seen[i].at == (i ? 0 : seen[i].buffer));
		CHECK(seen[i].offset + bytes_of(i) <= bytes);
	}
}

static void check_places(void)
{
	static struct starpu_codelet looks = {.opencl_funcs = {look_there},
	                                      .nbuffers = KINDS,
	                                      .modes = {STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW, STARPU_RW}};
	static unsigned value[KINDS][16];
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
	starpu_data_handle_t h[KINDS];
	starpu_variable_data_register(&h[0], STARPU_MAIN_RAM, (uintptr_t)value[0], sizeof(unsigned));
	starpu_vector_data_register(&h[1], STARPU_MAIN_RAM, (uintptr_t)value[1], 16, sizeof(unsigned));
	starpu_matrix_data_register(&h[2], STARPU_MAIN_RAM, (uintptr_t)value[2], 4, 4, 4, sizeof(unsigned));
	starpu_block_data_register(&h[3], STARPU_MAIN_RAM, (uintptr_t)value[3], 2, 4, 2, 2, 4, sizeof(unsigned));
	starpu_tensor_data_register(&h[4], STARPU_MAIN_RAM, (uintptr_t)value[4], 2, 4, 8, 2, 2, 2, 2, sizeof(unsigned));
	starpu_vector_data_register(&h[5], STARPU_MAIN_RAM, (uintptr_t)value[5], 16, sizeof(unsigned));
	int device = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0);
	starpu_data_partition(h[5], &halves);
	struct starpu_task *t = starpu_task_create();
	t->cl = &looks;
	for (unsigned i = 0; i < KINDS; i++)
		t->handles[i] = i < KINDS - 1 ? h[i] : starpu_data_get_sub_data(h[5], 1, 1);
	t->synchronous = 1;
	t->execute_on_a_specific_worker = 1;
	t->workerid = (unsigned)device;
	CHECK(starpu_task_submit(t) == 0);
	starpu_data_unpartition(h[5], STARPU_MAIN_RAM);
	for (unsigned i = 0; i < KINDS; i++)
		starpu_data_unregister(h[i]);
}

/* -- the program says what leaves a device: always the last that is there -- */

enum { VICTIMS = 24, VICTIM_SIZE = 1 << 18 };
static starpu_data_handle_t victim[VICTIMS];
static unsigned n_asked, n_for, n_named, n_failed, answer;
static starpu_data_handle_t select_victim(starpu_data_handle_t to_load, unsigned node, enum starpu_is_prefetch is_prefetch,
                                          void *data)
{
	CHECK(data == victim && starpu_node_get_kind(node) == STARPU_OPENCL_RAM);
	/* Of those that are not there, or none: when room is made ahead. */
	bool known = !to_load;
	for (unsigned i = 0; i < VICTIMS; i++)
		known = known || (victim[i] == to_load && !starpu_data_is_on_node(victim[i], node));
	CHECK(known);
	__atomic_add_fetch(&n_for, to_load != NULL, __ATOMIC_RELAXED);
	__atomic_add_fetch(&n_asked, 1, __ATOMIC_RELAXED);
	for (unsigned i = VICTIMS; answer == 1 && i-- > 0;)
		if (victim[i] != to_load && starpu_data_is_on_node(victim[i], node) &&
		    starpu_data_can_evict(victim[i], node, is_prefetch)) {
			__atomic_add_fetch(&n_named, 1, __ATOMIC_RELAXED);
			return victim[i];
		}
	return answer ? STARPU_DATA_NO_VICTIM : NULL;
}
static void victim_stays(starpu_data_handle_t h, unsigned node, void *data)
{
	CHECK(h && data == victim && starpu_node_get_kind(node) == STARPU_OPENCL_RAM);
	__atomic_add_fetch(&n_failed, 1, __ATOMIC_RELAXED);
}

static void check_victims(void)
{
	static unsigned char *value[VICTIMS];
	int device = starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0);
	starpu_data_register_victim_selector(select_victim, victim_stays, victim);
	for (answer = 0; answer < 3; answer++) {
		n_asked = n_for = n_named = n_failed = 0;
		for (unsigned i = 0; i < VICTIMS; i++) {
			value[i] = calloc(1, VICTIM_SIZE);
			starpu_vector_data_register(&victim[i], STARPU_MAIN_RAM, (uintptr_t)value[i],
			                            VICTIM_SIZE / sizeof(unsigned), sizeof(unsigned));
		}
		for (unsigned i = 0; i < 3 * VICTIMS; i++)
			submit_on((unsigned)device, &changes, victim[i % VICTIMS], 1);
		starpu_task_wait_for_all();
		for (unsigned i = 0; i < VICTIMS; i++) {
			starpu_data_unregister(victim[i]);
			CHECK(*(unsigned *)value[i] == 13); /* ((0 * 3 + 1) * 3 + 1) * 3 + 1 */
			free(value[i]);
		}
		/* A few of the 24 have room: how many leave by themselves, ahead of time, is open. */
		CHECK(n_for > 0 && n_asked >= n_for && (answer == 1 ? n_named > n_failed : n_named == 0));
	}
	starpu_data_register_victim_selector(NULL, NULL, NULL);
}

/* What is on its way to a device counts as there from when it is asked for, and arrives. */
static void check_requested(void)
{
	static int (*const ask[])(starpu_data_handle_t, unsigned, unsigned) = {starpu_data_prefetch_on_node,
	                                                                       starpu_data_idle_prefetch_on_node,
	                                                                       starpu_data_fetch_on_node};
	static unsigned value[1 << 16];
	int worker;
	starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &worker, 1);
	unsigned node = starpu_worker_get_memory_node((unsigned)worker);
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, 1 << 16, sizeof value[0]);
	for (unsigned i = 0; i < 60; i++) {
		CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
		starpu_data_release(h);
		CHECK(!starpu_data_is_on_node(h, node));
		CHECK(ask[i % 3](h, node, 1) == 0);
		CHECK(starpu_data_is_on_node(h, node));
		while (!starpu_data_is_on_node_excluding_prefetch(h, node))
			sched_yield();
	}
	starpu_data_unregister(h);
}

static void begin_with_program(void)
{
	begin();
	if (!starpu_opencl_worker_get_count()) {
		starpu_shutdown();
		skip_test("no OpenCL device");
	}
	CHECK(starpu_opencl_load_opencl_from_string(source, &program, NULL) == 0);
}

static void end_with_program(void)
{
	starpu_opencl_unload_opencl(&program);
	starpu_shutdown();
}

/* -- a task that no device has room for says so, and does not wait for ever -- */

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet wants_two = {.opencl_funcs = {nothing},
                                          .nbuffers = 2,
                                          .modes = {STARPU_RW, STARPU_RW},
                                          .name = "wants two"};

static void want_too_much(void)
{
	static double v[2][80000];
	starpu_data_handle_t h[2];
	alarm(30);
	setenv("STARPU_LIMIT_OPENCL_MEM", "1", 1);
	begin();
	if (!starpu_opencl_worker_get_count())
		skip_test("no OpenCL device");
	for (unsigned i = 0; i < 2; i++)
		starpu_vector_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)v[i], 80000, sizeof(double));
	for (unsigned i = 0; i < 20; i++)
		(void)!starpu_task_insert(&wants_two, STARPU_RW, h[0], STARPU_RW, h[1], 0);
	starpu_task_wait_for_all();
	_exit(0);
}

static void check_too_much(void)
{
	char text[500] = "";
	int to_us[2], status = 0;
	CHECK(pipe(to_us) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(to_us[1], 2);
		want_too_much();
	}
	close(to_us[1]);
	size_t n = 0;
	ssize_t got;
	while ((got = read(to_us[0], text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(to_us[0]);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_test("no OpenCL device");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK(strstr(text, "'wants two' cannot get its data: handle") && strstr(text, "finds no room on memory node") &&
	      strstr(text, "(OpenCL 0): it takes"));
}

int main(void)
{
	setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
	setenv("STARPU_NCPU", "2", 0);
	check_too_much(); /* first: OpenCL does not go on in a child */
	char home[] = "/tmp/starpu-opencl-home-XXXXXX", command[64];
	if (!mkdtemp(home))
		return 1;
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_CALIBRATE", "1", 1);
	setenv("STARPU_CALIBRATE_MINIMUM", "1", 1);
	setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1); /* other programs make times differ as they like */
	begin_with_program();
	walk(500, STEPS);
	check_reduction();
	check_multiformat();
	check_specific_nodes();
	check_places();
	check_requested();
	for (unsigned w = 0; w < starpu_worker_get_count(); w++)
		CHECK(ran[w] || starpu_worker_get_type((int)w) == STARPU_CPU_WORKER);
	end_with_program();
	/* Room for four of six handles on each device, and a disk. */
	if (!mkdtemp(folder))
		return 1;
	setenv("STARPU_LIMIT_OPENCL_MEM", "1", 1);
	begin_with_program();
	check_victims();
	CHECK(starpu_disk_register(&starpu_disk_unistd_ops, folder, -1) > 0);
	walk(1 << 16, STEPS / 4);
	end_with_program();
	CHECK(rmdir(folder) == 0);
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
