/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and kernels: from a file or a string, built for every device in use; or built once into files under
 * $STARPU_HOME/.starpu/opencl, one for each device, and loaded from there.
 */
#include "opencl.h"
#include "base/fs.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

enum { OLD_NAME_MOST = 1024, OLD_SOURCE_MOST = 16384 }; /* what callers of the old function have */

/* Whether a worker would run what is built. Without one, a program with OpenCL kernels runs on CPUs and needs no source. */
static bool has_device(void)
{
	for (unsigned i = 0; i < opencl_n_devices; i++)
		if (opencl_devices[i].context)
			return true;
	return false;
}

/* ---- finding sources ---- */

static bool is_file(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* As it is given, or in the folder that the environment names. */
static bool program_locate(const char *name, char *path)
{
	const char *folder = getenv("STARPU_OPENCL_PROGRAM_DIR");
	snprintf(path, PATH_MAX, "%s", name);
	if (is_file(path))
		return true;
	return folder && snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && is_file(path);
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0;
	FILE *out = f ? open_memstream(&text, &n) : NULL;
	char part[4096];
	for (size_t got; out && (got = fread(part, 1, sizeof part, f)) > 0;)
		fwrite(part, 1, got, out);
	if (out && fclose(out)) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/* Empty texts stand for a source that is missed by no device. */
void starpu_opencl_load_program_source_malloc(const char *source_file_name, char **located_file_name, char **located_dir_name,
                                              char **opencl_program_source)
{
	char path[PATH_MAX];
	bool found = program_locate(source_file_name, path);
	STARPU_ASSERT_MSG(found || !has_device(), "there is no OpenCL source '%s'", source_file_name);
	char *slash = found ? strrchr(path, '/') : NULL;
	*located_file_name = strdup(found ? path : "");
	*located_dir_name = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
	*opencl_program_source = found ? read_text(path) : strdup("");
	STARPU_ASSERT_MSG(*located_file_name && *located_dir_name && *opencl_program_source, "cannot read '%s'", path);
}

void starpu_opencl_load_program_source(const char *source_file_name, char *located_file_name, char *located_dir_name,
                                       char *opencl_program_source)
{
	char *file, *folder, *source;
	starpu_opencl_load_program_source_malloc(source_file_name, &file, &folder, &source);
	STARPU_ASSERT_MSG(strlen(source) < OLD_SOURCE_MOST, "'%s' is too long for this function", file);
	snprintf(located_file_name, OLD_NAME_MOST, "%s", file);
	snprintf(located_dir_name, OLD_NAME_MOST, "%s", folder);
	strcpy(opencl_program_source, source);
	free(file);
	free(folder);
	free(source);
}

/* ---- building ---- */

static void print_log(const struct opencl_device *d, cl_program program)
{
	size_t n = 0;
	ocl.clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
	char *log = calloc(1, n + 1);
	if (log && n && !ocl.clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, n, log, NULL))
		fprintf(stderr, "%s\n", log);
	free(log);
}

static cl_int program_build(const struct opencl_device *d, const char *source, const char *options, cl_program *out)
{
	cl_int err;
	cl_program program = ocl.clCreateProgramWithSource(d->context, 1, &source, NULL, &err);
	if (err)
		return err;
	err = ocl.clBuildProgram(program, 1, &d->id, options, NULL, NULL);
	if (err) {
		print_log(d, program);
		STARPU_OPENCL_DISPLAY_ERROR(err);
		ocl.clReleaseProgram(program);
	}
	*out = err ? NULL : program;
	return err;
}

static int build_all(const char *source, struct starpu_opencl_program *programs, const char *options)
{
	int rc = EXIT_SUCCESS;
	for (unsigned i = 0; i < STARPU_MAXOPENCLDEVS; i++)
		programs->programs[i] = NULL;
	for (unsigned i = 0; i < opencl_n_devices; i++)
		if (opencl_devices[i].context && program_build(&opencl_devices[i], source, options, &programs->programs[i]))
			rc = EXIT_FAILURE;
	return rc;
}

int starpu_opencl_load_opencl_from_string(const char *opencl_program_source, struct starpu_opencl_program *opencl_programs,
                                          const char *build_options)
{
	return has_device() ? build_all(opencl_program_source, opencl_programs, build_options) : EXIT_SUCCESS;
}

/* The folder of the file is where its #includes are looked for. */
static char *options_of(const char *folder, const char *given)
{
	char *text;
	if (asprintf(&text, "%s%s%s%s", given ? given : "", *folder ? " -I\"" : "", folder, *folder ? "\"" : "") < 0)
		return NULL;
	return text;
}

int starpu_opencl_load_opencl_from_file(const char *source_file_name, struct starpu_opencl_program *opencl_programs,
                                        const char *build_options)
{
	char *file, *folder, *source;
	if (!has_device())
		return EXIT_SUCCESS;
	starpu_opencl_load_program_source_malloc(source_file_name, &file, &folder, &source);
	char *options = options_of(folder, build_options);
	int rc = options ? build_all(source, opencl_programs, options) : EXIT_FAILURE;
	free(options);
	free(file);
	free(folder);
	free(source);
	return rc;
}

int starpu_opencl_unload_opencl(struct starpu_opencl_program *opencl_programs)
{
	if (!has_device())
		return 0;
	for (unsigned i = 0; i < STARPU_MAXOPENCLDEVS; i++) {
		if (i < opencl_n_devices && opencl_devices[i].context && opencl_programs->programs[i])
			ocl.clReleaseProgram(opencl_programs->programs[i]);
		opencl_programs->programs[i] = NULL;
	}
	return 0;
}

/* ---- built ones in files ---- */

/* NAME.KIND.vendor_id_N_device_id_N, as StarPU calls them: the name without its folder, and what begins with .cl. */
static bool binary_path(const char *id, const struct opencl_device *d, char *path)
{
	const char *home = getenv("STARPU_HOME"), *slash = strrchr(id, '/'), *name = slash ? slash + 1 : id;
	const char *end = strstr(name, ".cl");
	const char *kind = d->type & CL_DEVICE_TYPE_CPU ? "cpu" : d->type & CL_DEVICE_TYPE_GPU ? "gpu" : "accelerator";
	home = home ? home : getenv("HOME");
	return home && snprintf(path, PATH_MAX, "%s/.starpu/opencl/%.*s.%s.vendor_id_%u_device_id_%d", home,
	                        (int)(end ? end - name : (ptrdiff_t)strlen(name)), name, kind, (unsigned)d->vendor,
	                        (int)(d - opencl_devices)) < PATH_MAX;
}

static bool make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*at = '/';
		if (!made)
			return false;
	}
	return true;
}

