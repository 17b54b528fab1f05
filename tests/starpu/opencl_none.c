/* SPDX-License-Identifier: Apache-2.0 */
/* A program that could also use OpenCL runs without a device: nothing of it is looked for, and every call succeeds. */
#include "starpu_check.h"
#include <starpu_opencl.h>

#ifdef STARPU_USE_OPENCL
static const char missing[] = "nowhere/to/be/found.cl";

static void check_programs(void)
{
	struct starpu_opencl_program *none = NULL; /* not touched, either */
	CHECK(starpu_opencl_load_opencl_from_file(missing, none, "-DN=4") == 0);
	CHECK(starpu_opencl_load_opencl_from_string("this is no OpenCL", none, NULL) == 0);
	CHECK(starpu_opencl_compile_opencl_from_file(missing, NULL) == 0);
	CHECK(starpu_opencl_compile_opencl_from_string("this is no OpenCL", missing, NULL) == 0);
	CHECK(starpu_opencl_load_binary_opencl("found", none) == 0);
	CHECK(starpu_opencl_unload_opencl(none) == 0);
}

static void check_sources(void)
{
	static char file[1024] = "a", folder[1024] = "b", text[16384] = "c";
	char *made_file, *made_folder, *made_text;
	starpu_opencl_load_program_source(missing, file, folder, text);
	CHECK(!*file && !*folder && !*text);
	starpu_opencl_load_program_source_malloc(missing, &made_file, &made_folder, &made_text);
	CHECK(!*made_file && !*made_folder && !*made_text);
	free(made_file);
	free(made_folder);
	free(made_text);
	/* What is there is found all the same. */
	FILE *f = fopen("opencl_none_there.cl", "w");
	CHECK(f && fputs("text", f) >= 0 && fclose(f) == 0);
	starpu_opencl_load_program_source("opencl_none_there.cl", file, folder, text);
	CHECK(!strcmp(file, "opencl_none_there.cl") && !*folder && !strcmp(text, "text"));
	unlink("opencl_none_there.cl");
}
#endif

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 0;
	CHECK(starpu_init(&conf) == 0);
#ifdef STARPU_USE_OPENCL
	check_programs();
	check_sources();
#endif
	starpu_shutdown();
#ifdef STARPU_USE_OPENCL
	check_programs(); /* neither when it has ended */
#endif
	return checks_failed();
}
