/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a process is part of what it says: what another one has said before, and which comes later by another way, still completes iterations. Two
 * simulated controllers, one of which is always late by more than the window.
 */
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/analyze/analyze.h"
#include "tune/analyze/analyze_priv.h"
#include "base/clock.h"
#include "base/fs.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum { ITERATIONS = 5 };

/* A receiver is complete when it has got what the sender says that it has sent. */
static const char text[] =
	"TUNLET\nid: ends\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable id: iteration\nsource: asVarValue\ntype: int\nactorId: s\nendvariable\n"
	"variable id: to\nsource: asVarValue\ntype: int\nactorId: s\nendvariable\n"
	"variable id: iterationR\nsource: asVarValue\ntype: int\nactorId: r\nendvariable\n"
	"EVENTS\n"
	"event\nid: B\nactorId: s\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nid: to\nendevent\n"
	"event\nid: E\nactorId: s\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n"
	"event\nid: R\nactorId: r\ncontroliter: no\nutility: always\nmethod: g\nplace: entry\nATTRS\nid: iterationR\nendevent\n"
	"ACTORS\nactor\nid: s\nmin: 1\nmax: 1\ncompletion: /# over == 1 #/\nexe: sender\nATTRS\n"
	"id: over\ntype: int\ninic: /# over = 0; #/\nvalue: /# s[E.id].over = 1; #/\ndependency: E\nendactor\n"
	"actor\nid: r\nmin: 1\nmax: 4\ncompletion: /# got == sent && got > 0 #/\nexe: receiver\nATTRS\n"
	"id: got\ntype: int\ninic: /# got = 0; #/\nvalue: /# r[R.id].got = r[R.id].got + 1; #/\ndependency: R\n"
	"id: sent\ntype: int\ninic: /# sent = 0; #/\nvalue: /# r[B.to].sent = r[B.to].sent + 1; #/\ndependency: B\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: n\ntype: int\ninic: /# n = 0; #/\nvalue: /# n = count(r); #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

static void send(struct channel *c, const struct message *m)
{
	REQUIRE(channel_send(c, m) == 0 && channel_flush(c) == 0);
}

static void begin_process(struct channel *c, unsigned controller, const char *exe)
{
	struct message m = {.kind = MESSAGE_HELLO};
	m.hello = (struct message_hello){.version = MESSAGE_VERSION, .controller = controller, .host = "h"};
	send(c, &m);
	m.kind = MESSAGE_PROCESS;
	m.process = (struct message_process){.process = (uint64_t)controller << 32 | 1,
	                                     .time = weft_realtime_ns(),
	                                     .pid = 100 + controller,
	                                     .rank = controller,
	                                     .host = "h",
	                                     .exe = exe};
	send(c, &m);
}

static void event(struct channel *c, unsigned controller, uint32_t number, uint64_t time, int a, int b)
{
	static struct message m;
	m.kind = MESSAGE_EVENT;
	m.event.process = (uint64_t)controller << 32 | 1;
	m.event.time = time;
	m.event.event = number;
	m.event.n = number == 0 ? 2 : 1;
	m.event.value[0] = (struct message_value){.kind = MESSAGE_INT, .i = a, .d = a, .s = ""};
	m.event.value[1] = (struct message_value){.kind = MESSAGE_INT, .i = b, .d = b, .s = ""};
	send(c, &m);
}

/* Until the process may go on: all is wanted of it then. */
static void await_ready(struct channel *c)
{
	static struct message in;
	bool ready = false;
	while (!ready) {
		struct pollfd p = {c->fd, POLLIN, 0};
		(void)poll(&p, 1, 100);
		REQUIRE(channel_fill(c) == 0);
		while (channel_next(c, &in) > 0)
			ready |= in.kind == MESSAGE_READY;
	}
}

static void say_gone(struct channel *c, unsigned controller, uint64_t time)
{
	struct message m = {.kind = MESSAGE_GONE, .gone = {(uint64_t)controller << 32 | 1, time, ""}};
	send(c, &m);
}

static pid_t begin_analyzer(int *controller, int life, int ready, const char *report)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	struct weft_err err = {0};
	static struct analyze_how how;
	how = (struct analyze_how){.n_tunlets = 1,
	                           .controller = controller,
	                           .n_controllers = 2,
	                           .life = life,
	                           .ready = ready,
	                           .quiet = true,
	                           .report = report,
	                           .command = "simulated",
	                           .limit_ns = 10000 * MS};
	int rc = weft_spec_new(&how.tunlet[0].spec, "ends.tsl", text, sizeof text - 1, &err);
	rc = rc ? rc : analyze_run(&how, &err);
	if (rc)
		printf("# analyzer: %s\n", err.text);
	fflush(stdout);
	_exit(rc != 0);
}

TEST(an_end_waits_for_what_others_have_said_before)
{
	int pair[2][2], life[2], ready[2], status;
	struct channel at[2];
	char byte, *got = NULL;
	size_t n;
	REQUIRE(pipe(life) == 0 && pipe(ready) == 0);
	for (int i = 0; i < 2; i++)
		REQUIRE(channel_pair(pair[i], NULL) == 0);
	const char *report = test_path("report");
	fflush(NULL);
	pid_t pid = begin_analyzer((int[]){pair[0][1], pair[1][1]}, life[0], ready[1], report);
	for (int i = 0; i < 2; i++) {
		close(pair[i][1]);
		channel_init(&at[i], pair[i][0], CHANNEL_ALL);
	}
	REQUIRE(read(ready[0], &byte, 1) == 1);
	begin_process(&at[0], 1, "/bin/sender");
	await_ready(&at[0]);
	begin_process(&at[1], 2, "/bin/receiver");
	/* It waits for a sign of life of the first. */
	struct message alive = {.kind = MESSAGE_COST, .cost = {.process = UINT64_C(1) << 32 | 1, .alive = true}};
	alive.cost.time = weft_realtime_ns() + 1;
	send(&at[0], &alive);
	await_ready(&at[1]);
	uint64_t begun = weft_realtime_ns();
	/* What the receiver got, and its end; then, long after the window, what the sender had said before. */
	for (int i = 1; i <= ITERATIONS; i++)
		event(&at[1], 2, 2, begun + (unsigned)i * 1000 + 500, i, 0);
	say_gone(&at[1], 2, weft_realtime_ns());
	(void)poll(NULL, 0, 40);
	for (int i = 1; i <= ITERATIONS; i++) {
		event(&at[0], 1, 0, begun + (unsigned)i * 1000, i, 2);
		event(&at[0], 1, 1, begun + (unsigned)i * 1000 + 100, i, 0);
	}
	(void)poll(NULL, 0, 50);
	say_gone(&at[0], 1, weft_realtime_ns());
	struct analyze_end over = {0};
	REQUIRE(write(life[1], &over, sizeof over) == sizeof over);
	(void)poll(NULL, 0, 50);
	for (int i = 0; i < 2; i++)
		channel_fini(&at[i]);
	REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
	REQUIRE(weft_read_file(report, &got, &n, NULL) == 0);
	if (!CHECK(strstr(got, "5 iterations evaluated, 0 not decided upon")))
		printf("%s\n", got);
	free(got);
}
