/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of perf for each thread and cpu, inherited by the threads that it makes; those of functions for each cpu. All events of a cpu write into one ring; its records are
 * fetched, sorted by time, and handed on when they are 20 ms old, as those of one thread lie in the rings of the cpus that it was on.
 */
#include "probe_outside_priv.h"
#include "base/clock.h"
#include "base/vec.h"
#include "probe_priv.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Who may lock as much memory has the larger ring; the other is what perf allows anybody for each cpu. */
enum {
	RING_MOST = 4 << 20,
	RING_LEAST = 512 << 10,
	STACK_BYTES = 16 << 10,
	SETTLED_NS = 20000000,
	FUNCTIONS_MOST = 64,
	ADDRESSES_MOST = 250
};

struct ring {
	int fd; /* of the event that made it; -1: there is none yet */
	struct perf_event_mmap_page *control;
	size_t bytes;
};
struct seen { /* a record, in `kept` */
	uint64_t time;
	size_t at;
	uint32_t sequence;
};
struct thread { /* with functions that are watched, and have not returned */
	pid_t tid;
	WEFT_VEC(struct outside_return) open;
};
#define OUTSIDE_NONE UINT32_MAX
struct function_id {
	uint64_t id;
	uint32_t function; /* OUTSIDE_NONE: the base event */
	bool leaves;
};
struct probe_outside {
	pid_t pid;
	uint64_t period_ns, lost;
	struct probe_outside_module module;
	WEFT_VEC(pid_t) tid;
	WEFT_VEC(int) fd;
	WEFT_VEC(struct function_id) id; /* which event a record is of */
	struct ring *ring;               /* by cpu. Owned */
	unsigned n_cpus;
	uint32_t n_functions;
	size_t page, ring_bytes;
	WEFT_VEC(uint8_t) kept;
	WEFT_VEC(struct seen) seen;
	struct outside_stack *stack;
	WEFT_VEC(struct thread) thread;
};

/* ---- the process ---- */

static int find_threads(struct probe_outside *o, struct weft_err *err)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)o->pid);
	DIR *dir = opendir(path);
	int rc = dir ? 0 : weft_err_sys(err, errno, "cannot list the threads of process %d", (int)o->pid);
	for (struct dirent *e; rc == 0 && (e = readdir(dir));)
		if (*e->d_name != '.' && weft_vec_push(&o->tid, (pid_t)atoi(e->d_name)))
			rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (dir)
		closedir(dir);
	return rc;
}

static int find_module(struct probe_outside *o, struct weft_err *err)
{
	struct probe_outside_module *m = &o->module;
	char path[64], line[4300], exe[sizeof m->path];
	snprintf(path, sizeof path, "/proc/%d/exe", (int)o->pid);
	ssize_t n = readlink(path, exe, sizeof exe - 1);
	if (n <= 0)
		return weft_err_sys(err, errno, "cannot read the program of process %d", (int)o->pid);
	exe[n] = 0;
	memcpy(m->path, exe, sizeof exe);
	snprintf(path, sizeof path, "/proc/%d/maps", (int)o->pid);
	FILE *f = fopen(path, "re");
	m->first = UINT64_MAX;
	while (f && fgets(line, sizeof line, f)) {
		unsigned long long first, end;
		char *name = strchr(line, '/');
		if (!name || sscanf(line, "%llx-%llx", &first, &end) != 2)
			continue;
		name[strcspn(name, "\n")] = 0;
		if (strcmp(name, exe) != 0)
			continue;
		m->first = first < m->first ? first : m->first;
		m->end = end > m->end ? end : m->end;
	}
	if (f)
		fclose(f);
	return m->end ? 0 : weft_err_set(err, -ENOENT, "the program of process %d is not mapped", (int)o->pid);
}

/* ---- events ---- */

static struct perf_event_attr base_attr(const struct probe_outside *o, bool kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = o->period_ns ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY,
		.sample_period = o->period_ns,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
	                       PERF_SAMPLE_STACK_USER,
		.sample_regs_user = OUTSIDE_REGS,
		.sample_stack_user = STACK_BYTES,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING_LEAST / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int make_ring(struct probe_outside *o, struct ring *r, int fd)
{
	void *at = mmap(NULL, o->page + o->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED && o->ring_bytes == RING_MOST) {
		o->ring_bytes = RING_LEAST;
		return make_ring(o, r, fd);
	}
	if (at == MAP_FAILED)
		return -errno;
	*r = (struct ring){fd, at, o->ring_bytes};
	return 0;
}

/* One event of one thread on one cpu. */
static int open_event(struct probe_outside *o, struct perf_event_attr *attr, pid_t tid, unsigned cpu, struct function_id id)
{
	struct ring *r = &o->ring[cpu];
	if (weft_vec_reserve(&o->fd, o->fd.n + 1) || weft_vec_reserve(&o->id, o->id.n + 1))
		return -ENOMEM;
	int fd = (int)syscall(SYS_perf_event_open, attr, tid, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == ENODEV || errno == ESRCH ? 0 : -errno; /* a cpu that is not there, a thread that has ended */
	o->fd.at[o->fd.n++] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id.id))
		return -errno;
	o->id.at[o->id.n++] = id;
	if (r->fd < 0)
		return make_ring(o, r, fd);
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) ? -errno : 0;
}

