/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft doctor`: what this build and this machine can do, and where not, why. Every check is a child process with a time limit;
 * its report comes back through a pipe.
 */
#include "cli/common/cli.h"
#include "base/clock.h"
#include "base/log.h"
#include "doctor.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECK_SECONDS = 5, CHECKS_MAX = 64 };

struct args {
	struct cli_common common;
};

static const struct weft_opt options[] = {
	CLI_TABLE_OPTIONS,
	{0},
};

static const struct {
	const char *name;
	const struct doctor_check *checks;
} areas[] = {
	{"clock", doctor_clock_checks},         {"counting", doctor_counter_checks}, {"processes", doctor_process_checks},
	{"recording", doctor_recording_checks}, {"memory", doctor_memory_checks},    {"libraries", doctor_library_checks},
	{"programs", doctor_program_checks},
};
enum { AREAS = sizeof areas / sizeof areas[0] };

static const char *const answer_text[] = {[DOCTOR_NO] = "no", [DOCTOR_PARTLY] = "partly", [DOCTOR_YES] = "yes"};

/* -- helpers of the checks -- */

void doctor_say(struct doctor_report *r, enum doctor_answer answer, const char *fmt, ...)
{
	va_list args;
	r->answer = answer;
	va_start(args, fmt);
	vsnprintf(r->text, sizeof r->text, fmt, args);
	va_end(args);
	weft_one_line(r->text);
}

bool doctor_read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	bool ok = fgets(line, (int)size, f) != NULL;
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

bool doctor_find_program(const char *name, char *path, size_t size)
{
	struct weft_str rest = weft_str(getenv("PATH")), folder;
	while (weft_str_cut(&rest, ':', &folder)) {
		int n = snprintf(path, size, "%.*s/%s", (int)folder.n, folder.at, name);
		if (folder.n && n > 0 && (size_t)n < size && access(path, X_OK) == 0 && !weft_is_dir(path))
			return true;
	}
	return false;
}

int doctor_first_line(const char *const *argv, char *line, size_t size)
{
	int ends[2], status = 0;
	line[0] = '\0';
	if (pipe(ends))
		return -1;
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(ends[1]);
	FILE *f = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (!f) {
		close(ends[0]);
		return -1;
	}
	char rest[256];
	if (fgets(line, (int)size, f))
		line[strcspn(line, "\n")] = '\0';
	while (fread(rest, 1, sizeof rest, f) > 0)
		;
	fclose(f);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -- running one -- */

static _Noreturn void run_in_child(const struct doctor_check *c, int to)
{
	struct doctor_report r = {.answer = DOCTOR_NO, .text = ""};
	setpgid(0, 0); /* so that all that it starts can be ended together */
	c->run(&r);
	ssize_t n = write(to, &r, sizeof r);
	_exit(n == (ssize_t)sizeof r ? 0 : 1);
}

/* Reads a whole report within the time limit. */
static bool read_report(int from, struct doctor_report *r)
{
	uint64_t until = weft_monotonic_ns() + CHECK_SECONDS * UINT64_C(1000000000);
	size_t have = 0;
	while (have < sizeof *r) {
		uint64_t now = weft_monotonic_ns();
		struct pollfd p = {.fd = from, .events = POLLIN};
		if (now >= until || poll(&p, 1, (int)((until - now) / 1000000) + 1) <= 0)
			return false;
		ssize_t n = read(from, (char *)r + have, sizeof *r - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

static void run_check(const struct doctor_check *c, struct doctor_report *r)
{
	int ends[2], status;
	if (pipe(ends)) {
		doctor_say(r, DOCTOR_NO, "cannot be checked: %s", weft_err_name(-errno));
		return;
	}
	uint64_t began = weft_monotonic_ns();
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		run_in_child(c, ends[1]);
	}
	close(ends[1]);
	bool done = child > 0 && read_report(ends[0], r);
	close(ends[0]);
	if (child < 0) {
		doctor_say(r, DOCTOR_NO, "cannot be checked: no process can be made");
		return;
	}
	if (!done) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (done)
		return;
	if (weft_monotonic_ns() - began >= CHECK_SECONDS * UINT64_C(1000000000))
		doctor_say(r, DOCTOR_NO, "the check did not end within %d s", CHECK_SECONDS);
	else
		doctor_say(r, DOCTOR_NO, "the check died (%s)", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no report");
}

/* -- all of them -- */

static bool is_wanted(const struct doctor_check *c, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (weft_glob(names[i], c->name))
			return true;
	return n == 0;
}

const struct doctor_check *doctor_check_at(unsigned i)
{
	for (unsigned a = 0; a < AREAS; a++)
		for (const struct doctor_check *c = areas[a].checks; c->name; c++)
			if (i-- == 0)
				return c;
	return NULL;
}

static int unknown_name(const char *name)
{
	const char *known[CHECKS_MAX];
	size_t n = 0;
	for (unsigned a = 0; a < AREAS; a++) {
		for (const struct doctor_check *c = areas[a].checks; c->name && n < CHECKS_MAX; c++) {
			if (weft_glob(name, c->name))
				return CLI_OK;
			known[n++] = c->name;
		}
	}
	return cli_unknown(&weft_command_doctor, "unknown check", name, known, n);
}

static int check_all(struct weft_table *t, char **names, int n, bool *all_yes)
{
	int rc = 0;
	for (unsigned a = 0; a < AREAS && !rc; a++) {
		for (const struct doctor_check *c = areas[a].checks; c->name && !rc; c++) {
			struct doctor_report r = {.answer = DOCTOR_NO, .text = ""};
			if (!is_wanted(c, names, n))
				continue;
			run_check(c, &r);
			*all_yes = *all_yes && r.answer != DOCTOR_NO;
			struct weft_cell row[] = {
				{WEFT_CELL_TEXT, {.text = areas[a].name}}, {WEFT_CELL_TEXT, {.text = c->name}},
				{WEFT_CELL_TEXT, {.text = c->what}},       {WEFT_CELL_TEXT, {.text = answer_text[r.answer]}},
				{WEFT_CELL_TEXT, {.text = r.text}},
			};
			rc = weft_table_row(t, row);
		}
	}
	return rc;
}

static int run(int argc, char **argv)
{
	static const struct weft_column columns[] = {
		{"area", "area", WEFT_CELL_TEXT},    {"check", "check", WEFT_CELL_TEXT},   {"what", "what for", WEFT_CELL_TEXT},
		{"answer", "there", WEFT_CELL_TEXT}, {"detail", "detail", WEFT_CELL_TEXT},
	};
	struct args a = {0};
	struct weft_table t;
	bool all_yes = true;
	int n;
	if (!cli_parse(&weft_command_doctor, &a, argc, argv, &n))
		return CLI_USAGE;
	for (int i = 1; i <= n; i++)
		if (unknown_name(argv[i]))
			return CLI_USAGE;
	weft_table_init(&t, columns, sizeof columns / sizeof columns[0]);
	int rc = check_all(&t, argv + 1, n, &all_yes);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	int status = cli_table(&t, &a.common);
	return status ? status : n > 0 && !all_yes ? CLI_NO : CLI_OK;
}

const struct weft_command weft_command_doctor = {
	.name = "doctor",
	.operands = "[CHECK...]",
	.summary = "what this build and this machine can do, and why not",
	.about = "Checks what Weft can make use of on this machine: clocks, counters, access to\n"
		 "other processes, memory, libraries and programs; and says of each that is\n"
		 "missing why, and what would help. Needs no privileges, changes nothing, and\n"
		 "waits 5 s at most for each check. With CHECKs (globs) only those are done, and\n"
		 "the exit status is 1 when one is not there.\n"
		 "\n"
		 "Examples:\n"
		 "    weft doctor\n"
		 "    weft doctor --json\n"
		 "    weft doctor 'tsc*' ptrace",
	.options = options,
	.run = run,
};
