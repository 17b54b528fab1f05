/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of the MPI job that a process is of, from what its launcher left: without a word to the others, who may not be recorded. All of it
 * stands here, since libweft-preload is built without sanitizers and links with nothing.
 */
#ifndef WEFT_LINK_JOB_H
#define WEFT_LINK_JOB_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* A file of /proc/PID; what is in it up to the room there is. */
static inline size_t link_job_read(pid_t pid, const char *name, char *out, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, room - 1) : -1;
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static inline pid_t link_job_parent(pid_t pid)
{
	char text[512], *at;
	int parent = 0;
	if (!link_job_read(pid, "stat", text, sizeof text) || !(at = strrchr(text, ')')) ||
	    sscanf(at + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* What stands behind an option among words that end with zeros; NULL: it is not there. */
static inline const char *link_job_option(const char *words, size_t n, const char *option)
{
	for (const char *at = words; at < words + n; at += strlen(at) + 1)
		if (!strcmp(at, option) && at + strlen(at) + 1 < words + n)
			return at + strlen(at) + 1;
	return NULL;
}

/*
 * MPICH's launcher gives ranks no name of their job; its agent above them, perhaps behind a script, has the launcher's address and the
 * number of the world, which those that are spawned later have their own of.
 */
static inline bool link_job_hydra(char *out, size_t room)
{
	enum { ABOVE_MOST = 6 };
	char args[2048];
	pid_t pid = getppid();
	for (unsigned i = 0; i < ABOVE_MOST && pid > 1; i++, pid = link_job_parent(pid)) {
		size_t n = link_job_read(pid, "cmdline", args, sizeof args);
		const char *port = link_job_option(args, n, "--control-port"), *world = link_job_option(args, n, "--pgid");
		if (port) {
			snprintf(out, room, "%s-%s", port, world ? world : "");
			return true;
		}
	}
	return false;
}

/* What all processes of one MPI job, and no others, have in common; false: no launcher started us as one of several, or one that is not known. */
static inline bool link_job_name(char *out, size_t room)
{
	static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_STEP_ID"};
	const char *job = getenv("SLURM_JOB_ID");
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i])) {
			snprintf(out, room, "%s-%s", job ? job : "", getenv(names[i]));
			return true;
		}
	return getenv("PMI_RANK") && link_job_hydra(out, room);
}

#endif
