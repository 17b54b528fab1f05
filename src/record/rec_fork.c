/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children. All switches are off in a child at once, since they lie in wiped memory; so is the lock free, and no helper known.
 *
 *     fork()             the handler of pthread_atfork cuts the child off the parent's file, and switches on again: the first event
 *                        finds no page, comes to the slow path, and opens a stream of the child's own
 *     clone, _Fork       no handler: the child stays off, until it calls a function of ours other than an event, which sees by
 *                        wiped memory that it is in another process, and does the same
 *     vfork, posix_spawn share the parent's memory until they exec: their events are the parent's
 *
 * fork() copies the locks of the C library and of sanitizers as they are. A program of one thread need not care, and shall not have to
 * because of our helper: so fork() waits while we are in a function that takes such locks (pthread_create, dl_iterate_phdr).
 *
 * A handler may fork while it interrupts a record, the slow path, or a definition; the child then goes on with it. What that
 * code can still write is replaced by private memory, and stays mapped for the child's life.
 */
#include "rec_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define YIELDS 20
#define PAUSE_NS 50000
#define FOREIGN_MOST_NS 1000000000u /* who forks may hold a lock that they wait for */
#define FORKING_MOST_NS 100000000u

/* ---- Locks that are not ours ---- */

/* Until nobody is there any more; false after `most_ns`. */
static bool fork_wait(const struct weft_atomic_u32 *n, uint64_t most_ns)
{
	struct timespec pause = {0, PAUSE_NS};
	uint64_t from = weft_monotonic_ns();
	for (int i = 0; rec_look(n); i++) {
		if (i < YIELDS)
			sched_yield();
		else if (weft_monotonic_ns() - from < most_ns)
			(void)nanosleep(&pause, NULL);
		else
			return false;
	}
	return true;
}

static void fork_count(struct weft_atomic_u32 *n, uint32_t by)
{
	__atomic_fetch_add(&n->v, by, __ATOMIC_SEQ_CST);
}

/* With fork_prepare: each says what it does, then looks at the other; the one that forks goes first. */
bool rec_foreign_begin(bool wait)
{
	struct rec_wiped *w = rec.wiped;
	for (;;) {
		fork_count(&w->foreign, 1);
		if (!rec_look(&w->forking))
			return true;
		fork_count(&w->foreign, -1u);
		if (!wait || !fork_wait(&w->forking, FORKING_MOST_NS))
			return false;
	}
}

void rec_foreign_end(void)
{
	fork_count(&rec.wiped->foreign, -1u);
}

/* ---- Forks and exits as events, where `weft record` does not write them down ---- */

static bool fork_is_told(void)
{
	return weft_load_u32(&rec.init) == REC_READY && !rec.watched && weft_load_u32(&rec.on) && rec_stream();
}

/* The youngest child of this thread that has not been waited for; 0: none, or the kernel does not say. */
static uint32_t fork_last_child(void)
{
	char text[1024];
	uint32_t pid = 0, now = 0;
	ssize_t n;
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* Numbers with a blank behind each, the youngest last. */
	while ((n = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				now = now * 10 + (uint32_t)(text[i] - '0');
			} else {
				pid = now ? now : pid;
				now = 0;
			}
		}
	close(fd);
	return pid;
}

/* The handler is not told whom the fork made: it is the youngest child now, and was not before. */
static void fork_tell(void)
{
	int saved = errno;
	uint64_t child = fork_is_told() ? fork_last_child() : 0;
	if (child && child != rec_self.last_child)
		weft_record_slow(WEFT_EV_FORK | 1 << 8, 1, &child);
	errno = saved;
}

static void exit_keep_status(int status, void *none)
{
	(void)none;
	rec.exit_status = (status & 0xff) << 8;
	rec.exits = true;
}

void rec_exit_watch(void)
{
	uint32_t no = 0;
	if (!rec.watched && weft_cas_u32(&rec.exit_asked, &no, 1))
		(void)on_exit(exit_keep_status, NULL);
}

/* Not by a thread that has recorded nothing: it would have a row for that alone. */
void rec_exit_tell(void)
{
	uint64_t status = (uint64_t)rec.exit_status;
	struct weft_cpu_time cpu;
	struct rec_stream *s = rec_stream();
	bool seen = rec_self.slot && rec_self.slot->stream == s;
	if (!rec.exits || rec.watched || !seen || rec_stream_is_full(s))
		return;
	if (weft_process_cpu_time(0, &cpu)) {
		weft_record_slow(WEFT_EV_CPU_TIME | 1 << 8, 1, &cpu.total_ns);
		weft_record_slow(WEFT_EV_USER_TIME | 1 << 8, 1, &cpu.user_ns);
	}
	weft_record_slow(WEFT_EV_EXIT | 1 << 8, 1, &status);
}

static void fork_prepare(void)
{
	int saved = errno;
	rec_self.last_child = fork_is_told() ? fork_last_child() : 0;
	errno = saved;
	rec_self.forks = true;
	fork_count(&rec.wiped->forking, 1);
	(void)fork_wait(&rec.wiped->foreign, FOREIGN_MOST_NS);
}

static void fork_in_parent(void)
{
	/* Not when the handlers were set in the middle of its fork. */
	if (!rec_self.forks)
		return;
	rec_self.forks = false;
	fork_count(&rec.wiped->forking, -1u);
	fork_tell();
}

/* ---- Children ---- */

/* all: what this thread was in the middle of may write anywhere; own_files: the child has a table of files of its own. */
static void fork_forget(bool all, bool own_files)
{
	struct rec_stream *s = rec_stream();
	struct rec_slot *me = rec_self.slot;
	weft_store_ptr(&rec.stream, NULL);
	if (s) {
		struct rec_range keep[2] = {{0, 0}, {0, 0}};
		if (me && me->stream == s) {
			keep[0] = rec_range_of(weft_load_u64(&me->range));
			keep[1] = rec_range_of(weft_load_u64(&me->prev));
		}
		rec_space_forget(&s->space, keep, 2, all);
		if (own_files)
			rec_space_close_fd(&s->space);
	}
	rec_threads_forget();
	rec_self.limit = 0;
	rec_self.metering = 0;
	weft_thread_1.limit = 0;
	weft_thread_1.at = 0;
}

static void fork_begin(bool all, bool own_files)
{
	fork_forget(all, own_files);
	weft_store_u32(&rec.wiped->owner, ++rec.owner);
	if (weft_load_u32(&rec.on))
		rec_define_live_all();
}

/* Inside one of our own functions that writes the file: it goes on in the child, with the addresses that it has. */
static bool fork_interrupts_us(void)
{
	return rec_self.busy || rec_self.locked;
}

static void fork_in_child(void)
{
	rec_self.forks = false;
	if (weft_load_u32(&rec.init) != REC_READY)
		return;
	/* On kernels that do not wipe, this is what does it. */
	weft_store_u32(&rec.wiped->owner, 0);
	weft_store_u32(&rec.wiped->lock, 0);
	weft_store_u32(&rec.wiped->helper, REC_HELPER_NONE);
	weft_store_u32(&rec.wiped->forking, 0);
	weft_store_u32(&rec.wiped->foreign, 0);
	fork_begin(fork_interrupts_us(), true);
}

void rec_check_process(void)
{
	if (weft_load_u32(&rec.wiped->owner))
		return;
	/* Not by fork(): what it was in the middle of is unknown, and so is whether its files are its own (CLONE_FILES). */
	rec.no_helper = 1;
	fork_begin(true, false);
}

void rec_fork_init(void)
{
	(void)pthread_atfork(fork_prepare, fork_in_parent, fork_in_child);
}
