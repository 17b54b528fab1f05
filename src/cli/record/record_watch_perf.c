/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watching through perf_event_open(2): a software event that counts nothing, with `task` and `comm` set, makes the kernel write
 * a record of each fork, exec, change of name and exit, with the time of CLOCK_MONOTONIC. Two kinds, of which the first that is
 * allowed is taken:
 *
 *     of a cpu        (CAP_PERFMON or root) one event for each cpu sees all processes of the machine; those of others are dropped
 *     of the command  (kernel.perf_event_paranoid <= 2) inherited by all its descendants; each new thread costs the kernel a copy
 *                     of one event for each cpu, since an inherited event with a ring must be bound to one
 *
 * Either way there is a ring for each cpu, and a fork writes into the ring of the cpu on which it happens: the records of one
 * thread may lie in several rings, and the queue sorts them. Static and set-uid programs are seen as well.
 *
 * perf does not say how a process ended. With events of cpus the kernel's accounts of threads are asked for, too (taskstats): they say
 * that, and the CPU time. With inherited events nobody says it but of the command, which we wait for.
 */
#include "record_watch.h"
#include "record_watch_taskstats.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES ((size_t)256 << 10) /* some 3500 forks between two looks; a power of two, and whole pages anywhere */

struct perf_ring {
	int fd;
	struct perf_event_mmap_page *control; /* mapped; the data follow in the next page */
};

struct perf_watch {
	struct perf_ring *ring;
	unsigned n_rings;
	size_t page;
	struct record_taskstats *stats; /* or NULL */
};

/* The end of every record, as asked for by sample_type. */
struct perf_tail {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
};
struct perf_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

