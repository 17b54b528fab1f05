/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replica.c against a model: main memory and three devices, two of them small, two of one kind. The model knows of each handle its
 * value, on which nodes it is valid and has memory, and in which order each node's memory was used; so it foretells every eviction and
 * every copy. Programs are random; after each step all that the model says is compared, and the bytes of each valid replica.
 *
 * Then the same with threads, where a model of the values alone must do.
 */
#include "harness.h"
#include "runtime/data/partition.h"
#include "runtime/data/cache.h"
#include "runtime/data/data.h"
#include "runtime/memory/memory.h"
#include "runtime/data/replica.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4, HANDLES = 6, BYTES = 64, STEPS = 20000, PINS = 4, NO_LIMIT = 1000 };
static const unsigned room[NODES] = {NO_LIMIT, 3, 2, NO_LIMIT}; /* in handles */
static const enum starpu_node_kind kinds[NODES] = {STARPU_CPU_RAM, STARPU_CUDA_RAM, STARPU_CUDA_RAM, STARPU_OPENCL_RAM};

static struct rt_runtime *runtime;
static starpu_data_handle_t handle[HANDLES];
static char at_home[HANDLES][BYTES];
static unsigned copies;
static bool copy_fails, copy_yields;

/* ---- devices: memory of the C library, whose copies are counted ---- */

static uintptr_t device_alloc(unsigned node, size_t size, int flags)
{
	(void)node, (void)flags;
	return (uintptr_t)malloc(size);
}

static void device_free(unsigned node, uintptr_t at, size_t size, int flags)
{
	(void)node, (void)size, (void)flags;
	free((void *)at);
}

static int device_copy(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async)
{
	(void)async;
	if (copy_fails)
		return -EIO;
	if (copy_yields)
		sched_yield();
	else
		copies++;
	memcpy((char *)to->base + to->offset, (const char *)from->base + from->offset, size);
	return 0;
}

static const struct rt_node_ops pair_ops = {.alloc = device_alloc, .free = device_free, .copy = device_copy, .between = true};
static const struct rt_node_ops single_ops = {.alloc = device_alloc, .free = device_free, .copy = device_copy};

static void begin(void)
{
	struct weft_err err = {0};
	struct rt_how how = {.workers = 1, .spin_ns = 1000};
	REQUIRE(rt_begin(&runtime, &how, &err) == 0);
	memset(rt_data.node, 0, sizeof rt_data.node);
	for (unsigned n = 0; n < NODES; n++)
		REQUIRE(rt_node_add(kinds[n], (int)n,
		                    !n       ? &rt_ram_ops
		                    : n == 3 ? &single_ops
		                             : &pair_ops,
		                    NULL, room[n] == NO_LIMIT ? -1 : (starpu_ssize_t)room[n] * BYTES) == (int)n);
	rt_reclaim = rt_replica_reclaim;
	rt_data.runtime = runtime;
	copy_fails = copy_yields = false;
	/* Every other handle has its home in main memory, the others have no value at first. */
	for (unsigned h = 0; h < HANDLES; h++)
		starpu_variable_data_register(&handle[h], h % 2 ? STARPU_MAIN_RAM : -1, h % 2 ? (uintptr_t)at_home[h] : 0, BYTES);
}

static void end(void)
{
	for (unsigned h = 0; h < HANDLES; h++)
		rt_handle_destroy(handle[h]);
	rt_cache_end();
	for (unsigned n = 0; n < NODES; n++)
		CHECK_U64(starpu_memory_get_used(n), 0);
	rt_reclaim = NULL;
	rt_nodes_end();
	rt_data.runtime = NULL;
	rt_end(runtime);
}

static char *memory_of(unsigned h, unsigned n)
{
	return (char *)((struct starpu_variable_interface *)handle[h]->replica[n].interface)->ptr;
}

static void fill(char *at, unsigned value)
{
	memset(at, (int)(value % 251), BYTES);
}

