/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "sample_tasks.h"
#include "products/products.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static char *made(const struct weft_products_how *how, const char *name)
{
	struct weft_trace *t = sample_tasks_trace();
	struct weft_products_how in = *how;
	struct weft_products_made made;
	struct weft_err err = {0};
	int status;
	in.folder = test_dir();
	if (!CHECK(weft_products_write(&t, 1, &in, &made, &err) == 0))
		fprintf(stderr, "# %s\n", err.text);
	CHECK_U64(made.n_tasks, 3);
	CHECK_U64(made.n_programs, 1);
	CHECK(made.has_detail);
	weft_trace_close(t);
	char *text = test_shell(&status, "cat '%s/%s'", in.folder, name);
	CHECK_I64(status, 0);
	return text;
}

/* Every line of `want` is one of the text's, in this order. */
static void check_lines(const char *text, const char *const *want)
{
	const char *at = text;
	for (; *want; want++) {
		size_t n = strlen(*want);
		const char *found = at;
		while ((found = strstr(found, *want)) && ((found != text && found[-1] != '\n') || (found[n] && found[n] != '\n')))
			found++;
		if (!CHECK(found != NULL)) {
			fprintf(stderr, "# not there, or not in this order: '%s'\n", *want);
			return;
		}
		at = found + n;
	}
}
#define LINES(text, ...) check_lines((text), (const char *const[]){__VA_ARGS__, NULL})

static const struct weft_products_how plain = {0};

TEST(products_tasks_rec_says_all_of_a_task)
{
	char *text = made(&plain, "tasks.rec");
	static const char first[] =
		"Name: model of a\nModel: model of a\nFile: prog.c\nLine: 17\nJobId: 1\nSubmitOrder: 5\nPriority: -7\n"
		"WorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.010000\nReadyTime: 0.011000\nStartTime: 0.020000\n"
		"EndTime: 0.030000\nFootprint: deadbeef\nGFlop: 0.002000\nParameters: V100x8\nHandles: 1000\nModes: W\n"
		"Sizes: 800\nNumaNodes: -1\nMPIRank: -1\n\nName: b\n";
	CHECK(!strncmp(text, first, sizeof first - 1));
	LINES(text, "Name: last of all", "JobId: 3", "DependsOn: 1 2", "Tag: 1f", "Iteration: 5 2", "Parameters: V100x8 M4x4x4",
	      "Handles: 1000 2000", "Modes: R RW-C", "Sizes: 800 64");
	CHECK(!strstr(text, "DepLabels"));
	free(text);
}

TEST(products_labels_of_dependencies_are_asked_for)
{
	char *text = made(&(struct weft_products_how){.label_dependencies = true}, "tasks.rec");
	LINES(text, "DependsOn: 1", "DepLabels: task", "DependsOn: 1 2", "DepLabels: task task");
	free(text);
	text = made(&(struct weft_products_how){.label_dependencies = true}, "dag.dot");
	LINES(text, "\t \"task_1\"->\"task_2\" [label=\"task\"]");
	free(text);
}

TEST(products_dag)
{
	char *text = made(&plain, "dag.dot");
	LINES(text, "digraph G {",
	      "\t \"task_1\" [ style=filled, label=\"model of a\", fillcolor=\"#123456\", fontcolor=\"white\"]",
	      "\t \"task_1\" [ href=\"prog.c#17\" ]", "\t \"task_1\"->\"task_2\"", "\t \"task_1\"->\"task_3\"",
	      "\t \"task_2\"->\"task_3\"");
	free(text);
}

TEST(products_small_files)
{
	static const struct {
		const char *name, *text;
	} want[] = {
		{"data.rec",
	         "Handle: 1000\nHomeNode: 0\nName: A\nSize: 800\nDescription: V100x8\nParentHandle: 0\nCoordinates: 3 4\n\n"
	         "Handle: 2000\nHomeNode: 0\nSize: 64\nDescription: M4x4x4\nParentHandle: 0\n\n"},
		{"distrib.data", "model of a\t0\t800\tdeadbeef\t0.010000000\nb\t1\t0\t00000000\t0.015000000\n"
	                         "last of all\t0\t864\t00000000\t0.020000000\n"},
		{"sched_tasks.rec", "Type: push\nTime: 0.012000000\nPriority: -7\nJobId: 1\n\n"
	                            "Type: pop\nTime: 0.019000000\nPriority: -7\nJobId: 1\n\n"},
		{"comms.rec", ""},
		{"papi.rec", "JobId: 1\nEvent: PAPI_TOT_INS\nValue: 4242\n\n"},
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		char *text = made(&plain, want[i].name);
		CHECK_STR(text, want[i].text);
		free(text);
	}
}

