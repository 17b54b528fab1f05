/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs ask of OpenCL beside their kernels: devices, queues, buffers and copies of them, built programs in files, kernels of which
 * an argument is wrong, errors in words. Skipped without OpenCL.
 */
#include "data_check.h"
#include <starpu_opencl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char bytes[256], back[256];

static const char source[] = "__kernel void triple(__global uchar *at, unsigned n)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n) at[i] *= 3;\n"
			     "}\n";

static void check_device(int device)
{
	cl_device_id id = NULL, of_queue = NULL;
	cl_command_queue queue = NULL;
	cl_context context = NULL, of_queue_context = NULL;
	char name[256] = "";
	starpu_opencl_get_device(device, &id);
	starpu_opencl_get_queue(device, &queue);
	starpu_opencl_get_context(device, &context);
	CHECK(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS && *name);
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof of_queue, &of_queue, NULL) == CL_SUCCESS && of_queue == id);
	CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue_context, &of_queue_context, NULL) == CL_SUCCESS);
	CHECK(of_queue_context == context);
}

/* ---- copies: at once, or with an event ---- */

static void wait_for(cl_event event)
{
	CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
	CHECK(starpu_opencl_collect_stats(event) == 0);
	CHECK(clReleaseEvent(event) == CL_SUCCESS);
}

static void check_copies(unsigned node, int later)
{
	cl_mem one, two;
	cl_event event = NULL, *how = later ? &event : NULL;
	const int want = later ? -EAGAIN : 0;
	int device = starpu_memory_node_get_devid(node), rc = 1;
	CHECK(starpu_opencl_allocate_memory(device, &one, sizeof bytes, CL_MEM_READ_WRITE) == CL_SUCCESS);
	CHECK(starpu_opencl_allocate_memory(device, &two, sizeof bytes, CL_MEM_READ_WRITE) == CL_SUCCESS);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 5 + (unsigned)later);
	memset(back, 0, sizeof back);
	CHECK(starpu_opencl_copy_ram_to_opencl(bytes, STARPU_MAIN_RAM, one, node, 100, 50, how, &rc) == CL_SUCCESS && rc == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_opencl_to_opencl(one, node, 60, two, node, 7, 80, how, &rc) == CL_SUCCESS && rc == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_opencl_to_ram(two, node, back, STARPU_MAIN_RAM, 70, 8, how, &rc) == CL_SUCCESS && rc == want);
	if (later)
		wait_for(event);
	CHECK(!memcmp(back, bytes + 11, 70) && back[70] == 0);
	/* The same by the one function that looks at the nodes. */
	memset(back, 0, sizeof back);
	CHECK(starpu_opencl_copy_async_sync((uintptr_t)bytes, 3, STARPU_MAIN_RAM, (uintptr_t)one, 4, node, 60, how) == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_async_sync((uintptr_t)one, 5, node, (uintptr_t)two, 6, node, 50, how) == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_async_sync((uintptr_t)two, 7, node, (uintptr_t)back, 8, STARPU_MAIN_RAM, 40, how) == want);
	if (later)
		wait_for(event);
	CHECK(!memcmp(back + 8, bytes + 5, 40) && back[7] == 0 && back[48] == 0);
	/* By the devices' numbers. */
	memset(back, 0, sizeof back);
	CHECK(starpu_opencl_copy_ram_to_opencl_devid(bytes, 0, one, device, 90, 10, how, &rc) == CL_SUCCESS && rc == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_opencl_to_opencl_devid(one, device, 15, two, device, 1, 70, how, &rc) == CL_SUCCESS &&
	      rc == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_opencl_to_ram_devid(two, device, back, 0, 30, 1, how, &rc) == CL_SUCCESS && rc == want);
	if (later)
		wait_for(event);
	CHECK(starpu_opencl_copy_async_sync_devid((uintptr_t)two, 31, device, STARPU_OPENCL_RAM, (uintptr_t)back, 30, 0,
	                                          STARPU_CPU_RAM, 40, how) == want);
	if (later)
		wait_for(event);
	CHECK(!memcmp(back, bytes + 5, 70) && back[70] == 0);
	/* What OpenCL refuses is said. */
	CHECK(starpu_opencl_copy_ram_to_opencl(bytes, STARPU_MAIN_RAM, one, node, 2 * sizeof bytes, 0, how, &rc) != CL_SUCCESS);
	CHECK(rc < 0 && rc != -EAGAIN);
	CHECK(clReleaseMemObject(one) == CL_SUCCESS && clReleaseMemObject(two) == CL_SUCCESS);
}

/* ---- a program from a string, in files and back ---- */

