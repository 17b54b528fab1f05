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
	for (unsigned i = 0; i < h->words; i++)
		((void **)(void *)data)[i] = h->first[i];
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
	else if (h->bytes)
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

/* Header and, for a runtime that copies itself, the data behind it, in one piece. */
struct piece {
	_Alignas(64) char room[sizeof(struct header) + AT_ONCE];
	void *heap; /* set where that does not suffice */
};

static struct header *header_make(struct piece *p, gomp_function *fn, void *data, copy_function *copy, const long *size,
                                  bool whole)
{
	size_t bytes = (size_t)size[0], align = (size_t)size[1] < 8 ? 8 : (size_t)size[1], unit = align < 64 ? 64 : align;
	uint32_t before = align_up(sizeof(struct header), align);
	struct header *h = (struct header *)p->room;
	p->heap = NULL;
	if (WEFT_UNLIKELY(whole && (before + bytes > sizeof p->room || align > 64)))
		h = p->heap = aligned_alloc(unit, align_up(before + bytes, unit));
	if (!h)
		return NULL;
	*h = (struct header){.function = fn, .copy = copy, .from = data, .bytes = (uint32_t)bytes, .before = before};
	h->code = (uint16_t)openmp_code_of(OPENMP_TASK, (const void *)fn);
	if (whole && bytes)
		memcpy((char *)h + before, data, bytes);
	return h;
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
	openmp_two(OPENMP_ENTER(openmp.region[OPENMP_TASK_CREATE]), OPENMP_FLOW_OUT(openmp.task, id));
	if (flags & FLAG_PRIORITY)
		weft_attr_int(openmp.priority, priority);
	if (flags & FLAG_DEPEND)
		depend(me->task, id, list);
	return id;
}

static void wrap_GOMP_task(gomp_function *fn, void *data, copy_function *copy, long bytes, long align, _Bool deferred,
                           unsigned flags, void **list, int priority, void *detach)
{
	task_call *real = GOMP_REAL(GOMP_task, task_call *);
	struct piece p;
	uint64_t id = create_begin(flags, list, priority);
	struct header *h = header_make(&p, fn, data, copy, (const long[]){bytes, align}, !copy);
	if (h) {
		h->id = id;
		h->words = flags & FLAG_DETACH ? 1 : 0;
		real(task_body, h, copy ? task_copy : NULL, (long)h->before + bytes, align < 8 ? 8 : align, deferred, flags, list,
		     priority, detach);
	} else {
		real(fn, data, copy, bytes, align, deferred, flags, list, priority, detach);
	}
	openmp_leave(OPENMP_TASK_CREATE);
	if (WEFT_UNLIKELY(p.heap != NULL))
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
		call *real = GOMP_REAL(name, call *); \
		bool tells = copy || !gomp_can_cancel; \
		struct piece p; \
		struct header *h = header_make(&p, fn, data, copy, (const long[]){bytes, align}, !tells); \
		openmp_enter(OPENMP_TASKLOOP); \
		if (h) { \
			set_words(h); \
			real(task_body, h, tells ? loop_copy : NULL, (long)h->before + bytes, align < 8 ? 8 : align, flags, n, \
			     priority, start, end, step); \
		} else { \
			real(fn, data, copy, bytes, align, flags, n, priority, start, end, step); \
		} \
		openmp_leave(OPENMP_TASKLOOP); \
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
