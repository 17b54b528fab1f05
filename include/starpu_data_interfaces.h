/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a handle stands for: variables, vectors, matrices and the other shapes, and the table of functions with which a
 * program adds its own.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_DATA_INTERFACES_H__
#define __STARPU_DATA_INTERFACES_H__

#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <starpu_data.h>
#include <starpu_util.h>
#include <starpu_opencl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_BCSR_GET_C(interface) (((struct starpu_bcsr_interface *)(interface))->c)
#define STARPU_BCSR_GET_COLIND(interface) (((struct starpu_bcsr_interface *)(interface))->colind)
#define STARPU_BCSR_GET_COLIND_DEV_HANDLE(interface) (((struct starpu_bcsr_interface *)(interface))->colind)
#define STARPU_BCSR_GET_ELEMSIZE(interface) (((struct starpu_bcsr_interface *)(interface))->elemsize)
#define STARPU_BCSR_GET_FIRSTENTRY(interface) (((struct starpu_bcsr_interface *)(interface))->firstentry)
#define STARPU_BCSR_GET_NNZ(interface) (((struct starpu_bcsr_interface *)(interface))->nnz)
#define STARPU_BCSR_GET_NROW(interface) (((struct starpu_bcsr_interface *)(interface))->nrow)
#define STARPU_BCSR_GET_NZVAL(interface) (((struct starpu_bcsr_interface *)(interface))->nzval)
#define STARPU_BCSR_GET_NZVAL_DEV_HANDLE(interface) (((struct starpu_bcsr_interface *)(interface))->nzval)
#define STARPU_BCSR_GET_OFFSET 0
#define STARPU_BCSR_GET_R(interface) (((struct starpu_bcsr_interface *)(interface))->r)
#define STARPU_BCSR_GET_RAM_COLIND(interface) (((struct starpu_bcsr_interface *)(interface))->ram_colind)
#define STARPU_BCSR_GET_RAM_ROWPTR(interface) (((struct starpu_bcsr_interface *)(interface))->ram_rowptr)
#define STARPU_BCSR_GET_ROWPTR(interface) (((struct starpu_bcsr_interface *)(interface))->rowptr)
#define STARPU_BCSR_GET_ROWPTR_DEV_HANDLE(interface) (((struct starpu_bcsr_interface *)(interface))->rowptr)
#define STARPU_BLOCK_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_block_interface *)(interface))->id == STARPU_BLOCK_INTERFACE_ID, "this is no block")
#define STARPU_BLOCK_GET_DEV_HANDLE(interface) (((struct starpu_block_interface *)(interface))->dev_handle)
#define STARPU_BLOCK_GET_ELEMSIZE(interface) (((struct starpu_block_interface *)(interface))->elemsize)
#define STARPU_BLOCK_GET_LDY(interface) (((struct starpu_block_interface *)(interface))->ldy)
#define STARPU_BLOCK_GET_LDZ(interface) (((struct starpu_block_interface *)(interface))->ldz)
#define STARPU_BLOCK_GET_NX(interface) (((struct starpu_block_interface *)(interface))->nx)
#define STARPU_BLOCK_GET_NY(interface) (((struct starpu_block_interface *)(interface))->ny)
#define STARPU_BLOCK_GET_NZ(interface) (((struct starpu_block_interface *)(interface))->nz)
#define STARPU_BLOCK_GET_OFFSET(interface) (((struct starpu_block_interface *)(interface))->offset)
#define STARPU_BLOCK_GET_PTR(interface) (((struct starpu_block_interface *)(interface))->ptr)
#define STARPU_COO_GET_COLUMNS(interface) (((struct starpu_coo_interface *)(interface))->columns)
#define STARPU_COO_GET_COLUMNS_DEV_HANDLE(interface) (((struct starpu_coo_interface *)(interface))->columns)
#define STARPU_COO_GET_ELEMSIZE(interface) (((struct starpu_coo_interface *)(interface))->elemsize)
#define STARPU_COO_GET_NVALUES(interface) (((struct starpu_coo_interface *)(interface))->n_values)
#define STARPU_COO_GET_NX(interface) (((struct starpu_coo_interface *)(interface))->nx)
#define STARPU_COO_GET_NY(interface) (((struct starpu_coo_interface *)(interface))->ny)
#define STARPU_COO_GET_OFFSET 0
#define STARPU_COO_GET_ROWS(interface) (((struct starpu_coo_interface *)(interface))->rows)
#define STARPU_COO_GET_ROWS_DEV_HANDLE(interface) (((struct starpu_coo_interface *)(interface))->rows)
#define STARPU_COO_GET_VALUES(interface) (((struct starpu_coo_interface *)(interface))->values)
#define STARPU_COO_GET_VALUES_DEV_HANDLE(interface) (((struct starpu_coo_interface *)(interface))->values)
#define STARPU_CSR_GET_COLIND(interface) (((struct starpu_csr_interface *)(interface))->colind)
#define STARPU_CSR_GET_COLIND_DEV_HANDLE(interface) (((struct starpu_csr_interface *)(interface))->colind)
#define STARPU_CSR_GET_ELEMSIZE(interface) (((struct starpu_csr_interface *)(interface))->elemsize)
#define STARPU_CSR_GET_FIRSTENTRY(interface) (((struct starpu_csr_interface *)(interface))->firstentry)
#define STARPU_CSR_GET_NNZ(interface) (((struct starpu_csr_interface *)(interface))->nnz)
#define STARPU_CSR_GET_NROW(interface) (((struct starpu_csr_interface *)(interface))->nrow)
#define STARPU_CSR_GET_NZVAL(interface) (((struct starpu_csr_interface *)(interface))->nzval)
#define STARPU_CSR_GET_NZVAL_DEV_HANDLE(interface) (((struct starpu_csr_interface *)(interface))->nzval)
#define STARPU_CSR_GET_OFFSET 0
#define STARPU_CSR_GET_RAM_COLIND(interface) (((struct starpu_csr_interface *)(interface))->ram_colind)
#define STARPU_CSR_GET_RAM_ROWPTR(interface) (((struct starpu_csr_interface *)(interface))->ram_rowptr)
#define STARPU_CSR_GET_ROWPTR(interface) (((struct starpu_csr_interface *)(interface))->rowptr)
#define STARPU_CSR_GET_ROWPTR_DEV_HANDLE(interface) (((struct starpu_csr_interface *)(interface))->rowptr)
#define STARPU_MATRIX_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_matrix_interface *)(interface))->id == STARPU_MATRIX_INTERFACE_ID, "this is no matrix")
#define STARPU_MATRIX_GET_ALLOCSIZE(interface) (((struct starpu_matrix_interface *)(interface))->allocsize)
#define STARPU_MATRIX_GET_DEV_HANDLE(interface) (((struct starpu_matrix_interface *)(interface))->dev_handle)
#define STARPU_MATRIX_GET_ELEMSIZE(interface) (((struct starpu_matrix_interface *)(interface))->elemsize)
#define STARPU_MATRIX_GET_LD(interface) (((struct starpu_matrix_interface *)(interface))->ld)
#define STARPU_MATRIX_GET_NX(interface) (((struct starpu_matrix_interface *)(interface))->nx)
#define STARPU_MATRIX_GET_NY(interface) (((struct starpu_matrix_interface *)(interface))->ny)
#define STARPU_MATRIX_GET_OFFSET(interface) (((struct starpu_matrix_interface *)(interface))->offset)
#define STARPU_MATRIX_GET_PTR(interface) (((struct starpu_matrix_interface *)(interface))->ptr)
#define STARPU_MATRIX_SET_LD(interface, newld) ((void)(((struct starpu_matrix_interface *)(interface))->ld = (newld)))
#define STARPU_MATRIX_SET_NX(interface, newnx) ((void)(((struct starpu_matrix_interface *)(interface))->nx = (newnx)))
#define STARPU_MATRIX_SET_NY(interface, newny) ((void)(((struct starpu_matrix_interface *)(interface))->ny = (newny)))
#define STARPU_MULTIFORMAT_GET_CPU_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->cpu_ptr)
#define STARPU_MULTIFORMAT_GET_CUDA_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->cuda_ptr)
#define STARPU_MULTIFORMAT_GET_HIP_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->hip_ptr)
#define STARPU_MULTIFORMAT_GET_MIC_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->mic_ptr)
#define STARPU_MULTIFORMAT_GET_NX(interface) (((struct starpu_multiformat_interface *)(interface))->nx)
#define STARPU_MULTIFORMAT_GET_OPENCL_PTR(interface) (((struct starpu_multiformat_interface *)(interface))->opencl_ptr)
#define STARPU_MULTIFORMAT_GET_SYCL_PTR(interface) ((void)(interface), (void *)NULL)
#define STARPU_NDIM_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_ndim_interface *)(interface))->id == STARPU_NDIM_INTERFACE_ID, "this is no ndim")
#define STARPU_NDIM_GET_DEV_HANDLE(interface) (((struct starpu_ndim_interface *)(interface))->dev_handle)
#define STARPU_NDIM_GET_ELEMSIZE(interface) (((struct starpu_ndim_interface *)(interface))->elemsize)
#define STARPU_NDIM_GET_LDN(interface) (((struct starpu_ndim_interface *)(interface))->ldn)
#define STARPU_NDIM_GET_NDIM(interface) (((struct starpu_ndim_interface *)(interface))->ndim)
#define STARPU_NDIM_GET_NN(interface) (((struct starpu_ndim_interface *)(interface))->nn)
#define STARPU_NDIM_GET_OFFSET(interface) (((struct starpu_ndim_interface *)(interface))->offset)
#define STARPU_NDIM_GET_PTR(interface) (((struct starpu_ndim_interface *)(interface))->ptr)
#define STARPU_TENSOR_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_tensor_interface *)(interface))->id == STARPU_TENSOR_INTERFACE_ID, "this is no tensor")
#define STARPU_TENSOR_GET_DEV_HANDLE(interface) (((struct starpu_tensor_interface *)(interface))->dev_handle)
#define STARPU_TENSOR_GET_ELEMSIZE(interface) (((struct starpu_tensor_interface *)(interface))->elemsize)
#define STARPU_TENSOR_GET_LDT(interface) (((struct starpu_tensor_interface *)(interface))->ldt)
#define STARPU_TENSOR_GET_LDY(interface) (((struct starpu_tensor_interface *)(interface))->ldy)
#define STARPU_TENSOR_GET_LDZ(interface) (((struct starpu_tensor_interface *)(interface))->ldz)
#define STARPU_TENSOR_GET_NT(interface) (((struct starpu_tensor_interface *)(interface))->nt)
#define STARPU_TENSOR_GET_NX(interface) (((struct starpu_tensor_interface *)(interface))->nx)
#define STARPU_TENSOR_GET_NY(interface) (((struct starpu_tensor_interface *)(interface))->ny)
#define STARPU_TENSOR_GET_NZ(interface) (((struct starpu_tensor_interface *)(interface))->nz)
#define STARPU_TENSOR_GET_OFFSET(interface) (((struct starpu_tensor_interface *)(interface))->offset)
#define STARPU_TENSOR_GET_PTR(interface) (((struct starpu_tensor_interface *)(interface))->ptr)
#define STARPU_VARIABLE_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_variable_interface *)(interface))->id == STARPU_VARIABLE_INTERFACE_ID, \
	                  "this is no variable")
