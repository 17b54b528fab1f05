/* SPDX-License-Identifier: Apache-2.0 */
/* task/nodes: memory nodes, what was copied between them and why; task/copies: the copies of a range, one by one. */
#include "server/core/server_tasks.h"
#include "tasks/data_use.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES_MOST = 3000 };

static void put_copies(struct weft_json *j, const struct weft_use_copies *c)
{
	server_put_u64(j, "n", c->n);
	server_put_u64(j, "bytes", c->bytes);
	server_put_u64(j, "ns", c->ns);
}

static void put_node(struct weft_json *j, const struct weft_use_node *n)
{
	weft_json_object(j);
	server_put_u64(j, "process", n->process);
	server_put_u64(j, "number", n->number);
	server_put_string(j, "name", n->name);
	server_put_string(j, "kind", n->kind);
	server_put_u64(j, "most_allocated", n->most_allocated);
	server_put_u64(j, "most_managed", n->most_managed);
	server_put_u64(j, "mean_allocated", n->mean_allocated);
	server_put_u64(j, "allocations", n->allocations);
	server_put_u64(j, "reused", n->reused);
	server_put_u64(j, "refused", n->refused);
	server_put_u64(j, "evicted", n->evicted);
	weft_json_end(j);
}

int server_task_nodes(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *trace;
	struct server_json j;
	struct weft_use u = {0};
	int rc = server_tasks_get(r, &v, &trace);
	if (rc)
		return rc;
	rc = weft_use_compute(&v.tasks, &u);
	if (rc) {
		weft_use_fini(&u);
		return rc;
	}
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "nodes");
	weft_json_array(w);
	for (uint32_t k = 0; k < u.n_nodes; k++)
		put_node(w, &u.node[k]);
	weft_json_end(w);
	weft_json_key(w, "ways");
	weft_json_array(w);
	for (uint32_t k = 0; k < u.n_ways; k++) {
		weft_json_object(w);
		server_put_u64(w, "process", u.way[k].process);
		server_put_u64(w, "from", u.way[k].from);
		server_put_u64(w, "to", u.way[k].to);
		put_copies(w, &u.way[k].copies);
		weft_json_end(w);
	}
	weft_json_end(w);
	weft_json_key(w, "causes");
	weft_json_array(w);
	for (uint32_t k = 0; k < u.n_causes; k++) {
		weft_json_object(w);
		server_put_string(w, "cause", weft_tasks_text(&v.tasks, u.cause[k].cause));
		put_copies(w, &u.cause[k].copies);
		weft_json_end(w);
	}
	weft_json_end(w);
	weft_json_end(w);
	weft_use_fini(&u);
	return server_json_end(&j, a);
}

int server_task_copies(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *trace;
	struct server_json j;
	uint64_t from, to;
	uint32_t n = 0, all = 0;
	int rc = server_tasks_get(r, &v, &trace);
	if (!rc)
		rc = server_arg_range(r, trace, &from, &to);
	if (rc)
		return rc;
	const struct weft_tasks *t = &v.tasks;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	weft_json_key(w, "copies"); /* [start, end, from, to, bytes, cause, datum, task] */
	weft_json_array(w);
	for (uint32_t k = 0; k < t->n_copies; k++) {
		const struct weft_tasks_copy *c = &t->copy[k];
		if (c->start == WEFT_NEVER || c->start >= to || (c->end != WEFT_NEVER && c->end <= from))
			continue;
		all++;
		if (n == COPIES_MOST)
			continue;
		n++;
		uint32_t data = c->by_interface ? WEFT_TASKS_NO_ONE : weft_tasks_data_at(t, c->process, c->handle, c->start);
		weft_json_array(w);
		weft_json_u64(w, c->start);
		weft_json_i64(w, c->end == WEFT_NEVER ? -1 : (int64_t)c->end);
		weft_json_u64(w, c->from);
		weft_json_u64(w, c->to);
		weft_json_u64(w, c->bytes);
		weft_json_string(w, weft_tasks_text(t, c->cause));
		weft_json_string(w, data < t->n_data ? weft_tasks_text(t, t->data[data].name) : "");
		weft_json_i64(w, c->task == WEFT_TASKS_NO_ONE ? -1 : (int64_t)c->task);
		weft_json_end(w);
	}
	weft_json_end(w);
	server_put_u64(w, "all", all);
	weft_json_end(w);
	return server_json_end(&j, a);
}
