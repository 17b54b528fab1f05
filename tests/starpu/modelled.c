/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No test of its own: a program whose models are known, for tests/compat/starpu_models.sh. Tasks of one footprint that take 3 or 60 ms;
 * a model that is told what sizes take; one that is told what parameters take.
 */
#include <starpu.h>
#include <unistd.h>

static void nap(void *buffers[], void *arg)
{
	int ms;
	(void)buffers;
	starpu_codelet_unpack_args(arg, &ms);
	usleep((unsigned)ms * 1000);
}
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static double m_of_task, n_of_task;
static void parameters(struct starpu_task *t, double *p)
{
	(void)t;
	p[0] = m_of_task;
	p[1] = n_of_task;
}
static const char *names[] = {"M", "N"};
static struct starpu_perfmodel clouds = {.type = STARPU_HISTORY_BASED, .symbol = "modelled_clouds"};
static struct starpu_perfmodel given = {.type = STARPU_NL_REGRESSION_BASED, .symbol = "modelled_given"};
static struct starpu_perfmodel rows = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
                                       .symbol = "modelled_rows",
                                       .parameters = parameters,
                                       .parameters_names = names,
                                       .nparameters = 2};
static struct starpu_codelet napping = {.cpu_funcs = {nap}, .name = "nap", .model = &clouds};
static struct starpu_codelet one = {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_R}, .model = &given};
static struct starpu_codelet none = {.cpu_funcs = {nothing}, .model = &rows};

static void tell(struct starpu_codelet *cl, starpu_data_handle_t handle, double us, unsigned times)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	if (handle)
		t->handles[0] = handle;
	starpu_perfmodel_update_history_n(cl->model, t, starpu_worker_get_perf_archtype(0, 0), 0, 0, us, times);
	starpu_task_destroy(t);
}

int main(void)
{
	if (starpu_init(NULL))
		return 1;
	for (int i = 0; i < 24; i++) {
		int ms = i % 2 ? 3 : 60;
		if (starpu_task_insert(&napping, STARPU_VALUE, &ms, sizeof ms, 0))
			return 1;
	}
	for (unsigned bytes = 1000; bytes <= 4000; bytes *= 2) {
		starpu_data_handle_t handle;
		starpu_vector_data_register(&handle, -1, (uintptr_t)NULL, bytes, 1);
		tell(&one, handle, 1 + 0.004 * bytes, 12);
		starpu_data_unregister(handle);
	}
	for (int i = 0; i < 30; i++) {
		m_of_task = 10 + i % 6;
		n_of_task = 20 + i % 5;
		tell(&none, NULL, 7 + 0.25 * m_of_task * n_of_task * n_of_task, 1);
	}
	starpu_task_wait_for_all();
	starpu_shutdown();
	return 0;
}
