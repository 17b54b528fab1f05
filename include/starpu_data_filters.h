/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting data into parts: at once and synchronously, or planned, with tasks on both sides.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_DATA_FILTERS_H__
#define __STARPU_DATA_FILTERS_H__

#include <stdarg.h>
#include <starpu_data_interfaces.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_data_filter;
struct starpu_data_interface_ops;

struct starpu_data_filter {
	void (*filter_func)(void *, void *, struct starpu_data_filter *, unsigned, unsigned);
	unsigned nchildren;
	unsigned (*get_nchildren)(struct starpu_data_filter *, starpu_data_handle_t);
	struct starpu_data_interface_ops *(*get_child_ops)(struct starpu_data_filter *, unsigned);
	size_t filter_arg;
	void *filter_arg_ptr;
};

void starpu_data_partition(starpu_data_handle_t initial_handle, struct starpu_data_filter *f);
void starpu_data_unpartition(starpu_data_handle_t root_data, unsigned gathering_node);
starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i);
int starpu_data_get_nb_children(starpu_data_handle_t handle);
starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t root_data, unsigned depth, ...);
starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t root_data, unsigned depth, va_list pa);
void starpu_data_map_filters(starpu_data_handle_t root_data, unsigned nfilters, ...);
void starpu_data_vmap_filters(starpu_data_handle_t root_data, unsigned nfilters, va_list pa);
void starpu_data_map_filters_parray(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter **filters);
void starpu_data_map_filters_array(starpu_data_handle_t root_handle, int nfilters, struct starpu_data_filter *filters);
void starpu_data_partition_plan(starpu_data_handle_t initial_handle, struct starpu_data_filter *f,
                                starpu_data_handle_t *children);
void starpu_data_partition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children);
void starpu_data_partition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children);
void starpu_data_partition_readonly_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                                  starpu_data_handle_t *children, int sequential_consistency);
void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                                    starpu_data_handle_t *children);
void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                                     starpu_data_handle_t *children);
void starpu_data_unpartition_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children,
                                    int gathering_node);
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t *children,
                                             int gathering_node);
void starpu_data_partition_clean(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children);
void starpu_data_partition_clean_node(starpu_data_handle_t root_data, unsigned nparts, starpu_data_handle_t *children,
                                      int gather_node);
void starpu_data_unpartition_submit_sequential_consistency_cb(starpu_data_handle_t initial_handle, unsigned nparts,
                                                              starpu_data_handle_t *children, int gather_node,
                                                              int sequential_consistency, void (*callback_func)(void *),
                                                              void *callback_arg);
void starpu_data_partition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                         starpu_data_handle_t *children, int sequential_consistency);
void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t initial_handle, unsigned nparts,
                                                           starpu_data_handle_t *children, int gathering_node,
                                                           int sequential_consistency);
/* Of 1.3: with everything below. */
void starpu_data_unpartition_submit_r(starpu_data_handle_t initial_handle, int gathering_node);
int starpu_data_partition_get_nplans(starpu_data_handle_t initial_handle);
void starpu_bcsr_filter_canonical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
unsigned starpu_bcsr_filter_canonical_block_get_nchildren(struct starpu_data_filter *f, starpu_data_handle_t handle);
struct starpu_data_interface_ops *starpu_bcsr_filter_canonical_block_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_bcsr_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_csr_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
void starpu_matrix_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                unsigned nparts);
void starpu_matrix_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_matrix_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                         unsigned nparts);
void starpu_matrix_filter_vertical_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                                unsigned id, unsigned nparts);
void starpu_matrix_filter_pick_vector_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
struct starpu_data_interface_ops *starpu_matrix_filter_pick_vector_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_matrix_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
struct starpu_data_interface_ops *starpu_matrix_filter_pick_variable_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_vector_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                unsigned nparts);
void starpu_vector_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_vector_filter_list_long(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                    unsigned nparts);
void starpu_vector_filter_list(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                               unsigned nparts);
void starpu_vector_filter_divide_in_2(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
void starpu_vector_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
struct starpu_data_interface_ops *starpu_vector_filter_pick_variable_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_block_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                               unsigned nparts);
void starpu_block_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
void starpu_block_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
void starpu_block_filter_vertical_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                               unsigned id, unsigned nparts);
void starpu_block_filter_depth_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                     unsigned nparts);
void starpu_block_filter_depth_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                            unsigned id, unsigned nparts);
void starpu_block_filter_pick_matrix_z(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_block_filter_pick_matrix_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
struct starpu_data_interface_ops *starpu_block_filter_pick_matrix_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_block_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
struct starpu_data_interface_ops *starpu_block_filter_pick_variable_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_tensor_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                unsigned nparts);
void starpu_tensor_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_tensor_filter_vertical_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                         unsigned nparts);
void starpu_tensor_filter_vertical_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                                unsigned id, unsigned nparts);
void starpu_tensor_filter_depth_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
void starpu_tensor_filter_depth_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                             unsigned id, unsigned nparts);
void starpu_tensor_filter_time_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                     unsigned nparts);
void starpu_tensor_filter_time_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f,
                                            unsigned id, unsigned nparts);
void starpu_tensor_filter_pick_block_t(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_tensor_filter_pick_block_z(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_tensor_filter_pick_block_y(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
struct starpu_data_interface_ops *starpu_tensor_filter_pick_block_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_tensor_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                        unsigned nparts);
struct starpu_data_interface_ops *starpu_tensor_filter_pick_variable_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_ndim_filter_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                              unsigned nparts);
void starpu_ndim_filter_block_shadow(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                     unsigned nparts);
void starpu_ndim_filter_to_tensor(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                  unsigned nparts);
void starpu_ndim_filter_to_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                 unsigned nparts);
void starpu_ndim_filter_to_matrix(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                  unsigned nparts);
void starpu_ndim_filter_to_vector(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                  unsigned nparts);
void starpu_ndim_filter_to_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                    unsigned nparts);
void starpu_ndim_filter_pick_ndim(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                  unsigned nparts);
void starpu_ndim_filter_5d_pick_tensor(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_ndim_filter_4d_pick_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
void starpu_ndim_filter_3d_pick_matrix(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_ndim_filter_2d_pick_vector(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                       unsigned nparts);
void starpu_ndim_filter_1d_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                         unsigned nparts);
void starpu_ndim_filter_pick_variable(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                      unsigned nparts);
/* By their older names. */
void starpu_ndim_filter_pick_tensor(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                    unsigned nparts);
void starpu_ndim_filter_pick_block(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                   unsigned nparts);
void starpu_ndim_filter_pick_matrix(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                    unsigned nparts);
void starpu_ndim_filter_pick_vector(void *parent_interface, void *child_interface, struct starpu_data_filter *f, unsigned id,
                                    unsigned nparts);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_tensor_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_block_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_matrix_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_vector_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_pick_variable_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_tensor_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_block_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_matrix_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_vector_child_ops(struct starpu_data_filter *f, unsigned child);
struct starpu_data_interface_ops *starpu_ndim_filter_to_variable_child_ops(struct starpu_data_filter *f, unsigned child);
void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned nparts, size_t elemsize, unsigned id,
                                                        size_t blocksize, size_t *chunk_size, size_t *offset);

#ifdef __cplusplus
}
#endif
#endif
