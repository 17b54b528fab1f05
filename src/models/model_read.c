/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a model file: it is a sequence of numbers; what stands on lines that begin with '#' is for people. So the reader
 * has one function, the next word, one for each kind of number, and one for each level. Counts are checked against what the
 * rest of the text can hold, so that a damaged count allocates nothing that the file does not pay for.
 */
#include "base/fs.h"
#include "base/str.h"
#include "model.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at, *end;
	const char *name;
	unsigned line;
	struct weft_err *err;
};

static int expected(const struct reader *r, const char *what)
{
	return weft_err_set(r->err, WEFT_E_SYNTAX, "%s:%u: expected %s", r->name, r->line, what);
}

static struct weft_str word(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n#", *r->at)) {
		if (*r->at == '#') {
			const char *line = memchr(r->at, '\n', (size_t)(r->end - r->at));
			r->at = line ? line : r->end;
			continue;
		}
		r->line += *r->at == '\n';
		r->at++;
	}
	const char *from = r->at;
	while (r->at < r->end && !strchr(" \t\r\n#", *r->at))
		r->at++;
	return weft_str_n(from, (size_t)(r->at - from));
}

static int whole(struct reader *r, const char *what, uint64_t most, uint64_t *out)
{
	uint64_t v;
	if (weft_parse_u64(word(r), &v) || v > most)
		return expected(r, what);
	*out = v;
	return 0;
}

static int small(struct reader *r, const char *what, uint32_t *out)
{
	uint64_t v;
	int rc = whole(r, what, UINT32_MAX, &v);
	if (!rc)
		*out = (uint32_t)v;
	return rc;
}

/* A count of things, each of which is `numbers` numbers: two bytes or more apiece. */
static int count(struct reader *r, const char *what, unsigned numbers, uint32_t *out)
{
	uint64_t v, most = (uint64_t)(r->end - r->at) / (2 * numbers);
	int rc = whole(r, what, most < UINT32_MAX ? most : UINT32_MAX, &v);
	if (!rc)
		*out = (uint32_t)v;
	return rc;
}