static bool holds(const char *at, unsigned value)
{
	for (unsigned i = 0; i < BYTES; i++)
		if ((unsigned char)at[i] != value % 251)
			return false;
	return true;
}

/* ---- the model ---- */

struct model_replica {
	bool memory, ours, valid;
	unsigned pins;
	uint64_t used;
};
struct model_handle {
	struct model_replica on[NODES];
	bool has_value, unwanted;
	unsigned value, readers, writers;
};
static struct {
	struct model_handle h[HANDLES];
	unsigned cached[NODES], copies;
	uint64_t clock;
} model;

static void model_begin(void)
{
	memset(&model, 0, sizeof model);
	copies = 0;
	for (unsigned h = 1; h < HANDLES; h += 2) {
		model.h[h].has_value = model.h[h].on[0].memory = model.h[h].on[0].valid = true;
		model.h[h].value = h;
		fill(at_home[h], h);
	}
}

static bool is_only_on(unsigned h, unsigned n)
{
	for (unsigned i = 0; i < NODES; i++)
		if (i != n && model.h[h].on[i].valid)
			return false;
	return true;
}

static unsigned used_on(unsigned n)
{
	unsigned used = model.cached[n];
	for (unsigned h = 0; h < HANDLES; h++)
		used += model.h[h].on[n].memory && model.h[h].on[n].ours;
	return used;
}

static void model_touch(unsigned h, unsigned n)
{
	if (model.h[h].on[n].ours)
		model.h[h].on[n].used = ++model.clock;
}

static bool model_read(unsigned h, unsigned n);

/* The handle that gives way: unwanted, then clean, then any; of these the one whose use is longest ago. -1: all are pinned. */
static int model_victim(unsigned n)
{
	int victim = -1;
	for (unsigned rank = 0; rank < 3 && victim < 0; rank++)
		for (unsigned h = 0; h < HANDLES; h++) {
			const struct model_replica *r = &model.h[h].on[n];
			bool fits = rank == 0 ? model.h[h].unwanted : rank == 1 ? !r->valid || !is_only_on(h, n) : true;
			if (r->ours && !r->pins && fits && (victim < 0 || r->used < model.h[victim].on[n].used))
				victim = (int)h;
		}
	return victim;
}

static void model_leave(unsigned h, unsigned n)
{
	if (model.h[h].on[n].valid && is_only_on(h, n))
		REQUIRE(model_read(h, 0));
	model.h[h].on[n] = (struct model_replica){.pins = model.h[h].on[n].pins};
}

static bool model_allocate(unsigned h, unsigned n)
{
	struct model_replica *r = &model.h[h].on[n];
	if (r->memory)
		return true;
	if (n && model.cached[n]) {
		model.cached[n]--;
	} else if (used_on(n) >= room[n]) {
		int victim = model_victim(n);
		if (victim < 0)
			return false;
		model_leave((unsigned)victim, n);
	}
	r->memory = r->ours = true;
	r->used = ++model.clock;
	return true;
}

static bool reaches(unsigned from, unsigned to)
{
	return !from || !to || (kinds[from] == kinds[to] && from != 3);
}

static bool model_read(unsigned h, unsigned n)
{
	struct model_replica *on = model.h[h].on;
	if (on[n].valid)
		return true;
	if (!model_allocate(h, n))
		return false;
	for (unsigned i = 0; i < NODES; i++) {
		if (i == n || !on[i].valid || !reaches(i, n))
			continue;
		model_touch(h, i);
		model_touch(h, n);
		model.copies++;
		return on[n].valid = true;
	}
	return model_read(h, 0) && model_read(h, n);
}

