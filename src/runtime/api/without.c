/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA, HIP, SYCL, the hypervisor: the answers of a build without them. */
#include "runtime/task/complain.h"
#include <starpu.h>
#include <starpu_cublas.h>
#include <starpu_cublasLt.h>
#include <starpu_cusolver.h>
#include <starpu_cusparse.h>
#include <starpu_hipblas.h>
#include <starpu_hipsolver.h>
#include <starpu_sched_ctx_hypervisor.h>
#include <starpu_syclblas.h>
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

/* Libraries that each worker of a kind would have to begin and end. */
#define LIBRARY(name) \
	void starpu_##name##_init(void) \
	{ \
	} \
	void starpu_##name##_shutdown(void) \
	{ \
	}
LIBRARY(cublasLt)
LIBRARY(cusolver)
LIBRARY(cusparse)
LIBRARY(hipblas)
LIBRARY(hipsolver)
LIBRARY(syclblas)

#define REPORTS(name, kind, text) \
	void starpu_##name##_report_##kind(const char *func, const char *file, int line, int value) \
	{ \
		rt_misuse("%s:%d: %s: " text " %d", file, line, func, value); \
	}
REPORTS(hipblas, error, "HIP error")
REPORTS(hipblas, status, "hipBLAS status")
REPORTS(hipsolver, error, "HIP error")
REPORTS(hipsolver, status, "hipSOLVER status")

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
