/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA, HIP, the hypervisor: the answers of a build without them. */
#include <starpu.h>
#include <starpu_cublas.h>
#include <starpu_hipblas.h>
#include <starpu_hipsolver.h>
#include <starpu_sched_ctx_hypervisor.h>
#include <stdlib.h>
#include <string.h>

/* What is not there has no use for its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

void starpu_cublas_init(void)
{
}

void starpu_cublas_set_stream(void)
{
}

void starpu_cublas_shutdown(void)
{
}

void starpu_hipblas_init(void)
{
}

void starpu_hipblas_shutdown(void)
{
}

void starpu_hipsolver_init(void)
{
}

void starpu_hipsolver_shutdown(void)
{
}

void starpu_sched_ctx_set_perf_counters(unsigned sched_ctx_id, void *perf_counters)
{
}

void starpu_sched_ctx_call_pushed_task_cb(int workerid, unsigned sched_ctx_id)
{
}

void starpu_sched_ctx_notify_hypervisor_exists(void)
{
}

unsigned starpu_sched_ctx_check_if_hypervisor_exists(void)
{
	return 0;
}

void starpu_sched_ctx_update_start_resizing_sample(unsigned sched_ctx_id, double start_sample)
{
}
