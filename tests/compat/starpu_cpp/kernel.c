/* SPDX-License-Identifier: Apache-2.0 */
/* The C unit of a program whose other units are C++: a kernel, and a codelet by designated initialisers. */
#include <starpu.h>

void scale(void *buffers[], void *arg);

void scale(void *buffers[], void *arg)
{
	float by;
	float *values = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);
	starpu_codelet_unpack_args(arg, &by);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		values[i] *= by;
}

struct starpu_codelet cl_scale = {
	.cpu_funcs = {scale},
	.cpu_funcs_name = {"scale"},
	.nbuffers = 1,
	.modes = {STARPU_RW},
	.name = "scale",
};