static void compare(void)
{
	for (unsigned n = 0; n < NODES; n++) {
		unsigned ours = 0, pinned = 0;
		for (unsigned h = 0; h < HANDLES; h++) {
			const struct model_replica *m = &model.h[h].on[n];
			const struct rt_replica *r = &handle[h]->replica[n];
			REQUIRE(r->valid == m->valid && r->allocated == m->memory && r->ours == m->ours && r->pins == m->pins);
			REQUIRE(!r->valid || model.h[h].writers || holds(memory_of(h, n), model.h[h].value));
			ours += m->ours;
			pinned += m->pins > 0;
		}
		REQUIRE(rt_data.node[n].n == ours && rt_data.node[n].pinned == pinned);
		CHECK_U64(starpu_memory_get_used(n), (uint64_t)(n ? used_on(n) : ours) * BYTES);
	}
	for (unsigned h = 0; h < HANDLES; h++) {
		bool plain = model.h[h].on[0].memory && model.h[h].on[0].valid && is_only_on(h, 0);
		REQUIRE((weft_load_ptr(&handle[h]->plain) != NULL) == plain);
		REQUIRE(handle[h]->initialized == model.h[h].has_value && handle[h]->writing == model.h[h].writers);
	}
	REQUIRE(copies == model.copies);
}

/* ---- programs ---- */

struct pin {
	unsigned h, n;
	uint32_t mode;
};
static struct pin pins[PINS];
static unsigned n_pins, values;

static unsigned below(unsigned n)
{
	return (unsigned)(test_random() % n);
}

/* Other replicas on the node that are pinned: all by this thread. */
static unsigned pinned_beside(unsigned h, unsigned n)
{
	unsigned k = 0;
	for (unsigned i = 0; i < HANDLES; i++)
		k += i != h && model.h[i].on[n].pins;
	return k;
}

static int model_get(unsigned h, unsigned n, uint32_t mode)
{
	struct model_handle *m = &model.h[h];
	model_touch(h, n);
	if (mode & RT_READ && !m->on[n].valid && !m->has_value)
		return -EINVAL;
	m->on[n].pins++;
	bool was_valid = m->on[n].valid;
	bool cancelled = mode & RT_UNASKED && m->writers && !was_valid;
	bool ok = cancelled || !(mode & RT_READ) ? model_allocate(h, n) : model_read(h, n);
	if (!ok || cancelled) {
		m->on[n].pins--;
		return ok ? -ECANCELED : -ENOMEM;
	}
	if (mode & RT_WRITE) {
		for (unsigned i = 0; i < NODES; i++)
			m->on[i].valid = i == n;
		m->has_value = true;
		m->unwanted = false;
		m->writers++;
	} else {
		m->readers++;
	}
	return 0;
}

static void get_some(uint32_t extra)
{
	static const uint32_t modes[] = {RT_READ, RT_WRITE, RT_READ | RT_WRITE, RT_READ};
	unsigned h = below(HANDLES), n = below(NODES);
	uint32_t mode = extra ? RT_READ | extra : modes[below(4)];
	/* Whom the order keeps apart: writers from all others. */
	if (n_pins == PINS || (!extra && (model.h[h].writers || (mode & RT_WRITE && model.h[h].readers))))
		return;
	unsigned beside = pinned_beside(h, n);
	int want = model_get(h, n, mode), got = rt_replica_get_beside(handle[h], n, mode, beside);
	CHECK_I64(got, want);
	if (got)
		return;
	if (mode & RT_WRITE)
		fill(memory_of(h, n), model.h[h].value = ++values);
	pins[n_pins++] = (struct pin){h, n, mode};
}

static void put_some(void)
{
	if (!n_pins)
		return;
	struct pin p = pins[below(n_pins)], *at = pins;
	while (at->h != p.h || at->n != p.n || at->mode != p.mode)
		at++;
	*at = pins[--n_pins];
	model.h[p.h].on[p.n].pins--;
	model.h[p.h].writers -= !!(p.mode & RT_WRITE);
	model.h[p.h].readers -= !(p.mode & RT_WRITE);
	rt_replica_put(handle[p.h], p.n, p.mode);
}

static bool is_pinned(unsigned h)
{
	return model.h[h].readers || model.h[h].writers;
}

