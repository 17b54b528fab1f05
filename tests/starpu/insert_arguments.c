/* SPDX-License-Identifier: Apache-2.0 */
/* What may follow a codelet in starpu_task_insert and starpu_task_build: what it does, or the field of the task where it goes. */
#include "starpu_check.h"
#include <errno.h>

static int called[5]; /* soon, prologue, pop, function's callback, epilogue */
enum { SOON, PROLOGUE, POP, CALLBACK, EPILOGUE };

static void add_one(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "adds"};
static struct starpu_codelet does_nothing = {.cpu_funcs = {nothing}};

static void tell(void *which)
{
	__atomic_add_fetch(&called[*(int *)which], 1, __ATOMIC_RELAXED);
}

static int *copy_of(int which)
{
	int *p = malloc(sizeof *p);
	*p = which;
	return p;
}

/* Arguments that are the program's, then those that the task frees (AddressSanitizer sees whether it does). */
static void callbacks(void)
{
	static int kept[] = {SOON, PROLOGUE, POP, CALLBACK, EPILOGUE};
	CHECK(starpu_task_insert(&does_nothing, STARPU_SOON_CALLBACK, tell, STARPU_SOON_CALLBACK_ARG_NFREE, &kept[SOON],
	                         STARPU_PROLOGUE_CALLBACK, tell, STARPU_PROLOGUE_CALLBACK_ARG_NFREE, &kept[PROLOGUE],
	                         STARPU_PROLOGUE_CALLBACK_POP, tell, STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE, &kept[POP],
	                         STARPU_EPILOGUE_CALLBACK, tell, STARPU_EPILOGUE_CALLBACK_ARG, copy_of(EPILOGUE),
	                         STARPU_CALLBACK_WITH_ARG_NFREE, tell, &kept[CALLBACK], 0) == 0);
	CHECK(starpu_task_insert(&does_nothing, STARPU_SOON_CALLBACK, tell, STARPU_SOON_CALLBACK_ARG, copy_of(SOON),
	                         STARPU_PROLOGUE_CALLBACK, tell, STARPU_PROLOGUE_CALLBACK_ARG, copy_of(PROLOGUE),
	                         STARPU_PROLOGUE_CALLBACK_POP, tell, STARPU_PROLOGUE_CALLBACK_POP_ARG, copy_of(POP),
	                         STARPU_CALLBACK_WITH_ARG, tell, copy_of(CALLBACK), 0) == 0);
	CHECK(starpu_task_insert(&does_nothing, STARPU_CALLBACK, tell, STARPU_CALLBACK_ARG, copy_of(CALLBACK), 0) == 0);
	starpu_task_wait_for_all();
	CHECK(called[SOON] == 2 && called[PROLOGUE] == 2 && called[POP] == 2 && called[CALLBACK] == 3 && called[EPILOGUE] == 1);
}

/* Data one by one, as an array, as an array with modes; beside what only several machines would look at. */
static void data(void)
{
	int value = 0;
	starpu_data_handle_t h, array[1];
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	array[0] = h;
	struct starpu_data_descr with_modes[] = {{h, STARPU_RW}};
	CHECK(starpu_task_insert(&adds, STARPU_RW, h, STARPU_EXECUTE_ON_NODE, 0, STARPU_NODE_SELECTION_POLICY, 0, 0) == 0);
	CHECK(starpu_task_insert(&adds, STARPU_DATA_ARRAY, array, 1, STARPU_EXECUTE_ON_DATA, h, 0) == 0);
	CHECK(starpu_task_insert(&adds, STARPU_DATA_MODE_ARRAY, with_modes, 1, STARPU_TASK_SYNCHRONOUS, 1, 0) == 0);
	CHECK(value == 3);
	starpu_data_unregister(h);
}

/* All that is only a field, seen there. */
static void fields(void)
{
	int value = 0, for_policy;
	unsigned char each = 1;
	starpu_data_handle_t h;
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	struct starpu_task *t = starpu_task_build(&adds, STARPU_RW, h, STARPU_NAME, "named", STARPU_PRIORITY, 1, STARPU_FLOPS,
	                                          4e9, STARPU_TASK_COLOR, 0x123456, STARPU_TAG_ONLY, (starpu_tag_t)77,
	                                          STARPU_HYPERVISOR_TAG, 5, STARPU_POSSIBLY_PARALLEL, 1, STARPU_TASK_FILE, "a.c",
	                                          STARPU_TASK_LINE, 12, STARPU_SEQUENTIAL_CONSISTENCY, 0,
	                                          STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, &each, STARPU_TASK_NO_SUBMITORDER, 1,
	                                          STARPU_TASK_SCHED_DATA, &for_policy, STARPU_EXECUTE_WHERE, STARPU_CPU, 0);
	CHECK(t && t->cl == &adds && t->handles[0] == h && !strcmp(t->name, "named") && t->priority == 1 && t->flops == 4e9);
	CHECK(t->color == 0x123456 && t->tag_id == 77 && !t->use_tag && t->hypervisor_tag == 5 && t->possibly_parallel == 1);
	CHECK(!strcmp(t->file, "a.c") && t->line == 12 && t->sched_data == &for_policy && t->where == STARPU_CPU);
	CHECK(!t->sequential_consistency && t->handles_sequential_consistency == &each && t->no_submitorder == 1);
	CHECK(starpu_task_submit(t) == 0);
	starpu_task_wait_for_all();
	CHECK(value == 1);
	starpu_data_unregister(h);
}

static int turn;
static void take_turn(void *buffers[], void *arg)
{
	(void)buffers;
	*(int *)arg = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet takes_turn = {.cpu_funcs = {take_turn}};

static struct starpu_task *named_task(void)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &does_nothing;
	t->detach = 0;
	return t;
}

