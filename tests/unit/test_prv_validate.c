/* SPDX-License-Identifier: Apache-2.0 */
/* The validator that judges what we write: it accepts a good trace, and refuses each way in which one can be wrong, by line. */
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good_prv[] = "#Paraver (20/11/2026 at 11:30):1000_ns:2(2,1):1:2(2:1,1:2),2\n"
			       "c:1:1:2:1:2\n"
			       "c:1:2:1:1\n"
			       "# a comment\n"
			       "1:0:1:1:2:0:1000:2\n"
			       "1:1:1:1:1:0:600:1\n"
			       "1:3:1:2:1:0:1000:1\n"
			       "2:1:1:1:1:500:100:1:101:-7\n"
			       "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7\n"
			       "1:2:1:1:1:600:1000:4\n"
			       "2:0:1:1:1:700:100:0\n";
static const char good_pcf[] = "DEFAULT_OPTIONS\nLEVEL THREAD\n\n# a comment\nSTATES\n1 Running\n2 Not created\n4 Send\n"
			       "STATES_COLOR\n1 {0,0,255}\n"
			       "EVENT_TYPE\n9 100 Call\nVALUES\n0 End\n1 Send\nEVENT_TYPE\n0 101 Open\nPRECISION 3\n";
static const char good_row[] = "LEVEL NODE SIZE 2\na\nb\n\nLEVEL CPU SIZE 3\n1\n2\n3\n\nLEVEL THREAD SIZE 3\nx\ny\nz\n";

static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out;
	REQUIRE(at != NULL);
	REQUIRE(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return out;
}

static void write_as(const char *suffix, const char *text)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/v.%s", test_dir(), suffix);
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static char *validate(const char *option, int *status)
{
	return test_shell(status, "cd '%s' && '%s' %s v.prv", test_dir(), test_built("tests/prv_validate"), option);
}

static void write_good(void)
{
	write_as("prv", good_prv);
	write_as("pcf", good_pcf);
	write_as("row", good_row);
}

TEST(a_good_trace_is_accepted)
{
	int status;
	write_good();
	char *said = validate("--labels", &status);
	CHECK_STR(said, "v.prv: 4 states, 2 events, 1 communications, 0 warnings\n");
	CHECK_I64(status, 0);
	free(said);
}