static void evict_some(void)
{
	unsigned h = below(HANDLES), n = below(NODES);
	struct model_replica *r = &model.h[h].on[n];
	int want = 0;
	if (r->memory && (!r->ours || r->pins || (!n && r->valid && is_only_on(h, n))))
		want = -EBUSY;
	/* The value is under work: what is not valid elsewhere stays. */
	if (!want && r->memory) {
		model_leave(h, n);
		model.cached[n] += n != 0;
	}
	CHECK_I64(rt_replica_evict(&handle[h]->replica[n]), want);
}

static void clean_some(void)
{
	unsigned h = below(HANDLES), n = below(NODES);
	bool dirty = model.h[h].on[n].valid && is_only_on(h, n), busy = dirty && (!n || model.h[h].writers);
	if (dirty && n && !busy) {
		model_touch(h, n);
		REQUIRE(model_read(h, 0));
	} else if (busy && n) {
		model_touch(h, n); /* it asks for memory at home, and sees then that somebody writes */
		REQUIRE(model_allocate(h, 0));
	}
	CHECK_I64(rt_replica_clean(&handle[h]->replica[n]), busy ? -EBUSY : 0);
}

static void forget_some(void)
{
	unsigned h = below(HANDLES);
	bool frees = below(2);
	if (is_pinned(h))
		return;
	model.h[h].has_value = false;
	for (unsigned n = 0; n < NODES; n++) {
		struct model_replica *r = &model.h[h].on[n];
		r->valid = false;
		if (frees && r->ours) {
			*r = (struct model_replica){0};
			model.cached[n] += n != 0;
		}
	}
	rt_replica_invalidate(handle[h], frees);
}

static void get_at_once(void)
{
	unsigned h = below(HANDLES), n = below(NODES);
	uint32_t mode = below(2) ? RT_READ : RT_READ | RT_WRITE;
	if (n_pins == PINS || model.h[h].writers || (mode & RT_WRITE && model.h[h].readers))
		return;
	bool want = model.h[h].on[n].valid;
	CHECK(rt_replica_get_now(handle[h], n, mode) == want);
	if (!want)
		return;
	CHECK_I64(model_get(h, n, mode), 0);
	if (mode & RT_WRITE)
		fill(memory_of(h, n), model.h[h].value = ++values);
	pins[n_pins++] = (struct pin){h, n, mode};
}

static void step(void)
{
	unsigned h = below(HANDLES);
	switch (below(12)) {
	case 0:
		evict_some();
		break;
	case 1:
		clean_some();
		break;
	case 2:
		if (!below(4))
			forget_some();
		break;
	case 3:
		get_some(RT_UNASKED);
		break;
	case 4:
		get_at_once();
		break;
	case 5:
		handle[h]->wont_use = model.h[h].unwanted = true;
		break;
	case 6:
	case 7:
	case 8:
		put_some();
		break;
	default:
		get_some(0);
	}
}

TEST(replicas_evictions_and_copies_are_those_of_the_model)
{
	begin();
	model_begin();
	n_pins = 0;
	rt_replica_lock();
	for (unsigned i = 0; i < STEPS; i++) {
		step();
		compare();
	}
	CHECK(model.copies > STEPS / 20);
	while (n_pins)
		put_some();
	compare();
	rt_replica_unlock();
	end();
}

/* A copy that fails: the value stays where it is, the memory that was made for it stays, and nothing is pinned. */
TEST(a_copy_that_fails_loses_nothing)
{
	begin();
	rt_replica_lock();
	REQUIRE(rt_replica_get(handle[0], 1, RT_WRITE) == 0);
	fill(memory_of(0, 1), 7);
	rt_replica_put(handle[0], 1, RT_WRITE);
	copy_fails = true;
	CHECK_I64(rt_replica_get(handle[0], 2, RT_READ), -EIO);
	CHECK_I64(rt_replica_evict(&handle[0]->replica[1]), -EIO);
	CHECK_I64(rt_replica_clean(&handle[0]->replica[1]), -EIO);
	copy_fails = false;
	const struct rt_replica *r = handle[0]->replica;
	CHECK(r[1].valid && !r[0].valid && !r[2].valid && r[2].allocated);
	CHECK(!r[0].pins && !r[1].pins && !r[2].pins && !handle[0]->moves);
	CHECK_I64(rt_replica_evict(&handle[0]->replica[1]), 0);
	CHECK(holds(memory_of(0, 0), 7));
	rt_replica_unlock();
	end();
}