#define STARPU_VARIABLE_GET_DEV_HANDLE(interface) (((struct starpu_variable_interface *)(interface))->dev_handle)
#define STARPU_VARIABLE_GET_ELEMSIZE(interface) (((struct starpu_variable_interface *)(interface))->elemsize)
#define STARPU_VARIABLE_GET_OFFSET(interface) (((struct starpu_variable_interface *)(interface))->offset)
#define STARPU_VARIABLE_GET_PTR(interface) (((struct starpu_variable_interface *)(interface))->ptr)
#define STARPU_VECTOR_CHECK(interface) \
	STARPU_ASSERT_MSG(((struct starpu_vector_interface *)(interface))->id == STARPU_VECTOR_INTERFACE_ID, "this is no vector")
#define STARPU_VECTOR_GET_ALLOCSIZE(interface) (((struct starpu_vector_interface *)(interface))->allocsize)
#define STARPU_VECTOR_GET_DEV_HANDLE(interface) (((struct starpu_vector_interface *)(interface))->dev_handle)
#define STARPU_VECTOR_GET_ELEMSIZE(interface) (((struct starpu_vector_interface *)(interface))->elemsize)
#define STARPU_VECTOR_GET_NX(interface) (((struct starpu_vector_interface *)(interface))->nx)
#define STARPU_VECTOR_GET_OFFSET(interface) (((struct starpu_vector_interface *)(interface))->offset)
#define STARPU_VECTOR_GET_PTR(interface) (((struct starpu_vector_interface *)(interface))->ptr)
#define STARPU_VECTOR_GET_SLICE_BASE(interface) (((struct starpu_vector_interface *)(interface))->slice_base)
#define STARPU_VECTOR_SET_NX(interface, newnx) ((void)(((struct starpu_vector_interface *)(interface))->nx = (newnx)))

