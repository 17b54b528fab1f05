/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles, memory and copies as regions with attributes; nothing is computed that is not recorded.
 *
 * A handle is described once, at its registration or, where recording began later, at its first use
 * (`told`: a compare-and-swap decides which thread does it). Sizes and footprints that each access
 * records are kept with the key that they were computed from, and computed again when the key has
 * changed.
 */
#include "data_trace.h"
#include "replica.h"
#include "runtime/profile/prof_tool.h"
#include "runtime/profile/profile.h"
#include "runtime/task/watch.h"
#include "base/clock.h"
#include <string.h>

static const struct {
	uint32_t bit;
	const char *name;
} modes[] = {
	{STARPU_R, "R"}, {STARPU_W, "W"}, {STARPU_SCRATCH, "SCRATCH"}, {STARPU_REDUX, "REDUX"}, {STARPU_COMMUTE, "-C"},
};

const char *rt_mode_name(uint32_t mode, char *text, size_t size)
{
	char *at = text;
	*at = '\0';
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (mode & modes[i].bit && strlen(modes[i].name) < (size_t)(text + size - at))
			at = stpcpy(at, modes[i].name);
	return text;
}

struct weft_atomic_u32 rt_mode_strings[RT_MODE_STRINGS];

uint32_t rt_mode_string_new(uint32_t mode)
{
	char text[32];
	uint32_t id = weft_define_string(rt_mode_name(mode, text, sizeof text));
	weft_store_u32(&rt_mode_strings[mode % RT_MODE_STRINGS], id);
	return id;
}

/* Handles from before starpu_init() are described at their first use. */
static bool is_traced(void)
{
	return rt_data.runtime && rt_traced_meta();
}