static int real(struct reader *r, const char *what, double *out)
{
	static const struct {
		const char *text;
		double value;
	} special[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
	struct weft_str w = word(r);
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (weft_str_eq(w, special[i].text)) {
			*out = special[i].value;
			return 0;
		}
	return weft_parse_double(w, out) ? expected(r, what) : 0;
}

static int hash(struct reader *r, uint32_t *out)
{
	struct weft_str w = word(r);
	uint32_t v = 0;
	if (!w.n || w.n > 8)
		return expected(r, "a footprint");
	for (size_t i = 0; i < w.n; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = memchr(digits, w.at[i], 16);
		if (!digit)
			return expected(r, "a footprint");
		v = v << 4 | (uint32_t)(digit - digits);
	}
	*out = v;
	return 0;
}

static void *room(struct reader *r, uint32_t n, size_t bytes, int *rc)
{
	void *at = n ? calloc(n, bytes) : NULL;
	if (n && !at)
		*rc = weft_err_set(r->err, -ENOMEM, "%s: cannot read: %s", r->name, weft_err_name(-ENOMEM));
	return at;
}

static int read_entry(struct reader *r, struct weft_model_entry *e)
{
	int rc = hash(r, &e->footprint);
	rc = rc ? rc : whole(r, "a size", UINT64_MAX, &e->size);
	rc = rc ? rc : real(r, "flops", &e->flops);
	rc = rc ? rc : real(r, "a mean", &e->mean);
	rc = rc ? rc : real(r, "a deviation", &e->deviation);
	rc = rc ? rc : real(r, "a sum", &e->sum);
	rc = rc ? rc : real(r, "a sum of squares", &e->sum2);
	return rc ? rc : small(r, "a number of samples", &e->n);
}

static int read_fit(struct reader *r, struct weft_model_fit *f)
{
	int rc = real(r, "sum of ln x", &f->sum_lnx);
	rc = rc ? rc : real(r, "sum of ln x squared", &f->sum_lnx2);
	rc = rc ? rc : real(r, "sum of ln y", &f->sum_lny);
	rc = rc ? rc : real(r, "sum of ln x ln y", &f->sum_lnx_lny);
	rc = rc ? rc : real(r, "alpha", &f->alpha);
	rc = rc ? rc : real(r, "beta", &f->beta);
	rc = rc ? rc : small(r, "a number of samples", &f->n);
	rc = rc ? rc : whole(r, "the smallest size", UINT64_MAX, &f->min_x);
	rc = rc ? rc : whole(r, "the largest size", UINT64_MAX, &f->max_x);
	rc = rc ? rc : real(r, "a", &f->a);
	rc = rc ? rc : real(r, "b", &f->b);
	rc = rc ? rc : real(r, "c", &f->c);
	uint32_t n = 0;
	rc = rc ? rc : count(r, "a number of coefficients", 1, &n);
	if (!rc)
		f->coeff = room(r, n, sizeof *f->coeff, &rc);
	f->n_coeff = f->coeff ? n : 0;
	for (uint32_t i = 0; i < f->n_coeff && !rc; i++)
		rc = real(r, "a coefficient", &f->coeff[i]);
	return rc;
}

static int read_impl(struct reader *r, struct weft_model_impl *impl)
{
	uint32_t n = 0;
	int rc = count(r, "a number of entries", 8, &n);
	rc = rc ? rc : read_fit(r, &impl->fit);
	if (!rc)
		impl->entry = room(r, n, sizeof *impl->entry, &rc);
	impl->n_entries = impl->entry ? n : 0;
	for (uint32_t i = 0; i < impl->n_entries && !rc; i++)
		rc = read_entry(r, &impl->entry[i]);
	return rc;
}

static int read_device(struct reader *r, struct weft_model_device *d)
{
	uint64_t type, id, cores;
	int rc = whole(r, "a type of device", INT32_MAX, &type);
	rc = rc ? rc : whole(r, "a device", INT32_MAX, &id);
	rc = rc ? rc : whole(r, "a number of cores", INT32_MAX, &cores);
	if (!rc)
		*d = (struct weft_model_device){(int)type, (int)id, (int)cores};
	return rc;
}

static int read_comb(struct reader *r, struct weft_model_comb *c)
{
	uint32_t n = 0;
	int rc = count(r, "a number of devices", 3, &n);
	if (!rc)
		c->device = room(r, n, sizeof *c->device, &rc);
	c->n_devices = c->device ? n : 0;
	for (uint32_t i = 0; i < c->n_devices && !rc; i++)
		rc = read_device(r, &c->device[i]);
	rc = rc ? rc : count(r, "a number of implementations", 14, &n);
	if (!rc)
		c->impl = room(r, n, sizeof *c->impl, &rc);
	c->n_impls = c->impl ? n : 0;
	for (uint32_t i = 0; i < c->n_impls && !rc; i++)
		rc = read_impl(r, &c->impl[i]);
	return rc;
}

int weft_model_parse(struct weft_model *m, const char *at, size_t n, const char *name, struct weft_err *err)
{
	struct reader r = {at, at + n, name, 1, err};
	*m = (struct weft_model){0};
	uint32_t version = 0, combs = 0;
	int rc = small(&r, "a version", &version);
	if (!rc && version != WEFT_MODEL_VERSION)
		rc = weft_err_set(err, WEFT_E_VERSION, "%s: a model of version %u, not %d", name, version, WEFT_MODEL_VERSION);
	rc = rc ? rc : count(&r, "a number of combinations", 2, &combs);
	if (!rc)
		m->comb = room(&r, combs, sizeof *m->comb, &rc);
	m->n_combs = m->comb ? combs : 0;
	for (uint32_t i = 0; i < m->n_combs && !rc; i++) {
		rc = read_comb(&r, &m->comb[i]);
		m->comb[i].number = i;
	}
	/* A number at the very end may be a part of one. */
	if (!rc && n && at[n - 1] != '\n')
		rc = expected(&r, "the end of a line: the file is cut off");
	if (rc)
		weft_model_fini(m);
	return rc;
}

int weft_model_read(struct weft_model *m, const char *path, struct weft_err *err)
{
	char *at;
	size_t n;
	*m = (struct weft_model){0};
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_model_parse(m, at ? at : "", n, path, err);
	free(at);
	return rc;
}
