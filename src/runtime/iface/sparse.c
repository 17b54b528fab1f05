/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interfaces of sparse data (csr, bcsr, coo): each is a few arrays. One implementation of every
 * operation over a list of those arrays: the place of each address in the interface, and its number
 * of bytes.
 *
 * `ram_colind` and `ram_rowptr` say on every node where main memory's arrays are: filters need them
 * where the values are not.
 */
#include "runtime/task/complain.h"
#include "runtime/memory/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 3 };
struct pieces {
	uintptr_t *addr[PIECES];
	size_t bytes[PIECES];
};

static void sparse_check(void *interface, struct pieces *p)
{
	struct starpu_csr_interface *csr = interface;
	struct starpu_bcsr_interface *bcsr = interface;
	struct starpu_coo_interface *coo = interface;
	size_t index = sizeof(uint32_t);
	if (csr->id == STARPU_CSR_INTERFACE_ID)
		*p = (struct pieces){{&csr->nzval, (uintptr_t *)(void *)&csr->colind, (uintptr_t *)(void *)&csr->rowptr},
		                     {csr->nnz * csr->elemsize, csr->nnz * index, ((size_t)csr->nrow + 1) * index}};
	else if (csr->id == STARPU_BCSR_INTERFACE_ID)
		*p = (struct pieces){{&bcsr->nzval, (uintptr_t *)(void *)&bcsr->colind, (uintptr_t *)(void *)&bcsr->rowptr},
		                     {(size_t)bcsr->nnz * bcsr->r * bcsr->c * bcsr->elemsize, bcsr->nnz * index,
		                      ((size_t)bcsr->nrow + 1) * index}};
	else if (csr->id == STARPU_COO_INTERFACE_ID)
		*p = (struct pieces){{&coo->values, (uintptr_t *)(void *)&coo->columns, (uintptr_t *)(void *)&coo->rows},
		                     {coo->n_values * coo->elemsize, coo->n_values * index, coo->n_values * index}};
	else
		rt_misuse("this is no interface of sparse data");
}

static size_t sparse_bytes(const struct pieces *p)
{
	return p->bytes[0] + p->bytes[1] + p->bytes[2];
}

static void sparse_register(starpu_data_handle_t h, int home, void *interface)
{
	size_t size = starpu_data_get_interface_ops(h)->interface_size;
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		void *local = starpu_data_get_interface_on_node(h, node);
		struct pieces p;
		memcpy(local, interface, size);
		sparse_check(local, &p);
		for (unsigned k = 0; k < PIECES && (int)node != home; k++)
			*p.addr[k] = 0;
	}
}

static void sparse_free(void *interface, unsigned node)
{
	struct pieces p;
	sparse_check(interface, &p);
	for (unsigned k = 0; k < PIECES; k++) {
		starpu_free_on_node(node, *p.addr[k], p.bytes[k]);
		*p.addr[k] = 0;
	}
}

static starpu_ssize_t sparse_allocate(void *interface, unsigned node)
{
	struct pieces p;
	sparse_check(interface, &p);
	for (unsigned k = 0; k < PIECES; k++)
		*p.addr[k] = 0;
	for (unsigned k = 0; k < PIECES; k++) {
		*p.addr[k] = starpu_malloc_on_node(node, p.bytes[k]);
		if (!*p.addr[k]) {
			sparse_free(interface, node);
			return -ENOMEM;
		}
	}
	return (starpu_ssize_t)sparse_bytes(&p);
}

static void sparse_reuse(void *interface, const void *cached, unsigned node)
{
	struct pieces a, b;
	(void)node;
	sparse_check(interface, &a);
	sparse_check((void *)cached, &b);
	for (unsigned k = 0; k < PIECES; k++)
		*a.addr[k] = *b.addr[k];
}

static void sparse_cache(void *cached, void *interface, unsigned node)
{
	struct pieces p;
	sparse_reuse(cached, interface, node);
	sparse_check(interface, &p);
	for (unsigned k = 0; k < PIECES; k++)
		*p.addr[k] = 0;
}

static int sparse_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	struct pieces a, b;
	int rc = 0;
	sparse_check(src, &a);
	sparse_check(dst, &b);
	for (unsigned k = 0; k < PIECES && (!rc || rc == -EAGAIN); k++) {
		int one = starpu_interface_copy(*a.addr[k], 0, src_node, *b.addr[k], 0, dst_node, a.bytes[k], async);
		rc = one ? one : rc;
	}
	return rc;
}

static const struct starpu_data_copy_methods sparse_methods = {.any_to_any = sparse_copy};

static int sparse_is_inside(void *interface, unsigned node, void *ptr)
{
	struct pieces p;
	int is = 0;
	(void)node;
	sparse_check(interface, &p);
	for (unsigned k = 0; k < PIECES; k++)
		is = is || ((uintptr_t)ptr >= *p.addr[k] && (uintptr_t)ptr < *p.addr[k] + p.bytes[k]);
	return is;
}

