/* SPDX-License-Identifier: Apache-2.0 */
/* Which StarPU this is: the version whose interface it has. */
#include <starpu.h>

void starpu_get_version(int *major, int *minor, int *release)
{
	*major = STARPU_MAJOR_VERSION;
	*minor = STARPU_MINOR_VERSION;
	*release = STARPU_RELEASE_VERSION;
}
