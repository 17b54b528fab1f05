/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: memory and files: how much, in which pages, and whether space can be had before it is written. */
#include "base/fs.h"
#include "base/str.h"
#include "doctor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { HUGE_BYTES = 2 << 20 };

/* Kilobytes of huge pages that this process has now; -1 when the kernel does not tell. */
static long huge_kilobytes(void)
{
	char line[200];
	long kilobytes = -1;
	FILE *f = fopen("/proc/self/smaps_rollup", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "AnonHugePages: %ld", &kilobytes) == 1)
			break;
	if (f)
		fclose(f);
	return kilobytes;
}

static void check_huge_pages(struct doctor_report *r)
{
	char mode[80];
	if (!doctor_read_line("/sys/kernel/mm/transparent_hugepage/enabled", mode, sizeof mode)) {
		doctor_say(r, DOCTOR_NO, "the kernel is built without transparent ones");
		return;
	}
	char *at = mmap(NULL, 3 * HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = huge_kilobytes();
	if (at == MAP_FAILED || madvise(at, 3 * HUGE_BYTES, MADV_HUGEPAGE)) {
		doctor_say(r, DOCTOR_NO, "madvise: %s (mode: %s)", weft_err_name(-errno), mode);
		return;
	}
	for (size_t i = 0; i < 3 * HUGE_BYTES; i += 4096)
		((volatile char *)at)[i] = 1;
	if (huge_kilobytes() > before)
		doctor_say(r, DOCTOR_YES, "on request, and given (mode: %s)", mode);
	else
		doctor_say(r, DOCTOR_PARTLY, "asked for, but none was given (mode: %s)", mode);
}

static uint64_t physical_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* The memory limit of this process's control group, version 2 and then 1; 0: none. */
static uint64_t cgroup_limit(char *group, size_t size)
{
	char line[600], path[700], value[40];
	uint64_t limit = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");
	group[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		char *controllers = strchr(line, ':'), *name = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!name)
			continue;
		*name++ = '\0';
		bool second = controllers[1] == '\0';
		if (!second && !strstr(controllers, "memory"))
			continue;
		snprintf(group, size, "%.200s", name);
		snprintf(path, sizeof path,
		         second ? "/sys/fs/cgroup%.500s/memory.max" : "/sys/fs/cgroup/memory%.500s/memory.limit_in_bytes", name);
		if (doctor_read_line(path, value, sizeof value) && weft_parse_u64(weft_str(value), &limit))
			limit = 0;
	}
	if (f)
		fclose(f);
	return limit;
}

static void check_memory(struct doctor_report *r)
{
	char group[220], human[32], limited[32];
	uint64_t all = physical_bytes(), limit = cgroup_limit(group, sizeof group);
	struct rlimit space;
	weft_human_bytes(human, all);
	if (limit && limit < all)
		doctor_say(r, DOCTOR_PARTLY, "%s, of which the control group '%s' allows %s", human, group,
		           weft_human_bytes(limited, limit));
	else if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		doctor_say(r, DOCTOR_PARTLY, "%s, but an address space of %s only (ulimit -v)", human,
		           weft_human_bytes(limited, space.rlim_cur));
	else
		doctor_say(r, DOCTOR_YES, "%s, no limit", human);
}

static void check_cgroups(struct doctor_report *r)
{
	char controllers[200];
	if (doctor_read_line("/sys/fs/cgroup/cgroup.controllers", controllers, sizeof controllers)) {
		bool memory = strstr(controllers, "memory") != NULL;
		if (memory && access("/sys/fs/cgroup/cgroup.procs", W_OK) == 0)
			doctor_say(r, DOCTOR_YES, "version 2, groups can be made (%s)", controllers);
		else
			doctor_say(r, DOCTOR_PARTLY, "version 2 (%s), but %s", controllers,
			           memory ? "not writable here" : "no memory controller");
	} else if (access("/sys/fs/cgroup/memory", F_OK) == 0) {
		bool writable = access("/sys/fs/cgroup/memory", W_OK) == 0;
		doctor_say(r, writable ? DOCTOR_YES : DOCTOR_PARTLY, "version 1%s",
		           writable ? ", groups can be made" : ", not writable here");
	} else {
		doctor_say(r, DOCTOR_NO, "not mounted at /sys/fs/cgroup");
	}
}

static void check_wipe_on_fork(struct doctor_report *r)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	if (at == MAP_FAILED || madvise(at, 4096, MADV_WIPEONFORK)) {
		doctor_say(r, DOCTOR_NO, "madvise: %s; children of recorded programs are noticed late", weft_err_name(-errno));
		return;
	}
	at[0] = 1;
	pid_t child = fork();
	if (child == 0)
		_exit(at[0]);
	if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		doctor_say(r, DOCTOR_YES, "a forked child cannot write into its parent's recording, however it was made");
	else
		doctor_say(r, DOCTOR_NO, "accepted, but the child saw its parent's memory");
}

static const char *file_system_name(const char *path)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{0xef53, "ext4"},          {0x58465342, "xfs"},  {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
		{0x794c7630, "overlayfs"}, {0x6969, "nfs"},      {0x2fc12fc1, "zfs"},   {0x0bd00bd0, "lustre"},
		{0x47504653, "gpfs"},      {0x65735546, "fuse"}, {0x01021997, "9p"},    {0x19830326, "beegfs"},
		{0xca451a4e, "bcachefs"},  {0xf2f52010, "f2fs"}, {0xff534d42, "cifs"},
	};
	struct statfs s;
	if (statfs(path, &s))
		return "this file system";
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if ((unsigned long)s.f_type == known[i].magic)
			return known[i].name;
	return "this file system";
}

static void check_fallocate(struct doctor_report *r)
{
	char name[] = ".weft-doctor-XXXXXX";
	int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	if (fd < 0) {
		doctor_say(r, DOCTOR_NO, "the current folder is not writable: %s", weft_err_name(-errno));
		return;
	}
	int rc = fallocate(fd, 0, 0, 1 << 20) ? errno : 0;
	const char *system = file_system_name(".");
	if (rc == 0)
		doctor_say(r, DOCTOR_YES, "on %s here", system);
	else if (rc == EOPNOTSUPP)
		doctor_say(r, DOCTOR_PARTLY, "%s cannot; space is written with zeros first, which is slower", system);
	else
		doctor_say(r, DOCTOR_NO, "on %s here: %s", system, weft_err_name(-rc));
	close(fd);
}

static void check_disk(struct doctor_report *r)
{
	struct statvfs s;
	char left[32];
	if (statvfs(".", &s)) {
		doctor_say(r, DOCTOR_NO, "%s", weft_err_name(-errno));
		return;
	}
	uint64_t bytes = (uint64_t)s.f_bavail * s.f_frsize;
	doctor_say(r, bytes >= 1 << 30 ? DOCTOR_YES : DOCTOR_PARTLY, "%s left on %s here", weft_human_bytes(left, bytes),
	           file_system_name("."));
}

const struct doctor_check doctor_memory_checks[] = {
	{"memory", "reading large traces", check_memory},
	{"cgroups", "limits for a command", check_cgroups},
	{"huge-pages", "cheap first touch of buffers", check_huge_pages},
	{"wipe-on-fork", "safety of forking programs", check_wipe_on_fork},
	{"fallocate", "space before it is written", check_fallocate},
	{"disk", "space for traces", check_disk},
	{0},
};
