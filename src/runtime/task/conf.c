/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: settings of the program and of the environment. The environment wins, unless
 * the program asks for the opposite. One table has both names of a setting.
 */
#include "begin.h"
#include "complain.h"
#include <stddef.h>
#include <string.h>

enum { MAGIC = 42 };

struct number {
	const char *variable;
	size_t at;     /* of an int in struct starpu_conf */
	int otherwise; /* the default */
};
#define AT(field) offsetof(struct starpu_conf, field)
/* Later rows win over earlier ones. */
static const struct number numbers[] = {
	{"STARPU_NCPUS", AT(ncpus), -1},
	{"STARPU_NCPU", AT(ncpus), -1},
	{"STARPU_RESERVE_NCPU", AT(reserve_ncpus), -1},
	{"STARPU_NCUDA", AT(ncuda), -1},
	{"STARPU_NHIP", AT(nhip), -1},
	{"STARPU_NSYCL", AT(nsycl), -1},
	{"STARPU_NOPENCL", AT(nopencl), -1},
	{"STARPU_NMAX_FPGA", AT(nmax_fpga), -1},
	{"STARPU_NMPI_SC", AT(nmpi_sc), -1},
	{"STARPU_NTCPIP_SC", AT(ntcpip_sc), -1},
	{"STARPU_CALIBRATE", AT(calibrate), 0},
	{"STARPU_BUS_CALIBRATE", AT(bus_calibrate), 0},
	{"STARPU_DATA_LOCALITY_ENFORCE", AT(data_locality_enforce), 0},
	{"STARPU_SINGLE_COMBINED_WORKER", AT(single_combined_worker), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_COPY", AT(disable_asynchronous_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY", AT(disable_asynchronous_cuda_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_HIP_COPY", AT(disable_asynchronous_hip_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_SYCL_COPY", AT(disable_asynchronous_sycl_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY", AT(disable_asynchronous_opencl_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_MPI_SC_COPY", AT(disable_asynchronous_mpi_sc_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_TCPIP_SC_COPY", AT(disable_asynchronous_tcpip_sc_copy), 0},
	{"STARPU_DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY", AT(disable_asynchronous_max_fpga_copy), 0},
	{"STARPU_ENABLE_MAP", AT(enable_map), 0},
	{"STARPU_CATCH_SIGNALS", AT(catch_signals), 1},
	{"STARPU_BACKOFF_MIN", AT(driver_spinning_backoff_min), 1},
	{"STARPU_BACKOFF_MAX", AT(driver_spinning_backoff_max), 32},
	{"STARPU_MIN_PRIO", AT(global_sched_ctx_min_priority), -1},
	{"STARPU_MAX_PRIO", AT(global_sched_ctx_max_priority), -1},
};
#undef AT

static void take_environment(struct starpu_conf *conf)
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		int *at = (int *)(void *)((char *)conf + numbers[i].at);
		*at = starpu_get_env_number_default(numbers[i].variable, *at);
	}
	const char *sched = getenv("STARPU_SCHED");
	if (sched && *sched)
		conf->sched_policy_name = sched;
}

int starpu_conf_init(struct starpu_conf *conf)
{
	if (!conf)
		return -EINVAL;
	memset(conf, 0, sizeof *conf);
	conf->magic = MAGIC;
	conf->will_use_mpi = 0;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		*(int *)(void *)((char *)conf + numbers[i].at) = numbers[i].otherwise;
	conf->trace_buffer_size = (uint64_t)starpu_get_env_number_default("STARPU_TRACE_BUFFER_SIZE", 64) << 20;
	conf->start_perf_counter_collection = 0;
	conf->cuda_only_fast_alloc_other_memnodes = starpu_get_env_number_default("STARPU_CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES",
	                                                                          0);
	take_environment(conf);
	return 0;
}

int starpu_conf_noworker(struct starpu_conf *conf)
{
	int rc = starpu_conf_init(conf);
	if (rc)
		return rc;
	conf->ncpus = conf->ncuda = conf->nhip = conf->nsycl = conf->nopencl = 0;
	conf->nmax_fpga = conf->nmpi_sc = conf->ntcpip_sc = 0;
	return 0;
}

int rt_conf_take(struct starpu_conf *out, const struct starpu_conf *from)
{
	if (from && from->magic != MAGIC)
		return -EINVAL;
	if (from)
		*out = *from;
	else
		starpu_conf_init(out);
	if (from && !from->precedence_over_environment_variables)
		take_environment(out);
	if (out->ncpus > STARPU_NMAXWORKERS)
		rt_say("%d CPU workers are asked for (STARPU_NCPU), and %d are the most", out->ncpus, STARPU_NMAXWORKERS);
	return 0;
}