struct starpu_codelet;
struct starpu_data_copy_methods;
struct starpu_data_interface_ops;
struct starpu_multiformat_data_interface_ops;

enum starpu_node_kind {
	STARPU_UNUSED = 0,
	STARPU_CPU_RAM = 1,
	STARPU_CUDA_RAM = 2,
	STARPU_OPENCL_RAM = 3,
	STARPU_MAX_FPGA_RAM = 4,
	STARPU_DISK_RAM = 5,
	STARPU_MPI_SC_RAM = 6,
	STARPU_TCPIP_SC_RAM = 7,
	STARPU_HIP_RAM = 8,
	STARPU_SYCL_RAM = 9,
	STARPU_MAX_RAM = 9,
	STARPU_NRAM = 10,
	/* Of 1.3 and 1.4. */
	STARPU_MIC_RAM = STARPU_NRAM,
	STARPU_MPI_MS_RAM = STARPU_MPI_SC_RAM,
	STARPU_TCPIP_MS_RAM = STARPU_TCPIP_SC_RAM,
};

enum starpu_data_interface_id {
	STARPU_UNKNOWN_INTERFACE_ID = -1,
	STARPU_MATRIX_INTERFACE_ID = 0,
	STARPU_BLOCK_INTERFACE_ID = 1,
	STARPU_VECTOR_INTERFACE_ID = 2,
	STARPU_CSR_INTERFACE_ID = 3,
	STARPU_BCSR_INTERFACE_ID = 4,
	STARPU_VARIABLE_INTERFACE_ID = 5,
	STARPU_VOID_INTERFACE_ID = 6,
	STARPU_MULTIFORMAT_INTERFACE_ID = 7,
	STARPU_COO_INTERFACE_ID = 8,
	STARPU_TENSOR_INTERFACE_ID = 9,
	STARPU_NDIM_INTERFACE_ID = 10,
	STARPU_MAX_INTERFACE_ID = 11,
};

