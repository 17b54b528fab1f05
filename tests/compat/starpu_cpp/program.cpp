/* SPDX-License-Identifier: Apache-2.0 */
/* ((1 * 2) + 3) * 2 * 2, by tasks of all units and in the ways that StarPU has to submit them; prints it, and what was called. */
#include <cstdio>
#include <cstdlib>
#include <starpu.h>
#include <vector>

extern "C" {
extern struct starpu_codelet cl_scale;
}
extern starpu_codelet *cl_add, *cl_again;

static int called, prologues, epilogues;

static void count(void *counter)
{
	__atomic_add_fetch(static_cast<int *>(counter), 1, __ATOMIC_ACQ_REL);
}

static void count_epilogue(void *)
{
	count(&epilogues);
}

static starpu_task still = STARPU_TASK_INITIALIZER;

int main()
{
	starpu_conf conf;
	if (starpu_conf_init(&conf) || starpu_init(&conf))
		return 77;
	std::vector<float> values(16, 1.F);
	float two = 2, three = 3;
	starpu_data_handle_t handle;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
	                            static_cast<uint32_t>(values.size()), sizeof(float));
	starpu_data_descr descr = {handle, STARPU_RW};
	int rc = starpu_task_insert(&cl_scale, STARPU_RW, handle, STARPU_VALUE, &two, sizeof two, STARPU_CALLBACK_WITH_ARG_NFREE,
	                            count, &called, STARPU_PRIORITY, 1, STARPU_NAME, "first", STARPU_TAG,
	                            static_cast<starpu_tag_t>(42), STARPU_FLOPS, 16., 0);
	rc |= starpu_task_insert(cl_add, STARPU_DATA_MODE_ARRAY, &descr, 1, STARPU_VALUE, &three, sizeof three,
	                         STARPU_PROLOGUE_CALLBACK, count, STARPU_PROLOGUE_CALLBACK_ARG_NFREE, &prologues,
	                         STARPU_EPILOGUE_CALLBACK, count_epilogue, 0);
	rc |= starpu_task_insert(cl_again, STARPU_DATA_ARRAY, &handle, 1, STARPU_VALUE, &two, sizeof two,
	                         STARPU_EXECUTE_ON_WORKER, 0, STARPU_TASK_COLOR, 0xff00ff, STARPU_SCHED_CTX, 0U, 0);
	starpu_task *built = starpu_task_build(cl_again, STARPU_RW, handle, STARPU_VALUE, &two, sizeof two, 0);
	rc |= starpu_task_submit(built);
	rc |= starpu_tag_wait(42);
	starpu_task_wait_for_all();
	starpu_data_unregister(handle);
	still.cl = &starpu_codelet_nop;
	still.detach = 0;
	rc |= starpu_task_submit(&still);
	rc |= starpu_task_wait(&still);
	starpu_task_clean(&still);
	STARPU_CHECK_RETURN_VALUE(rc, "%s", "a task");
	std::printf("%g %g called %d %d %d\n", static_cast<double>(values.front()), static_cast<double>(values.back()), called,
	            prologues, epilogues);
	starpu_shutdown();
	return 0;
}
