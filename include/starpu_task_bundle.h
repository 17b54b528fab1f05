/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles: tasks that want to be scheduled together.
 */
#ifndef __STARPU_TASK_BUNDLE_H__
#define __STARPU_TASK_BUNDLE_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_task_bundle;
struct starpu_perfmodel_arch;
struct starpu_task;

typedef struct _starpu_task_bundle *starpu_task_bundle_t;

void starpu_task_bundle_create(starpu_task_bundle_t *bundle);
int starpu_task_bundle_insert(starpu_task_bundle_t bundle, struct starpu_task *task);
int starpu_task_bundle_remove(starpu_task_bundle_t bundle, struct starpu_task *task);
void starpu_task_bundle_close(starpu_task_bundle_t bundle);
double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch, unsigned nimpl);
double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned memory_node);
double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch, unsigned nimpl);

#ifdef __cplusplus
}
#endif
#endif
