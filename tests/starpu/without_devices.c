/* SPDX-License-Identifier: Apache-2.0 */
/* What a program calls that can use devices of which this build knows nothing: it links, and the calls do nothing. */
#include "starpu_check.h"
#include <starpu_cublas.h>
#include <starpu_cublasLt.h>
#include <starpu_cusolver.h>
#include <starpu_cusparse.h>
#include <starpu_hipblas.h>
#include <starpu_hipsolver.h>
#include <starpu_syclblas.h>
#include <signal.h>
#include <sys/wait.h>

#define LIBRARY(name) \
	{ \
		starpu_##name##_init, starpu_##name##_shutdown \
	}
static void (*const libraries[][2])(void) = {LIBRARY(cublas),  LIBRARY(cublasLt),  LIBRARY(cusolver), LIBRARY(cusparse),
                                             LIBRARY(hipblas), LIBRARY(hipsolver), LIBRARY(syclblas)};

static void hipblas_error(void)
{
	STARPU_HIPBLAS_REPORT_ERROR(7);
}
static void hipblas_status(void)
{
	STARPU_HIPBLAS_REPORT_STATUS(8);
}
static void hipsolver_error(void)
{
	STARPU_HIPSOLVER_REPORT_ERROR(9);
}
static void hipsolver_status(void)
{
	STARPU_HIPSOLVER_REPORT_STATUS(10);
}

/* A report says what and where, and ends the program. */
static void check_report(void (*report)(void), const char *says)
{
	char text[1024] = "";
	int ends[2], status;
	ssize_t got;
	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		report();
		_exit(0);
	}
	close(ends[1]);
	for (size_t n = 0; n < sizeof text - 1 && (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	CHECK(strstr(text, says) && strstr(text, "without_devices.c"));
	close(ends[0]);
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	check_report(hipblas_error, "hipblas_error: HIP error 7");
	check_report(hipblas_status, "hipblas_status: hipBLAS status 8");
	check_report(hipsolver_error, "hipsolver_error: HIP error 9");
	check_report(hipsolver_status, "hipsolver_status: hipSOLVER status 10");
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 0;
	CHECK(starpu_init(&conf) == 0);
	for (int way = 0; way < 2; way++)
		for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++)
			libraries[i][way]();
	starpu_shutdown();
	return checks_failed();
}