/* A task behind others; one that ends when others have; and when it was released so many times. */
static void dependencies(void)
{
	int first = -1, second = -1;
	struct starpu_task *before = starpu_task_create();
	before->cl = &takes_turn;
	before->cl_arg = &first;
	CHECK(starpu_task_insert(&takes_turn, STARPU_TASK_DEPS_ARRAY, 1, &before, STARPU_CL_ARGS_NFREE, &second, (size_t)0, 0) ==
	      0);
	CHECK(starpu_task_submit(before) == 0);
	starpu_task_wait_for_all();
	CHECK(first == 0 && second == 1);

	struct starpu_task *until = named_task();
	struct starpu_task *ends = starpu_task_build(&does_nothing, STARPU_TASK_END_DEPS_ARRAY, 1, &until, STARPU_TASK_END_DEP, 1,
	                                             0);
	ends->detach = 0;
	CHECK(starpu_task_submit(ends) == 0);
	CHECK(starpu_task_submit(until) == 0);
	CHECK(starpu_task_wait(until) == 0);
	CHECK(!starpu_task_finished(ends));
	starpu_task_end_dep_release(ends);
	CHECK(starpu_task_wait(ends) == 0);
}

/* In the order that the program gives, whatever is submitted first. */
static void worker_order(void)
{
	int at[3];
	turn = 0;
	for (int i = 2; i >= 0; i--)
		CHECK(starpu_task_insert(&takes_turn, STARPU_EXECUTE_ON_WORKER, 0, STARPU_WORKER_ORDER, i + 1,
		                         STARPU_CL_ARGS_NFREE, &at[i], (size_t)0, 0) == 0);
	starpu_task_wait_for_all();
	CHECK(at[0] == 0 && at[1] == 1 && at[2] == 2);
}

/* StarPU's layout, byte by byte: programs compute sizes from it, and memory of exactly that size is enough. */
static void packed_layout(void)
{
	char letter = 'x', text[] = "seven b", got_letter = 0;
	int number = 0x01020304, left_n = -1, got_number = 0;
	const size_t sizes[] = {sizeof letter, sizeof text - 1, sizeof number};
	const size_t all = sizeof(int) + 3 * sizeof(size_t) + sizes[0] + sizes[1] + sizes[2];
	const size_t two = sizeof(int) + 2 * sizeof(size_t) + sizes[1] + sizes[2];
	void *packed = NULL;
	size_t bytes = 0, size = 0;
	starpu_codelet_pack_args(&packed, &bytes, STARPU_VALUE, &letter, sizes[0], STARPU_VALUE, text, sizes[1], STARPU_VALUE,
	                         &number, sizes[2], 0);
	CHECK(bytes == all);
	char *at = packed;
	memcpy(&left_n, at, sizeof left_n);
	CHECK(left_n == 3);
	at += sizeof left_n;
	const void *values[] = {&letter, text, &number};
	for (unsigned i = 0; i < 3; i++) {
		memcpy(&size, at, sizeof size);
		CHECK(size == sizes[i] && !memcmp(at + sizeof size, values[i], size));
		at += sizeof size + size;
	}
	/* What is left, in memory of its own that has no byte too many. */
	char *rest = malloc(two);
	starpu_codelet_unpack_args_and_copyleft(packed, rest, two, &got_letter, NULL);
	CHECK(got_letter == 'x');
	struct starpu_codelet_pack_arg_data state;
	starpu_codelet_unpack_arg_init(&state, rest, two);
	starpu_codelet_unpack_discard_arg(&state);
	starpu_codelet_unpack_arg(&state, &got_number, sizeof got_number);
	starpu_codelet_unpack_arg_fini(&state);
	CHECK(got_number == number);
	free(rest);
	free(packed);
	/* And what a program puts together itself. */
	char own[sizeof(int) + sizeof(size_t) + sizeof(int)];
	memcpy(own, &(int){1}, sizeof(int));
	memcpy(own + sizeof(int), &(size_t){sizeof(int)}, sizeof(size_t));
	memcpy(own + sizeof(int) + sizeof(size_t), &number, sizeof number);
	got_number = 0;
	starpu_codelet_unpack_args(own, &got_number);
	CHECK(got_number == number);
}

/* Packed arguments of both kinds contradict each other: it is said, and there is no task. What the program gave is still its. */
static void contradiction(void)
{
	int *given = malloc(sizeof *given), value = 3;
	struct starpu_task task;
	setenv("STARPU_SILENT", "1", 1);
	CHECK(!starpu_task_build(&does_nothing, STARPU_CL_ARGS, given, sizeof *given, STARPU_VALUE, &value, sizeof value, 0));
	CHECK(!starpu_task_build(&does_nothing, STARPU_VALUE, &value, sizeof value, STARPU_CL_ARGS_NFREE, given, sizeof *given,
	                         0));
	CHECK(starpu_task_insert(&does_nothing, STARPU_VALUE, &value, sizeof value, STARPU_CL_ARGS, given, sizeof *given, 0) ==
	      -EINVAL);
	starpu_task_init(&task);
	CHECK(starpu_task_set(&task, &does_nothing, STARPU_VALUE, &value, sizeof value, STARPU_CL_ARGS, given, sizeof *given,
	                      0) == -EINVAL);
	starpu_task_clean(&task);
	unsetenv("STARPU_SILENT");
	CHECK(starpu_task_nsubmitted() == 0);
	free(given);
}

int main(void)
{
	begin_on_cpus(2);
	packed_layout();
	callbacks();
	data();
	fields();
	dependencies();
	worker_order();
	contradiction();
	starpu_shutdown();
	return checks_failed();
}