static void add_registered(struct weft_bundle *b, starpu_data_handle_t h)
{
	char text[64] = "";
	if (h->ops->describe)
		h->ops->describe(h->replica[STARPU_MAIN_RAM].interface, text, sizeof text);
	weft_bundle_add(b, rt_detail.registering, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(b, rt_detail.handle, h);
	rt_detail_add(b, rt_detail.home, h->home);
	rt_detail_add(b, rt_detail.bytes, (int64_t)rt_data_size(h));
	if (h->parent)
		rt_detail_add_pointer(b, rt_detail.parent, h->parent);
	if (*text)
		rt_detail_add_text(b, rt_detail.description, text);
	weft_bundle_add(b, rt_detail.registering, WEFT_HEAD_LEAVE, 0);
}

static void add_named(struct weft_bundle *b, starpu_data_handle_t h)
{
	weft_bundle_add(b, rt_detail.naming, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(b, rt_detail.handle, h);
	rt_detail_add_text(b, rt_detail.name, h->name);
	weft_bundle_add(b, rt_detail.naming, WEFT_HEAD_LEAVE, 0);
}

static void add_placed(struct weft_bundle *b, starpu_data_handle_t h)
{
	weft_bundle_add(b, rt_detail.placing, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(b, rt_detail.handle, h);
	for (unsigned i = 0; i < h->dimensions; i++)
		rt_detail_add(b, rt_detail.coordinate, h->coordinates[i]);
	weft_bundle_add(b, rt_detail.placing, WEFT_HEAD_LEAVE, 0);
}

static size_t measure(starpu_data_handle_t h, uint32_t *footprint)
{
	*footprint = starpu_hash_crc32c_be(rt_data_footprint(h), (uint32_t)h->ops->interfaceid);
	return rt_data_size(h);
}

/* Only of StarPU's own interfaces: a program's may change in unknown ways. */
static bool keep_measure(starpu_data_handle_t h)
{
	bool known = h->ops->interfaceid < STARPU_MAX_INTERFACE_ID &&
	             rt_dense_key(h->replica[STARPU_MAIN_RAM].interface, h->measure.key);
	h->measure.bytes = measure(h, &h->measure.footprint);
	return known;
}

size_t rt_data_measure(starpu_data_handle_t h, uint32_t *footprint)
{
	if (WEFT_UNLIKELY(weft_load_u32(&h->told) != RT_TOLD_MEASURED) ||
	    !rt_dense_is(h->replica[STARPU_MAIN_RAM].interface, h->measure.key))
		return measure(h, footprint);
	*footprint = h->measure.footprint;
	return h->measure.bytes;
}

void rt_data_tell(starpu_data_handle_t h)
{
	struct weft_bundle b;
	uint32_t not = RT_TOLD_NOT;
	if (!weft_cas_u32(&h->told, &not, RT_TOLD_NOW))
		return;
	bool measured = keep_measure(h);
	weft_bundle_begin(&b);
	add_registered(&b, h);
	if (h->name)
		add_named(&b, h);
	if (h->dimensions)
		add_placed(&b, h);
	weft_bundle_record(&b);
	weft_store_u32(&h->told, measured ? RT_TOLD_MEASURED : RT_TOLD);
}

/* No other thread has it yet. */
void rt_data_trace_registered(starpu_data_handle_t h)
{
	if (is_traced())
		rt_data_tell(h);
}

void rt_data_trace_named(starpu_data_handle_t h)
{
	struct weft_bundle b;
	if (!h->name || !is_traced() || !weft_load_u32(&h->told))
		return;
	weft_bundle_begin(&b);
	add_named(&b, h);
	weft_bundle_record(&b);
}

void rt_data_trace_placed(starpu_data_handle_t h)
{
	struct weft_bundle b;
	if (!is_traced() || !weft_load_u32(&h->told))
		return;
	weft_bundle_begin(&b);
	add_placed(&b, h);
	weft_bundle_record(&b);
}

void rt_data_trace_memory(weft_region what, const struct rt_replica *r, bool cached)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail())
		return;
	weft_bundle_begin(&b);
	rt_detail_add_pointer(&b, rt_detail.handle, r->handle);
	rt_detail_add(&b, rt_detail.node, r->node);
	rt_detail_add(&b, rt_detail.bytes, (int64_t)r->bytes);
	if (cached)
		rt_detail_add(&b, rt_detail.cached, 1);
	weft_bundle_add(&b, what, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}

_Thread_local struct rt_copy_why rt_copy_why;

uint64_t rt_data_trace_copy(const struct rt_replica *from, const struct rt_replica *to)
{
	struct weft_bundle b;
	uint64_t since_ns = rt_is_watched_by(RT_WATCH_LIVE) ? weft_monotonic_ns() : 0;
	rt_tool_transfer(true, from->node, to->node, rt_data_size(to->handle));
	if (!rt_traced_in_detail())
		return since_ns;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.copying, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(&b, rt_detail.handle, to->handle);
	rt_detail_add(&b, rt_detail.from, from->node);
	rt_detail_add(&b, rt_detail.to, to->node);
	rt_detail_add(&b, rt_detail.bytes, (int64_t)rt_data_size(to->handle));
	rt_detail_add_text(&b, rt_detail.cause, rt_copy_why.cause ? rt_copy_why.cause : "fetch");
	if (rt_copy_why.task)
		rt_detail_add(&b, rt_detail.task, (int64_t)rt_copy_why.task);
	weft_bundle_record(&b);
	return since_ns;
}

void rt_data_trace_acquiring(starpu_data_handle_t h, uint32_t mode)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail())
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.acquiring, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(&b, rt_detail.handle, h);
	weft_bundle_add(&b, rt_detail.mode, WEFT_HEAD_ATTR_S, rt_mode_string(mode));
	weft_bundle_record(&b);
}

void rt_data_trace_state(starpu_data_handle_t h, unsigned node, const char *state)
{
	struct weft_bundle b;
	if (!rt_traced_in_detail() || !*rt_detail.data_state)
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.data_state, WEFT_HEAD_ENTER, 0);
	rt_detail_add_pointer(&b, rt_detail.handle, h);
	rt_detail_add(&b, rt_detail.node, node);
	rt_detail_add_text(&b, rt_detail.state, state);
	weft_bundle_add(&b, rt_detail.data_state, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}

static void count(struct rt_copied *c, size_t bytes)
{
	weft_count(c->trace, (int64_t)(weft_add_u64(&c->bytes, bytes) + bytes));
}

/*
 * Bytes are counted whether or not they are recorded: a recording that begins in the middle has
 * differences only, as of any counter.
 */
void rt_data_trace_copied(const struct rt_replica *from, const struct rt_replica *to, bool done, uint64_t since_ns)
{
	if (done) {
		size_t bytes = rt_data_size(to->handle);
		rt_tool_transfer(false, from->node, to->node, bytes);
		count(&rt_nodes[from->node].memory.out, bytes);
		count(&rt_nodes[to->node].memory.in, bytes);
		rt_profile_transferred(from->node, to->node, bytes, since_ns ? weft_monotonic_ns() - since_ns : 0);
	}
	weft_leave(rt_detail.copying);
}
