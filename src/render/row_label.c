/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process is called by its name and rank; without a rank, and where others have its name, by its
 * place.
 */
#include "row_label.h"
#include <string.h>

static bool shares_its_name(const struct weft_trace *t, const struct weft_process *p)
{
	for (uint32_t i = 0; i < t->n_processes; i++)
		if (&t->process[i] != p && strcmp(t->process[i].name, p->name) == 0)
			return true;
	return false;
}

static void process_label(const struct weft_trace *t, uint32_t process, struct weft_buf *out)
{
	const struct weft_process *p = &t->process[process];
	if (!*p->name)
		weft_buf_puts(out, p->rank >= 0 ? "rank" : "process");
	else
		weft_buf_puts(out, p->name);
	if (p->rank >= 0)
		weft_buf_printf(out, " %d", p->rank);
	else if (shares_its_name(t, p))
		weft_buf_printf(out, " %u.%u", p->app + 1, process - t->app[p->app].first_process + 1);
}

static void thread_label(const struct weft_trace *t, uint32_t thread, struct weft_buf *out)
{
	const struct weft_thread_row *h = &t->thread[thread];
	const struct weft_process *p = &t->process[h->process];
	process_label(t, h->process, out);
	if (p->n_threads <= 1)
		return;
	weft_buf_puts(out, " \xc2\xb7 ");
	if (*h->name && strcmp(h->name, p->name) != 0)
		weft_buf_puts(out, h->name);
	else if (h->number == 1)
		weft_buf_puts(out, "main");
	else
		weft_buf_printf(out, "thread %u", h->number);
}

void row_label(const struct weft_space *s, enum weft_level level, uint32_t object, struct weft_buf *out)
{
	const struct weft_trace *t = s->trace;
	bool ours = strcmp(t->format, "prv") != 0;
	if (ours && level == WEFT_TASK)
		process_label(t, object, out);
	else if (ours && level == WEFT_THREAD)
		thread_label(t, object, out);
	else
		weft_object_label(s, level, object, out);
}
