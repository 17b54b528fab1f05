/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's functions for dense data, interface by interface: registering, memory that the
 * application gives on a node, queries for sizes and addresses. All are thin: `../iface` has the
 * operations.
 */
#include "runtime/task/complain.h"
#include "runtime/iface/dense.h"
#include "handle.h"
#include <stdlib.h>

/* ---- registering ---- */

void starpu_variable_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t size)
{
	struct starpu_variable_interface i = {.id = STARPU_VARIABLE_INTERFACE_ID,
	                                      .ptr = ptr,
	                                      .dev_handle = ptr,
	                                      .elemsize = size};
	starpu_data_register(handle, home_node, &i, &starpu_interface_variable_ops);
}

void starpu_vector_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t nx, size_t elemsize,
                                           size_t allocsize)
{
	struct starpu_vector_interface i = {.id = STARPU_VECTOR_INTERFACE_ID,
	                                    .ptr = ptr,
	                                    .dev_handle = ptr,
	                                    .nx = nx,
	                                    .elemsize = elemsize,
	                                    .allocsize = allocsize};
	starpu_data_register(handle, home_node, &i, &starpu_interface_vector_ops);
}

void starpu_vector_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t nx, size_t elemsize)
{
	starpu_vector_data_register_allocsize(handle, home_node, ptr, nx, elemsize, nx * elemsize);
}

void starpu_matrix_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ld, size_t nx,
                                           size_t ny, size_t elemsize, size_t allocsize)
{
	struct starpu_matrix_interface i = {.id = STARPU_MATRIX_INTERFACE_ID,
	                                    .ptr = ptr,
	                                    .dev_handle = ptr,
	                                    .nx = nx,
	                                    .ny = ny,
	                                    .ld = ld,
	                                    .elemsize = elemsize,
	                                    .allocsize = allocsize};
	starpu_data_register(handle, home_node, &i, &starpu_interface_matrix_ops);
}

void starpu_matrix_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ld, size_t nx, size_t ny,
                                 size_t elemsize)
{
	starpu_matrix_data_register_allocsize(handle, home_node, ptr, ld, nx, ny, elemsize, nx * ny * elemsize);
}

void starpu_block_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ldy, size_t ldz, size_t nx,
                                size_t ny, size_t nz, size_t elemsize)
{
	struct starpu_block_interface i = {.id = STARPU_BLOCK_INTERFACE_ID,
	                                   .ptr = ptr,
	                                   .dev_handle = ptr,
	                                   .nx = nx,
	                                   .ny = ny,
	                                   .nz = nz,
	                                   .ldy = ldy,
	                                   .ldz = ldz,
	                                   .elemsize = elemsize};
	starpu_data_register(handle, home_node, &i, &starpu_interface_block_ops);
}

void starpu_tensor_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ldy, size_t ldz, size_t ldt,
                                 size_t nx, size_t ny, size_t nz, size_t nt, size_t elemsize)
{
	struct starpu_tensor_interface i = {.id = STARPU_TENSOR_INTERFACE_ID,
	                                    .ptr = ptr,
	                                    .dev_handle = ptr,
	                                    .nx = nx,
	                                    .ny = ny,
	                                    .nz = nz,
	                                    .nt = nt,
	                                    .ldy = ldy,
	                                    .ldz = ldz,
	                                    .ldt = ldt,
	                                    .elemsize = elemsize};
	starpu_data_register(handle, home_node, &i, &starpu_interface_tensor_ops);
}

void starpu_ndim_data_register(starpu_data_handle_t *handleptr, int home_node, uintptr_t ptr, size_t *ldn, size_t *nn,
                               size_t ndim, size_t elemsize)
{
	size_t allocsize = elemsize;
	for (size_t k = 0; k < ndim; k++)
		allocsize *= nn[k];
	struct starpu_ndim_interface i = {.id = STARPU_NDIM_INTERFACE_ID,
	                                  .ptr = ptr,
	                                  .dev_handle = ptr,
	                                  .allocsize = allocsize,
	                                  .nn = nn,
	                                  .ldn = ldn,
	                                  .ndim = ndim,
	                                  .elemsize = elemsize};
	starpu_data_register(handleptr, home_node, &i, &starpu_interface_ndim_ops);
}

/* ---- memory that the application gives on a node ---- */

static struct rt_dense give(starpu_data_handle_t h, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset)
{
	struct rt_dense d = {0};
	starpu_data_ptr_register(h, node);
	if (!rt_dense_look(starpu_data_get_interface_on_node(h, node), &d))
		rt_misuse("this handle's data has another interface");
	*d.ptr = ptr;
	*d.dev_handle = dev_handle;
	*d.offset = offset;
	return d;
}

void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset)
{
	give(handle, node, ptr, dev_handle, offset);
}

