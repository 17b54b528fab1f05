/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that notice what is done to their threads (tests/tools/inject_target.c), while the agent is loaded into them, probes are put in
 * and taken out, and the controller is killed at any instant.
 */
#include "probe_program.h"
#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>

static unsigned tier(unsigned at_short, unsigned at_full, unsigned at_long)
{
	const char *name = getenv("WEFT_TIER");
	return name && !strcmp(name, "long") ? at_long : name && !strcmp(name, "full") ? at_full : at_short;
}

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static void compile(const char *compiler, char *path, size_t room)
{
	int status;
	snprintf(path, room, "%s/target", test_dir());
	char *out = test_shell(&status, "%s -w -g -pthread -o %s %s 2>&1", compiler, path,
	                       test_source("tests/tools/inject_target.c"));
	if (status)
		printf("# %s: %s\n", compiler, out);
	free(out);
	REQUIRE(status == 0);
}

static void start(struct program *p, char *path, char *what, char *threads)
{
	program_start(p, (char *const[]){path, what, threads, NULL}, false);
	program_wait_ready(p);
}

static void begin(struct program *p, const char *compiler, char *what, char *threads)
{
	char path[4200];
	program_needs_agent();
	compile(compiler, path, sizeof path);
	start(p, path, what, threads);
}

/* An agent of a controller that has gone just now may not have ended yet. */
static int attach(struct program *p, struct weft_err *err)
{
	int rc = 0;
	for (int i = 0; i < 2000; i++) {
		*err = (struct weft_err){0};
		rc = probe_inject(p->pid, test_built("libweft-agent.so"), p->name, 20000, err);
		if (rc == 0)
			rc = probe_accept(p->listener, 20000, &p->session, err);
		if (rc != -EALREADY)
			break;
		sleep_us(2000);
	}
	return rc;
}

/* Probes of all kinds in and out, `times` times. */
static int use_probes(struct program *p, unsigned times)
{
	for (unsigned k = 0; k < times; k++) {
		struct probe_request r[3] = {{.function = "work", .kinds = PROBE_COUNT},
		                             {.function = "other_work", .kinds = PROBE_ENTRY | PROBE_EXIT},
		                             {.function = "difference", .kinds = PROBE_ENTRY}};
		int rc = probe_insert(p->session, r, 3);
		if (rc) {
			for (int i = 0; i < 3; i++)
				if (r[i].rc)
					printf("# %s: %s\n", r[i].function, r[i].err.text);
			return rc;
		}
		struct probe_event e;
		for (int n = 0; n < 100 && probe_next(p->session, &e); n++)
			;
		rc = probe_remove(p->session, r, 3);
		if (rc)
			return rc;
	}
	return 0;
}

static int attach_and_use(struct program *p, unsigned attaches, unsigned times)
{
	struct weft_err err = {0};
	for (unsigned k = 0; k < attaches; k++) {
		int rc = attach(p, &err);
		if (rc)
			printf("# attach %u: %s\n", k, err.text);
		rc = rc ? rc : use_probes(p, times);
		if (rc)
			return rc;
		probe_close(p->session);
		p->session = NULL;
	}
	return 0;
}

static void attach_often(struct program *p, unsigned attaches, unsigned times)
{
	REQUIRE(attach_and_use(p, attaches, times) == 0);
}

/* ---- nothing is changed ---- */

/* Says where code differs first, and how. */
static bool same_code(const char *file, const unsigned char *there, const unsigned char *had, size_t n)
{
	size_t at = 0;
	while (at < n && there[at] == had[at])
		at++;
	if (at == n)
		return true;
	printf("# %s, code + %zu of %zu:", file, at, n);
	for (size_t k = at; k < n && k < at + 16; k++)
		printf(" %02x/%02x", there[k], had[k]);
	printf(" (there/in the file)\n");
	return false;
}

/* All code that is mapped from files, the rest of its last page included, is the files'. */
static bool code_is_the_files(pid_t pid)
{
	char path[64], line[4200];
	unsigned long long from, to, offset;
	bool same = true;
	int checked = 0;
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	int memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *m = fopen(path, "r");
	REQUIRE(m && memory >= 0);
	while (fgets(line, sizeof line, m)) {
		char protection[8], file[4096] = "";
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095s", &from, &to, protection, &offset, file) < 5 ||
		    protection[2] != 'x' || file[0] != '/')
			continue;
		size_t n = to - from;
		unsigned char *there = malloc(n), *had = calloc(1, n);
		int image = open(file, O_RDONLY | O_CLOEXEC);
		REQUIRE(there && had && image >= 0);
		REQUIRE(pread(image, had, n, (off_t)offset) > 0 && pread(memory, there, n, (off_t)from) == (ssize_t)n);
		same &= same_code(file, there, had, n);
		checked++;
		close(image);
		free(there);
		free(had);
	}
	fclose(m);
	close(memory);
	return CHECK(checked >= 3) && same;
}

