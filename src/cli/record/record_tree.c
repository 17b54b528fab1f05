/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process row for each pid that lives at a time: an exec keeps the row and gives it the new program's name, as ps does. A
 * thread or process of which only later events are seen (lost records) begins with the first of them. Definitions are written
 * again when a name changes: the last one counts.
 */
#include "record_tree.h"
#include "base/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_process(struct record_tree *t, uint32_t index)
{
	const struct record_tree_process *p = &t->process.at[index];
	uint64_t word[] = {
		(uint32_t)p->pid | (uint64_t)(uint32_t)p->parent << 32,
		UINT32_MAX | UINT64_C(1) << 32, /* no rank; application 1 */
		p->begin,
	};
	record_stream_meta(t->stream, &(struct weft_record){p->begin, WEFT_EV_PROCESS, index + 1, 3, word}, p->program,
	                   strlen(p->program));
}

static void write_text(struct record_tree *t, uint32_t process, uint64_t time, enum weft_text which, const char *text, size_t n)
{
	uint64_t word[] = {which, UINT64_C(1) << 32}; /* part 0 of 1 */
	if (n)
		record_stream_meta(t->stream, &(struct weft_record){time, WEFT_EV_PROCESS_TEXT, process + 1, 2, word}, text, n);
}

/* Whether Weft made the thread inside of the program; such threads have these names. */
static bool is_own_thread(const char *name)
{
	static const char *const own[] = {"weft-helper", "weft-agent"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

static void write_thread(struct record_tree *t, uint32_t index)
{
	const struct record_tree_thread *h = &t->thread.at[index];
	const struct record_tree_process *p = &t->process.at[h->process];
	/* A thread that has its program's name has none of its own. */
	const char *name = strcmp(h->name, p->program) == 0 ? "" : h->name;
	const uint64_t kind = is_own_thread(h->name) ? WEFT_THREAD_OF_WEFT : WEFT_THREAD_OF_PROGRAM;
	uint64_t word[] = {(uint64_t)h->tid, (h->process + 1) | kind << 32, h->begin};
	record_stream_meta(t->stream, &(struct weft_record){h->begin, WEFT_EV_THREAD, index + 1, 3, word}, name, strlen(name));
}

static void write_event(struct record_tree *t, uint32_t thread, uint64_t time, unsigned kind, int64_t value)
{
	uint64_t word = (uint64_t)value;
	struct weft_record r = {time, kind, 0, (uint32_t)weft_kind_info[kind].words, &word};
	record_stream_event(t->stream, &t->thread.at[thread].lane, &r);
}

/* The index of the process; made when it is not there. Negative when memory is out. */
static int64_t process_get(struct record_tree *t, pid_t pid, pid_t parent, uint64_t time)
{
	uint64_t index;
	if (weft_map_get(&t->process_of, (uint64_t)pid, &index))
		return (int64_t)index;
	index = t->process.n;
	struct record_tree_process p = {.pid = pid, .parent = parent, .begin = time};
	uint64_t maker;
	if (weft_map_get(&t->process_of, (uint64_t)parent, &maker))
		memcpy(p.program, t->process.at[maker].program, sizeof p.program);
	if (weft_map_put(&t->process_of, (uint64_t)pid, index) || weft_vec_push(&t->process, p))
		return -ENOMEM;
	write_process(t, (uint32_t)index);
	write_text(t, (uint32_t)index, time, WEFT_TEXT_HOST, t->host, strlen(t->host));
	write_text(t, (uint32_t)index, time, WEFT_TEXT_BOOT_ID, t->boot_id, strlen(t->boot_id));
	return (int64_t)index;
}

static int64_t thread_get(struct record_tree *t, pid_t pid, pid_t tid, pid_t parent, uint64_t time)
{
	uint64_t index;
	if (weft_map_get(&t->thread_of, (uint64_t)tid, &index))
		return (int64_t)index;
	int64_t process = process_get(t, pid, parent, time);
	if (process < 0)
		return process;
	struct record_tree_thread h = {.process = (uint32_t)process, .tid = tid, .begin = time};
	index = t->thread.n;
	h.lane.thread = (uint32_t)index + 1;
	memcpy(h.name, t->process.at[process].program, sizeof h.name);
	if (weft_map_put(&t->thread_of, (uint64_t)tid, index) || weft_vec_push(&t->thread, h))
		return -ENOMEM;
	t->process.at[process].live_threads++;
	write_thread(t, (uint32_t)index);
	write_event(t, (uint32_t)index, time, WEFT_EV_THREAD_BEGIN, 0);
	return (int64_t)index;
}

static void add_cpu(struct record_tree_process *p, const struct record_cpu *of)
{
	struct record_cpu *all = &p->cpu;
	if (of->of == RECORD_CPU_OF_PROCESS) {
		*all = *of;
		p->uncounted = 0;
	} else if (of->of == RECORD_CPU_OF_THREAD) {
		bool first = all->of == RECORD_CPU_UNKNOWN;
		*all = (struct record_cpu){.of = RECORD_CPU_OF_THREAD,
		                           .has_user = of->has_user && (first || all->has_user),
		                           .total_ns = all->total_ns + of->total_ns,
		                           .user_ns = all->user_ns + of->user_ns,
		                           .system_ns = all->system_ns + of->system_ns};
	} else {
		p->uncounted++;
	}
}

static void write_cpu(struct record_tree *t, uint32_t thread, uint64_t time, const struct record_tree_process *p)
{
	const struct record_cpu *c = &p->cpu;
	/* Accounts of threads lack what ran since the last tick: a process that lived shorter has nothing. */
	if (c->of == RECORD_CPU_UNKNOWN || p->uncounted || !c->total_ns)
		return;
	write_event(t, thread, time, WEFT_EV_CPU_TIME, (int64_t)c->total_ns);
	if (c->has_user)
		write_event(t, thread, time, WEFT_EV_USER_TIME, (int64_t)weft_cpu_user_ns(c->total_ns, c->user_ns, c->system_ns));
}

static void thread_end(struct record_tree *t, uint32_t index, const struct record_seen_event *e)
{
	struct record_tree_thread *h = &t->thread.at[index];
	struct record_tree_process *p = &t->process.at[h->process];
	uint64_t time = e->time;
	add_cpu(p, &e->cpu);
	if (--p->live_threads == 0) {
		bool is_command = p->pid == t->command;
		if (is_command && t->command_cpu.of != RECORD_CPU_UNKNOWN)
			add_cpu(p, &t->command_cpu);
		write_cpu(t, index, time, p);
		write_event(t, index, time, WEFT_EV_EXIT, is_command && t->command_status >= 0 ? t->command_status : e->status);
		weft_map_del(&t->process_of, (uint64_t)p->pid);
	}
	write_event(t, index, time, WEFT_EV_THREAD_END, 0);
	record_stream_end_lane(&h->lane);
	weft_map_del(&t->thread_of, (uint64_t)h->tid);
}

/* ---- what was seen ---- */

static void see_new(struct record_tree *t, uint32_t thread, const struct record_seen_event *e)
{
	uint64_t parent;
	(void)thread;
	if (e->what == RECORD_SEEN_PROCESS && weft_map_get(&t->thread_of, (uint64_t)e->parent_tid, &parent))
		write_event(t, (uint32_t)parent, e->time, WEFT_EV_FORK, e->pid);
}

/* All other threads have ended, whether the kernel said so or not. */
static void end_others(struct record_tree *t, uint32_t thread, uint64_t time)
{
	uint32_t process = t->thread.at[thread].process;
	for (uint32_t i = 0; i < t->thread.n && t->process.at[process].live_threads > 1; i++)
		if (i != thread && t->thread.at[i].process == process && t->thread.at[i].lane.writer.page)
			thread_end(t, i, &(struct record_seen_event){.time = time, .status = -1});
}

static void see_exec(struct record_tree *t, uint32_t thread, const struct record_seen_event *e)
{
	struct record_tree_thread *h = &t->thread.at[thread];
	struct record_tree_process *p = &t->process.at[h->process];
	if (p->live_threads > 1)
		end_others(t, thread, e->time);
	t->execs++;
	p->exec = true;
	memcpy(p->program, e->name, sizeof p->program);
	memcpy(h->name, e->name, sizeof h->name);
	write_process(t, h->process);
	write_thread(t, thread);
	write_text(t, h->process, e->time, WEFT_TEXT_COMMAND, e->command, e->command_bytes);
	write_text(t, h->process, e->time, WEFT_TEXT_EXE, e->exe, e->exe ? strlen(e->exe) : 0);
	write_event(t, thread, e->time, WEFT_EV_EXEC, 0);
}

static void see_name(struct record_tree *t, uint32_t thread, const struct record_seen_event *e)
{
	struct record_tree_thread *h = &t->thread.at[thread];
	if (strcmp(h->name, e->name) == 0)
		return;
	memcpy(h->name, e->name, sizeof h->name);
	write_thread(t, thread);
}

static void see_exit(struct record_tree *t, uint32_t thread, const struct record_seen_event *e)
{
	thread_end(t, thread, e);
}

void record_tree_see(void *tree, const struct record_seen_event *e)
{
	static void (*const see[])(struct record_tree *, uint32_t, const struct record_seen_event *) = {
		[RECORD_SEEN_PROCESS] = see_new, [RECORD_SEEN_THREAD] = see_new, [RECORD_SEEN_EXEC] = see_exec,
		[RECORD_SEEN_NAME] = see_name,   [RECORD_SEEN_EXIT] = see_exit,
	};
	struct record_tree *t = tree;
	int64_t thread = thread_get(t, e->pid, e->tid, e->parent_pid, e->time);
	if (thread < 0)
		t->unknown++;
	else
		see[e->what](t, (uint32_t)thread, e);
}

uint32_t record_tree_live(const struct record_tree *t)
{
	return (uint32_t)t->process_of.n;
}

int record_tree_init(struct record_tree *t, struct record_stream *s, pid_t command, const char *host, const char *boot_id)
{
	*t = (struct record_tree){.stream = s, .command = command, .command_status = -1, .host = host, .boot_id = boot_id};
	struct record_seen_event e = {
		.time = weft_monotonic_ns(),
		.what = RECORD_SEEN_PROCESS,
		.pid = command,
		.tid = command,
		.parent_pid = getpid(),
	};
	record_tree_see(t, &e);
	return t->unknown ? -ENOMEM : 0;
}

void record_tree_fini(struct record_tree *t)
{
	for (size_t i = 0; i < t->thread.n; i++)
		record_stream_end_lane(&t->thread.at[i].lane);
	free(t->thread.at);
	free(t->process.at);
	weft_map_fini(&t->thread_of);
	weft_map_fini(&t->process_of);
	*t = (struct record_tree){0};
}