/* ---- threads: who excludes whom is held by locks of the test, as the order and the gate do ---- */

enum { THREADS = 3, VISITS = 1500 };
static pthread_rwlock_t excludes[HANDLES];
static unsigned shadow[HANDLES]; /* under these */
static struct weft_atomic_u32 wrong, running;

struct visitor {
	pthread_t thread;
	uint64_t seed;
};

static unsigned visitor_below(struct visitor *v, unsigned n)
{
	v->seed = v->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)((v->seed >> 33) % n);
}

static void visit(struct visitor *v)
{
	unsigned h = visitor_below(v, HANDLES), n = visitor_below(v, NODES);
	uint32_t mode = visitor_below(v, 3) ? RT_READ : RT_READ | RT_WRITE;
	if (mode & RT_WRITE)
		pthread_rwlock_wrlock(&excludes[h]);
	else
		pthread_rwlock_rdlock(&excludes[h]);
	rt_replica_lock();
	int rc = rt_replica_get(handle[h], n, mode);
	rt_replica_unlock();
	weft_add_u32(&wrong, rc != 0 || !holds(memory_of(h, n), shadow[h]));
	if (!rc && mode & RT_WRITE) {
		shadow[h] = visitor_below(v, 1000);
		fill(memory_of(h, n), shadow[h]);
	}
	rt_replica_lock();
	if (!rc)
		rt_replica_put(handle[h], n, mode);
	rt_replica_unlock();
	pthread_rwlock_unlock(&excludes[h]);
}

static void *visitor_main(void *arg)
{
	for (unsigned i = 0; i < VISITS; i++)
		visit(arg);
	weft_add_u32(&running, -1u);
	return NULL;
}

/* Moves what it likes, excluded from nothing: as prefetches and tidying do. */
static void *mover_main(void *arg)
{
	while (weft_load_u32(&running)) {
		unsigned h = visitor_below(arg, HANDLES), n = visitor_below(arg, NODES), what = visitor_below(arg, 3);
		rt_replica_lock();
		if (what == 0)
			(void)rt_replica_evict(&handle[h]->replica[n]);
		else if (what == 1)
			(void)rt_replica_clean(&handle[h]->replica[n]);
		else if (!rt_replica_get(handle[h], n, RT_READ | RT_UNASKED))
			rt_replica_put(handle[h], n, RT_READ);
		rt_replica_unlock();
	}
	return NULL;
}

TEST(threads_find_the_value_that_was_written_last)
{
	static struct visitor visitors[THREADS + 1];
	begin();
	copy_yields = true;
	weft_store_u32(&wrong, 0);
	weft_store_u32(&running, THREADS);
	rt_replica_lock();
	for (unsigned h = 0; h < HANDLES; h++) {
		REQUIRE(pthread_rwlock_init(&excludes[h], NULL) == 0);
		REQUIRE(rt_replica_get(handle[h], h % NODES, RT_WRITE) == 0);
		fill(memory_of(h, h % NODES), shadow[h] = h);
		rt_replica_put(handle[h], h % NODES, RT_WRITE);
	}
	rt_replica_unlock();
	for (unsigned i = 0; i <= THREADS; i++) {
		visitors[i].seed = test_random();
		REQUIRE(pthread_create(&visitors[i].thread, NULL, i < THREADS ? visitor_main : mover_main, &visitors[i]) == 0);
	}
	for (unsigned i = 0; i <= THREADS; i++)
		REQUIRE(pthread_join(visitors[i].thread, NULL) == 0);
	CHECK_U64(weft_load_u32(&wrong), 0);
	for (unsigned h = 0; h < HANDLES; h++)
		pthread_rwlock_destroy(&excludes[h]);
	end();
}
