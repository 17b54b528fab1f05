/* SPDX-License-Identifier: Apache-2.0 */
/* What a metric is, as a text: two metrics with one text have the same rows. Names are left out. */
#include "metric_cells_priv.h"
#include "base/map.h"
#include <errno.h>

static void put_list(struct weft_buf *out, const struct weft_list *l)
{
	weft_buf_putc(out, '(');
	for (uint32_t i = 0; i < l->n; i++) {
		char z[WEFT_FMT_DOUBLE];
		weft_buf_add(out, z, weft_fmt_double(z, l->at[i]));
		weft_buf_putc(out, ' ');
	}
	weft_buf_putc(out, ')');
}

static void put_call(struct weft_buf *out, const struct weft_call *c)
{
	weft_buf_puts(out, c->func ? c->func->name : "-");
	for (unsigned i = 0; i < WEFT_PARAMS; i++)
		put_list(out, &c->param[i]);
	weft_buf_putc(out, ';');
}

static void put_filter(struct weft_buf *out, const struct weft_record_filter *f)
{
	weft_buf_printf(out, "f%d%d%d%d%d%d%d", f->logical, f->physical, f->intra, f->inter, f->or_from_to, f->or_tag_size,
	                f->or_type_value);
	for (unsigned i = 0; i < WEFT_FILTERS; i++) {
		weft_buf_printf(out, "t%d", (int)f->test[i].kind);
		put_list(out, &f->test[i].list);
	}
}

/*
 * A derived metric that was put already is its number: made of itself twice over, the text would be
 * as long as the row's tree is wide.
 */
struct key {
	struct weft_buf *out;
	struct weft_map derived; /* address -> number */
	int rc;
};

static bool put_again(struct key *k, const struct weft_metric *m)
{
	uint64_t number = k->derived.n;
	if (!m->parent[0])
		return false;
	if (weft_map_get(&k->derived, (uintptr_t)m, &number)) {
		weft_buf_printf(k->out, "#%llu", (unsigned long long)number);
		return true;
	}
	if (!k->rc)
		k->rc = weft_map_put(&k->derived, (uintptr_t)m, number);
	return k->rc != 0;
}

static void put_metric(struct key *k, const struct weft_metric *m)
{
	struct weft_buf *out = k->out;
	if (put_again(k, m))
		return;
	weft_buf_printf(out, "{l%d u%d ", (int)m->level, (int)m->unit);
	for (unsigned i = 0; i < WEFT_LEVELS; i++) {
		put_call(out, &m->of_level[i]);
		put_call(out, &m->compose[i]);
	}
	put_call(out, &m->top[0]);
	put_call(out, &m->top[1]);
	for (uint32_t i = 0; i < m->n_extra; i++)
		put_call(out, &m->extra[i]);
	put_filter(out, &m->filter);
	for (unsigned i = 0; i < 2 && m->parent[0]; i++) {
		struct weft_list factor = {&m->factor[i], 1};
		weft_buf_printf(out, "s%d", (int)m->shift[i]);
		put_list(out, &factor);
		put_metric(k, m->parent[i]);
	}
	if (m->parent[0])
		put_call(out, &m->operation);
	weft_buf_putc(out, '}');
}

int metric_key(const struct weft_space *s, const struct weft_metric *m, struct weft_buf *out)
{
	weft_buf_printf(out, "rows 2 %d %d ", s->fill_gaps, s->own_threads);
	struct key k = {.out = out};
	put_metric(&k, m);
	weft_map_fini(&k.derived);
	return out->failed || k.rc ? -ENOMEM : 0;
}
