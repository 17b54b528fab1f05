/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of a process: its parent, and its place in a parallel program by the launcher's
 * environment, as it was when the process began.
 */
#include "control_priv.h"
#include "base/fs.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENVIRON_BYTES = 256 * 1024 };

/*
 * In the order in which they are believed: a launcher's own before what several set. Slurm says it
 * of every process of a job's step.
 */
static const struct {
	const char *rank, *size;
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
	{"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI: hydra */
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   /* MVAPICH2 */
	{"PALS_RANKID", "PALS_SIZE"},                     /* Cray */
	{"PMIX_RANK", NULL},                              /* whoever uses PMIx */
	{"SLURM_PROCID", "SLURM_NTASKS"},                 /* srun */
};

static const char *find_in(const char *block, size_t n, const char *name)
{
	size_t length = strlen(name);
	for (size_t at = 0; at < n; at += strlen(block + at) + 1)
		if (strncmp(block + at, name, length) == 0 && block[at + length] == '=')
			return block + at + length + 1;
	return NULL;
}

static int64_t number_in(const char *block, size_t n, const char *name)
{
	uint64_t v;
	const char *text = name ? find_in(block, n, name) : NULL;
	return text && weft_parse_u64(weft_str(text), &v) == 0 && v <= INT32_MAX ? (int64_t)v : -1;
}

/* malloc'd, terminated; NULL: none can be read. */
static char *read_block(pid_t pid, size_t *n)
{
	char path[64], *block = malloc(ENVIRON_BYTES + 1);
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	int fd = block ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	*n = 0;
	for (ssize_t got; fd >= 0 && *n < ENVIRON_BYTES && (got = read(fd, block + *n, ENVIRON_BYTES - *n)) > 0;)
		*n += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (block)
		block[*n] = '\0';
	return block;
}

bool control_environment(pid_t pid, const char *name, char *out, size_t room)
{
	size_t n;
	char *block = read_block(pid, &n);
	const char *text = block ? find_in(block, n, name) : NULL;
	bool fits = text && strlen(text) < room;
	if (fits)
		memcpy(out, text, strlen(text) + 1);
	free(block);
	return fits;
}

static void read_rank(pid_t pid, struct message_process *out)
{
	size_t n;
	char *block = read_block(pid, &n);
	for (size_t i = 0; block && i < sizeof launchers / sizeof *launchers && out->rank < 0; i++) {
		out->rank = number_in(block, n, launchers[i].rank);
		out->size = out->rank < 0 ? -1 : number_in(block, n, launchers[i].size);
	}
	free(block);
}

static uint32_t parent_of(pid_t pid)
{
	char path[64], *text;
	size_t n;
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (weft_read_file(path, &text, &n, NULL))
		return 0;
	/* The name, in parentheses, may hold anything. */
	const char *behind = strrchr(text, ')');
	if (!behind || sscanf(behind + 1, " %*c %d", &parent) != 1)
		parent = 0;
	free(text);
	return (uint32_t)parent;
}

void control_describe(pid_t pid, struct message_process *out)
{
	out->pid = (uint32_t)pid;
	out->rank = out->size = -1;
	out->parent = parent_of(pid);
	read_rank(pid, out);
}

/*
 * A process of PVM learns its id from the daemon, with its first call of the library, which keeps
 * it in a variable. It is searched only where there is a PVM: a program that uses it has the
 * environment of PVM, or was started by its daemon.
 */
static uint64_t find_name(struct control_process *t)
{
	struct probe_found found[PROBE_CLONES];
	char text[512];
	bool pvm = control_environment(t->pid, "PVM_ROOT", text, sizeof text) ||
	           control_environment(t->pid, "PVMEPID", text, sizeof text);
	return pvm && probe_find(t->s, "pvmmytid", true, found, NULL) > 0 ? found[0].addr : 0;
}

void control_name(struct control_process *t)
{
	struct message m = {.kind = MESSAGE_NAMED};
	int32_t id = -1;
	if (!t->sought)
		t->name_at = find_name(t);
	t->sought = true;
	if (!t->name_at || probe_read(t->s, t->name_at, &id, sizeof id) || id <= 0)
		return;
	t->name_at = 0;
	m.named = (struct message_named){t->process, id};
	way_say(t, &m);
}
