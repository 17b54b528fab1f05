/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipSOLVER on every HIP worker. This is a build without HIP: what begins and ends it does nothing. An error cannot come up; one that is
 * reported all the same ends the program.
 */
#ifndef __STARPU_HIPSOLVER_H__
#define __STARPU_HIPSOLVER_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_hipsolver_init(void);
void starpu_hipsolver_shutdown(void);

/* hipError_t and the status of hipSOLVER are int in a build without them. */
void starpu_hipsolver_report_error(const char *func, const char *file, int line, int error);
void starpu_hipsolver_report_status(const char *func, const char *file, int line, int status);
#define STARPU_HIPSOLVER_REPORT_ERROR(error) starpu_hipsolver_report_error(__func__, __FILE__, __LINE__, error)
#define STARPU_HIPSOLVER_REPORT_STATUS(status) starpu_hipsolver_report_status(__func__, __FILE__, __LINE__, status)

#ifdef __cplusplus
}
#endif
#endif