static void *sparse_pointer(void *interface, unsigned node)
{
	struct pieces p;
	(void)node;
	sparse_check(interface, &p);
	return (void *)*p.addr[0];
}

static size_t sparse_size(starpu_data_handle_t h)
{
	struct pieces p;
	sparse_check(starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM), &p);
	return sparse_bytes(&p);
}

/* As StarPU has it: of the matrix as if it were dense. */
static size_t coo_size(starpu_data_handle_t h)
{
	struct starpu_coo_interface *coo = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	return (size_t)coo->nx * coo->ny * coo->elemsize;
}

static uint32_t csr_footprint(starpu_data_handle_t h)
{
	return starpu_hash_crc32c_be(starpu_csr_get_nnz(h), 0);
}

static uint32_t bcsr_footprint(starpu_data_handle_t h)
{
	struct starpu_bcsr_interface *b = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	return starpu_hash_crc32c_be(b->r, starpu_hash_crc32c_be(b->c, starpu_hash_crc32c_be(b->nnz, 0)));
}

static uint32_t coo_footprint(starpu_data_handle_t h)
{
	struct starpu_coo_interface *coo = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	return starpu_hash_crc32c_be(coo->nx * coo->ny, 0);
}

static int csr_compare(void *x, void *y)
{
	struct starpu_csr_interface *a = x, *b = y;
	return a->nnz == b->nnz && a->nrow == b->nrow && a->elemsize == b->elemsize;
}

static int bcsr_compare(void *x, void *y)
{
	struct starpu_bcsr_interface *a = x, *b = y;
	return a->nnz == b->nnz && a->nrow == b->nrow && a->r == b->r && a->c == b->c && a->elemsize == b->elemsize;
}

static int coo_compare(void *x, void *y)
{
	struct starpu_coo_interface *a = x, *b = y;
	return a->nx == b->nx && a->ny == b->ny && a->n_values == b->n_values && a->elemsize == b->elemsize;
}

static void csr_display(starpu_data_handle_t h, FILE *f)
{
	fprintf(f, "%u\t%u\t", starpu_csr_get_nnz(h), starpu_csr_get_nrow(h));
}

static void bcsr_display(starpu_data_handle_t h, FILE *f)
{
	fprintf(f, "%u\t%u\t%u\t%u\t", starpu_bcsr_get_nnz(h), starpu_bcsr_get_nrow(h), starpu_bcsr_get_r(h),
	        starpu_bcsr_get_c(h));
}

static void coo_display(starpu_data_handle_t h, FILE *f)
{
	struct starpu_coo_interface *coo = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	fprintf(f, "%u\t%u\t", coo->nx, coo->ny);
}

static starpu_ssize_t csr_describe(void *interface, char *buf, size_t size)
{
	struct starpu_csr_interface *i = interface;
	return snprintf(buf, size, "C%ux%ux%zu", i->nnz, i->nrow, i->elemsize);
}

static starpu_ssize_t bcsr_describe(void *interface, char *buf, size_t size)
{
	struct starpu_bcsr_interface *i = interface;
	return snprintf(buf, size, "b%ux%ux%ux%ux%zu", i->nnz, i->nrow, i->r, i->c, i->elemsize);
}

static starpu_ssize_t coo_describe(void *interface, char *buf, size_t size)
{
	struct starpu_coo_interface *i = interface;
	return snprintf(buf, size, "M%ux%ux%ux%zu", i->nx, i->ny, i->n_values, i->elemsize);
}

enum direction { TO_PACKED, FROM_PACKED };

/* One array behind the other. */
static int copy_packed(const struct pieces *p, unsigned node, void *packed, enum direction way)
{
	uintptr_t at = (uintptr_t)packed;
	int rc = 0;
	for (unsigned k = 0; k < PIECES && !rc; at += p->bytes[k++])
		rc = way == TO_PACKED ? starpu_interface_copy(*p->addr[k], 0, node, at, 0, STARPU_MAIN_RAM, p->bytes[k], NULL)
		                      : starpu_interface_copy(at, 0, STARPU_MAIN_RAM, *p->addr[k], 0, node, p->bytes[k], NULL);
	return rc;
}

static int sparse_pack(starpu_data_handle_t h, unsigned node, void **ptr, starpu_ssize_t *count)
{
	struct pieces p;
	sparse_check(starpu_data_get_interface_on_node(h, node), &p);
	*count = (starpu_ssize_t)sparse_bytes(&p);
	if (!ptr)
		return 0;
	if (starpu_malloc_flags(ptr, sparse_bytes(&p), 0))
		return -ENOMEM;
	return copy_packed(&p, node, *ptr, TO_PACKED);
}

static int sparse_peek(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	struct pieces p;
	sparse_check(starpu_data_get_interface_on_node(h, node), &p);
	return count == sparse_bytes(&p) ? copy_packed(&p, node, ptr, FROM_PACKED) : -EINVAL;
}

