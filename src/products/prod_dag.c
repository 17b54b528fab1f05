/* SPDX-License-Identifier: Apache-2.0 */
/* dag.dot: a node for each task, filled with its colour, with the place of its submission behind it; an edge for each dependency. */
#include "products_priv.h"

static void put_node(struct export_out *o, const struct prod_program *p, uint32_t number)
{
	PUT(o, "\"task_");
	put_job(o, p, number);
	export_char(o, '"');
}

static void put_task(struct prod_set *s, const struct prod_trace *t, const struct weft_tasks_task *task)
{
	struct export_out *o = prod_out(s, PROD_DAG);
	const struct weft_tasks *k = &t->tasks;
	const struct prod_program *p = prod_program_of(s, t, task->process);
	for (uint32_t i = 0; i < task->n_before; i++) {
		const struct weft_tasks_task *from = &k->task[k->edge[task->before + i]];
		if (from->internal && !s->how->internal)
			continue;
		PUT(o, "\t ");
		put_node(o, p, from->number);
		PUT(o, "->");
		put_node(o, p, task->number);
		if (s->how->label_dependencies)
			export_text(o, from->end <= task->submit && task->submit != WEFT_NEVER ? " [label=\"ghost\"]"
			                                                                       : " [label=\"task\"]");
		export_char(o, '\n');
	}
	PUT(o, "\t ");
	put_node(o, p, task->number);
	PUT(o, " [ style=filled, label=\"");
	put_str(o, prod_called(t, task));
	PUT(o, "\", fillcolor=\"#");
	put_hex_digits(o, task->has_color ? task->color & 0xffffff : 0xaaaaaa, 6);
	PUT(o, "\", fontcolor=\"white\"]\n");
	if (!task->file)
		return;
	PUT(o, "\t ");
	put_node(o, p, task->number);
	PUT(o, " [ href=\"");
	put_str(o, prod_string(t, task->file));
	export_char(o, '#');
	export_u64(o, task->line);
	PUT(o, "\" ]\n");
}

void prod_dag_write(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_DAG);
	PUT(o, "digraph G {\n\tcolor=white\n\trankdir=LR;\nsubgraph cluster_0 {\n\tcolor=black;\n");
	for (uint32_t i = 0; i < s->n_traces; i++)
		for (uint32_t k = 0; k < s->trace[i].tasks.n; k++)
			if (!s->trace[i].tasks.task[k].internal || s->how->internal)
				put_task(s, &s->trace[i], &s->trace[i].tasks.task[k]);
	PUT(o, "}\n}\n");
}