static int open_events(struct probe_outside *o, struct perf_event_attr *attr, struct function_id id)
{
	int rc = 0;
	for (size_t i = 0; i < o->tid.n && rc == 0; i++)
		for (unsigned cpu = 0; cpu < o->n_cpus && rc == 0; cpu++)
			rc = open_event(o, attr, o->tid.at[i], cpu, id);
	return rc;
}

static void close_events(struct probe_outside *o)
{
	for (unsigned i = 0; i < o->n_cpus; i++)
		if (o->ring[i].fd >= 0)
			munmap(o->ring[i].control, o->page + o->ring[i].bytes);
	for (size_t i = 0; i < o->fd.n; i++)
		close(o->fd.at[i]);
	for (unsigned i = 0; i < o->n_cpus; i++)
		o->ring[i].fd = -1;
	o->fd.n = o->id.n = 0;
}

/* Time in the kernel belongs to the function that called it, where it may be seen. */
static int open_base(struct probe_outside *o, struct weft_err *err)
{
	const struct function_id base = {.function = OUTSIDE_NONE};
	struct perf_event_attr attr = base_attr(o, true);
	int rc = open_events(o, &attr, base);
	if (rc == -EACCES || rc == -EPERM) {
		close_events(o);
		attr = base_attr(o, false);
		rc = open_events(o, &attr, base);
	}
	return rc ? weft_err_sys(err, -rc, "process %d has no dynamic linker, and cannot be seen through perf_event_open",
	                         (int)o->pid)
	          : 0;
}

static void raise_descriptors(void)
{
	struct rlimit most;
	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < most.rlim_max) {
		most.rlim_cur = most.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &most);
	}
}

int probe_outside_open(struct probe_outside **out, pid_t pid, uint64_t period_ns, struct weft_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct probe_outside *o = calloc(1, sizeof *o);
	*out = NULL;
	if (!o || !(o->ring = calloc((size_t)cpus, sizeof *o->ring))) {
		free(o);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	o->pid = pid;
	o->period_ns = period_ns;
	o->n_cpus = (unsigned)cpus;
	o->page = (size_t)sysconf(_SC_PAGESIZE);
	o->ring_bytes = RING_MOST;
	for (unsigned i = 0; i < o->n_cpus; i++)
		o->ring[i].fd = -1;
	raise_descriptors();
	int rc = find_module(o, err);
	rc = rc ? rc : find_threads(o, err);
	rc = rc ? rc : open_base(o, err);
	rc = rc ? rc : outside_stack_new(&o->stack, pid, o->module.path, &o->module, err);
	if (rc)
		probe_outside_close(o);
	else
		*out = o;
	return rc;
}

/* ---- functions ---- */

/* The kernel's kind of event, and whether it is one of returns. */
static int probe_attr(struct perf_event_attr *out, const char *path, uint64_t offset, bool leaves)
{
	unsigned type;
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	bool known = f && fscanf(f, "%u", &type) == 1;
	if (f)
		fclose(f);
	if (!known)
		return -ENOTSUP;
	*out = (struct perf_event_attr){
		.type = type,
		.size = sizeof *out,
		.config = leaves, /* bit 0 (format/retprobe) */
		.config1 = (uint64_t)(uintptr_t)path,
		.config2 = offset,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	                       (leaves ? 0 : PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER),
		.sample_regs_user = leaves ? 0 : OUTSIDE_REGS,
		.sample_stack_user = leaves ? 0 : 8, /* the return address */
		.disabled = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING_LEAST / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	return 0;
}

/*
 * Of all processes that run the program, for the kernel hands none of these on to threads that are made later (and those of the others then, neither):
 * the name of the file is where we are, not where the maker is.
 */
static int watch_one(struct probe_outside *o, uint64_t offset, struct weft_err *err)
{
	char path[64];
	int rc = 0;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)o->pid);
	for (int leaves = 0; leaves < 2 && rc == 0; leaves++) {
		struct perf_event_attr attr;
		rc = probe_attr(&attr, path, offset, leaves);
		const struct function_id id = {.function = o->n_functions, .leaves = leaves};
		for (unsigned cpu = 0; cpu < o->n_cpus && rc == 0; cpu++)
			rc = open_event(o, &attr, -1, cpu, id);
	}
	if (rc)
		return weft_err_sys(
			err, -rc,
			"functions of a process without a dynamic linker are watched by the kernel's probes, which cannot be set");
	o->n_functions++;
	return 0;
}

