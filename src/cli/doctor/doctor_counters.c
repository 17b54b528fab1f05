/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: counters of the hardware, the kernel and the energy, through perf_event and sysfs. */
#include "doctor.h"
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int perf_open(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {.size = sizeof attr, .type = type, .config = config, .exclude_kernel = 1, .exclude_hv = 1};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Why perf_event_open failed, and what would help. */
static void say_refused(struct doctor_report *r, int error)
{
	char paranoid[32] = "?";
	doctor_read_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof paranoid);
	if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
		doctor_say(r, DOCTOR_NO, "this machine has none; in a virtual machine its host must pass them on");
	else if (error == EACCES || error == EPERM)
		doctor_say(r, DOCTOR_NO,
		           "not allowed: kernel.perf_event_paranoid is %s (2 or less, or CAP_PERFMON, or a container without "
		           "a seccomp filter, would allow it)",
		           paranoid);
	else
		doctor_say(r, DOCTOR_NO, "perf_event_open: %s", weft_err_name(-error));
}

static uint64_t count_loop(int fd)
{
	volatile unsigned sum = 0;
	uint64_t value = 0;
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	for (unsigned i = 0; i < 100000; i++)
		sum += i;
	return read(fd, &value, sizeof value) == sizeof value ? value : 0;
}

static void check_hardware(struct doctor_report *r)
{
	static const struct {
		const char *name;
		uint64_t config;
	} events[] = {
		{"cycles", PERF_COUNT_HW_CPU_CYCLES},
		{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
		{"cache misses", PERF_COUNT_HW_CACHE_MISSES},
		{"branch misses", PERF_COUNT_HW_BRANCH_MISSES},
	};
	char list[120] = "";
	unsigned n = 0;
	int error = 0;
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		int fd = perf_open(PERF_TYPE_HARDWARE, events[i].config);
		if (fd < 0) {
			error = error ? error : errno;
			continue;
		}
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", n++ ? ", " : "", events[i].name);
		if (i == 1 && count_loop(fd) == 0)
			error = EIO;
		close(fd);
	}
	if (n == 0)
		say_refused(r, error);
	else if (error == EIO)
		doctor_say(r, DOCTOR_PARTLY, "%s can be opened, but do not count", list);
	else
		doctor_say(r, n < sizeof events / sizeof events[0] ? DOCTOR_PARTLY : DOCTOR_YES, "%s", list);
}

static void check_software(struct doctor_report *r)
{
	int fd = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	if (fd < 0) {
		say_refused(r, errno);
		return;
	}
	int clock = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	uint64_t ns = clock >= 0 ? count_loop(clock) : 0;
	if (ns)
		doctor_say(r, DOCTOR_YES, "page faults, context switches, migrations, task clock");
	else
		doctor_say(r, DOCTOR_PARTLY, "page faults, but no task clock");
}

static void check_energy(struct doctor_report *r)
{
	char path[300], name[64], value[64], list[160] = "";
	unsigned n = 0, refused = 0;
	DIR *d = opendir("/sys/class/powercap");
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!strchr(e->d_name, ':'))
			continue;
		snprintf(path, sizeof path, "/sys/class/powercap/%.60s/name", e->d_name);
		if (!doctor_read_line(path, name, sizeof name))
			continue;
		snprintf(path, sizeof path, "/sys/class/powercap/%.60s/energy_uj", e->d_name);
		if (!doctor_read_line(path, value, sizeof value)) {
			refused++;
			continue;
		}
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%.30s", n++ ? ", " : "", name);
	}
	if (d)
		closedir(d);
	if (n)
		doctor_say(r, DOCTOR_YES, "%s", list);
	else if (refused)
		doctor_say(r, DOCTOR_NO, "energy_uj below /sys/class/powercap is readable by root only");
	else if (access("/sys/bus/event_source/devices/power", F_OK) == 0)
		doctor_say(r, DOCTOR_PARTLY, "through perf_event only, for whole machines, which needs CAP_PERFMON");
	else
		doctor_say(r, DOCTOR_NO, "no powercap zones; virtual machines have none");
}

/* A function of this program that nothing calls while it is probed. */
static __attribute__((noinline)) int probe_here(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

/* Where `address` lies in which file, by /proc/self/maps. */
static bool file_offset_of(const void *address, char *path, size_t size, uint64_t *offset)
{
	unsigned long from, to, at, want = (unsigned long)(uintptr_t)address;
	char line[600], file[400];
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %399s", &from, &to, &at, file) != 4 || want < from || want >= to)
			continue;
		snprintf(path, size, "%s", file);
		*offset = want - from + at;
		found = true;
	}
	if (f)
		fclose(f);
	return found;
}

static void check_uprobes(struct doctor_report *r)
{
	char type[32], path[400];
	uint64_t offset = 0;
	if (!doctor_read_line("/sys/bus/event_source/devices/uprobe/type", type, sizeof type)) {
		doctor_say(r, DOCTOR_NO, "the kernel is built without them");
		return;
	}
	if (!file_offset_of((const void *)(uintptr_t)probe_here, path, sizeof path, &offset) || probe_here(1) != 1) {
		doctor_say(r, DOCTOR_NO, "this program cannot find itself in /proc/self/maps");
		return;
	}
	struct perf_event_attr attr = {.size = sizeof attr, .type = (uint32_t)atoi(type), .config2 = offset};
	attr.config1 = (uint64_t)(uintptr_t)path;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		doctor_say(r, DOCTOR_NO, "not allowed: they need CAP_PERFMON or root");
	else if (fd < 0)
		doctor_say(r, DOCTOR_NO, "perf_event_open: %s", weft_err_name(-errno));
	else
		doctor_say(r, DOCTOR_YES, "functions of programs can be probed through the kernel (some 1000 ns each time)");
}

const struct doctor_check doctor_counter_checks[] = {
	{"hardware", "cycles, instructions, misses", check_hardware},
	{"software", "faults, switches, migrations", check_software},
	{"energy", "joules of cpu and memory (RAPL)", check_energy},
	{"uprobes", "probes through the kernel", check_uprobes},
	{0},
};
