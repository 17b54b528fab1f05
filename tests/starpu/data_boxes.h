/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks for dense data of any interface, on CPUs and OpenCL devices alike: the interface is asked by StarPU's macros for its shape
 * and place; a device's buffer is read, worked on and written by its worker.
 */
#ifndef WEFT_TESTS_STARPU_DATA_BOXES_H
#define WEFT_TESTS_STARPU_DATA_BOXES_H

#include "data_check.h"
#include <starpu_opencl.h>
#include <stdbool.h>

enum { BOX_MOST = 8 };
struct box {
	unsigned dims;
	size_t n[BOX_MOST], ld[BOX_MOST];
	uintptr_t ptr, buffer, offset;
	size_t elemsize;
};

#define BOX(TYPE, interface) \
	.ptr = STARPU_##TYPE##_GET_PTR(interface), .buffer = STARPU_##TYPE##_GET_DEV_HANDLE(interface), \
	.offset = STARPU_##TYPE##_GET_OFFSET(interface), .elemsize = STARPU_##TYPE##_GET_ELEMSIZE(interface)

static inline struct box box_of_variable(void *i)
{
	STARPU_VARIABLE_CHECK(i);
	return (struct box){.dims = 0, BOX(VARIABLE, i)};
}
static inline struct box box_of_vector(void *i)
{
	STARPU_VECTOR_CHECK(i);
	return (struct box){.dims = 1, .n = {STARPU_VECTOR_GET_NX(i)}, .ld = {1}, BOX(VECTOR, i)};
}
static inline struct box box_of_matrix(void *i)
{
	STARPU_MATRIX_CHECK(i);
	return (struct box){.dims = 2,
	                    .n = {STARPU_MATRIX_GET_NX(i), STARPU_MATRIX_GET_NY(i)},
	                    .ld = {1, STARPU_MATRIX_GET_LD(i)},
	                    BOX(MATRIX, i)};
}
static inline struct box box_of_block(void *i)
{
	STARPU_BLOCK_CHECK(i);
	return (struct box){.dims = 3,
	                    .n = {STARPU_BLOCK_GET_NX(i), STARPU_BLOCK_GET_NY(i), STARPU_BLOCK_GET_NZ(i)},
	                    .ld = {1, STARPU_BLOCK_GET_LDY(i), STARPU_BLOCK_GET_LDZ(i)},
	                    BOX(BLOCK, i)};
}
static inline struct box box_of_tensor(void *i)
{
	STARPU_TENSOR_CHECK(i);
	return (struct box){.dims = 4,
	                    .n = {STARPU_TENSOR_GET_NX(i), STARPU_TENSOR_GET_NY(i), STARPU_TENSOR_GET_NZ(i),
	                          STARPU_TENSOR_GET_NT(i)},
	                    .ld = {1, STARPU_TENSOR_GET_LDY(i), STARPU_TENSOR_GET_LDZ(i), STARPU_TENSOR_GET_LDT(i)},
	                    BOX(TENSOR, i)};
}
static inline struct box box_of_ndim(void *i)
{
	STARPU_NDIM_CHECK(i);
	struct box b = {.dims = (unsigned)STARPU_NDIM_GET_NDIM(i), BOX(NDIM, i)};
	memcpy(b.n, STARPU_NDIM_GET_NN(i), b.dims * sizeof b.n[0]);
	memcpy(b.ld, STARPU_NDIM_GET_LDN(i), b.dims * sizeof b.ld[0]);
	return b;
}

/* What a task finds. */
static inline struct box box_of(void *interface)
{
	static struct box (*const of[])(void *) = {
		[STARPU_VARIABLE_INTERFACE_ID] = box_of_variable, [STARPU_VECTOR_INTERFACE_ID] = box_of_vector,
		[STARPU_MATRIX_INTERFACE_ID] = box_of_matrix,     [STARPU_BLOCK_INTERFACE_ID] = box_of_block,
		[STARPU_TENSOR_INTERFACE_ID] = box_of_tensor,     [STARPU_NDIM_INTERFACE_ID] = box_of_ndim,
	};
	return of[*(enum starpu_data_interface_id *)interface](interface);
}

static inline size_t box_elements(const struct box *b)
{
	size_t n = 1;
	for (unsigned k = 0; k < b->dims; k++)
		n *= b->n[k];
	return n;
}

/* Where element e is, in elements. */
static inline size_t box_at(const struct box *b, size_t e)
{
	size_t at = 0;
	for (unsigned k = 0; k < b->dims; k++) {
		at += e % b->n[k] * b->ld[k];
		e /= b->n[k];
	}
	return at;
}

static inline bool on_device(void)
{
	return starpu_worker_get_type(starpu_worker_get_id_check()) == STARPU_OPENCL_WORKER;
}

