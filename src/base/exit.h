/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended, in one number, as shells say it: what it gave to exit(), or 128 and the number of the signal. */
#ifndef WEFT_BASE_EXIT_H
#define WEFT_BASE_EXIT_H

#include <stdint.h>
#include <sys/wait.h>

/* -1 when the wait status is not known (negative). */
static inline int weft_exit_code(int64_t wait_status)
{
	int status = (int)wait_status;
	if (wait_status < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