TEST(products_gantt)
{
	char *text = made(&plain, "paje.trace");
	LINES(text, "7\t0.000000000\tw1\tW\tt72\tCPU1", "10\t0.000000000\tw1\tWS\t\"I\"", "9\t0.001000000\tregister\tp\t1000",
	      "10\t0.005000000\tw1\tWS\t\"Sl\"", "7\t0.010000000\tt70\tUT\tp\tUserThread70", "9\t0.010000000\tsu\tt70\t1",
	      "13\t0.010000000\tsched\tnsubmitted\t1.000000", "13\t0.011000000\tsched\tnready\t1.000000",
	      "9\t0.012000000\tpu\tp\t1", "6\t\"model of a #123456\"\tWS\t\"model of a\"\t\"0.070588 0.203922 0.337255\"",
	      "20\t0.020000000\tw0\tWS\t\"model of a "
	      "#123456\"\t800\t\"_V100x8\"\tdeadbeef\t0000000000000000\t1\t5\t-7\t0.002000\t3\t4\t-1\t-1\t\"-1\"",
	      "13\t0.020000000\tw0\tgf\t200.000000", "13\t0.020000000\tsched\tgft\t200.000000",
	      "13\t0.030000000\tw0\tgf\t0.000000", "18\t0.030000000\tDep\tp\t0\tw0\tdep_1_2", "10\t0.030000000\tw0\tWS\t\"B\"",
	      "10\t0.033000000\tmm1\tMS\tCoA", "24\t0.034000000\tF\tp\t800\tmm0\tcom_0_0\t1000\t\"A\"\t3\t4",
	      "13\t0.034000000\tmm1\tbwi_mm\t190.734863", "19\t0.038000000\tF\tp\t800\tmm1\tcom_0_0",
	      "13\t0.038000000\tmm0\tbwo_mm\t0.000000", "9\t0.039000000\tuser_thread_event\tt70\t\"task_wait_for_all\"",
	      "11\t0.040000000\tt70\tUS\tWA",
	      "20\t0.040000000\tw1\tWS\t\"b\"\t0\t\"_V100x8\"\t00000000\t0000000000000000\t2\t2\t0\t0.000000\t0\t0\t-1\t-1\t\"-1\"",
	      "19\t0.040000000\tDep\tp\t0\tw1\tdep_1_2", "19\t0.060000000\tDep\tp\t0\tw0\tdep_2_3", "12\t0.100000000\tt70\tUS",
	      "9\t0.101000000\tunregister\tp\t1000", "9\t0.102000000\tuser_event\tp\t\"4711\"", "8\t0.120000000\tw0\tW");
	CHECK(!strstr(text, "\"\""));
	free(text);
}

TEST(products_contexts)
{
	char *text = made(&plain, "paje.trace");
	LINES(text, "10\t0.060000000\tw0\tCtx2\t\"E\"", "10\t0.080000000\tw0\tCtx2\t\"I\"");
	free(text);
	text = made(&(struct weft_products_how){.use_task_color = true}, "paje.trace");
	LINES(text, "6\t\"Ctx2 #0000ff\"\tCtx2\t\"Executing\"\t\"0.000000 0.000000 1.000000\"",
	      "10\t0.060000000\tw0\tCtx2\t\"Ctx2 #0000ff\"", "10\t0.080000000\tw0\tCtx2\t\"I\"");
	free(text);
}