static int perf_open(pid_t pid, int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.disabled = pid >= 0,
		.inherit = pid >= 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = 1,
		.enable_on_exec = pid >= 0,
		.task = 1,
		.watermark = 1,
		.sample_id_all = 1,
		.comm_exec = 1,
		.use_clockid = 1,
		.wakeup_watermark = RING_BYTES / 4, /* a wake-up for each record would cost the command more than the record */
		.clockid = CLOCK_MONOTONIC,
	};
	return (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void perf_close_rings(struct perf_watch *p)
{
	for (unsigned i = 0; i < p->n_rings; i++) {
		munmap(p->ring[i].control, p->page + RING_BYTES);
		close(p->ring[i].fd);
	}
	p->n_rings = 0;
}

/* One ring more; 0, also for a cpu that is not there. */
static int perf_add_ring(struct perf_watch *p, pid_t pid, int cpu)
{
	int fd = perf_open(pid, cpu);
	if (fd < 0)
		return errno == ENODEV ? 0 : -errno;
	void *at = mmap(NULL, p->page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		int error = errno;
		close(fd);
		return -error;
	}
	p->ring[p->n_rings++] = (struct perf_ring){fd, at};
	return 0;
}

/* pid: the command, or -1 for all processes. */
static int perf_open_rings(struct perf_watch *p, pid_t pid, long cpus)
{
	int rc = 0;
	for (int cpu = 0; cpu < cpus && rc == 0; cpu++)
		rc = perf_add_ring(p, pid, cpu);
	if (rc == 0 && p->n_rings == 0)
		rc = -ENODEV;
	if (rc)
		perf_close_rings(p);
	return rc;
}

static int perf_start(struct record_watch *w, struct weft_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct perf_watch *p = calloc(1, sizeof *p);
	if (!p || !(p->ring = calloc((size_t)cpus, sizeof *p->ring)) || weft_map_put(&w->ours, (uint64_t)w->command, 1)) {
		if (p)
			free(p->ring);
		free(p);
		return weft_err_sys(err, ENOMEM, "cannot watch through perf_event_open");
	}
	p->page = (size_t)sysconf(_SC_PAGESIZE);
	int rc = perf_open_rings(p, -1, cpus);
	w->sees_others = rc == 0;
	if (rc)
		rc = perf_open_rings(p, w->command, cpus);
	if (rc) {
		weft_map_fini(&w->ours);
		free(p->ring);
		free(p);
		return weft_err_sys(err, -rc, "cannot watch through perf_event_open");
	}
	if (w->sees_others && record_taskstats_open(&p->stats))
		p->stats = NULL; /* as in most containers: then only the command's end is known */
	w->priv = p;
	return 0;
}

static unsigned perf_descriptors(const struct record_watch *w, struct pollfd *at, unsigned n)
{
	const struct perf_watch *p = w->priv;
	unsigned count = p->n_rings < n ? p->n_rings : n;
	for (unsigned i = 0; i < count; i++)
		at[i] = (struct pollfd){p->ring[i].fd, POLLIN, 0};
	return count;
}

/* The accounts of threads that have ended. */
static void perf_complete(struct record_watch *w, struct record_taskstats *stats)
{
	struct record_account a;
	record_taskstats_fetch(stats);
	for (size_t i = 0; i < w->queue.event.n; i++) {
		struct record_seen_event *e = &w->queue.event.at[i];
		if (e->what != RECORD_SEEN_EXIT || e->cpu.of != RECORD_CPU_UNKNOWN || !record_taskstats_take(stats, e->tid, &a))
			continue;
		e->cpu = a.cpu;
		e->status = a.status;
	}
}

static void perf_decode(struct record_watch *w, const struct perf_event_header *h, const uint8_t *body)
{
	size_t n = h->size - sizeof *h;
	struct perf_tail tail;
	if (n < sizeof tail + sizeof(struct perf_task) - 8)
		return;
	memcpy(&tail, body + n - sizeof tail, sizeof tail);
	struct record_seen_event e = {.time = tail.time, .status = -1};

	if (h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT) {
		struct perf_task t;
		memcpy(&t, body, sizeof t);
		e.what = h->type == PERF_RECORD_EXIT ? RECORD_SEEN_EXIT
		         : t.pid == t.ppid           ? RECORD_SEEN_THREAD
		                                     : RECORD_SEEN_PROCESS;
		e.time = t.time;
		e.pid = (pid_t)t.pid;
		e.tid = (pid_t)t.tid;
		e.parent_pid = (pid_t)t.ppid;
		e.parent_tid = (pid_t)t.ptid;
	} else if (h->type == PERF_RECORD_COMM) {
		uint32_t id[2];
		size_t name = n - sizeof id - sizeof tail;
		memcpy(id, body, sizeof id);
		e.what = h->misc & PERF_RECORD_MISC_COMM_EXEC ? RECORD_SEEN_EXEC : RECORD_SEEN_NAME;
		e.pid = (pid_t)id[0];
		e.tid = (pid_t)id[1];
		memcpy(e.name, body + sizeof id, name < sizeof e.name ? name : sizeof e.name - 1);
		e.name[sizeof e.name - 1] = '\0';
		if (e.what == RECORD_SEEN_EXEC)
			record_seen_read_program(&e);
	} else if (h->type == PERF_RECORD_LOST) {
		uint64_t lost[2]; /* of which event, how many */
		memcpy(lost, body, sizeof lost);
		w->queue.lost += lost[1];
		return;
	} else {
		return;
	}
	record_queue_add(&w->queue, &e);
}

/* Bytes of the ring, which may wrap. */
static void perf_copy(const uint8_t *data, uint64_t from, void *to, size_t n)
{
	size_t at = from % RING_BYTES;
	size_t first = n < RING_BYTES - at ? n : RING_BYTES - at;
	memcpy(to, data + at, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static void perf_fetch_ring(struct record_watch *w, struct perf_ring *r, size_t page)
{
	const uint8_t *data = (const uint8_t *)r->control + page;
	uint8_t body[512];
	uint64_t head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->control->data_tail;
	while (tail < head) {
		struct perf_event_header h;
		perf_copy(data, tail, &h, sizeof h);
		size_t n = h.size - sizeof h;
		if (h.size < sizeof h || h.size > head - tail)
			break;
		if (n <= sizeof body) {
			perf_copy(data, tail + sizeof h, body, n);
			perf_decode(w, &h, body);
		}
		tail += h.size;
	}
	/* Partner: the kernel's acquire of data_tail before it overwrites what we have read. */
	__atomic_store_n(&r->control->data_tail, head, __ATOMIC_RELEASE);
}

static void perf_fetch(struct record_watch *w)
{
	struct perf_watch *p = w->priv;
	for (unsigned i = 0; i < p->n_rings; i++)
		perf_fetch_ring(w, &p->ring[i], p->page);
	if (p->stats)
		perf_complete(w, p->stats);
}

static bool perf_reap(struct record_watch *w, int *status)
{
	return record_wait_command(w, status);
}

static void perf_stop(struct record_watch *w)
{
	struct perf_watch *p = w->priv;
	perf_close_rings(p);
	record_taskstats_close(p->stats);
	free(p->ring);
	free(p);
}

const struct record_watch_backend record_watch_perf = {
	.name = "perf",
	.must_look = true,
	.start = perf_start,
	.descriptors = perf_descriptors,
	.fetch = perf_fetch,
	.reap = perf_reap,
	.stop = perf_stop,
};
