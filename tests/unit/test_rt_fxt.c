/* SPDX-License-Identifier: Apache-2.0 */
/* STARPU_FXT_EVENTS, and the name of the file. */
#include "harness.h"
#include "runtime/core/life_trace.h"
#include "runtime/fxt/fxt.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TEST(events_are_named_as_starpu_names_them)
{
	enum { KNOWN = 0x5a5a5a };
	static const struct {
		const char *list;
		uint32_t groups;
	} rows[] = {
		{NULL, KNOWN},
		{"", KNOWN},
		{" ,|", KNOWN},
		{"TASK", RT_GROUP_ALWAYS | RT_GROUP_TASK},
		{"TASK,USER", RT_GROUP_ALWAYS | RT_GROUP_TASK | RT_GROUP_USER},
		{"|TASK_VERBOSE|| TASK_VERBOSE_EXTRA ,",
	         RT_GROUP_ALWAYS | RT_GROUP_TASK_VERBOSE | RT_GROUP_TASK_EXTRA | RT_GROUP_SUBMISSION},
		{"LOCK|DSM|DSM_VERBOSE|SCHED|SCHED_VERBOSE|WORKER|WORKER_VERBOSE|DATA",
	         RT_GROUP_ALWAYS | RT_GROUP_LOCK | RT_GROUP_DSM | RT_GROUP_DSM_VERBOSE | RT_GROUP_SCHED | RT_GROUP_SCHED_VERBOSE |
	                 RT_GROUP_WORKER | RT_GROUP_WORKER_VERBOSE | RT_GROUP_DATA},
		{"MPI,MPI_VERBOSE,HYP,HYP_VERBOSE,EVENT,EVENT_VERBOSE", RT_GROUP_ALWAYS},
		{"TASK,NO_SUCH_EVENTS,TASK_", RT_GROUP_ALWAYS | RT_GROUP_TASK},
		{"task", KNOWN}, /* nothing is known of it: as without */
	};
	setenv("STARPU_SILENT", "1", 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CHECK_U64(rt_fxt_groups(rows[i].list, KNOWN), rows[i].groups);
}

static void without_launcher(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",         "PMI_RANK",
	                                    "SLURM_PROCID",         "STARPU_FXT_PREFIX", "STARPU_FXT_SUFFIX"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

TEST(a_file_is_named_by_user_and_rank_or_as_the_environment_says)
{
	char name[64], small[12];
	int n;
	without_launcher();
	setenv("USER", "ann/a", 1);
	REQUIRE(!rt_fxt_file_name(name, sizeof name, -1));
	CHECK_STR(name, "/tmp/prof_file_ann_a_0");
	REQUIRE(!rt_fxt_file_name(name, sizeof name, 12));
	CHECK_STR(name, "/tmp/prof_file_ann_a_12");
	setenv("STARPU_FXT_PREFIX", "some/where", 1);
	setenv("STARPU_FXT_SUFFIX", "x", 1);
	REQUIRE(!rt_fxt_file_name(name, sizeof name, 3));
	CHECK_STR(name, "some/where/x_3");
	CHECK_I64(rt_fxt_file_name(small, sizeof small, 3), -ENAMETOOLONG);
	CHECK_I64(rt_fxt_file_name(small, 5, 3), -ENAMETOOLONG);
	CHECK_I64(rt_fxt_rank(&n), -1);
	setenv("PMI_RANK", "5", 1);
	setenv("PMI_SIZE", "8", 1);
	CHECK_I64(rt_fxt_rank(&n), 5);
	CHECK_I64(n, 8);
	setenv("OMPI_COMM_WORLD_RANK", "many", 1); /* no number: no rank */
	CHECK_I64(rt_fxt_rank(&n), 5);
	setenv("OMPI_COMM_WORLD_RANK", "2", 1);
	CHECK_I64(rt_fxt_rank(&n), 2);
	CHECK_I64(n, 0);
}

TEST(a_command_that_is_not_there_is_no_fault_of_the_program)
{
	setenv("STARPU_SILENT", "1", 1);
	CHECK_I64(rt_fxt_run("no_such_command_of_ours", (const char *const[]){"a", NULL}), -ENOENT);
	CHECK_I64(rt_fxt_run("true", (const char *const[]){NULL}), 0);
	CHECK_I64(rt_fxt_run("false", (const char *const[]){NULL}), -EIO);
	CHECK_I64(rt_fxt_run("sh", (const char *const[]){"-c", "kill -9 $$", NULL}), -EIO);
}