static int sparse_unpack(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	int rc = sparse_peek(h, node, ptr, count);
	starpu_free_flags(ptr, count, 0);
	return rc;
}

#define SPARSE(type, TYPE) \
	.register_data_handle = sparse_register, .allocate_data_on_node = sparse_allocate, .free_data_on_node = sparse_free, \
	.cache_data_on_node = sparse_cache, .reuse_data_on_node = sparse_reuse, .copy_methods = &sparse_methods, \
	.to_pointer = sparse_pointer, .pointer_is_inside = sparse_is_inside, .footprint = type##_footprint, \
	.compare = type##_compare, .display = type##_display, .describe = type##_describe, \
	.interfaceid = STARPU_##TYPE##_INTERFACE_ID, .interface_size = sizeof(struct starpu_##type##_interface), \
	.pack_data = sparse_pack, .peek_data = sparse_peek, .unpack_data = sparse_unpack, \
	.name = (char *)"STARPU_" #TYPE "_INTERFACE"

struct starpu_data_interface_ops starpu_interface_csr_ops = {SPARSE(csr, CSR), .get_size = sparse_size};
struct starpu_data_interface_ops starpu_interface_bcsr_ops = {SPARSE(bcsr, BCSR), .get_size = sparse_size};
/* Allocated bytes are those of the arrays, not the computed size. */
struct starpu_data_interface_ops starpu_interface_coo_ops = {SPARSE(coo, COO), .get_size = coo_size,
                                                             .get_alloc_size = sparse_size};

/* The fields that both set. */
#define ROWS(TYPE) \
	.id = STARPU_##TYPE##_INTERFACE_ID, .nnz = nnz, .nrow = nrow, .nzval = nzval, .colind = colind, .rowptr = rowptr, \
	.ram_colind = colind, .ram_rowptr = rowptr, .firstentry = firstentry, .elemsize = elemsize

void starpu_csr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
                              uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, size_t elemsize)
{
	struct starpu_csr_interface i = {ROWS(CSR)};
	starpu_data_register(handle, home_node, &i, &starpu_interface_csr_ops);
}

void starpu_bcsr_data_register(starpu_data_handle_t *handle, int home_node, uint32_t nnz, uint32_t nrow, uintptr_t nzval,
                               uint32_t *colind, uint32_t *rowptr, uint32_t firstentry, uint32_t r, uint32_t c, size_t elemsize)
{
	struct starpu_bcsr_interface i = {ROWS(BCSR), .r = r, .c = c};
	starpu_data_register(handle, home_node, &i, &starpu_interface_bcsr_ops);
}

void starpu_coo_data_register(starpu_data_handle_t *handleptr, int home_node, uint32_t nx, uint32_t ny, uint32_t n_values,
                              uint32_t *columns, uint32_t *rows, uintptr_t values, size_t elemsize)
{
	struct starpu_coo_interface i = {.id = STARPU_COO_INTERFACE_ID,
	                                 .columns = columns,
	                                 .rows = rows,
	                                 .values = values,
	                                 .nx = nx,
	                                 .ny = ny,
	                                 .n_values = n_values,
	                                 .elemsize = elemsize};
	starpu_data_register(handleptr, home_node, &i, &starpu_interface_coo_ops);
}

static void *interface_of(starpu_data_handle_t h, enum starpu_data_interface_id id, int node)
{
	RT_EXPECT(starpu_data_get_interface_id(h) == id, "this handle's data has another interface");
	return starpu_data_get_interface_on_node(h, node >= 0 ? (unsigned)node : STARPU_MAIN_RAM);
}

#define GET(type, TYPE, name, field, result, node) \
	result starpu_##type##_get_##name(starpu_data_handle_t handle) \
	{ \
		struct starpu_##type##_interface *i = interface_of(handle, STARPU_##TYPE##_INTERFACE_ID, node); \
		return i->field; \
	}
#define HOME starpu_data_get_home_node(handle)

/* csr and bcsr */
#define GET_ROWS(type, TYPE) \
	GET(type, TYPE, nnz, nnz, uint32_t, 0) \
	GET(type, TYPE, nrow, nrow, uint32_t, 0) \
	GET(type, TYPE, firstentry, firstentry, uint32_t, 0) \
	GET(type, TYPE, elemsize, elemsize, size_t, 0) \
	GET(type, TYPE, local_nzval, nzval, uintptr_t, HOME) \
	GET(type, TYPE, local_colind, colind, uint32_t *, HOME) \
	GET(type, TYPE, local_rowptr, rowptr, uint32_t *, HOME)

GET_ROWS(csr, CSR)
GET_ROWS(bcsr, BCSR)
GET(bcsr, BCSR, r, r, uint32_t, 0)
GET(bcsr, BCSR, c, c, uint32_t, 0)
