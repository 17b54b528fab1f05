/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predefined filters. For dense data all are one of two cuts, whatever the number of
 * dimensions: a range of one dimension (with or without a border that neighbours share), or one
 * index of it, which leaves a shape of one dimension less. The child may be of another interface
 * than the parent when the shape fits.
 */
#include "runtime/task/complain.h"
#include "dense.h"
#include <stdlib.h>
#include <string.h>

void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned nparts, size_t elemsize, unsigned id,
                                                        size_t blocksize, size_t *chunk_size, size_t *offset)
{
	unsigned each = n / nparts, longer = n % nparts;
	*chunk_size = each + (id < longer);
	*offset = ((size_t)each * id + (id < longer ? id : longer)) * blocksize * elemsize;
}

/*
 * A child within its parent: sizes and distances of the dimensions it keeps, and its offset, in
 * elements.
 */
struct cut {
	unsigned dims;
	size_t n[RT_MOST_DIMS], ld[RT_MOST_DIMS];
	size_t at;
};

static void filter_check(void *interface, struct rt_dense *d, struct cut *c)
{
	if (!rt_dense_look(interface, d) || d->dims > RT_MOST_DIMS)
		rt_misuse("this filter is for dense data");
	*c = (struct cut){.dims = d->dims};
	for (unsigned k = 0; k < d->dims; k++) {
		c->n[k] = rt_dense_n(d, k);
		c->ld[k] = rt_dense_ld(d, k);
	}
}

/* The child's interface, of the kind `id`, which has as many dimensions as the cut. */
static void filter_fill(void *child, enum starpu_data_interface_id id, const struct rt_dense *parent, const struct cut *c)
{
	struct starpu_ndim_interface *nd = child;
	struct rt_dense d;
	*(enum starpu_data_interface_id *)child = id;
	if (id == STARPU_NDIM_INTERFACE_ID) {
		nd->ndim = c->dims;
		nd->nn = calloc(c->dims + 1, sizeof *nd->nn);
		nd->ldn = calloc(c->dims + 1, sizeof *nd->ldn);
		RT_EXPECT(nd->nn && nd->ldn, "no memory for a part's sizes");
	}
	rt_dense_look(child, &d);
	RT_EXPECT(d.dims == c->dims, "a part of %u dimensions does not fit its interface", c->dims);
	rt_dense_set_elemsize(child, parent->elemsize);
	size_t elements = 1;
	for (unsigned k = 0; k < c->dims; k++) {
		*(d.nn ? &d.nn[k] : d.n[k]) = c->n[k];
		elements *= c->n[k];
		if (*parent->dev_handle && (d.ldn || k))
			*(d.ldn ? &d.ldn[k] : d.ld[k]) = c->ld[k];
	}
	if (d.allocsize)
		*d.allocsize = elements * parent->elemsize;
	if (!*parent->dev_handle)
		return;
	*d.ptr = *parent->ptr ? *parent->ptr + c->at * parent->elemsize : 0;
	*d.dev_handle = *parent->dev_handle;
	*d.offset = *parent->offset + c->at * parent->elemsize;
}

static enum starpu_data_interface_id id_of(void *interface)
{
	return *(enum starpu_data_interface_id *)interface;
}

static void filter_expect(void *interface, enum starpu_data_interface_id id, const char *what)
{
	RT_EXPECT(id_of(interface) == id, "this filter is for %s", what);
}

/* A range of dimension k; neighbours share `shadow` elements on both sides. */
static void cut_range(void *parent, void *child, enum starpu_data_interface_id to, unsigned k, unsigned id, unsigned nparts,
                      uintptr_t shadow)
{
	struct rt_dense d;
	struct cut c;
	size_t chunk, offset;
	filter_check(parent, &d, &c);
	RT_EXPECT(k < c.dims, "there is no dimension %u to cut", k);
	RT_EXPECT(c.n[k] >= 2 * shadow, "a border of %zu is wider than the data", (size_t)shadow);
	starpu_filter_nparts_compute_chunk_size_and_offset((unsigned)(c.n[k] - 2 * shadow), nparts, 1, id, 1, &chunk, &offset);
	c.at = offset * c.ld[k];
	c.n[k] = chunk + 2 * shadow;
	filter_fill(child, to, &d, &c);
}