/* Each switch takes away what it names, and nothing else. */
TEST(products_gantt_without)
{
	static const struct {
		struct weft_products_how how;
		const char *gone, *left;
	} cases[] = {
		{{.no_events = true}, "\n9\t", "\tnready\t"},
		{{.no_counter = true}, "sched\tnready\t", "\tgft\t2"},
		{{.no_flops = true}, "sched\tgft\t", "sched\tnready\t"},
		{{.no_bus = true}, "\n24\t", "\tDep\tp"},
		{{.no_bus = true}, "mm1\tbwi_mm\t", "\tDep\tp"},
		{{.no_dependencies = true}, "\tDep\tp\t", "\n24\t"},
		{{.no_smooth = false}, "10\t0.030000000\tw0\tWS\t\"I\"", "10\t0.030000000\tw0\tWS\t\"B\""},
		{{.no_smooth = true}, "no such thing", "10\t0.030000000\tw0\tWS\t\"I\""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = made(&cases[i].how, "paje.trace");
		if (!CHECK(!strstr(text, cases[i].gone)) || !CHECK(strstr(text, cases[i].left) != NULL))
			fprintf(stderr, "# case %zu\n", i);
		free(text);
	}
}

TEST(products_states_and_activity)
{
	char *text = made(&plain, "trace.rec");
	LINES(text, "# S: Start time", "N: Sleeping", "C: Other", "W: 1", "T: 72", "S: 0.005000", "N: model of a", "C: Task",
	      "W: 0", "S: 0.020000", "N: Overhead", "C: Runtime", "S: 0.030000", "E: PushState", "N: Waiting all tasks",
	      "C: User", "W: -1", "T: 70", "S: 0.040000", "E: PopState", "W: -1", "T: 70", "S: 0.100000", "N: End", "W: 0",
	      "T: 71", "S: 0.120000");
	free(text);
	text = made(&plain, "activity.data");
	LINES(text, "name\t0\tCPU 0", "name\t1\tCPU 1", "cnt_submitted\t0.010000000\t1", "cnt_ready\t0.011000000\t1",
	      "0\t0.020000000\t0.020000000\t0.000000000\t0.000000000", "0\t0.030000000\t0.010000000\t0.010000000\t0.000000000",
	      "1\t0.032000000\t0.032000000\t0.000000000\t0.027000000", "1\t0.120000000\t0.065000000\t0.000000000\t0.000000000");
	/* What all lines of a worker say they took is all the time that there was, and what they executed are its tasks. */
	double all = 0, executed = 0;
	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		double time, took, ran, slept;
		if (sscanf(at, "0\t%lf\t%lf\t%lf\t%lf", &time, &took, &ran, &slept) == 4) {
			all += took;
			executed += ran;
		}
	}
	CHECK_NEAR(all, 0.120, 1e-9);
	CHECK_NEAR(executed, 0.030, 1e-9);
	free(text);
}

TEST(products_of_two_programs_have_ranks)
{
	struct weft_trace *t[2] = {sample_tasks_trace(), sample_tasks_trace()};
	struct weft_products_made made;
	struct weft_err err = {0};
	int status;
	REQUIRE(weft_products_write(t, 2, &(struct weft_products_how){.folder = test_dir()}, &made, &err) == 0);
	CHECK_U64(made.n_tasks, 6);
	CHECK_U64(made.n_programs, 2);
	char *text = test_shell(&status, "cat %s", test_path("tasks.rec"));
	LINES(text, "JobId: 0_1", "DependsOn: 0_1 0_2", "MPIRank: 0", "JobId: 1_1", "DependsOn: 1_1 1_2", "MPIRank: 1");
	free(text);
	text = test_shell(&status, "cat %s", test_path("paje.trace"));
	LINES(text, "7\t0.000000000\t0_p\tP\tMPIroot\t0_program", "7\t0.000000000\t1_mm1\tMm\t1_mn1\t1_MEMMANAGER1",
	      "7\t0.000000000\t1_w0\tW\t1_t71\t1_CPU0", "10\t0.005000000\t0_w1\tWS\t\"Sl\"", "10\t0.005000000\t1_w1\tWS\t\"Sl\"");
	free(text);
	text = test_shell(&status, "cat %s %s", test_path("activity.data"), test_path("distrib.data"));
	LINES(text, "name\t0\tCPU 0", "name\t3\tCPU 1", "3\t0.120000000\t0.065000000\t0.000000000\t0.000000000",
	      "b\t0_1\t0\t00000000\t0.015000000", "b\t1_1\t0\t00000000\t0.015000000");
	free(text);
	text = test_shell(&status, "cat %s", test_path("data.rec"));
	LINES(text, "HomeNode: 0", "MPIRank: 0", "HomeNode: 0", "MPIRank: 1");
	free(text);
	for (unsigned i = 0; i < 2; i++)
		weft_trace_close(t[i]);
}