struct starpu_data_copy_methods {
	int (*can_copy)(void *, unsigned, void *, unsigned, unsigned);
	int (*ram_to_ram)(void *, unsigned, void *, unsigned);
	int (*ram_to_cuda)(void *, unsigned, void *, unsigned);
	int (*ram_to_hip)(void *, unsigned, void *, unsigned);
	int (*ram_to_sycl)(void *, unsigned, void *, unsigned);
	int (*ram_to_opencl)(void *, unsigned, void *, unsigned);
	int (*ram_to_max_fpga)(void *, unsigned, void *, unsigned);
	int (*cuda_to_ram)(void *, unsigned, void *, unsigned);
	int (*cuda_to_cuda)(void *, unsigned, void *, unsigned);
	int (*hip_to_ram)(void *, unsigned, void *, unsigned);
	int (*hip_to_hip)(void *, unsigned, void *, unsigned);
	int (*sycl_to_ram)(void *, unsigned, void *, unsigned);
	int (*sycl_to_sycl)(void *, unsigned, void *, unsigned);
	int (*opencl_to_ram)(void *, unsigned, void *, unsigned);
	int (*opencl_to_opencl)(void *, unsigned, void *, unsigned);
	int (*max_fpga_to_ram)(void *, unsigned, void *, unsigned);
	int (*ram_to_cuda_async)(void);
	int (*cuda_to_ram_async)(void);
	int (*cuda_to_cuda_async)(void);
	int (*ram_to_hip_async)(void);
	int (*hip_to_ram_async)(void);
	int (*hip_to_hip_async)(void);
	int (*ram_to_sycl_async)(void);
	int (*sycl_to_ram_async)(void);
	int (*sycl_to_sycl_async)(void);
#ifdef STARPU_USE_OPENCL
	int (*ram_to_opencl_async)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
	                           cl_event *event);
#else
	int (*ram_to_opencl_async)(void);
#endif
#ifdef STARPU_USE_OPENCL
	int (*opencl_to_ram_async)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
	                           cl_event *event);
#else
	int (*opencl_to_ram_async)(void);
#endif
#ifdef STARPU_USE_OPENCL
	int (*opencl_to_opencl_async)(void *src_interface, unsigned src_node, void *dst_interface, unsigned dst_node,
	                              cl_event *event);
#else
	int (*opencl_to_opencl_async)(void);
