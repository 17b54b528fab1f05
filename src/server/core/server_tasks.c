/* SPDX-License-Identifier: Apache-2.0 */
/* See server_tasks.h. Under the session's lock a trace gets its tasks once; whoever comes meanwhile waits for that. */
#include "server_tasks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct server_tasks {
	struct task_view view;
};

static int tasks_load(struct server_trace *t, struct weft_err *err)
{
	struct server_tasks *s = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	int rc = task_view_load(&s->view, t->trace, err);
	if (!rc && s->view.tasks.has & WEFT_TASKS_HAS_EDGES) {
		rc = task_view_paths(&s->view, err);
		rc = rc == -ELOOP ? 0 : rc; /* without a critical path there are still tasks */
	}
	if (rc) {
		server_tasks_free(s);
		return rc;
	}
	t->tasks = s;
	return 0;
}

int server_tasks_get(const struct server_request *r, struct task_view *out, struct server_trace **trace)
{
	struct server_trace *t;
	int rc = server_arg_trace(r, &t);
	*out = (struct task_view){0};
	if (rc)
		return rc;
	pthread_mutex_lock(&r->session->tasks_lock);
	rc = t->tasks ? 0 : tasks_load(t, r->err);
	pthread_mutex_unlock(&r->session->tasks_lock);
	if (rc)
		return rc;
	*out = t->tasks->view;
	*trace = t;
	return 0;
}

void server_tasks_free(struct server_tasks *t)
{
	if (!t)
		return;
	task_view_fini(&t->view);
	free(t);
}

/* ---- charts ---- */

enum { WIDTH_MOST = 8192, SHOWN = 7, BOXES = 400, BOXES_MOST = 4000 };
static const char *const shown_names[SHOWN] = {"curves", "nodes", "events", "push", "pop", "transfers", "dependencies"};

static int chart_shown(const struct server_request *r, unsigned *show)
{
	const char *text = server_arg(r, "show");
	struct weft_str rest = weft_str(text ? text : "curves,nodes"), part;
	*show = 0;
	while (weft_str_cut(&rest, ',', &part)) {
		unsigned k = 0;
		while (k < SHOWN && !weft_str_eq(part, shown_names[k]))
			k++;
		if (k == SHOWN && part.n)
			return weft_err_set(r->err, -EINVAL, "'show': unknown '%.*s'", (int)(part.n < 40 ? part.n : 40), part.at);
		*show |= k < SHOWN ? 1u << k : 0;
	}
	return 0;
}

int server_task_chart(const struct server_request *r, struct task_view *v, const struct server_trace *t, struct gantt *g)
{
	static const char *const colours[] = {"states", "codelets"};
	uint64_t width;
	unsigned by = 0;
	*g = (struct gantt){.tasks = v};
	int rc = chart_shown(r, &g->show);
	if (!rc)
		rc = server_arg_u64(r, "width", 1, WIDTH_MOST, 1200, &width);
	if (!rc)
		rc = server_arg_choice(r, "colors", colours, 2, 0, &by);
	if (!rc && server_arg(r, "to"))
		rc = server_arg_range(r, t, &g->from, &g->to);
	else if (!rc)
		rc = gantt_range(g, NULL, r->err);
	if (rc)
		return rc;
	g->width = (unsigned)width;
	g->by_codelet = by;
	return gantt_compute(g);
}

int server_task_graph(const struct server_request *r, struct task_view *v, struct graph_view *g, struct graph_how *how)
{
	struct weft_filter *f = NULL;
	const char *filter = server_arg(r, "filter"), *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
	unsigned by = 0;
	uint64_t most = 0;
	bool paths;
	*g = (struct graph_view){0};
	int rc = server_arg_choice(r, "by", graph_by_names, GRAPH_FOLDINGS, GRAPH_AUTO, &by);
	if (!rc)
		rc = server_arg_u64(r, "most", 1, BOXES_MOST, BOXES, &most);
	*how = (struct graph_how){.by = (enum graph_by)by,
	                          .most = (uint32_t)most,
	                          .editor = graph_editor_of(editor),
	                          .source = "."};
	if (!rc)
		rc = task_filter(filter && *filter ? filter : NULL, v, &f, &paths, r->err);
	if (!rc)
		rc = graph_view_init(g, v, f, r->err);
	weft_filter_free(f);
	if (!rc)
		rc = graph_view_fold(g, how);
	if (!rc && g->fold.n > BOXES_MOST)
		rc = weft_err_set(r->err, -E2BIG, "%u boxes are too many for a page: fold more", g->fold.n);
	return rc ? rc : graph_view_place(g);
}
