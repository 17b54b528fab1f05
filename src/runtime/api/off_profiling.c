/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's own traces, switched off: they answer as when nothing was recorded. */
#include <starpu.h>
#include <starpu_fxt.h>
#include <stdlib.h>
#include <string.h>

/* What is not there has no use for its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

void starpu_fxt_options_init(struct starpu_fxt_options *options)
{
	memset(options, 0, sizeof *options);
}

void starpu_fxt_options_shutdown(struct starpu_fxt_options *options)
{
}

void starpu_fxt_options_set_dir(struct starpu_fxt_options *options)
{
}

void starpu_fxt_generate_trace(struct starpu_fxt_options *options)
{
}

void starpu_fxt_autostart_profiling(int autostart)
{
}

void starpu_fxt_start_profiling(void)
{
}

void starpu_fxt_stop_profiling(void)
{
}

void starpu_fxt_write_data_trace(char *filename_in)
{
}

void starpu_fxt_write_data_trace_in_dir(char *filename_in, char *dir)
{
}

int starpu_fxt_is_enabled(void)
{
	return 0;
}

void starpu_fxt_trace_user_meta_string(const char *s)
{
}
