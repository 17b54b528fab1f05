/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: what `weft record` could record here of programs as they are, and why not. */
#include "cli/common/cli.h"
#include "doctor.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Whether the library that is preloaded reaches a program: asked by one that looks at its own map. */
static void check_preload(struct doctor_report *r)
{
	static const char *const places[] = {"libweft-preload.so.0", "../lib/libweft-preload.so.0"};
	char path[PATH_MAX], line[64];
	const char *const look[] = {"sh", "-c", "grep -c libweft-preload /proc/self/maps", NULL};
	if (cli_find_own(places, 2, path, sizeof path))
		doctor_say(r, DOCTOR_NO, "libweft-preload.so.0 lies neither beside the command nor in ../lib");
	else if (strpbrk(path, ": "))
		doctor_say(r, DOCTOR_NO, "'%.200s' has a blank or a colon in its name, which LD_PRELOAD takes for a list", path);
	else if (setenv("LD_PRELOAD", path, 1) || doctor_first_line(look, line, sizeof line) != 0)
		doctor_say(r, DOCTOR_NO, "LD_PRELOAD does not reach programs here");
	else
		doctor_say(r, DOCTOR_YES,
		           "MPI, OpenMP, threads, files, memory of dynamically linked programs; not of setuid or static ones");
}

struct runtime {
	const char *file, *name, *symbol, *how;
};

/* Those that can be loaded, and how they are heard. */
static void say_runtimes(struct doctor_report *r, const struct runtime *known, unsigned n, const char *none)
{
	char list[250] = "";
	for (unsigned i = 0; i < n; i++) {
		void *library = dlopen(known[i].file, RTLD_LAZY | RTLD_LOCAL);
		bool usable = library && (!known[i].symbol || dlsym(library, known[i].symbol));
		if (usable)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%s)", *list ? ", " : "", known[i].name,
			         known[i].how);
	}
	doctor_say(r, *list ? DOCTOR_YES : DOCTOR_NO, "%s", *list ? list : none);
}

static void check_mpi_calls(struct doctor_report *r)
{
	static const struct runtime known[] = {{"libmpi.so.40", "Open MPI", "ompi_mpi_comm_world", "libmpi.so.40"},
	                                       {"libmpich.so.12", "MPICH", "PMPI_Init", "libmpich.so.12"}};
	say_runtimes(r, known, 2, "neither libmpi.so.40 (Open MPI) nor libmpich.so.12 is found by the dynamic linker");
}

static void check_openmp_calls(struct doctor_report *r)
{
	static const struct runtime known[] = {{"libgomp.so.1", "GCC's", "GOMP_parallel", "by its entry points"},
	                                       {"libomp.so.5", "LLVM's", "__kmpc_fork_call", "by its interface for tools"},
	                                       {"libiomp5.so", "Intel's", "__kmpc_fork_call", "by its interface for tools"}};
	say_runtimes(r, known, 3, "neither libgomp.so.1 nor libomp.so.5 is found by the dynamic linker");
}

/* ---- samples ---- */

static volatile sig_atomic_t ticks;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	ticks += 1 + (info->si_overrun > 0 ? info->si_overrun : 0);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A timer of this thread's CPU clock, a thousand times a second, for a tenth of a second of it. */
static void check_samples(struct doctor_report *r)
{
	struct sigaction tick = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX - 4};
	const struct timespec each = {0, 1000000};
	const struct itimerspec when = {each, each};
	timer_t timer;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (sigaction(SIGRTMAX - 4, &tick, NULL) || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) ||
	    timer_settime(timer, 0, &when, NULL)) {
		doctor_say(r, DOCTOR_NO, "timers of threads' CPU clocks: %s", weft_err_name(-errno));
		return;
	}
	volatile unsigned n = 0, signals = 0;
	int before = 0;
	for (uint64_t end = cpu_ns() + 100000000; cpu_ns() < end;) {
		for (unsigned i = 0; i < 10000; i++)
			n += i;
		signals += ticks != before;
		before = ticks;
	}
	if (ticks == 0)
		doctor_say(r, DOCTOR_NO, "timers of threads' CPU clocks never tick");
	else if (signals < 80)
		doctor_say(r, DOCTOR_YES, "about %u a second of CPU time at most, as the kernel ticks; more stand for several",
		           signals * 10);
	else
		doctor_say(r, DOCTOR_YES, "1000 a second of CPU time and more");
}

/* ---- counters ---- */

static int open_event(uint64_t config, int leader)
{
	struct perf_event_attr attr = {.size = sizeof attr,
	                               .type = PERF_TYPE_SOFTWARE,
	                               .config = config,
	                               .exclude_kernel = 1,
	                               .exclude_hv = 1,
	                               .read_format = PERF_FORMAT_GROUP};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void check_counters(struct doctor_report *r)
{
	int first = open_event(PERF_COUNT_SW_CPU_MIGRATIONS, -1);
	int second = first >= 0 ? open_event(PERF_COUNT_SW_ALIGNMENT_FAULTS, first) : -1;
	uint64_t value[3];
	if (second >= 0 && read(first, value, sizeof value) == (ssize_t)sizeof value)
		doctor_say(r, DOCTOR_YES,
		           "faults, switches, CPU times, memory, network; perf's events in groups (weft record --counters list)");
	else
		doctor_say(r, DOCTOR_PARTLY, "faults, switches, CPU times, memory, network; none of perf's: perf_event_open: %s",
		           weft_err_name(-errno));
}

const struct doctor_check doctor_recording_checks[] = {
	{"preload", "record programs as they are", check_preload},
	{"mpi-calls", "calls and messages of MPI", check_mpi_calls},
	{"openmp-calls", "teams, loops, tasks of OpenMP", check_openmp_calls},
	{"samples", "call stacks while programs run", check_samples},
	{"counters", "counters of threads and regions", check_counters},
	{0},
};