static const struct {
	const char *suffix, *from, *to, *says;
} faults[] = {
	{"prv", "#Paraver (", "#Paraver ", "v.prv:1: header: expected '#Paraver (date)'"},
	{"prv", "(20/11/2026 at 11:30)", "()", "v.prv:1: header: the date is empty"},
	{"prv", "1000_ns", "x_ns", "v.prv:1: header: expected the end time, found 'x_ns:2(2,1):1:2(2:1,'"},
	{"prv", "1000_ns", "1000_s", "v.prv:1: header: unknown unit '_s'"},
	{"prv", "2(2,1):1", "2(2):1", "v.prv:1: header: expected ',' behind the cpus of a node"},
	{"prv", "2(2,1):1", "2(2,0):1", "v.prv:1: header: node 2 has no cpu"},
	{"prv", ":1:2(2:1,1:2)", ":0:", "v.prv:1: header: there is no application"},
	{"prv", "2(2:1,1:2)", "0()", "v.prv:1: header: application 1 has no task"},
	{"prv", "2(2:1,1:2)", "2(0:1,1:2)", "v.prv:1: header: a task has no thread"},
	{"prv", "2(2:1,1:2)", "2(2:1,1:3)", "v.prv:1: header: a task is on node 3, but there are 2"},
	{"prv", "2(2:1,1:2)", "2(2:1,1:0)", "v.prv:1: header: a task is on node 0, but there are 2"},
	{"prv", ",2\nc", ",2;\nc", "v.prv:1: header: something follows its last field"},
	{"prv", ",2\nc", ",x\nc", "v.prv:1: header: expected the number of communicators, found 'x'"},
	{"prv", ",2\nc", ",3\nc", "v.prv:4: expected the line of a communicator"},
	{"prv", "c:1:1:2:1:2", "c:2:1:2:1:2", "v.prv:2: there is no application 2"},
	{"prv", "c:1:1:2:1:2", "c:1:1:3:1:2", "v.prv:2: the communicator has 2 tasks, and says 3"},
	{"prv", "c:1:1:2:1:2", "c:1:1:2:1:3", "v.prv:2: there is no task 1.3"},
	{"prv", "1:0:1:1:2:0:1000:2", "", "v.prv:5: an empty line"},
	{"prv", "1:0:1:1:2:0:1000:2", "5:0:1:1:2:0:1000:2", "v.prv:5: unknown kind of record '5'"},
	{"prv", "1:0:1:1:2:0:1000:2", "11:0:1:1:2:0:1000:2", "v.prv:5: unknown kind of record '11'"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0:1000", "v.prv:5: a state has 8 fields, not 7"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0:1000:2:3", "v.prv:5: a state has 8 fields, not 9"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:3:0:1000:2", "v.prv:5: there is no thread 1.1.3"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:2:1:2:0:1000:2", "v.prv:5: there is no task 2.1"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:4:1:1:2:0:1000:2", "v.prv:5: there is no cpu 4"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:3:1:1:2:0:1000:2", "v.prv:5: cpu 3 is on node 2, but the thread on node 1"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0:-1:2", "v.prv:5: field 7: expected end, found '-1'"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0:1001:2", "v.prv:5: end 1001 is behind the end of the trace"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0:1000:3", "v.prv:5: state 3 has no label"},
	{"prv", "1:0:1:1:2:0:1000:2", "1:0:1:1:2:0: 1000:2", "v.prv:5: field 7: expected end, found ' 1000'"},
	{"prv", "1:1:1:1:1:0:600:1", "1:1:1:1:1:0:599:1",
         "v.prv:10: the state begins at 600, but the thread's last one ended at 599"},
	{"prv", "1:1:1:1:1:0:600:1", "1:1:1:1:1:0:601:1",
         "v.prv:10: the state begins at 600, but the thread's last one ended at 601"},
	{"prv", "1:1:1:1:1:0:600:1", "1:1:1:1:1:0:0:1", "v.prv:6: the state is empty"},
	{"prv", "1:1:1:1:1:0:600:1", "1:1:1:1:1:1:0:1", "v.prv:6: the state ends before it begins"},
	{"prv", "1:2:1:1:1:600:1000:4", "1:2:1:1:1:600:999:4",
         "v.prv:11: the states of thread 1 (of all) end at 999, the trace at 1000"},
	{"prv", "1:3:1:2:1:0:1000:1\n", "", "v.prv:10: the states of thread 3 (of all) end at 0, the trace at 1000"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500", "v.prv:8: an event has 8, 10, 12… fields, not 6"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500:100:1:101", "v.prv:8: an event has 8, 10, 12… fields, not 9"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500:100:1:101:", "v.prv:8: field 10: expected a value, found ''"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500:100:1:4294967296:1",
         "v.prv:8: event type 4294967296 does not fit in 32 bits"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500:102:1", "v.prv:8: event type 102 has no label"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:500:100:2", "v.prv:8: value 2 of event type 100 has no label"},
	{"prv", "2:1:1:1:1:500:100:1:101:-7", "2:1:1:1:1:601:100:1", "v.prv:9: time 600 comes after 601"},
	{"prv", "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7", "3:2:1:1:1:400:600:3:1:2:1:450:700:64",
         "v.prv:9: a communication has 15 fields, not 14"},
	{"prv", "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7", "3:2:1:1:1:400:600:1:1:2:1:450:700:64:7",
         "v.prv:9: cpu 1 is on node 1, but the thread on node 2"},
	{"prv", "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7", "3:2:1:1:1:601:600:3:1:2:1:450:700:64:7",
         "v.prv:9: the physical send comes before the logical one"},
	{"prv", "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7", "3:2:1:1:1:400:600:3:1:2:1:450:1700:64:7",
         "v.prv:9: physical receive 1700 is behind the end of the trace"},
	{"prv", "3:2:1:1:1:400:600:3:1:2:1:450:700:64:7", "3:2:1:1:1:400:600:3:1:2:1:450:700:-64:7",
         "v.prv:9: the size is negative"},
	{"prv", ":100:0\n", ":100:0", "v.prv:1: the last line has no end"},
	{"pcf", "DEFAULT_OPTIONS", "WHAT", "v.pcf:1: a line before the first section"},
	{"pcf", "1 Running", "x Running", "v.pcf:6: expected a number"},
	{"pcf", "1 Running", "1", "v.pcf:6: state 1 has an empty label"},
	{"pcf", "{0,0,255}", "0,0,255", "v.pcf:10: expected {red,green,blue}"},
	{"pcf", "9 100 Call", "9 100", "v.pcf:12: event type 100 has an empty label"},
	{"pcf", "9 100 Call", "9 Call", "v.pcf:12: expected a gradient, an event type and its label"},
	{"pcf", "EVENT_TYPE\n9 100 Call\n", "", "v.pcf:11: VALUES without an EVENT_TYPE"},
	{"pcf", "0 End", "x End", "v.pcf:14: expected a value and its label"},
	{"pcf", "PRECISION 3", "PRECISION x", "v.pcf:18: expected PRECISION and a number"},
	{"pcf", "0 101 Open", "0 100 Again", "v.pcf:19: event type 100 is there twice"},
	{"row", "LEVEL NODE SIZE 2\na\nb\n", "LEVEL NODE SIZE 1\na\n", "v.row:1: 1 names of level NODE, of 2"},
	{"row", "1\n2\n3\n\n", "2\n3\n", "v.row:9: expected LEVEL <level> SIZE <n>"},
	{"row", "LEVEL NODE SIZE 2", "NODE SIZE 2", "v.row:1: expected LEVEL <level> SIZE <n>"},
	{"row", "LEVEL NODE", "LEVEL ROOM", "v.row:1: unknown level 'ROOM'"},
	{"row", "z\n", "", "v.row:13: the block of level THREAD ends after 2 names"},
};

TEST(each_fault_is_refused_with_its_line)
{
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		const char *good = strcmp(faults[i].suffix, "prv") == 0   ? good_prv
		                   : strcmp(faults[i].suffix, "pcf") == 0 ? good_pcf
		                                                          : good_row;
		int status;
		write_good();
		char *bad = replaced(good, faults[i].from, faults[i].to);
		write_as(faults[i].suffix, bad);
		char *said = validate("--labels", &status), *want;
		REQUIRE(asprintf(&want, "%s\n", faults[i].says) > 0);
		CHECK_I64(status, 1);
		CHECK_STR(said, want);
		free(want);
		free(said);
		free(bad);
	}
}