#endif
	int (*ram_to_max_fpga_async)(void *, unsigned, void *, unsigned);
	int (*max_fpga_to_ram_async)(void *, unsigned, void *, unsigned);
	int (*any_to_any)(void *, unsigned, void *, unsigned, void *);
	/* Of 1.3, for devices that are not here. */
	int (*ram_to_mic)(void *, unsigned, void *, unsigned);
	int (*mic_to_ram)(void *, unsigned, void *, unsigned);
	int (*ram_to_mpi_ms)(void *, unsigned, void *, unsigned);
	int (*mpi_ms_to_ram)(void *, unsigned, void *, unsigned);
	int (*mpi_ms_to_mpi_ms)(void *, unsigned, void *, unsigned);
	int (*ram_to_mic_async)(void *, unsigned, void *, unsigned);
	int (*mic_to_ram_async)(void *, unsigned, void *, unsigned);
	int (*ram_to_mpi_ms_async)(void *, unsigned, void *, unsigned, void *);
	int (*mpi_ms_to_ram_async)(void *, unsigned, void *, unsigned, void *);
	int (*mpi_ms_to_mpi_ms_async)(void *, unsigned, void *, unsigned, void *);
};

struct starpu_data_interface_ops {
	void (*register_data_handle)(starpu_data_handle_t, int, void *);
	void (*unregister_data_handle)(starpu_data_handle_t);
	starpu_ssize_t (*allocate_data_on_node)(void *, unsigned);
	void (*free_data_on_node)(void *, unsigned);
	void (*cache_data_on_node)(void *, void *, unsigned);
	void (*reuse_data_on_node)(void *, const void *, unsigned);
	int (*map_data)(void *, unsigned, void *, unsigned);
	int (*unmap_data)(void *, unsigned, void *, unsigned);
	int (*update_map)(void *, unsigned, void *, unsigned);
	void (*init)(void *);
	const struct starpu_data_copy_methods *copy_methods;
	void *(*handle_to_pointer)(starpu_data_handle_t, unsigned);
	void *(*to_pointer)(void *, unsigned);
	size_t (*get_size)(starpu_data_handle_t);
	size_t (*get_alloc_size)(starpu_data_handle_t);
	size_t (*get_max_size)(starpu_data_handle_t);
	uint32_t (*footprint)(starpu_data_handle_t);
	uint32_t (*alloc_footprint)(starpu_data_handle_t);
	int (*compare)(void *, void *);
	int (*alloc_compare)(void *, void *);
	void (*display)(starpu_data_handle_t, FILE *);
	starpu_ssize_t (*describe)(void *, char *, size_t);
	enum starpu_data_interface_id interfaceid;
	size_t interface_size;
	char is_multiformat;
	char dontcache;
	struct starpu_multiformat_data_interface_ops *(*get_mf_ops)(void *);
	int (*pack_data)(starpu_data_handle_t, unsigned, void **, starpu_ssize_t *);
	int (*peek_data)(starpu_data_handle_t, unsigned, void *, size_t);
	int (*unpack_data)(starpu_data_handle_t, unsigned, void *, size_t);
	int (*pack_meta)(void *, void **, starpu_ssize_t *);
	int (*unpack_meta)(void **, void *, starpu_ssize_t *);
	int (*free_meta)(void *);
	char *name;
	int (*pointer_is_inside)(void *, unsigned, void *); /* of 1.3 and 1.4 */
};

struct starpu_matrix_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t nx;
	size_t ny;
	size_t ld;
	size_t elemsize;
	size_t allocsize;
};

struct starpu_coo_interface {
	enum starpu_data_interface_id id;
	uint32_t *columns;
	uint32_t *rows;
	uintptr_t values;
	uint32_t nx;
	uint32_t ny;
	uint32_t n_values;
	size_t elemsize;
};

struct starpu_block_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t nx;
	size_t ny;
	size_t nz;
	size_t ldy;
	size_t ldz;
	size_t elemsize;
};

struct starpu_tensor_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t nx;
	size_t ny;
	size_t nz;
	size_t nt;
	size_t ldy;
	size_t ldz;
	size_t ldt;
	size_t elemsize;
};

struct starpu_ndim_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t allocsize;
	size_t *nn;
	size_t *ldn;
	size_t ndim;
	size_t elemsize;
};

struct starpu_vector_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t nx;
	size_t elemsize;
	size_t slice_base;
	size_t allocsize;
};

