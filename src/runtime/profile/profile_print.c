/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summaries of profiling in the handbook's layout: of workers and of ways between memories. Printed
 * at the program's call, and at the end when the environment asks for it; to stderr or a file that
 * it names.
 */
#include "runtime/task/complain.h"
#include "profile.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static double ms_of(const struct timespec *t)
{
	return starpu_timing_timespec_to_us((struct timespec *)(uintptr_t)t) / 1e3;
}

/* The parts of the time, in the order in which they are told. */
static const struct {
	const char *name;
	size_t split, all;
} parts[] = {
#define PART(name) \
	{ \
#name, offsetof(struct starpu_profiling_worker_info, name##_time), \
			offsetof(struct starpu_profiling_worker_info, all_##name##_time) \
	}
	PART(executing), PART(callback), PART(waiting), PART(sleeping), PART(scheduling),
#undef PART
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static double part_ms(const struct starpu_profiling_worker_info *i, size_t offset)
{
	return ms_of((const struct timespec *)(const void *)((const char *)i + offset));
}

/* Of all workers together. */
struct sums {
	double total, part[PARTS];
};

static void print_worker(FILE *f, const char *name, const struct starpu_profiling_worker_info *i, struct sums *sums)
{
	double total = ms_of(&i->total_time), rest = total;
	sums->total += total;
	fprintf(f, "%-32s\n\t%d task(s)\n\ttime split: total %.2f ms =", name, i->executed_tasks, total);
	for (size_t k = 0; k < PARTS; k++) {
		double ms = part_ms(i, parts[k].split);
		sums->part[k] += ms;
		rest -= ms;
		fprintf(f, " %s: %.2f ms +", parts[k].name, ms);
	}
	fprintf(f, " overhead %.2f ms\n\tall time:", rest < 0 ? 0 : rest);
	for (size_t k = 0; k < PARTS; k++)
		fprintf(f, " %s: %.2f ms", parts[k].name, part_ms(i, parts[k].all));
	fprintf(f, "\n");
	if (i->used_cycles || i->stall_cycles)
		fprintf(f, "\t%llu Mcy %llu Mcy stall\n", (unsigned long long)i->used_cycles / 1000000,
		        (unsigned long long)i->stall_cycles / 1000000);
	if (i->energy_consumed > 0)
		fprintf(f, "\t%f J consumed\n", i->energy_consumed);
	if (i->flops > 0)
		fprintf(f, "\t%f GFlop/s\n\n", total > 0 ? i->flops / total / 1e6 : 0);
}

static void print_sums(FILE *f, const struct sums *sums)
{
	double rest = sums->total, whole = sums->total > 0 ? sums->total : 1;
	fprintf(f, "Global time split: total %.2f ms =", sums->total);
	for (size_t k = 0; k < PARTS; k++) {
		rest -= sums->part[k];
		fprintf(f, " %s: %.2f ms (%.2f%%) +", parts[k].name, sums->part[k], 100 * sums->part[k] / whole);
	}
	rest = rest < 0 ? 0 : rest;
	fprintf(f, " overhead %.2f ms (%.2f%%)\n", rest, 100 * rest / whole);
}

static void print_workers(FILE *f)
{
	struct sums sums = {0};
	fprintf(f, "\n#---------------------\nWorker stats:\n");
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		struct starpu_profiling_worker_info info;
		starpu_profiling_worker_get_info((int)i, &info);
		print_worker(f, rt_machine.worker[i].name, &info, &sums);
	}
	print_sums(f, &sums);
	fprintf(f, "#---------------------\n");
}

static double mib(long long bytes)
{
	return (double)bytes / (1 << 20);
}

/* Ways over which nothing went are left out. */
static void print_bus(FILE *f)
{
	long long all = 0;
	fprintf(f, "\n#---------------------\nData transfer stats:\n");
	for (int i = 0; i < starpu_bus_get_count(); i++) {
		struct starpu_profiling_bus_info info;
		char from[64], to[64];
		starpu_bus_get_profiling_info(i, &info);
		double seconds = ms_of(&info.total_time) / 1e3;
		all += info.transferred_bytes;
		if (!info.transfer_count)
			continue;
		starpu_memory_node_get_name((unsigned)starpu_bus_get_src(i), from, sizeof from);
		starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(i), to, sizeof to);
		fprintf(f, "\t%s -> %s\t%.4f GB\t%.4f MB/s\t(transfers : %d - avg %.4f MB)\n", from, to,
		        mib(info.transferred_bytes) / 1024, seconds > 0 ? mib(info.transferred_bytes) / seconds : 0,
		        info.transfer_count, mib(info.transferred_bytes) / info.transfer_count);
	}
	fprintf(f, "Total transfers: %.4f GB\n#---------------------\n", mib(all) / 1024);
}

/* A link that another user may have made, so that we would write to a file that he may not. */
static bool is_anothers_link(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid != 0;
}

FILE *rt_profile_open(const char *path, bool at_its_end)
{
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (at_its_end ? O_APPEND : O_TRUNC);
	int fd = is_anothers_link(path) ? -1 : open(path, how, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, at_its_end ? "a" : "w");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* To the file that the variable names, else to stderr. */
static void print_to(const char *variable, void (*print)(FILE *f))
{
	const char *path = getenv(variable);
	FILE *f = path && *path ? rt_profile_open(path, false) : NULL;
	if (path && *path && !f)
		rt_say("%s: cannot write '%s'", variable, path);
	print(f ? f : stderr);
	if (f)
		fclose(f);
}

static bool is_wanted(const char *variable)
{
	return starpu_get_env_number_default(variable, 0) > 0 && starpu_get_env_number_default("STARPU_STATS", 1) != 0;
}

void starpu_profiling_worker_helper_display_summary(void)
{
	if (is_wanted("STARPU_WORKER_STATS"))
		print_to("STARPU_WORKER_STATS_FILE", print_workers);
}

void starpu_profiling_bus_helper_display_summary(void)
{
	if (is_wanted("STARPU_BUS_STATS"))
		print_to("STARPU_BUS_STATS_FILE", print_bus);
}

void starpu_display_stats(void)
{
	starpu_profiling_bus_helper_display_summary();
	starpu_profiling_worker_helper_display_summary();
}

void rt_profile_print_at_end(void)
{
	starpu_display_stats();
}
