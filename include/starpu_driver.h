/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that the application runs itself.
 */
#ifndef __STARPU_DRIVER_H__
#define __STARPU_DRIVER_H__

#include <starpu_config.h>
#include <starpu_worker.h>
#include <starpu_opencl.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_driver;

struct starpu_driver {
	enum starpu_worker_archtype type;
	union {
		unsigned cpu_id;
		unsigned cuda_id;
		unsigned hip_id;
		unsigned sycl_id;
#ifdef STARPU_USE_OPENCL
		cl_device_id opencl_id;
#endif
		unsigned mpi_sc_id;
	} id;
};

void starpu_drivers_preinit(void);
int starpu_driver_run(struct starpu_driver *d);
void starpu_drivers_request_termination(void);
int starpu_driver_init(struct starpu_driver *d);
int starpu_driver_run_once(struct starpu_driver *d);
int starpu_driver_deinit(struct starpu_driver *d);

#ifdef __cplusplus
}
#endif
#endif