/* A message from the worker of rank 4 to that of rank 2: as recorded, not in the order of the processes. */
TEST(products_messages_between_programs)
{
	struct sample_tasks s = {0};
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	struct weft_products_made made;
	int status;
	MUST(weft_builder_new(&s.b, "two", "test", &how, &err));
	MADE(weft_build_app(s.b, "two"));
	for (uint32_t i = 0; i < 2; i++) {
		MADE(weft_build_process(s.b, &(struct weft_process){.node = WEFT_NONE,
		                                                    .pid = 7 + i,
		                                                    .rank = i ? 2 : 4,
		                                                    .name = "two",
		                                                    .command = "",
		                                                    .host = "",
		                                                    .begin = 0,
		                                                    .end = 100000,
		                                                    .status = 0}));
		MADE(weft_build_thread(s.b, &(struct weft_thread_row){.process = i,
		                                                      .number = 1,
		                                                      .tid = 7 + i,
		                                                      .name = "CPU 0",
		                                                      .begin = 0,
		                                                      .end = 100000}));
		s.at[i] = weft_builder_appender(s.b, i);
	}
	s.basic = MADE(weft_build_def(s.b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "starpu"}));
	uint32_t world = MADE(weft_build_def(s.b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "world", .code = 5, .key = 1}));
	for (unsigned i = 0; i < 2; i++) {
		st_flow(&s, i, 10, "task", SAMPLE_JOB_OF(1), true);
		st_run(&s, i, 20, "t", SAMPLE_JOB_OF(1));
		st_leave(&s, i, 30, "t");
		MUST(weft_append_half(s.at[i], &(struct weft_half_row){.time = i ? 60000 : 50000,
		                                                       .began = 40000,
		                                                       .size = 4096,
		                                                       .comm = world,
		                                                       .peer = i ? 4 : 2,
		                                                       .tag = 9,
		                                                       .key = 1,
		                                                       .is_send = i == 0}));
	}
	struct weft_trace *t = sample_finish(s.b, 100000);
	REQUIRE(weft_products_write(&t, 1, &(struct weft_products_how){.folder = test_dir()}, &made, &err) == 0);
	CHECK_U64(made.n_programs, 2);
	CHECK(!made.has_detail);
	char *text = test_shell(&status, "cat %s", test_path("comms.rec"));
	CHECK_STR(text, "Src: 4\nDst: 2\nTag: 9\nSendTime: 0.040000000\nRecvTime: 0.060000000\nSendHandle: 0\nRecvHandle: 0\n"
	                "Size: 4096\nPriority: 0\nType: PointToPoint\nSendNumaNodes: -1\nRecvNumaNodes: -1\n\n");
	free(text);
	text = test_shell(&status, "grep MPIL %s", test_path("paje.trace"));
	LINES(text, "23\t0.040000000\tMPIL\tMPIroot\t4096\t4_mpict\tmpicom_0\t9\tPointToPoint\t0\t0\t\" \"\t0\t0",
	      "19\t0.060000000\tMPIL\tMPIroot\t4096\t2_mpict\tmpicom_0");
	free(text);
	weft_trace_close(t);
}

TEST(products_numbers_of_events)
{
	struct weft_trace *t[2] = {sample_tasks_trace(), sample_tasks_trace()};
	struct weft_products_made made;
	struct weft_err err = {0};
	int status;
	REQUIRE(weft_products_write(t, 2, &(struct weft_products_how){.folder = test_dir(), .number_events = true}, &made,
	                            &err) == 0);
	/* Of each trace: the name's key is the number's. Two tasks say that they became ready. */
	char *text = test_shell(&status, "cd %s && awk '/^#.*\tready$/ {n[$2] = 1} $1 in n {print $2}' number_events.data",
	                        test_dir());
	CHECK_STR(text, "2\n2\n");
	free(text);
	for (unsigned i = 0; i < 2; i++)
		weft_trace_close(t[i]);
}

TEST(products_of_no_tasks_are_an_error)
{
	struct weft_trace *t = sample_fixed();
	struct weft_products_made made;
	struct weft_err err = {0};
	int status;
	CHECK_I64(weft_products_write(&t, 1, &(struct weft_products_how){.folder = test_dir()}, &made, &err), -ENODATA);
	CHECK(strstr(err.text, "has no tasks of the runtime") != NULL);
	char *text = test_shell(&status, "ls %s", test_dir());
	CHECK_STR(text, "");
	free(text);
	weft_trace_close(t);
}

TEST(products_keep_what_is_there_where_asked)
{
	struct weft_trace *t = sample_tasks_trace();
	struct weft_products_made made;
	struct weft_err err = {0};
	int status;
	free(test_shell(&status, "echo mine >%s", test_path("data.rec")));
	CHECK_I64(weft_products_write(&t, 1, &(struct weft_products_how){.folder = test_dir(), .keep = true}, &made, &err),
	          -EEXIST);
	CHECK(strstr(err.text, "data.rec' exists already") != NULL);
	char *text = test_shell(&status, "cd %s && ls && cat data.rec", test_dir());
	CHECK_STR(text, "data.rec\nmine\n");
	free(text);
	weft_trace_close(t);
}

TEST(products_say_when_memory_is_out)
{
	struct weft_trace *t = sample_tasks_trace();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_products_made made;
		struct weft_err err = {0};
		int rc = weft_products_write(&t, 1, &(struct weft_products_how){.folder = test_dir()}, &made, &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		CHECK((rc != 0) == (err.code != 0));
	}
	weft_trace_close(t);
}