struct starpu_variable_interface {
	enum starpu_data_interface_id id;
	uintptr_t ptr;
	uintptr_t dev_handle;
	size_t offset;
	size_t elemsize;
};

struct starpu_csr_interface {
	enum starpu_data_interface_id id;
	uint32_t nnz;
	uint32_t nrow;
	uintptr_t nzval;
	uint32_t *colind;
	uint32_t *rowptr;
	uint32_t *ram_colind;
	uint32_t *ram_rowptr;
	uint32_t firstentry;
	size_t elemsize;
};

struct starpu_bcsr_interface {
	enum starpu_data_interface_id id;
	uint32_t nnz;
	uint32_t nrow;
	uintptr_t nzval;
	uint32_t *colind;
	uint32_t *rowptr;
	uint32_t *ram_colind;
	uint32_t *ram_rowptr;
	uint32_t firstentry;
	uint32_t r;
	uint32_t c;
	size_t elemsize;
};

struct starpu_multiformat_data_interface_ops {
	size_t cpu_elemsize;
	size_t opencl_elemsize;
	struct starpu_codelet *cpu_to_opencl_cl;
	struct starpu_codelet *opencl_to_cpu_cl;
	size_t cuda_elemsize;
	struct starpu_codelet *cpu_to_cuda_cl;
	struct starpu_codelet *cuda_to_cpu_cl;
	/* Of 1.3. */
	size_t mic_elemsize;
	struct starpu_codelet *cpu_to_mic_cl;
	struct starpu_codelet *mic_to_cpu_cl;
};

struct starpu_multiformat_interface {
	enum starpu_data_interface_id id;
	void *cpu_ptr;
	void *cuda_ptr;
	void *hip_ptr;
	void *opencl_ptr;
	size_t nx;
	struct starpu_multiformat_data_interface_ops *ops;
	void *mic_ptr; /* of 1.3 */
};

extern struct starpu_data_interface_ops starpu_interface_matrix_ops;
extern struct starpu_data_interface_ops starpu_interface_coo_ops;
extern struct starpu_data_interface_ops starpu_interface_block_ops;
extern struct starpu_data_interface_ops starpu_interface_tensor_ops;
extern struct starpu_data_interface_ops starpu_interface_ndim_ops;
extern struct starpu_data_interface_ops starpu_interface_vector_ops;
extern struct starpu_data_interface_ops starpu_interface_variable_ops;
extern struct starpu_data_interface_ops starpu_interface_void_ops;
extern struct starpu_data_interface_ops starpu_interface_csr_ops;
extern struct starpu_data_interface_ops starpu_interface_bcsr_ops;
void starpu_data_register(starpu_data_handle_t *handleptr, int home_node, void *data_interface,
                          struct starpu_data_interface_ops *ops);
void starpu_data_register_ops(struct starpu_data_interface_ops *ops);
void starpu_data_ptr_register(starpu_data_handle_t handle, unsigned node);
void starpu_subdata_ptr_register(starpu_data_handle_t handle, unsigned node);
void starpu_data_register_same(starpu_data_handle_t *handledst, starpu_data_handle_t handlesrc);
void *starpu_data_handle_to_pointer(starpu_data_handle_t handle, unsigned node);
void *starpu_data_handle_to_pointer_ref(starpu_data_handle_t handle, unsigned node);
void starpu_data_handle_to_pointer_unref(starpu_data_handle_t handle, unsigned node);
void *starpu_data_get_local_ptr(starpu_data_handle_t handle);
void *starpu_data_get_interface_on_node(starpu_data_handle_t handle, unsigned memory_node);
enum starpu_data_interface_id starpu_data_get_interface_id(starpu_data_handle_t handle);
int starpu_data_pack_node(starpu_data_handle_t handle, unsigned node, void **ptr, starpu_ssize_t *count);
int starpu_data_pack(starpu_data_handle_t handle, void **ptr, starpu_ssize_t *count);
int starpu_data_peek_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
int starpu_data_peek(starpu_data_handle_t handle, void *ptr, size_t count);
int starpu_data_unpack_node(starpu_data_handle_t handle, unsigned node, void *ptr, size_t count);
int starpu_data_unpack(starpu_data_handle_t handle, void *ptr, size_t count);
size_t starpu_data_get_size(starpu_data_handle_t handle);
size_t starpu_data_get_alloc_size(starpu_data_handle_t handle);
starpu_ssize_t starpu_data_get_max_size(starpu_data_handle_t handle);
int starpu_data_get_home_node(starpu_data_handle_t handle);
int starpu_data_pointer_is_inside(starpu_data_handle_t handle, unsigned node, void *ptr); /* of 1.3 and 1.4 */
void starpu_data_print(starpu_data_handle_t handle, unsigned node, FILE *stream);
int starpu_data_interface_get_next_id(void);
int starpu_interface_copy(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                          unsigned dst_node, size_t size, void *async_data);
int starpu_interface_copy2d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks, size_t ld_src, size_t ld_dst,
                            void *async_data);
