/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that the program makes as StarPU's handbook says, for tests/compat/fxt_trace.sh, which sets the environment and looks at the
 * files. argv[1] says what it does; without, what these functions answer where nothing is recorded.
 */
#include <starpu.h>
#include <starpu_fxt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet inside = {.cpu_funcs = {nothing}, .name = "inside"};
static struct starpu_codelet outside = {.cpu_funcs = {nothing}, .name = "outside"};
static struct starpu_codelet with_data = {.cpu_funcs = {nothing}, .name = "with_data", .nbuffers = 1, .modes = {STARPU_RW}};

static int insert(struct starpu_codelet *cl, int n)
{
	for (int i = 0; i < n; i++)
		if (starpu_task_insert(cl, 0))
			return 1;
	return starpu_task_wait_for_all();
}

/* Stretches that are in the trace, and what is in it all the same. */
static int scope(void)
{
	static float v[2][32];
	starpu_data_handle_t h[2];
	starpu_fxt_autostart_profiling(0);
	if (starpu_init(NULL))
		return 1;
	starpu_vector_data_register(&h[0], STARPU_MAIN_RAM, (uintptr_t)v[0], 32, sizeof v[0][0]);
	starpu_data_set_name(h[0], "early");
	int rc = insert(&outside, 3);
	starpu_fxt_trace_user_event(1);
	starpu_fxt_trace_user_meta_string("in any case");
	for (int i = 0; i < 2 && !rc; i++) {
		starpu_fxt_start_profiling();
		rc = insert(&inside, 5);
		starpu_fxt_trace_user_event(2);
		rc = rc ? rc : starpu_task_insert(&with_data, STARPU_RW, h[0], 0) || starpu_task_wait_for_all();
		starpu_fxt_stop_profiling();
		rc = rc ? rc : insert(&outside, 3);
	}
	starpu_vector_data_register(&h[1], STARPU_MAIN_RAM, (uintptr_t)v[1], 32, sizeof v[1][0]);
	starpu_data_unregister(h[1]);
	starpu_data_unregister(h[0]);
	int enabled = starpu_fxt_is_enabled();
	starpu_shutdown();
	return rc || !enabled || starpu_fxt_is_enabled();
}

/* Begun and ended twice, with a child in between that would record, too. */
static int twice(void)
{
	for (int i = 0; i < 2; i++) {
		if (starpu_init(NULL) || insert(&inside, 10))
			return 1;
		starpu_shutdown();
		int status = 0;
		pid_t child = i ? 0 : fork();
		if (!i && !child)
			_exit(starpu_init(NULL) || insert(&outside, 4) ? 1 : (starpu_shutdown(), 0));
		if (!i && (waitpid(child, &status, 0) != child || status))
			return 1;
	}
	return 0;
}

static int killed(void)
{
	if (starpu_init(NULL) || insert(&inside, 1000))
		return 1;
	return kill(getpid(), SIGKILL);
}

static int ranked(void)
{
	starpu_profiling_set_id(7);
	if (starpu_init(NULL) || insert(&inside, 2))
		return 1;
	starpu_shutdown();
	return 0;
}

/* The functions by which a program makes other files itself. */
static int generate(const char *file, char *folder)
{
	struct starpu_fxt_options o;
	starpu_fxt_options_init(&o);
	if (strcmp(o.dag_path, "dag.dot") || strcmp(o.out_paje_path, "paje.trace") || o.number_events_path || o.file_rank != -1)
		return 1;
	o.filenames[o.ninputfiles++] = (char *)(uintptr_t)file;
	o.dir = strdup(folder);
	o.no_acquire = 1;
	free(o.tasks_path);
	o.tasks_path = strdup("renamed.rec");
	free(o.comms_path);
	o.comms_path = NULL; /* is not wanted */
	struct starpu_fxt_codelet_event *codelet = NULL;
	o.dumped_codelets = &codelet;
	starpu_fxt_options_set_dir(&o);
	starpu_fxt_generate_trace(&o);
	for (long i = 0; i < o.dumped_codelets_count; i++)
		printf("codelet %s on %s of worker %d, %zu bytes, %s\n", codelet[i].symbol, codelet[i].perfmodel_archname,
		       codelet[i].workerid, codelet[i].size, codelet[i].time > 0 ? "some time" : "no time");
	free(codelet);
	starpu_fxt_options_shutdown(&o);
	starpu_fxt_write_data_trace_in_dir((char *)(uintptr_t)file, folder);
	return o.dag_path != NULL;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} what[] = {{"scope", scope}, {"twice", twice}, {"killed", killed}, {"ranked", ranked}};
	if (argc == 4 && !strcmp(argv[1], "generate"))
		return generate(argv[2], argv[3]);
	for (size_t i = 0; argc == 2 && i < sizeof what / sizeof *what; i++)
		if (!strcmp(argv[1], what[i].name))
			return what[i].run();
	/* Nothing is recorded: nothing changes, nothing is said. */
	unsetenv("STARPU_FXT_TRACE");
	starpu_fxt_start_profiling();
	if (starpu_fxt_is_enabled() || starpu_init(NULL))
		return 1;
	starpu_fxt_stop_profiling();
	starpu_fxt_start_profiling();
	starpu_fxt_trace_user_event(1);
	starpu_fxt_trace_user_event_string("nobody hears it");
	starpu_fxt_trace_user_meta_string("nor this");
	int rc = insert(&inside, 10), enabled = starpu_fxt_is_enabled();
	starpu_shutdown();
	starpu_fxt_write_data_trace(NULL); /* at most a line */
	return rc || enabled;
}