TEST(what_only_warns)
{
	int status;
	write_good();
	char *bad = replaced(good_prv, ":450:700:64:7", ":450:500:64:7"), *worse = replaced(bad, "100:1:101:-7", "100:5:101:-7");
	write_as("prv", worse);
	char *said = validate("", &status);
	CHECK_I64(status, 0);
	CHECK_STR(said, "v.prv:8: warning: a value without a label\nv.prv:9: warning: received before it was sent\n"
	                "v.prv: 4 states, 2 events, 1 communications, 2 warnings\n");
	free(said);
	free(worse);
	free(bad);
}

TEST(foreign_traces_may_be_loose)
{
	int status;
	write_good();
	write_as("prv",
	         "#Paraver (x):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:10:20:99\n1:1:1:1:1:5:-1:1\n2:1:1:1:1:0:55:1\n1:1:1:1:1:5:5:1\n");
	write_as("row", "");
	char *said = validate("--foreign", &status);
	CHECK_I64(status, 0);
	free(said);
	said = validate("", &status);
	CHECK_I64(status, 1);
	free(said);
	write_as("prv", "#Paraver (x):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:10:20\n");
	said = validate("--foreign", &status);
	CHECK_I64(status, 1);
	free(said);
}

TEST(usage_and_files_that_are_not_there)
{
	int status;
	free(test_shell(&status, "'%s' 2>/dev/null", test_built("tests/prv_validate")));
	CHECK_I64(status, 2);
	free(test_shell(&status, "'%s' --what x.prv 2>/dev/null", test_built("tests/prv_validate")));
	CHECK_I64(status, 2);
	free(test_shell(&status, "'%s' %s/none.prv", test_built("tests/prv_validate"), test_dir()));
	CHECK_I64(status, 2);
}
