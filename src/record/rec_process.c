/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stream says of its process and host. All by system calls and in buffers of our own, since the process may be attached
 * at an event, in a signal handler of a forked child.
 */
#include "rec_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

#define COMMAND_BYTES (64u << 10)        /* longer command lines are cut */
#define FIRST_TIME_NAMESPACE 0xeffffffau /* PROC_TIME_INIT_INO of the kernel */

static size_t process_read(const char *path, char *at, size_t room)
{
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (n < room) {
		ssize_t got = read(fd, at + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	return n;
}

static struct weft_str process_exe(char *at, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", at, room);
	return weft_str_n(at, n > 0 ? (size_t)n : 0);
}

/* Records again what was said before; the last one counts. */
void rec_process_name(struct rec_stream *s)
{
	struct weft_str name = weft_str(rec.process_name);
	if (!name.n) {
		name = process_exe(s->path, sizeof s->path);
		for (size_t i = name.n; i > 0; i--)
			if (name.at[i - 1] == '/') {
				name = weft_str_n(name.at + i, name.n - i);
				break;
			}
	}
	uint64_t word[3] = {rec_pair(s->pid, (uint32_t)getppid()), rec_pair((uint32_t)rec.rank, 1), s->head->start_ticks};
	rec_meta_put(s, WEFT_EV_PROCESS, 1, 3, word, name);
}

static void process_command(struct rec_stream *s)
{
	char *at = rec_mmap(COMMAND_BYTES);
	if (!at)
		return;
	rec_meta_text(s, WEFT_TEXT_COMMAND, weft_str_n(at, process_read("/proc/self/cmdline", at, COMMAND_BYTES)));
	rec_munmap(at, COMMAND_BYTES);
}

/* Processes in different time namespaces have different CLOCK_MONOTONIC, though they share the boot. */
static void process_boot_id(struct rec_stream *s)
{
	char text[128];
	size_t n = process_read("/proc/sys/kernel/random/boot_id", text, 64);
	struct weft_str id = weft_str_trim(weft_str_n(text, n));
	struct stat st;
	if (stat("/proc/self/ns/time", &st) == 0 && st.st_ino != FIRST_TIME_NAMESPACE) {
		char *end = mempcpy(text + (id.at - text) + id.n, "/time-", 6);
		end += weft_fmt_u64(end, st.st_ino);
		id.n = (size_t)(end - id.at);
	}
	rec_meta_text(s, WEFT_TEXT_BOOT_ID, id);
}

static void process_cpu_model(struct rec_stream *s)
{
#if defined __x86_64__
	unsigned part[12] = {0}, most = __get_cpuid_max(0x80000000u, NULL);
	if (most < 0x80000004u)
		return;
	for (unsigned i = 0; i < 3; i++)
		__cpuid(0x80000002u + i, part[4 * i], part[4 * i + 1], part[4 * i + 2], part[4 * i + 3]);
	rec_meta_text(s, WEFT_TEXT_CPU_MODEL, weft_str_trim(weft_str_n((char *)part, strnlen((char *)part, sizeof part))));
#else
	(void)s;
#endif
}

void rec_process_texts(struct rec_stream *s)
{
	struct utsname u;
	rec_process_name(s);
	if (uname(&u) == 0) {
		rec_meta_text(s, WEFT_TEXT_HOST, weft_str(u.nodename));
		char kernel[sizeof u.sysname + sizeof u.release + sizeof u.version];
		char *end = stpcpy(stpcpy(stpcpy(stpcpy(stpcpy(kernel, u.sysname), " "), u.release), " "), u.version);
		rec_meta_text(s, WEFT_TEXT_KERNEL, weft_str_n(kernel, (size_t)(end - kernel)));
	}
	rec_meta_text(s, WEFT_TEXT_EXE, process_exe(s->path, sizeof s->path));
	process_command(s);
	if (getcwd(s->path, sizeof s->path))
		rec_meta_text(s, WEFT_TEXT_CWD, weft_str(s->path));
	process_boot_id(s);
	process_cpu_model(s);
	if (rec.node_name[0])
		rec_meta_text(s, WEFT_TEXT_NODE, weft_str(rec.node_name));
}

/* What the usual launchers tell a process of its place: rank, number of ranks. */
void rec_process_rank_from_environment(void)
{
	static const char *const names[][2] = {
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
		{"PMIX_RANK", "PMIX_SIZE"},
		{"PMI_RANK", "PMI_SIZE"},
		{"SLURM_PROCID", "SLURM_NTASKS"},
	};
	rec.rank = -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint64_t rank, n = 0;
		const char *text = secure_getenv(names[i][0]);
		if (!text || weft_parse_u64(weft_str(text), &rank) || rank > INT_MAX)
			continue;
		text = secure_getenv(names[i][1]);
		if (text && (weft_parse_u64(weft_str(text), &n) || n > INT_MAX))
			n = 0;
		rec.rank = (int)rank;
		rec.n_ranks = (int)n;
		return;
	}
}