int starpu_interface_copy3d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks1, size_t ld1_src, size_t ld1_dst,
                            size_t numblocks2, size_t ld2_src, size_t ld2_dst, void *async_data);
int starpu_interface_copy4d(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t blocksize, size_t numblocks1, size_t ld1_src, size_t ld1_dst,
                            size_t numblocks2, size_t ld2_src, size_t ld2_dst, size_t numblocks3, size_t ld3_src, size_t ld3_dst,
                            void *async_data);
int starpu_interface_copynd(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                            unsigned dst_node, size_t elemsize, size_t ndim, size_t *nn, size_t *ldn_src, size_t *ldn_dst,
                            void *async_data);
void starpu_interface_start_driver_copy_async(unsigned src_node, unsigned dst_node, double *start);
void starpu_interface_start_driver_copy_async_devid(int src_dev, enum starpu_node_kind src_kind, int dst_dev,
                                                    enum starpu_node_kind dst_kind, double *start);
void starpu_interface_end_driver_copy_async(unsigned src_node, unsigned dst_node, double start);
void starpu_interface_end_driver_copy_async_devid(int src_dev, enum starpu_node_kind src_kind, int dst_dev,
                                                  enum starpu_node_kind dst_kind, double start);
#ifdef STARPU_USE_OPENCL
/* Beside its brothers of starpu_opencl.h: here its enumeration is known. */
cl_int starpu_opencl_copy_async_sync_devid(uintptr_t src, size_t src_offset, int src_dev, enum starpu_node_kind src_kind,
                                           uintptr_t dst, size_t dst_offset, int dst_dev, enum starpu_node_kind dst_kind,
                                           size_t size, cl_event *event);
#endif
void starpu_interface_data_copy(unsigned src_node, unsigned dst_node, size_t size);
uintptr_t starpu_malloc_on_node_flags(unsigned dst_node, size_t size, int flags);
uintptr_t starpu_malloc_on_node(unsigned dst_node, size_t size);
void starpu_free_on_node_flags(unsigned dst_node, uintptr_t addr, size_t size, int flags);
void starpu_free_on_node(unsigned dst_node, uintptr_t addr, size_t size);
void starpu_check_on_node(unsigned node, uintptr_t addr, size_t size);
void starpu_malloc_on_node_set_default_flags(unsigned node, int flags);
uintptr_t starpu_interface_map(uintptr_t src, size_t src_offset, unsigned src_node, unsigned dst_node, size_t size, int *ret);
int starpu_interface_unmap(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, unsigned dst_node, size_t size);
int starpu_interface_update_map(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                                unsigned dst_node, size_t size);
void starpu_matrix_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ld, size_t nx, size_t ny,
                                 size_t elemsize);
void starpu_matrix_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ld, size_t nx,
                                           size_t ny, size_t elemsize, size_t allocsize);
void starpu_matrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                size_t ld);
void starpu_submatrix_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                   size_t ld);
size_t starpu_matrix_get_nx(starpu_data_handle_t handle);
size_t starpu_matrix_get_ny(starpu_data_handle_t handle);
size_t starpu_matrix_get_local_ld(starpu_data_handle_t handle);
uintptr_t starpu_matrix_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_matrix_get_elemsize(starpu_data_handle_t handle);
size_t starpu_matrix_get_allocsize(starpu_data_handle_t handle);
void starpu_coo_data_register(starpu_data_handle_t *handleptr, int home_node, uint32_t nx, uint32_t ny, uint32_t n_values,
                              uint32_t *columns, uint32_t *rows, uintptr_t values, size_t elemsize);
void starpu_block_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ldy, size_t ldz, size_t nx,
                                size_t ny, size_t nz, size_t elemsize);