/* `bytes` of a buffer of this worker's device, copied to main memory or from there. */
static inline void buffer_read(uintptr_t buffer, size_t offset, size_t bytes, void *to)
{
	cl_command_queue queue;
	starpu_opencl_get_current_queue(&queue);
	CHECK(clEnqueueReadBuffer(queue, (cl_mem)buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL) == CL_SUCCESS);
}
static inline void buffer_write(uintptr_t buffer, size_t offset, size_t bytes, const void *from)
{
	cl_command_queue queue;
	starpu_opencl_get_current_queue(&queue);
	CHECK(clEnqueueWriteBuffer(queue, (cl_mem)buffer, CL_TRUE, offset, bytes, from, 0, NULL, NULL) == CL_SUCCESS);
}

/* The elements, where they can be worked on; of a device a copy. */
static inline unsigned *box_take(const struct box *b)
{
	size_t n = box_elements(b), bytes = n ? (box_at(b, n - 1) + 1) * b->elemsize : 0;
	CHECK(b->elemsize == sizeof(unsigned));
	if (!on_device())
		return (unsigned *)b->ptr;
	unsigned *v = malloc(bytes + 1);
	if (bytes)
		buffer_read(b->buffer, b->offset, bytes, v);
	return v;
}

static inline void box_give(const struct box *b, unsigned *v, bool written)
{
	size_t n = box_elements(b);
	if (!on_device())
		return;
	if (n && written)
		buffer_write(b->buffer, b->offset, (box_at(b, n - 1) + 1) * b->elemsize, v);
	free(v);
}

/* ---- what tasks do ---- */

static inline unsigned box_hash_next(unsigned hash, unsigned element)
{
	return hash * 31 + element;
}

static inline void box_change(void *buffers[], void *arg)
{
	struct box b = box_of(buffers[0]);
	unsigned *v = box_take(&b);
	for (size_t e = 0; e < box_elements(&b); e++)
		v[box_at(&b, e)] = v[box_at(&b, e)] * 3 + (unsigned)(uintptr_t)arg;
	box_give(&b, v, true);
}

static inline void box_look(void *buffers[], void *arg)
{
	struct box b = box_of(buffers[0]);
	unsigned *v = box_take(&b), hash = 0;
	for (size_t e = 0; e < box_elements(&b); e++)
		hash = box_hash_next(hash, v[box_at(&b, e)]);
	CHECK(hash == (unsigned)(uintptr_t)arg);
	box_give(&b, v, false);
}

static struct starpu_codelet box_changes = {.cpu_funcs = {box_change},
                                            .opencl_funcs = {box_change},
                                            .nbuffers = 1,
                                            .modes = {STARPU_RW},
                                            .name = "change"};
static struct starpu_codelet box_looks = {.cpu_funcs = {box_look},
                                          .opencl_funcs = {box_look},
                                          .nbuffers = 1,
                                          .modes = {STARPU_R},
                                          .name = "look"};

static inline void submit_on(unsigned worker, struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = (void *)(uintptr_t)arg;
	t->handles[0] = h;
	t->execute_on_a_specific_worker = 1;
	t->workerid = worker;
	CHECK(starpu_task_submit(t) == 0);
}

/* ---- the same on a model of the whole, which a part is a box of ---- */

static inline void model_change(const struct box *b, unsigned *whole, unsigned add)
{
	for (size_t e = 0; e < box_elements(b); e++)
		whole[b->offset + box_at(b, e)] = whole[b->offset + box_at(b, e)] * 3 + add;
}

static inline unsigned model_hash(const struct box *b, const unsigned *whole)
{
	unsigned hash = 0;
	for (size_t e = 0; e < box_elements(b); e++)
		hash = box_hash_next(hash, whole[b->offset + box_at(b, e)]);
	return hash;
}

/* Part i of those into which dimension k is cut, with a border that neighbours share. */
static inline struct box part_of(const struct box *whole, unsigned k, unsigned i, unsigned parts, size_t border)
{
	struct box b = *whole;
	size_t inner = whole->n[k] - 2 * border, each = inner / parts, longer = inner % parts;
	b.n[k] = each + (i < longer) + 2 * border;
	b.offset += (each * i + (i < longer ? i : longer)) * whole->ld[k];
	return b;
}

static unsigned workers;

static inline void submit_anywhere(struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	submit_on(random_below(workers), cl, h, arg);
}

static inline void change(starpu_data_handle_t h, const struct box *b, unsigned *whole, unsigned add)
{
	submit_anywhere(&box_changes, h, add);
	model_change(b, whole, add);
}

static inline void look(starpu_data_handle_t h, const struct box *b, const unsigned *whole)
{
	submit_anywhere(&box_looks, h, model_hash(b, whole));
}

/* Or with several NUMA nodes. */
static inline void begin_with_devices(void)
{
	setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
	setenv("STARPU_NCPU", "2", 0);
	begin();
	if (starpu_memory_nodes_get_count() == 1)
		skip_test("there is no memory but main memory: no OpenCL device");
	workers = starpu_worker_get_count();
}

#endif