static struct starpu_opencl_program program;

static void triple(void *buffers[], void *arg)
{
	cl_kernel kernel;
	cl_command_queue queue;
	cl_event event;
	cl_int err = 1;
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_uint n = (cl_uint)STARPU_VECTOR_GET_NX(buffers[0]);
	size_t global = n;
	int device = starpu_worker_get_devid(starpu_worker_get_id_check());
	(void)arg;
	CHECK(starpu_opencl_load_kernel(&kernel, &queue, &program, "no_such", device) == CL_INVALID_KERNEL_NAME);
	CHECK(starpu_opencl_load_kernel(&kernel, &queue, &program, "triple", device) == CL_SUCCESS);
	/* The second argument is too long: it is the one that could not be set. */
	CHECK(starpu_opencl_set_kernel_args(&err, &kernel, sizeof at, &at, sizeof global, &global, 0) == 1 &&
	      err == CL_INVALID_ARG_SIZE);
	CHECK(starpu_opencl_set_kernel_args(&err, &kernel, sizeof at, &at, sizeof n, &n, 0) == 2 && err == CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event) == CL_SUCCESS);
	wait_for(event);
	CHECK(starpu_opencl_release_kernel(kernel) == CL_SUCCESS);
}
static struct starpu_codelet triples = {.opencl_funcs = {triple}, .nbuffers = 1, .modes = {STARPU_RW}};

static void check_files(const char *home)
{
	char path[200];
	cl_device_id id;
	cl_uint vendor = 0;
	starpu_data_handle_t h;
	CHECK(starpu_opencl_compile_opencl_from_string(source, "/some/where/kernels.cl", NULL) == 0);
	starpu_opencl_get_device(0, &id);
	CHECK(clGetDeviceInfo(id, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL) == CL_SUCCESS);
	snprintf(path, sizeof path, "%s/.starpu/opencl/kernels.cpu.vendor_id_%u_device_id_0", home, (unsigned)vendor);
	CHECK(access(path, R_OK) == 0);
	CHECK(starpu_opencl_load_binary_opencl("unknown", &program) != 0);
	CHECK(starpu_opencl_load_binary_opencl("kernels", &program) == 0);
	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)i;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)bytes, sizeof bytes, 1);
	for (unsigned i = 0; i < starpu_opencl_worker_get_count(); i++)
		submit(&triples, h, NULL);
	starpu_data_unregister(h);
	unsigned times = 1;
	for (unsigned i = 0; i < starpu_opencl_worker_get_count(); i++)
		times *= 3;
	for (unsigned i = 0; i < sizeof bytes; i++)
		CHECK(bytes[i] == (unsigned char)(i * times));
	CHECK(starpu_opencl_unload_opencl(&program) == 0);
}

/* ---- errors in words ---- */

static void display(void)
{
	STARPU_OPENCL_DISPLAY_ERROR(CL_OUT_OF_RESOURCES);
	starpu_opencl_display_error("a_function", "a_file.c", 42, "my words", CL_INVALID_VALUE);
	starpu_opencl_display_error("a_function", "a_file.c", 42, NULL, -12345);
}
static void report(void)
{
	STARPU_OPENCL_REPORT_ERROR(CL_MAP_FAILURE);
}
static void report_with_words(void)
{
	STARPU_OPENCL_REPORT_ERROR_WITH_MSG("my words", CL_INVALID_EVENT);
}
static void report_by_function(void)
{
	starpu_opencl_report_error("a_function", "a_file.c", 43, "my words", CL_INVALID_BINARY);
}

