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
 * A handler may fork while it interrupts a record, the slow path, or a definition; the child then goes on with it. What that
 * code can still write is replaced by private memory, and stays mapped for the child's life.
 */
#include "rec_priv.h"
#include <pthread.h>
#include <unistd.h>

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
	if (weft_load_u32(&rec.init) != REC_READY)
		return;
	/* On kernels that do not wipe, this is what does it. */
	weft_store_u32(&rec.wiped->owner, 0);
	weft_store_u32(&rec.wiped->lock, 0);
	weft_store_u32(&rec.wiped->helper, REC_HELPER_NONE);
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
	(void)pthread_atfork(NULL, NULL, fork_in_child);
}