int probe_outside_watch(struct probe_outside *o, const char *name, probe_outside_named *says, void *arg, struct weft_err *err)
{
	struct probe_symbols all = {0};
	struct probe_image *image;
	int n = 0, rc = probe_image_open(o->module.path, NULL, &image, err);
	if (rc)
		return rc;
	if (probe_image_find(image, name, false, &all))
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < all.n && rc == 0 && o->n_functions < FUNCTIONS_MOST; i++) {
		uint64_t offset;
		if (all.at[i].clone == PROBE_COLD || all.at[i].clone == PROBE_PART ||
		    !outside_offset(o->stack, all.at[i].addr, &offset))
			continue;
		rc = watch_one(o, offset, err);
		if (rc == 0)
			says(arg, o->n_functions - 1, all.at[i].name);
		n += rc == 0;
	}
	if (rc == 0 && n == 0)
		rc = weft_err_set(err, -ENOENT, "'%s' has no function '%s'", o->module.path, name);
	free(all.at);
	probe_image_close(image);
	return rc ? rc : n;
}

int probe_outside_go(struct probe_outside *o, struct weft_err *err)
{
	for (size_t i = 0; i < o->fd.n; i++)
		if (ioctl(o->fd.at[i], PERF_EVENT_IOC_ENABLE, 0))
			return weft_err_sys(err, errno, "cannot watch process %d", (int)o->pid);
	return 0;
}

const struct probe_outside_module *probe_outside_module(const struct probe_outside *o)
{
	return &o->module;
}

/* ---- records ---- */