/* In a child, so that it may end: what it says must have these in it. */
static void check_said(void (*say)(void), int ends_by, const char *const *words)
{
	char text[2000] = "";
	int to_us[2], status = 0;
	CHECK(pipe(to_us) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(to_us[1], 2);
		say();
		_exit(0);
	}
	close(to_us[1]);
	size_t n = 0;
	ssize_t got;
	while ((got = read(to_us[0], text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(to_us[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : 0) == ends_by);
	for (; *words; words++)
		if (!strstr(text, *words)) {
			fprintf(stderr, "'%s' is not in '%s'\n", *words, text);
			checks_bad++;
		}
}

static void check_words(void)
{
	check_said(display, 0,
	           (const char *[]){__FILE__, "display", "CL_OUT_OF_RESOURCES", "-5", "a_file.c:42", "a_function", "my words",
	                            "CL_INVALID_VALUE", "-12345", NULL});
	check_said(report, SIGABRT, (const char *[]){__FILE__, "report", "CL_MAP_FAILURE", NULL});
	check_said(report_with_words, SIGABRT, (const char *[]){"report_with_words", "my words", "CL_INVALID_EVENT", NULL});
	check_said(report_by_function, SIGABRT, (const char *[]){"a_file.c:43", "a_function", "CL_INVALID_BINARY", NULL});
	CHECK(strstr(starpu_opencl_error_string(CL_DEVICE_NOT_FOUND), "CL_DEVICE_NOT_FOUND"));
	CHECK(strcmp(starpu_opencl_error_string(-12345), starpu_opencl_error_string(CL_SUCCESS)) != 0);
}

/* ---- variables ---- */

static unsigned devices_with(const char *variable, const char *value)
{
	setenv(variable, value, 1);
	begin();
	unsigned n = starpu_opencl_worker_get_count();
	starpu_shutdown();
	unsetenv(variable);
	return n;
}

static int nth_worker(unsigned i)
{
	return starpu_worker_get_by_type(STARPU_OPENCL_WORKER, (int)i);
}

static int model_device(unsigned i)
{
	return starpu_worker_get_perf_archtype(nth_worker(i), STARPU_NMAX_SCHED_CTXS)->devices[0].devid;
}

static void check_order_and_limits(unsigned devices)
{
	setenv("STARPU_WORKERS_OPENCLID", devices > 1 ? "1 0" : "0", 1);
	setenv("STARPU_LIMIT_OPENCL_MEM", "2", 1);
	setenv("STARPU_LIMIT_OPENCL_0_MEM", "3", 1);
	begin();
	CHECK(starpu_worker_get_devid(nth_worker(0)) == (devices > 1));
	for (unsigned i = 0; i < devices; i++) {
		unsigned node = starpu_worker_get_memory_node((unsigned)nth_worker(i));
		CHECK(starpu_memory_get_total(node) == (starpu_memory_node_get_devid(node) ? 2 : 3) << 20);
	}
	starpu_shutdown();
	unsetenv("STARPU_WORKERS_OPENCLID");
	unsetenv("STARPU_LIMIT_OPENCL_MEM");
	unsetenv("STARPU_LIMIT_OPENCL_0_MEM");
}

/* The program's own choice counts more than the user's. */
static void check_explicit(unsigned devices)
{
	struct starpu_conf conf;
	setenv("STARPU_WORKERS_OPENCLID", "0", 1);
	starpu_conf_init(&conf);
	conf.nopencl = 1;
	conf.use_explicit_workers_opencl_gpuid = 1;
	conf.workers_opencl_gpuid[0] = devices - 1;
	CHECK(!starpu_init(&conf));
	CHECK(starpu_opencl_worker_get_count() == 1 && starpu_worker_get_devid(nth_worker(0)) == (int)devices - 1);
	starpu_shutdown();
	unsetenv("STARPU_WORKERS_OPENCLID");
}

static void check_models(void)
{
	for (int alike = 0; alike < 2; alike++) {
		setenv("STARPU_PERF_MODEL_HOMOGENEOUS_OPENCL", alike ? "1" : "0", 1);
		begin();
		CHECK((model_device(0) == model_device(1)) == alike);
		starpu_shutdown();
	}
	unsetenv("STARPU_PERF_MODEL_HOMOGENEOUS_OPENCL");
}

/* So many of the devices are CPUs, as PoCL's are. */
static void check_variables(unsigned devices)
{
	unsigned others = devices_with("STARPU_OPENCL_ON_CPUS", "0");
	CHECK(devices_with("STARPU_OPENCL_ONLY_ON_CPUS", "1") == devices - others);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	CHECK(devices_with("STARPU_NOPENCL", "1") == 1);
	CHECK(devices_with("STARPU_WORKERS_OPENCLID", "0 0") == 1);
	check_order_and_limits(devices);
	check_explicit(devices);
	if (devices > 1)
		check_models();
}

int main(void)
{
	char home[] = "/tmp/starpu-opencl-asked-XXXXXX", command[64];
	check_words(); /* first: OpenCL does not go on in a child */
	if (!mkdtemp(home))
		return 1;
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
	setenv("STARPU_NCPU", "1", 0);
	begin();
	unsigned devices = starpu_opencl_worker_get_count();
	for (unsigned i = 0; i < devices; i++)
		check_device(starpu_worker_get_devid(starpu_worker_get_by_type(STARPU_OPENCL_WORKER, (int)i)));
	for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
		for (int later = 0; later < 2 && starpu_node_get_kind(node) == STARPU_OPENCL_RAM; later++)
			check_copies(node, later);
	if (devices)
		check_files(home);
	starpu_shutdown();
	if (devices)
		check_variables(devices);
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	if (!devices)
		skip_test("no OpenCL device");
	return checks_failed();
}
