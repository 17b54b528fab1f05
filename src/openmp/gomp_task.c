/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of GCC's runtime. It is given our function, and data with a header of ours in front, which says the program's function and the
 * task's number:
 *
 *     | header: words that the runtime reads and writes, function, number ... | the program's data, as aligned as before |
 *
 * The runtime copies data itself, or has a function do so (constructors). Which of the two it is stays as it was for tasks: those with a
 * function are run in spite of a cancellation. A taskloop says nothing of the tasks that it makes: where nothing can be cancelled, our
 * copying function is how we hear of each.
 */
#include "gomp_priv.h"
#include <stdlib.h>
#include <string.h>

/* Bits of `flags` in the runtime's interface. */
enum { FLAG_DEPEND = 8, FLAG_PRIORITY = 16, FLAG_DETACH = 1 << 13 };
enum { AT_ONCE = 192 }; /* bytes of data that need no memory from the heap */

typedef void copy_function(void *to, void *from);
struct header {
	void *first[3]; /* a detached task's event; a taskloop's range, and where its reductions begin */
	gomp_function *function;
	copy_function *copy; /* the program's, or NULL */
	void *from;          /* its data, until they are copied */
	uint64_t id;         /* 0: not known */
	uint32_t bytes;
	uint16_t words; /* of `first` that belong to the program's data */
	uint16_t code;
	uint32_t before; /* from the header to the program's data */
	uint32_t unused;
};

static void task_body(void *arg)
{
	struct header *h = arg;
	char *data = (char *)arg + h->before;
	weft_region body = openmp_codes[OPENMP_TASK][h->code].body;
	struct openmp_task t;
	memcpy(data, h->first, h->words * sizeof *h->first);
	openmp_task_begin(&t, body, h->id);
	h->function(data);
	openmp_task_end(&t, body);
}

static void task_copy(void *to, void *from)
{
	struct header *h = to;
	memcpy(h, from, sizeof *h);
	char *data = (char *)to + h->before;
	if (h->copy)
		h->copy(data, h->from);
	else
		memcpy(data, h->from, h->bytes);
}

/* Of a taskloop: one more task. */
static void loop_copy(void *to, void *from)
{
	struct header *h = to;
	task_copy(to, from);
	h->id = openmp_next_task(openmp_me());
	weft_flow_out(openmp.task, h->id);
}

static uint32_t align_up(size_t n, size_t to)
{
	return (uint32_t)((n + to - 1) & ~(to - 1));
}

static struct header header_of(gomp_function *fn, void *data, copy_function *copy, long bytes, long align)
{
	return (struct header){.function = fn,
	                       .copy = copy,
	                       .from = data,
	                       .bytes = (uint32_t)bytes,
	                       .code = (uint16_t)openmp_code_of(OPENMP_TASK, (const void *)fn),
	                       .before = align_up(sizeof(struct header), align < 8 ? 8 : (size_t)align)};
}

/* Header and data in one piece, as a runtime that copies itself wants them. */
struct piece {
	_Alignas(64) char room[sizeof(struct header) + AT_ONCE];
	void *heap;
};
static void *piece_make(struct piece *p, const struct header *h, size_t align)
{
	char *at = p->room;
	p->heap = NULL;
	if (h->before + h->bytes > sizeof p->room || align > 64) {
		size_t unit = align < 64 ? 64 : align;
		at = p->heap = aligned_alloc(unit, align_up(h->before + h->bytes, unit));
	}
	if (at) {
		memcpy(at, h, sizeof *h);
		memcpy(at + h->before, h->from, h->bytes);
	}
	return at;
}

/* ---- dependencies ---- */

enum { KIND_IN = 1 };

/*
 * The list begins with its length, and how many of the addresses behind are written. A later form begins with 0: then length, written, mutually
 * exclusive, read; and what is left are objects that say address and kind.
 */
