/* SPDX-License-Identifier: Apache-2.0 */
#include "thread_states.h"
#include "trace/filter/nest.h"
#include "trace/store/cursor.h"

struct walk {
	struct weft_nest open;
	const bool *is_task;
	thread_state *call;
	void *arg;
	uint64_t at; /* up to where it has been told */
	bool begins;
};

static uint32_t region_now(const struct walk *w)
{
	if (!w->open.open.n)
		return 0;
	uint32_t outer = w->open.open.at[0];
	return w->is_task[outer] ? outer : w->open.open.at[w->open.open.n - 1];
}

static int tell_until(struct walk *w, uint64_t now)
{
	uint64_t from = w->at, to = now > from ? now : from;
	bool begins = w->begins;
	w->begins = false;
	w->at = to;
	return to > from || begins ? w->call(w->arg, region_now(w), from, to, begins) : 0;
}

static int walk_event(struct walk *w, uint64_t time, unsigned kind, uint32_t id)
{
	if (kind != WEFT_EV_ENTER && kind != WEFT_EV_LEAVE)
		return 0;
	int rc = tell_until(w, time);
	if (!rc)
		rc = kind == WEFT_EV_ENTER ? weft_nest_enter(&w->open, id) : weft_nest_leave(&w->open, id);
	w->begins = kind == WEFT_EV_ENTER && region_now(w) == id && (w->open.open.n == 1 || !w->is_task[id]);
	return rc;
}

int thread_states(const struct weft_trace *t, uint32_t thread, const bool *is_task, uint64_t until, thread_state *call, void *arg)
{
	struct walk w = {.is_task = is_task, .call = call, .arg = arg};
	struct weft_cursor c;
	struct weft_block b;
	int failed = 0, rc = weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	while (!failed && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && !failed; i++)
			failed = walk_event(&w, b.time[i], weft_what_kind(b.what[i]), weft_what_id(b.what[i]));
	weft_cursor_end(&c);
	rc = failed ? failed : rc;
	if (!rc)
		rc = tell_until(&w, until);
	weft_nest_fini(&w.open);
	return rc;
}