static const char *const compilers[] = {"gcc -O2 -pie -fPIE", "clang -O0 -no-pie", "gcc -O0 -no-pie", "clang -O3 -pie -fPIE",
                                        "gcc -O3 -pie -fPIE"};

/* The first attach to a program does most: several of them. */
static void all_is_as_it_was(char *what, char *threads)
{
	unsigned ways = tier(1, 2, 5), programs = tier(2, 3, 40);
	program_needs_agent();
	for (unsigned k = 0; k < ways; k++) {
		char path[4200];
		compile(compilers[k], path, sizeof path);
		for (unsigned i = 0; i < programs; i++) {
			struct program p;
			unsigned long checked = 0;
			start(&p, path, what, threads);
			attach_often(&p, tier(5, 10, 10), 4);
			CHECK(code_is_the_files(p.pid));
			CHECK_I64(program_finish(&p, &checked), 0);
			CHECK(checked > 50);
		}
	}
}

TEST(registers_and_signals_survive)
{
	all_is_as_it_was("rs", "3");
}

TEST(interrupted_system_calls_go_on)
{
	all_is_as_it_was("c", "0");
}

/* Busy threads, signals and waiting ones together: any of them may be the one that loads the agent. */
TEST(everything_at_once)
{
	all_is_as_it_was("rsc", "2");
}

/* ---- threads that come and go ---- */

static unsigned zombies(pid_t pid)
{
	char path[300], line[400];
	unsigned n = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
		const char *end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
		n += end && end[2] == 'Z';
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

TEST(short_threads_are_no_reason_to_refuse)
{
	struct program p;
	struct weft_err err = {0};
	begin(&p, "gcc -O2 -pie -fPIE", "t", "0");
	unsigned attaches = tier(3, 8, 15), refused = 0, taken_for_habit = 0;
	for (unsigned k = 0; k < attaches; k++) {
		REQUIRE(attach(&p, &err) == 0);
		for (unsigned i = 0; i < 40; i++) {
			/* Every tenth of a second all threads are looked at. */
			struct probe_request r = {.function = i % 2 ? "be_short" : "other_work",
			                          .kinds = PROBE_ENTRY | PROBE_EXIT};
			int rc = probe_insert(p.session, &r, 1);
			if (rc)
				printf("# %u, %u: %s\n", k, i, r.err.text);
			refused += rc != 0;
			CHECK_I64(rc ? 0 : probe_remove(p.session, &r, 1), 0);
			sleep_us(5000);
		}
		taken_for_habit += probe_hello(p.session)->traps_blocked != 0;
		probe_close(p.session);
	}
	CHECK_U64(refused, 0);
	/* A thread that is being made blocks all signals, for a moment only; on a busy machine that may last. */
	CHECK(taken_for_habit <= (attaches + 3) / 4);
	sleep_us(20000);
	unsigned left = 1;
	for (int i = 0; i < 100 && left; i++, sleep_us(1000))
		left = zombies(p.pid);
	CHECK_U64(left, 0);
	CHECK_I64(program_finish(&p, NULL), 0);
}

/* ---- a program that is stopped ---- */

static char state_of(pid_t pid)
{
	char path[64], line[400];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	const char *end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	char state = end ? end[2] : '?';
	if (f)
		fclose(f);
	return state;
}

TEST(what_is_stopped_stays_stopped)
{
	struct program p;
	struct weft_err err = {0};
	begin(&p, "gcc -O2 -pie -fPIE", "rs", "2");
	for (int round = 0; round < 3; round++) {
		REQUIRE(kill(p.pid, SIGSTOP) == 0);
		for (int i = 0; i < 1000 && state_of(p.pid) != 'T'; i++)
			sleep_us(1000);
		CHECK(probe_inject(p.pid, test_built("libweft-agent.so"), p.name, 100, &err) < 0);
		CHECK(strstr(err.text, "it is stopped (SIGSTOP)"));
		CHECK_I64(state_of(p.pid), 'T');
		REQUIRE(kill(p.pid, SIGCONT) == 0);
		attach_often(&p, 2, 1);
	}
	CHECK_I64(program_finish(&p, NULL), 0);
}

/* ---- a controller that is killed ---- */

/* A process with a socket of its own, in a folder that goes with the test's; 0 in it. */
static pid_t fork_controller(struct program *p)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct weft_err err = {0};
	probe_listener_leave(p->listener);
	setenv("XDG_RUNTIME_DIR", test_dir(), 1);
	if (probe_listen(&p->listener, NULL, &err))
		_exit(1);
	snprintf(p->name, sizeof p->name, "%s", probe_listener_name(p->listener));
	return 0;
}