void starpu_block_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                               size_t ldy, size_t ldz);
size_t starpu_block_get_nx(starpu_data_handle_t handle);
size_t starpu_block_get_ny(starpu_data_handle_t handle);
size_t starpu_block_get_nz(starpu_data_handle_t handle);
size_t starpu_block_get_local_ldy(starpu_data_handle_t handle);
size_t starpu_block_get_local_ldz(starpu_data_handle_t handle);
uintptr_t starpu_block_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_block_get_elemsize(starpu_data_handle_t handle);
void starpu_tensor_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t ldy, size_t ldz, size_t ldt,
                                 size_t nx, size_t ny, size_t nz, size_t nt, size_t elemsize);
void starpu_tensor_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                                size_t ldy, size_t ldz, size_t ldt);
size_t starpu_tensor_get_nx(starpu_data_handle_t handle);
size_t starpu_tensor_get_ny(starpu_data_handle_t handle);
size_t starpu_tensor_get_nz(starpu_data_handle_t handle);
size_t starpu_tensor_get_nt(starpu_data_handle_t handle);
size_t starpu_tensor_get_local_ldy(starpu_data_handle_t handle);
size_t starpu_tensor_get_local_ldz(starpu_data_handle_t handle);
size_t starpu_tensor_get_local_ldt(starpu_data_handle_t handle);
uintptr_t starpu_tensor_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_tensor_get_elemsize(starpu_data_handle_t handle);
void starpu_ndim_data_register(starpu_data_handle_t *handleptr, int home_node, uintptr_t ptr, size_t *ldn, size_t *nn,
                               size_t ndim, size_t elemsize);
void starpu_ndim_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset,
                              size_t *ldn);
size_t *starpu_ndim_get_nn(starpu_data_handle_t handle);
size_t starpu_ndim_get_ni(starpu_data_handle_t handle, size_t i);
size_t *starpu_ndim_get_local_ldn(starpu_data_handle_t handle);
size_t starpu_ndim_get_local_ldi(starpu_data_handle_t handle, size_t i);
uintptr_t starpu_ndim_get_local_ptr(starpu_data_handle_t handle);
size_t starpu_ndim_get_ndim(starpu_data_handle_t handle);
size_t starpu_ndim_get_elemsize(starpu_data_handle_t handle);
void starpu_vector_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t nx, size_t elemsize);
void starpu_vector_data_register_allocsize(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t nx, size_t elemsize,
                                           size_t allocsize);
void starpu_vector_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset);
size_t starpu_vector_get_nx(starpu_data_handle_t handle);
size_t starpu_vector_get_elemsize(starpu_data_handle_t handle);
size_t starpu_vector_get_allocsize(starpu_data_handle_t handle);
uintptr_t starpu_vector_get_local_ptr(starpu_data_handle_t handle);
void starpu_variable_data_register(starpu_data_handle_t *handle, int home_node, uintptr_t ptr, size_t size);
void starpu_variable_ptr_register(starpu_data_handle_t handle, unsigned node, uintptr_t ptr, uintptr_t dev_handle, size_t offset);
size_t starpu_variable_get_elemsize(starpu_data_handle_t handle);
uintptr_t starpu_variable_get_local_ptr(starpu_data_handle_t handle);
void starpu_void_data_register(starpu_data_handle_t *handle);
void starpu_csr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
                              uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, size_t elemsize);
uint32_t starpu_csr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_csr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_csr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_csr_get_local_nzval(starpu_data_handle_t handle);
uint32_t *starpu_csr_get_local_colind(starpu_data_handle_t handle);
uint32_t *starpu_csr_get_local_rowptr(starpu_data_handle_t handle);
size_t starpu_csr_get_elemsize(starpu_data_handle_t handle);
void starpu_bcsr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
                               uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, uint32_t r, uint32_t c, size_t elemsize);
uint32_t starpu_bcsr_get_nnz(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_nrow(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_firstentry(starpu_data_handle_t handle);
uintptr_t starpu_bcsr_get_local_nzval(starpu_data_handle_t handle);
uint32_t *starpu_bcsr_get_local_colind(starpu_data_handle_t handle);
uint32_t *starpu_bcsr_get_local_rowptr(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_r(starpu_data_handle_t handle);
uint32_t starpu_bcsr_get_c(starpu_data_handle_t handle);
size_t starpu_bcsr_get_elemsize(starpu_data_handle_t handle);
void starpu_multiformat_data_register(starpu_data_handle_t *handle, int home_node, void *ptr, size_t nx,
                                      struct starpu_multiformat_data_interface_ops *format_ops);

#ifdef __cplusplus
}
#endif
#endif
