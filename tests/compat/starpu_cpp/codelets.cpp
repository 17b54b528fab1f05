/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets as C++ programs make them: a structure that is derived, a template's function, initialisers that name fields. */
#include <starpu.h>

extern "C" void scale(void *buffers[], void *arg);

template <typename T> static void add(void *buffers[], void *arg)
{
	T more, *values = reinterpret_cast<T *>(STARPU_VECTOR_GET_PTR(buffers[0]));
	starpu_codelet_unpack_args(arg, &more);
	for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		values[i] += more;
}

namespace
{
struct adder : starpu_codelet {
	adder()
	{
		starpu_codelet_init(this);
		cpu_funcs[0] = add<float>;
		nbuffers = 1;
		modes[0] = STARPU_RW;
		name = "add";
	}
} adds;

#if __cplusplus >= 202002L
starpu_codelet scales = {.where = STARPU_CPU, .cpu_funcs = {scale}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "again"};
#else
starpu_codelet make()
{
	starpu_codelet c = starpu_codelet();
	c.cpu_funcs[0] = scale;
	c.nbuffers = 1;
	c.modes[0] = STARPU_RW;
	c.name = "again";
	return c;
}
starpu_codelet scales = make();
#endif
}

starpu_codelet *cl_add = &adds, *cl_again = &scales;