struct sample_head {
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
};
struct task_body { /* of a thread that ends */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

static void ring_copy(const struct ring *r, size_t page, uint64_t from, void *to, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->control + page;
	size_t at = from % r->bytes, first = n < r->bytes - at ? n : r->bytes - at;
	memcpy(to, data + at, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static int keep_record(struct probe_outside *o, const struct ring *r, uint64_t from, const struct perf_event_header *h)
{
	struct sample_head s;
	struct task_body t;
	if (h->type != PERF_RECORD_SAMPLE && h->type != PERF_RECORD_EXIT)
		return 0;
	size_t at = o->kept.n, n = h->size;
	if (n < sizeof *h + sizeof s || weft_vec_reserve(&o->kept, at + n) || weft_vec_reserve(&o->seen, o->seen.n + 1))
		return n < sizeof *h + sizeof s ? 0 : -ENOMEM;
	ring_copy(r, o->page, from, o->kept.at + at, n);
	memcpy(&s, o->kept.at + at + sizeof *h, sizeof s);
	memcpy(&t, o->kept.at + at + sizeof *h, sizeof t);
	o->kept.n += (n + 7) & ~(size_t)7;
	o->seen.at[o->seen.n] = (struct seen){h->type == PERF_RECORD_EXIT ? t.time : s.time, at, (uint32_t)o->seen.n};
	o->seen.n++;
	return 0;
}

static int fetch_ring(struct probe_outside *o, struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE), tail = r->control->data_tail;
	int rc = 0;
	while (rc == 0 && tail < head) {
		struct perf_event_header h;
		ring_copy(r, o->page, tail, &h, sizeof h);
		if (h.size < sizeof h)
			break;
		if (h.type == PERF_RECORD_LOST) {
			uint64_t lost[2];
			ring_copy(r, o->page, tail + sizeof h, lost, sizeof lost);
			o->lost += lost[1];
		}
		rc = keep_record(o, r, tail, &h);
		tail += h.size;
	}
	__atomic_store_n(&r->control->data_tail, tail, __ATOMIC_RELEASE);
	return rc;
}

static int seen_order(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static const struct function_id *id_of(const struct probe_outside *o, uint64_t id)
{
	for (size_t i = 0; i < o->id.n; i++)
		if (o->id.at[i].id == id)
			return &o->id.at[i];
	return NULL;
}

static struct thread *thread_of(struct probe_outside *o, pid_t tid)
{
	for (size_t i = 0; i < o->thread.n; i++)
		if (o->thread.at[i].tid == tid)
			return &o->thread.at[i];
	struct thread fresh = {.tid = tid};
	return weft_vec_push(&o->thread, fresh) ? NULL : &o->thread.at[o->thread.n - 1];
}

/* One that was jumped out of lies no higher than the next one. */
static void note_return(struct probe_outside *o, pid_t tid, const uint8_t *at, size_t n)
{
	struct thread *t = thread_of(o, tid);
	struct outside_registers r;
	struct outside_return found;
	if (!t || !outside_registers_read(at, n, &r) || r.stack_bytes < sizeof found.address)
		return;
	found.at = r.r[7];
	memcpy(&found.address, r.stack, sizeof found.address);
	while (t->open.n && t->open.at[t->open.n - 1].at <= found.at)
		t->open.n--;
	if (weft_vec_push(&t->open, found))
		o->lost++;
}

static int tell_sample(struct probe_outside *o, const uint8_t *at, size_t n, struct probe_outside_event *e,
                       probe_outside_see *see, void *arg)
{
	uint64_t address[ADDRESSES_MOST];
	struct outside_registers r;
	const struct thread *t = thread_of(o, e->tid);
	if (!t || !outside_registers_read(at, n, &r))
		return t ? 0 : -ENOMEM;
	r.replaced = t->open.at;
	r.n_replaced = t->open.n;
	e->n = outside_stack_walk(o->stack, e->tid, &r, address, ADDRESSES_MOST, &e->cut, &e->lost);
	struct probe_outside_event with = *e;
	with.address = address;
	return with.n ? see(arg, &with) : 0;
}

static int tell(struct probe_outside *o, const struct seen *seen, probe_outside_see *see, void *arg)
{
	const uint8_t *at = o->kept.at + seen->at;
	struct perf_event_header h;
	struct sample_head s;
	struct task_body t;
	memcpy(&h, at, sizeof h);
	at += sizeof h;
	memcpy(&s, at, sizeof s);
	memcpy(&t, at, sizeof t);
	if (h.type == PERF_RECORD_EXIT) {
		struct probe_outside_event end = {PROBE_OUTSIDE_THREAD_END, t.time, .tid = (pid_t)t.tid};
		return (pid_t)t.pid == o->pid ? see(arg, &end) : 0;
	}
	const struct function_id *id = id_of(o, s.id);
	if (!id || (pid_t)s.pid != o->pid)
		return 0;
	struct probe_outside_event e = {PROBE_OUTSIDE_SAMPLE, s.time, .tid = (pid_t)s.tid, .function = id->function};
	if (id->function == OUTSIDE_NONE)
		return tell_sample(o, at + sizeof s, h.size - sizeof h - sizeof s, &e, see, arg);
	e.what = id->leaves ? PROBE_OUTSIDE_LEAVE : PROBE_OUTSIDE_ENTER;
	if (!id->leaves)
		note_return(o, e.tid, at + sizeof s, h.size - sizeof h - sizeof s);
	else if (thread_of(o, e.tid) && thread_of(o, e.tid)->open.n)
		thread_of(o, e.tid)->open.n--;
	return see(arg, &e);
}

/* What has been told goes; the rest moves to the front. */
static void drop_told(struct probe_outside *o, size_t told)
{
	WEFT_VEC(uint8_t) rest = {0};
	size_t n = 0;
	bool failed = false;
	for (size_t i = told; i < o->seen.n; i++) {
		struct perf_event_header h;
		memcpy(&h, o->kept.at + o->seen.at[i].at, sizeof h);
		size_t bytes = ((size_t)h.size + 7) & ~(size_t)7;
		failed = failed || weft_vec_reserve(&rest, rest.n + bytes);
		if (failed) {
			o->lost++;
			continue;
		}
		memcpy(rest.at + rest.n, o->kept.at + o->seen.at[i].at, h.size);
		o->seen.at[n] = (struct seen){o->seen.at[i].time, rest.n, (uint32_t)n};
		n++;
		rest.n += bytes;
	}
	free(o->kept.at);
	o->kept.at = rest.at;
	o->kept.n = rest.n;
	o->kept.cap = rest.cap;
	o->seen.n = n;
}

int probe_outside_look(struct probe_outside *o, bool last, probe_outside_see *see, void *arg)
{
	uint64_t until = last ? UINT64_MAX : weft_monotonic_ns() - SETTLED_NS;
	size_t told = 0;
	int rc = 0;
	for (unsigned i = 0; i < o->n_cpus && rc == 0; i++)
		if (o->ring[i].fd >= 0)
			rc = fetch_ring(o, &o->ring[i]);
	if (o->seen.n)
		qsort(o->seen.at, o->seen.n, sizeof *o->seen.at, seen_order);
	for (; told < o->seen.n && o->seen.at[told].time <= until && rc == 0; told++)
		rc = tell(o, &o->seen.at[told], see, arg);
	drop_told(o, told);
	return rc;
}

uint64_t probe_outside_lost(const struct probe_outside *o)
{
	return o->lost;
}

void probe_outside_close(struct probe_outside *o)
{
	if (!o)
		return;
	close_events(o);
	outside_stack_free(o->stack);
	free(o->ring);
	free(o->tid.at);
	free(o->fd.at);
	free(o->id.at);
	free(o->kept.at);
	free(o->seen.at);
	for (size_t i = 0; i < o->thread.n; i++)
		free(o->thread.at[i].open.at);
	free(o->thread.at);
	free(o);
}
