/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration says, asked by programs. */
#include "runtime/task/machine.h"
#include <stdio.h>

/* A kind of device, or 0: all of them are asked about. */
static int disabled(int of_this_kind)
{
	return rt_machine.conf.disable_asynchronous_copy > 0 || of_this_kind > 0;
}

#define ASKS(function, field) \
	int function(void) \
	{ \
		return disabled(rt_machine.conf.field); \
	}
ASKS(starpu_asynchronous_copy_disabled, disable_asynchronous_copy)
ASKS(starpu_asynchronous_cuda_copy_disabled, disable_asynchronous_cuda_copy)
ASKS(starpu_asynchronous_hip_copy_disabled, disable_asynchronous_hip_copy)
ASKS(starpu_asynchronous_sycl_copy_disabled, disable_asynchronous_sycl_copy)
ASKS(starpu_asynchronous_opencl_copy_disabled, disable_asynchronous_opencl_copy)
ASKS(starpu_asynchronous_max_fpga_copy_disabled, disable_asynchronous_max_fpga_copy)
ASKS(starpu_asynchronous_mpi_sc_copy_disabled, disable_asynchronous_mpi_sc_copy)
ASKS(starpu_asynchronous_mpi_ms_copy_disabled, disable_asynchronous_mpi_sc_copy)
ASKS(starpu_asynchronous_tcpip_sc_copy_disabled, disable_asynchronous_tcpip_sc_copy)
ASKS(starpu_asynchronous_tcpip_ms_copy_disabled, disable_asynchronous_tcpip_sc_copy)
#undef ASKS

int starpu_asynchronous_mic_copy_disabled(void)
{
	return disabled(0);
}

int starpu_asynchronous_copy_disabled_for(enum starpu_node_kind kind)
{
	static int (*const asks[STARPU_NRAM])(void) = {
		[STARPU_CUDA_RAM] = starpu_asynchronous_cuda_copy_disabled,
		[STARPU_OPENCL_RAM] = starpu_asynchronous_opencl_copy_disabled,
		[STARPU_MAX_FPGA_RAM] = starpu_asynchronous_max_fpga_copy_disabled,
		[STARPU_MPI_SC_RAM] = starpu_asynchronous_mpi_sc_copy_disabled,
		[STARPU_TCPIP_SC_RAM] = starpu_asynchronous_tcpip_sc_copy_disabled,
		[STARPU_HIP_RAM] = starpu_asynchronous_hip_copy_disabled,
		[STARPU_SYCL_RAM] = starpu_asynchronous_sycl_copy_disabled,
	};
	return (unsigned)kind < STARPU_NRAM && asks[kind] ? asks[kind]() : disabled(0);
}

int starpu_map_enabled(void)
{
	return rt_machine.conf.enable_map > 0;
}
