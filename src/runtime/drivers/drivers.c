/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of workers that this build has. A new driver adds its line. */
#include "driver.h"

const struct rt_driver *const rt_drivers[] = {
#ifdef STARPU_USE_OPENCL
	&rt_driver_opencl,
#endif
	&rt_driver_cpu,
	NULL,
};
