/* SPDX-License-Identifier: Apache-2.0 */
/* For the programs about data: checks that count, a random number that can be repeated, one line to submit a task. */
#ifndef WEFT_TESTS_STARPU_DATA_CHECK_H
#define WEFT_TESTS_STARPU_DATA_CHECK_H

#include "starpu_check.h"
#include <errno.h>

static uint64_t random_state = 88172645463325252u;
static inline unsigned random_below(unsigned n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 20) % n;
}

/* A task over one handle. */
static inline void submit(struct starpu_codelet *cl, starpu_data_handle_t h, void *arg)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = arg;
	t->handles[0] = h;
	int rc = starpu_task_submit(t);
	if (rc) {
		fprintf(stderr, "starpu_task_submit: %d\n", rc);
		exit(1);
	}
}

/* The same, on a worker by lot. */
static inline void submit_by_lot(struct starpu_codelet *cl, starpu_data_handle_t h, unsigned arg)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = (void *)(uintptr_t)arg;
	t->handles[0] = h;
	t->execute_on_a_specific_worker = 1;
	t->workerid = random_below(starpu_worker_get_count());
	CHECK(starpu_task_submit(t) == 0);
}

static inline void begin(void)
{
	if (starpu_init(NULL))
		cannot_begin();
}

#endif