static void depend(struct openmp_task *parent, uint64_t child, void **list)
{
	size_t n = (size_t)list[0], written = (size_t)list[1], read = n - written;
	void **at = list + 2;
	if (n == 0) {
		n = (size_t)list[1];
		written = (size_t)list[2] + (size_t)list[3];
		read = (size_t)list[4];
		at = list + 5;
	}
	for (size_t i = 0; i < n; i++) {
		bool is_object = i >= written + read;
		void *const *object = is_object ? at[i] : NULL;
		openmp_depend(&parent->depends, child, is_object ? object[0] : at[i],
		              is_object ? (uintptr_t)object[1] != KIND_IN : i < written);
	}
}

/* ---- the calls ---- */

typedef void task_call(gomp_function *, void *, copy_function *, long, long, _Bool, unsigned, void **, int, void *);

static uint64_t create_begin(unsigned flags, void **list, int priority)
{
	struct openmp_thread *me = openmp_me();
	uint64_t id = openmp_next_task(me);
	struct weft_bundle b;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, openmp.region[OPENMP_TASK_CREATE], WEFT_HEAD_ENTER, 0);
	weft_bundle_add(&b, openmp.task, WEFT_HEAD_FLOW_OUT, id);
	if (flags & FLAG_PRIORITY)
		weft_bundle_add(&b, openmp.priority, WEFT_HEAD_ATTR, (uint64_t)(int64_t)priority);
	weft_bundle_record(&b);
	if (flags & FLAG_DEPEND)
		depend(me->task, id, list);
	return id;
}

static void wrap_GOMP_task(gomp_function *fn, void *data, copy_function *copy, long bytes, long align, _Bool deferred,
                           unsigned flags, void **list, int priority, void *detach)
{
	task_call *real = GOMP_REAL(GOMP_task, task_call *);
	struct header h = header_of(fn, data, copy, bytes, align);
	struct piece p;
	h.id = create_begin(flags, list, priority);
	h.words = flags & FLAG_DETACH ? 1 : 0;
	void *whole = copy ? &h : piece_make(&p, &h, (size_t)align);
	if (whole)
		real(task_body, whole, copy ? task_copy : NULL, (long)h.before + bytes, align < 8 ? 8 : align, deferred, flags,
		     list, priority, detach);
	else
		real(fn, data, copy, bytes, align, deferred, flags, list, priority, detach);
	openmp_leave(OPENMP_TASK_CREATE);
	if (!copy)
		free(p.heap);
}

/* What the runtime writes into each task's copy: where its part of the range begins and ends. */
static void set_words(struct header *h)
{
	h->words = 2;
	if (h->bytes >= sizeof h->first)
		memcpy(h->first, h->from, sizeof h->first);
}

#define TASKLOOP(name, range) \
	static void wrap_##name(gomp_function *fn, void *data, copy_function *copy, long bytes, long align, unsigned flags, \
	                        unsigned long n, int priority, range start, range end, range step) \
	{ \
		typedef void call(gomp_function *, void *, copy_function *, long, long, unsigned, unsigned long, int, range, \
		                  range, range); \
		struct header h = header_of(fn, data, copy, bytes, align); \
		bool tells = copy || !gomp_can_cancel; \
		struct piece p; \
		set_words(&h); \
		openmp_enter(OPENMP_TASKLOOP); \
		void *whole = tells ? &h : piece_make(&p, &h, (size_t)align); \
		call *real = GOMP_REAL(name, call *); \
		if (whole) \
			real(task_body, whole, tells ? loop_copy : NULL, (long)h.before + bytes, align < 8 ? 8 : align, flags, \
			     n, priority, start, end, step); \
		else \
			real(fn, data, copy, bytes, align, flags, n, priority, start, end, step); \
		openmp_leave(OPENMP_TASKLOOP); \
		if (!tells) \
			free(p.heap); \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

const struct gomp_wrap gomp_tasks[] = {
	GOMP_WRAP(GOMP_task),
	GOMP_WRAP(GOMP_taskloop),
	GOMP_WRAP(GOMP_taskloop_ull),
	GOMP_END,
};