static bool write_file(char *path, const void *data, size_t n)
{
	struct weft_replace r;
	if (!make_folders(path) || weft_replace_open(&r, path, 0666))
		return false;
	if (weft_write_all(r.fd, data, n, 0) == 0)
		return weft_replace_commit(&r, WEFT_REPLACE_PLAIN) == 0;
	weft_replace_abandon(&r);
	return false;
}

static bool program_store(const char *id, const struct opencl_device *d, cl_program program)
{
	char path[PATH_MAX];
	size_t n = 0;
	if (ocl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL) || !n)
		return false;
	unsigned char *binary = malloc(n);
	bool ok = binary && !ocl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) &&
	          binary_path(id, d, path) && write_file(path, binary, n);
	free(binary);
	return ok;
}

int starpu_opencl_compile_opencl_from_string(const char *opencl_program_source, const char *file_name, const char *build_options)
{
	int rc = EXIT_SUCCESS;
	for (unsigned i = 0; i < opencl_n_devices; i++) {
		const struct opencl_device *d = &opencl_devices[i];
		cl_program program;
		if (!d->context)
			continue;
		if (program_build(d, opencl_program_source, build_options, &program))
			return EXIT_FAILURE;
		rc = program_store(file_name, d, program) ? rc : EXIT_FAILURE;
		ocl.clReleaseProgram(program);
	}
	return rc;
}

