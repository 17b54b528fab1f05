/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of workers that this build has. A new driver adds its line. */
#include "drivers.h"

const struct rt_driver *const rt_drivers[] = {
#ifdef STARPU_USE_OPENCL
	&rt_driver_opencl,
#endif
	&rt_driver_cpu,
	NULL,
};

int rt_drivers_probe(struct rt_machine *m, struct weft_err *err)
{
	int rc = 0;
	for (unsigned i = 0; rt_drivers[i] && rc >= 0; i++)
		rc = rt_drivers[i]->probe(m, err);
	if (rc >= 0 && !m->n_workers)
		rc = weft_err_set(err, -ENODEV, "no worker is available");
	/* Main memory's nodes are the first, and depend on which workers there are. */
	if (rc >= 0)
		rc = rt_cpu_memory_probe(m, err);
	for (unsigned i = 0; rt_drivers[i] && rc >= 0; i++)
		rc = rt_drivers[i]->probe_memory ? rt_drivers[i]->probe_memory(m, err) : 0;
	return rc < 0 ? rc : 0;
}
