/* SPDX-License-Identifier: Apache-2.0 */
/* What the models expect of bundles. */
#include "runtime/task/bundle.h"

/* The sum over the tasks; what is not known counts nothing. */
static double sum(starpu_task_bundle_t b, double (*of)(struct starpu_task *, struct starpu_perfmodel_arch *, unsigned),
                  struct starpu_perfmodel_arch *arch, unsigned n)
{
	double total = 0;
	pthread_mutex_lock(&b->lock);
	for (unsigned i = 0; i < b->n; i++) {
		double one = of(b->task[i], arch, n);
		total += one > 0 ? one : 0;
	}
	pthread_mutex_unlock(&b->lock);
	return total;
}

double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return sum(bundle, starpu_task_expected_length, arch, nimpl);
}

double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return sum(bundle, starpu_task_expected_energy, arch, nimpl);
}

static double transfer(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned node)
{
	(void)arch;
	return starpu_task_expected_data_transfer_time(node, t);
}

double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned memory_node)
{
	return sum(bundle, transfer, NULL, memory_node);
}