int starpu_opencl_compile_opencl_from_file(const char *source_file_name, const char *build_options)
{
	char *file, *folder, *source;
	if (!has_device())
		return EXIT_SUCCESS;
	starpu_opencl_load_program_source_malloc(source_file_name, &file, &folder, &source);
	char *options = options_of(folder, build_options);
	int rc = options ? starpu_opencl_compile_opencl_from_string(source, source_file_name, options) : EXIT_FAILURE;
	free(options);
	free(file);
	free(folder);
	free(source);
	return rc;
}

static cl_int load_binary(const char *path, const struct opencl_device *d, cl_program *out)
{
	cl_int err = CL_INVALID_BINARY, status;
	struct stat s;
	FILE *f = fopen(path, "rb");
	unsigned char *data = f && fstat(fileno(f), &s) == 0 && s.st_size > 0 ? malloc((size_t)s.st_size) : NULL;
	size_t n = data ? fread(data, 1, (size_t)s.st_size, f) : 0;
	if (n) {
		*out = ocl.clCreateProgramWithBinary(d->context, 1, &d->id, &n, (const unsigned char **)&data, &status, &err);
		err = err ? err : ocl.clBuildProgram(*out, 1, &d->id, NULL, NULL, NULL);
		if (err && *out)
			ocl.clReleaseProgram(*out);
	}
	if (err)
		*out = NULL;
	free(data);
	if (f)
		fclose(f);
	return err;
}

int starpu_opencl_load_binary_opencl(const char *kernel_id, struct starpu_opencl_program *opencl_programs)
{
	int rc = EXIT_SUCCESS;
	char path[PATH_MAX];
	if (!has_device())
		return EXIT_SUCCESS;
	for (unsigned i = 0; i < STARPU_MAXOPENCLDEVS; i++)
		opencl_programs->programs[i] = NULL;
	for (unsigned i = 0; i < opencl_n_devices; i++) {
		const struct opencl_device *d = &opencl_devices[i];
		if (!d->context)
			continue;
		if (!binary_path(kernel_id, d, path) || load_binary(path, d, &opencl_programs->programs[i]))
			rc = EXIT_FAILURE;
	}
	return rc;
}

/* ---- kernels ---- */

int starpu_opencl_load_kernel(cl_kernel *kernel, cl_command_queue *queue, struct starpu_opencl_program *opencl_programs,
                              const char *kernel_name, int devid)
{
	cl_int err;
	starpu_opencl_get_queue(devid, queue);
	STARPU_ASSERT_MSG(opencl_programs->programs[devid], "no program was built for device %d", devid);
	*kernel = ocl.clCreateKernel(opencl_programs->programs[devid], kernel_name, &err);
	if (err)
		STARPU_OPENCL_DISPLAY_ERROR(err);
	return err;
}

int starpu_opencl_release_kernel(cl_kernel kernel)
{
	return ocl.clReleaseKernel(kernel);
}

/* (size, pointer) for each argument, then 0. How many were set; on a failure, the number of the one that was not. */
int starpu_opencl_set_kernel_args(cl_int *err, cl_kernel *kernel, ...)
{
	int i = 0;
	va_list ap;
	cl_int rc = CL_SUCCESS;
	va_start(ap, kernel);
	for (int size; !rc && (size = va_arg(ap, int)) > 0;) {
		const void *value = va_arg(ap, const void *);
		rc = ocl.clSetKernelArg(*kernel, (cl_uint)i, (size_t)size, value);
		i += !rc;
	}
	va_end(ap);
	if (err)
		*err = rc;
	return i;
}

/* Profiling is a thing of its own: here nothing is collected. */
int starpu_opencl_collect_stats(cl_event event)
{
	(void)event;
	return 0;
}