/* Index `at` of dimension k, which goes. */
static void cut_index(void *parent, void *child, enum starpu_data_interface_id to, unsigned k, size_t at)
{
	struct rt_dense d;
	struct cut c;
	filter_check(parent, &d, &c);
	RT_EXPECT(k < c.dims && at < c.n[k], "position %zu of dimension %u is outside the data", at, k);
	c.at = at * c.ld[k];
	c.dims--;
	for (unsigned i = k; i < c.dims; i++) {
		c.n[i] = c.n[i + 1];
		c.ld[i] = c.ld[i + 1];
	}
	RT_EXPECT(to == STARPU_NDIM_INTERFACE_ID || !c.dims || c.ld[0] == 1 || !*d.dev_handle,
	          "what is left has no contiguous dimension: only an ndim can hold it");
	filter_fill(child, to, &d, &c);
}

/* One element. */
static void cut_element(void *parent, void *child, const uint32_t *at, unsigned id)
{
	struct rt_dense d;
	struct cut c;
	filter_check(parent, &d, &c);
	for (unsigned k = 0; k < c.dims; k++) {
		size_t i = at[k] + (k ? 0 : id);
		RT_EXPECT(i < c.n[k], "position %zu of dimension %u is outside the data", i, k);
		c.at += i * c.ld[k];
	}
	c.dims = 0;
	filter_fill(child, STARPU_VARIABLE_INTERFACE_ID, &d, &c);
}

static void filter_convert(void *parent, void *child, enum starpu_data_interface_id to, unsigned dims)
{
	struct rt_dense d;
	struct cut c;
	filter_check(parent, &d, &c);
	RT_EXPECT(c.dims == dims, "this filter is for an ndim of %u dimensions", dims);
	filter_fill(child, to, &d, &c);
}

#define FILTER(name) \
	void starpu_##name(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id, \
	                   unsigned nparts)