void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset)
{
	give(handle, node, ptr, dev_handle, offset);
}

void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                size_t ld)
{
	struct rt_dense d = give(handle, node, ptr, dev_handle, offset);
	*d.ld[1] = ld;
}

void starpu_submatrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                   size_t ld)
{
	starpu_subdata_ptr_register(handle, node);
	struct starpu_matrix_interface *m = starpu_data_get_interface_on_node(handle, node);
	m->ptr = ptr;
	m->dev_handle = dev_handle;
	m->offset = offset;
	m->ld = ld;
}

void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                               size_t ldy, size_t ldz)
{
	struct rt_dense d = give(handle, node, ptr, dev_handle, offset);
	*d.ld[1] = ldy;
	*d.ld[2] = ldz;
}

void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                size_t ldy, size_t ldz, size_t ldt)
{
	struct rt_dense d = give(handle, node, ptr, dev_handle, offset);
	*d.ld[1] = ldy;
	*d.ld[2] = ldz;
	*d.ld[3] = ldt;
}

void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                              size_t *ldn)
{
	struct rt_dense d = give(handle, node, ptr, dev_handle, offset);
	for (unsigned k = 0; k < d.dims; k++)
		d.ldn[k] = ldn[k];
}

/* ---- queries ---- */

static void *interface_of(starpu_data_handle_t h, enum starpu_data_interface_id id, unsigned node)
{
	RT_EXPECT(starpu_data_get_interface_id(h) == id, "this handle's data has the interface %s", h->ops->name);
	return starpu_data_get_interface_on_node(h, node);
}

/* The application's node of the value: its home, or main memory. */
static unsigned home_of(starpu_data_handle_t h)
{
	int home = starpu_data_get_home_node(h);
	return home >= 0 ? (unsigned)home : STARPU_MAIN_RAM;
}

#define GET(type, TYPE, field, result) \
	result starpu_##type##_get_##field(starpu_data_handle_t handle) \
	{ \
		struct starpu_##type##_interface *i = interface_of(handle, STARPU_##TYPE##_INTERFACE_ID, STARPU_MAIN_RAM); \
		return i->field; \
	}
#define GET_LOCAL(type, TYPE, field, result) \
	result starpu_##type##_get_local_##field(starpu_data_handle_t handle) \
	{ \
		struct starpu_##type##_interface *i = interface_of(handle, STARPU_##TYPE##_INTERFACE_ID, home_of(handle)); \
		return i->field; \
	}

GET(variable, VARIABLE, elemsize, size_t)
GET_LOCAL(variable, VARIABLE, ptr, uintptr_t)
GET(vector, VECTOR, nx, size_t)
GET(vector, VECTOR, elemsize, size_t)
GET(vector, VECTOR, allocsize, size_t)
GET_LOCAL(vector, VECTOR, ptr, uintptr_t)
GET(matrix, MATRIX, nx, size_t)
GET(matrix, MATRIX, ny, size_t)
GET(matrix, MATRIX, elemsize, size_t)
GET(matrix, MATRIX, allocsize, size_t)
GET_LOCAL(matrix, MATRIX, ld, size_t)
GET_LOCAL(matrix, MATRIX, ptr, uintptr_t)
GET(block, BLOCK, nx, size_t)
GET(block, BLOCK, ny, size_t)
GET(block, BLOCK, nz, size_t)
GET(block, BLOCK, elemsize, size_t)
GET_LOCAL(block, BLOCK, ldy, size_t)
GET_LOCAL(block, BLOCK, ldz, size_t)
GET_LOCAL(block, BLOCK, ptr, uintptr_t)
GET(tensor, TENSOR, nx, size_t)
GET(tensor, TENSOR, ny, size_t)
GET(tensor, TENSOR, nz, size_t)
GET(tensor, TENSOR, nt, size_t)
GET(tensor, TENSOR, elemsize, size_t)
GET_LOCAL(tensor, TENSOR, ldy, size_t)
GET_LOCAL(tensor, TENSOR, ldz, size_t)
GET_LOCAL(tensor, TENSOR, ldt, size_t)
GET_LOCAL(tensor, TENSOR, ptr, uintptr_t)
GET(ndim, NDIM, nn, size_t *)
GET(ndim, NDIM, ndim, size_t)
GET(ndim, NDIM, elemsize, size_t)
GET_LOCAL(ndim, NDIM, ldn, size_t *)
GET_LOCAL(ndim, NDIM, ptr, uintptr_t)

size_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i)
{
	RT_EXPECT(i < starpu_ndim_get_ndim(handle), "there is no dimension %zu", i);
	return starpu_ndim_get_nn(handle)[i];
}

size_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i)
{
	RT_EXPECT(i < starpu_ndim_get_ndim(handle), "there is no dimension %zu", i);
	return starpu_ndim_get_local_ldn(handle)[i];
}