static int end_controller(struct program *p, unsigned attaches)
{
	int rc = attach_and_use(p, attaches, 1);
	fflush(stdout);
	probe_listener_free(p->listener);
	return rc != 0;
}

/* Attaches and changes probes until it is killed. */
static pid_t start_controller(struct program *p)
{
	pid_t pid = fork_controller(p);
	if (pid)
		return pid;
	struct weft_err err = {0};
	for (;;) {
		if (probe_inject(p->pid, test_built("libweft-agent.so"), p->name, 20000, &err))
			continue;
		if (probe_accept(p->listener, 20000, &p->session, &err))
			_exit(1);
		if (use_probes(p, 1 + test_random() % 8))
			_exit(1);
		probe_close(p->session);
	}
}

static void kill_controllers(struct program *p, unsigned rounds, long most_us)
{
	for (unsigned k = 0; k < rounds; k++) {
		int status;
		pid_t controller = start_controller(p);
		REQUIRE(controller > 0);
		sleep_us((long)(test_random() % (unsigned long)most_us));
		kill(controller, SIGKILL);
		REQUIRE(waitpid(controller, &status, 0) == controller);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
			printf("# round %u: status %#x\n", k, (unsigned)status);
			CHECK(!"the program goes on");
			test_abandon();
		}
	}
}

TEST(a_controller_may_be_killed_at_any_instant)
{
	/* Half of them are hardly begun. */
	static const long most_us[] = {60000, 4000};
	unsigned n = tier(1, 4, 10);
	for (unsigned k = 0; k < n; k++) {
		struct program p;
		unsigned long checked = 0;
		begin(&p, compilers[k % 5], k % 4 < 2 ? "rs" : "rsc", "8");
		kill_controllers(&p, tier(15, 40, 100), most_us[k % 2]);
		/* And another one finds it as it was. */
		attach_often(&p, 1, 1);
		CHECK_I64(program_finish(&p, &checked), 0);
		CHECK(checked > 100);
	}
}

/* One that is put aside for a tenth of a second, at any instant, still takes back all that it did. */
TEST(a_controller_may_be_late)
{
	struct program p;
	unsigned long checked = 0;
	unsigned attaches = tier(4, 8, 100);
	int status;
	begin(&p, "gcc -O2 -pie -fPIE", "rsc", "2");
	pid_t controller = fork_controller(&p);
	if (controller == 0) {
		_exit(end_controller(&p, attaches));
	}
	REQUIRE(controller > 0);
	while (waitpid(controller, &status, WNOHANG) == 0) {
		sleep_us((long)(test_random() % 3000));
		kill(controller, SIGSTOP);
		sleep_us(100000);
		kill(controller, SIGCONT);
	}
	CHECK_I64(status, 0);
	CHECK(code_is_the_files(p.pid));
	CHECK_I64(program_finish(&p, &checked), 0);
	CHECK(checked > 50);
}

/* The agent serves one of them, and they do not take each other's code away while a thread is in it. */
TEST(controllers_may_come_together)
{
	enum { CONTROLLERS = 4 };
	struct program p;
	unsigned long checked = 0;
	unsigned attaches = tier(10, 20, 200);
	pid_t controller[CONTROLLERS];
	int status;
	begin(&p, "gcc -O2 -pie -fPIE", "rsc", "2");
	for (unsigned k = 0; k < CONTROLLERS; k++) {
		controller[k] = fork_controller(&p);
		if (controller[k] == 0) {
			_exit(end_controller(&p, attaches));
		}
		REQUIRE(controller[k] > 0);
	}
	for (unsigned k = 0; k < CONTROLLERS; k++) {
		REQUIRE(waitpid(controller[k], &status, 0) == controller[k]);
		CHECK_I64(status, 0);
	}
	CHECK(code_is_the_files(p.pid));
	CHECK_I64(program_finish(&p, &checked), 0);
	CHECK(checked > 50);
}

/* What is attached to by a process that has ended goes on by itself: nobody traces it. */
TEST(a_thread_comes_back_by_itself)
{
	struct program p;
	begin(&p, "gcc -O2 -pie -fPIE", "c", "0");
	kill_controllers(&p, tier(20, 60, 200), 3000);
	CHECK_I64(program_finish(&p, NULL), 0);
}