#define USED (void)parent_interface, (void)child_interface, (void)f, (void)id, (void)nparts
/* A filter and the one with a border. */
#define RANGE(type, TYPE, name, k) \
	FILTER(type##_filter_##name) \
	{ \
		USED; \
		filter_expect(parent_interface, STARPU_##TYPE##_INTERFACE_ID, #type " data"); \
		cut_range(parent_interface, child_interface, STARPU_##TYPE##_INTERFACE_ID, k, id, nparts, 0); \
	} \
	FILTER(type##_filter_##name##_shadow) \
	{ \
		USED; \
		filter_expect(parent_interface, STARPU_##TYPE##_INTERFACE_ID, #type " data"); \
		cut_range(parent_interface, child_interface, STARPU_##TYPE##_INTERFACE_ID, k, id, nparts, \
		          (uintptr_t)f->filter_arg_ptr); \
	}
#define PICK(type, TYPE, name, CHILD, k) \
	FILTER(type##_filter_pick_##name) \
	{ \
		USED; \
		filter_expect(parent_interface, STARPU_##TYPE##_INTERFACE_ID, #type " data"); \
		cut_index(parent_interface, child_interface, STARPU_##CHILD##_INTERFACE_ID, k, \
		          (uintptr_t)f->filter_arg_ptr + id); \
	}
#define ELEMENT(type, TYPE) \
	FILTER(type##_filter_pick_variable) \
	{ \
		USED; \
		filter_expect(parent_interface, STARPU_##TYPE##_INTERFACE_ID, #type " data"); \
		cut_element(parent_interface, child_interface, f->filter_arg_ptr, id); \
	}
#define CHILD_OPS(name, type) \
	struct starpu_data_interface_ops *starpu_##name##_child_ops(struct starpu_data_filter *f, unsigned child) \
	{ \
		(void)f, (void)child; \
		return &starpu_interface_##type##_ops; \
	}

RANGE(vector, VECTOR, block, 0)
PICK(vector, VECTOR, variable, VARIABLE, 0)
CHILD_OPS(vector_filter_pick_variable, variable)

RANGE(matrix, MATRIX, block, 0)
RANGE(matrix, MATRIX, vertical_block, 1)
PICK(matrix, MATRIX, vector_y, VECTOR, 1)
CHILD_OPS(matrix_filter_pick_vector, vector)
ELEMENT(matrix, MATRIX)
CHILD_OPS(matrix_filter_pick_variable, variable)

RANGE(block, BLOCK, block, 0)
RANGE(block, BLOCK, vertical_block, 1)
RANGE(block, BLOCK, depth_block, 2)
PICK(block, BLOCK, matrix_z, MATRIX, 2)
PICK(block, BLOCK, matrix_y, MATRIX, 1)
CHILD_OPS(block_filter_pick_matrix, matrix)
ELEMENT(block, BLOCK)
CHILD_OPS(block_filter_pick_variable, variable)

RANGE(tensor, TENSOR, block, 0)
RANGE(tensor, TENSOR, vertical_block, 1)
RANGE(tensor, TENSOR, depth_block, 2)
RANGE(tensor, TENSOR, time_block, 3)
PICK(tensor, TENSOR, block_t, BLOCK, 3)
PICK(tensor, TENSOR, block_z, BLOCK, 2)
PICK(tensor, TENSOR, block_y, BLOCK, 1)
CHILD_OPS(tensor_filter_pick_block, block)
ELEMENT(tensor, TENSOR)
CHILD_OPS(tensor_filter_pick_variable, variable)

/* ---- ndim: the dimension is in filter_arg ---- */

static void expect_ndim(void *interface, size_t dims)
{
	filter_expect(interface, STARPU_NDIM_INTERFACE_ID, "ndim data");
	size_t is = ((struct starpu_ndim_interface *)interface)->ndim;
	RT_EXPECT(is == dims, "this filter is for an ndim of %zu dimensions, not %zu", dims, is);
}

RANGE(ndim, NDIM, block, (unsigned)f->filter_arg)

#define NDIM_TO(name, CHILD, dims) \
	FILTER(ndim_filter_to_##name) \
	{ \
		USED; \
		expect_ndim(parent_interface, dims); \
		cut_range(parent_interface, child_interface, STARPU_##CHILD##_INTERFACE_ID, (unsigned)f->filter_arg, id, nparts, \
		          0); \
	} \
	CHILD_OPS(ndim_filter_to_##name, name)
#define NDIM_PICK(dims, name, CHILD) \
	FILTER(ndim_filter_##dims##d_pick_##name) \
	{ \
		USED; \
		expect_ndim(parent_interface, dims); \
		cut_index(parent_interface, child_interface, STARPU_##CHILD##_INTERFACE_ID, (unsigned)f->filter_arg, \
		          (uintptr_t)f->filter_arg_ptr + id); \
	} \
	CHILD_OPS(ndim_filter_pick_##name, name)
#define NDIM_PICK_OLD(dims, name) \
	FILTER(ndim_filter_pick_##name) \
	{ \
		starpu_ndim_filter_##dims##d_pick_##name(parent_interface, child_interface, f, id, nparts); \
	}

NDIM_TO(tensor, TENSOR, 4)
NDIM_TO(block, BLOCK, 3)
NDIM_TO(matrix, MATRIX, 2)
NDIM_TO(vector, VECTOR, 1)
NDIM_PICK(5, tensor, TENSOR)
NDIM_PICK(4, block, BLOCK)
NDIM_PICK(3, matrix, MATRIX)
NDIM_PICK(2, vector, VECTOR)
NDIM_PICK_OLD(5, tensor)
NDIM_PICK_OLD(4, block)
NDIM_PICK_OLD(3, matrix)
NDIM_PICK_OLD(2, vector)
NDIM_PICK(1, variable, VARIABLE)
PICK(ndim, NDIM, ndim, NDIM, (unsigned)f->filter_arg)
ELEMENT(ndim, NDIM)

FILTER(ndim_filter_to_variable)
{
	USED;
	expect_ndim(parent_interface, 0);
	filter_convert(parent_interface, child_interface, STARPU_VARIABLE_INTERFACE_ID, 0);
}
CHILD_OPS(ndim_filter_to_variable, variable)

/* ---- vectors by lists ---- */

static void cut_vector(void *parent, void *child, size_t at, size_t n)
{
	struct rt_dense d;
	struct cut c;
	filter_expect(parent, STARPU_VECTOR_INTERFACE_ID, "vector data");
	filter_check(parent, &d, &c);
	RT_EXPECT(at + n <= c.n[0], "the parts are longer than the vector");
	c.at = at;
	c.n[0] = n;
	filter_fill(child, STARPU_VECTOR_INTERFACE_ID, &d, &c);
}

FILTER(vector_filter_list)
{
	const uint32_t *length = f->filter_arg_ptr;
	size_t at = 0;
	USED;
	for (unsigned i = 0; i < id; i++)
		at += length[i];
	cut_vector(parent_interface, child_interface, at, length[id]);
}

FILTER(vector_filter_list_long)
{
	const long *length = f->filter_arg_ptr;
	size_t at = 0;
	USED;
	for (unsigned i = 0; i < id; i++)
		at += (size_t)length[i];
	cut_vector(parent_interface, child_interface, at, (size_t)length[id]);
}

FILTER(vector_filter_divide_in_2)
{
	size_t first = f->filter_arg, n = ((struct starpu_vector_interface *)parent_interface)->nx;
	USED;
	RT_EXPECT(id < 2 && first <= n, "a vector of %zu elements has no such two parts", n);
	cut_vector(parent_interface, child_interface, id ? first : 0, id ? n - first : first);
}

/* ---- sparse data ---- */

/* Rows of csr or bcsr data, which begin alike; their entries are of so many bytes. */
#define ALIKE(field) offsetof(struct starpu_csr_interface, field) == offsetof(struct starpu_bcsr_interface, field)
_Static_assert(ALIKE(nnz) && ALIKE(nrow) && ALIKE(nzval) && ALIKE(colind) && ALIKE(rowptr) && ALIKE(ram_colind) &&
                       ALIKE(ram_rowptr) && ALIKE(firstentry),
               "csr and bcsr begin alike");
#undef ALIKE

static void cut_rows(void *parent, void *child, size_t interface_size, size_t entry_bytes, unsigned id, unsigned nparts)
{
	struct starpu_csr_interface *p = parent, *c = child;
	size_t rows, first;
	starpu_filter_nparts_compute_chunk_size_and_offset(p->nrow, nparts, 1, id, 1, &rows, &first);
	uint32_t entry = p->ram_rowptr[first], skip = entry - p->firstentry;
	memcpy(child, parent, interface_size);
	c->nrow = (uint32_t)rows;
	c->nnz = p->ram_rowptr[first + rows] - entry;
	c->firstentry = entry;
	c->ram_colind = p->ram_colind + skip;
	c->ram_rowptr = p->ram_rowptr + first;
	c->nzval = p->nzval ? p->nzval + skip * entry_bytes : 0;
	c->colind = p->nzval ? p->colind + skip : NULL;
	c->rowptr = p->nzval ? p->rowptr + first : NULL;
}

FILTER(csr_filter_vertical_block)
{
	struct starpu_csr_interface *p = parent_interface;
	USED;
	filter_expect(p, STARPU_CSR_INTERFACE_ID, "csr data");
	cut_rows(p, child_interface, sizeof *p, p->elemsize, id, nparts);
}

FILTER(bcsr_filter_vertical_block)
{
	struct starpu_bcsr_interface *p = parent_interface;
	USED;
	filter_expect(p, STARPU_BCSR_INTERFACE_ID, "bcsr data");
	cut_rows(p, child_interface, sizeof *p, (size_t)p->r * p->c * p->elemsize, id, nparts);
}

FILTER(bcsr_filter_canonical_block)
{
	struct starpu_bcsr_interface *p = parent_interface;
	struct starpu_matrix_interface *m = child_interface;
	size_t size = (size_t)p->r * p->c * p->elemsize;
	USED;
	filter_expect(p, STARPU_BCSR_INTERFACE_ID, "bcsr data");
	*m = (struct starpu_matrix_interface){.id = STARPU_MATRIX_INTERFACE_ID,
	                                      .nx = p->c,
	                                      .ny = p->r,
	                                      .ld = p->c,
	                                      .elemsize = p->elemsize,
	                                      .allocsize = size};
	if (p->nzval)
		m->ptr = m->dev_handle = p->nzval + size * id;
}

unsigned starpu_bcsr_filter_canonical_block_get_nchildren(struct starpu_data_filter *f, starpu_data_handle_t handle)
{
	(void)f;
	return starpu_bcsr_get_nnz(handle);
}
CHILD_OPS(bcsr_filter_canonical_block, matrix)
