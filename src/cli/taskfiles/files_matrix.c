/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files matrix`, starpu_mpi_comm_matrix.py: how much each program sent to each. Reads comms.rec, or the output of a program that ran
 * with STARPU_MPI_STATS=1 ("[starpu_comm_stats][0:1] 409600.000000 B …").
 */
#include "files_cli.h"
#include "base/log.h"
#include "taskfiles/rec_file.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 4096, CELL = 44, LEFT = 70, TOP = 76, WIDTH_LEAST = 440 };

struct way {
	uint32_t src, dst;
	uint64_t n;
	double bytes, timed_bytes, ms, per_s; /* ms: that timed_bytes took; per_s: bytes/s that the program said */
};
struct matrix {
	struct weft_map of; /* src << 32 | dst -> index */
	WEFT_VEC(struct way) way;
	uint32_t ranks;
	bool volume; /* what is drawn; else bandwidth */
	const char *title;
};

static int add(struct matrix *m, const struct way *w)
{
	uint64_t at, key = (uint64_t)w->src << 32 | w->dst;
	if (!weft_map_get(&m->of, key, &at)) {
		at = m->way.n;
		if (weft_vec_push(&m->way, (struct way){.src = w->src, .dst = w->dst}) || weft_map_put(&m->of, key, at))
			return -ENOMEM;
	}
	struct way *to = &m->way.at[at];
	to->n += w->n;
	to->bytes += w->bytes;
	to->timed_bytes += w->timed_bytes;
	to->ms += w->ms;
	to->per_s += w->per_s;
	m->ranks = w->src >= m->ranks ? w->src + 1 : m->ranks;
	m->ranks = w->dst >= m->ranks ? w->dst + 1 : m->ranks;
	return 0;
}

static double bandwidth(const struct way *w)
{
	return w->per_s > 0 ? w->per_s / 1e6 : w->ms > 0 ? w->timed_bytes / w->ms / 1e3 : NAN;
}

/* A record of comms.rec. Clocks of nodes may be apart: what arrived before it was sent says nothing of time. */
static int add_record(struct matrix *m, const struct record *r, struct text_lines *t, struct weft_err *err)
{
	uint64_t src = 0, dst = 0, bytes = 0;
	double sent = 0, received = 0;
	int rc = record_u64(r, t, "Src", &src, err);
	rc = rc ? rc : record_u64(r, t, "Dst", &dst, err);
	rc = rc ? rc : record_u64(r, t, "Size", &bytes, err);
	rc = rc ? rc : record_double(r, t, "SendTime", &sent, err);
	rc = rc ? rc : record_double(r, t, "RecvTime", &received, err);
	if (!rc && (src >= RANKS_MOST || dst >= RANKS_MOST))
		rc = weft_err_set(err, WEFT_E_SYNTAX, "%s:%" PRIu64 ": expected ranks below %d", text_lines_name(t), r->line,
		                  RANKS_MOST);
	struct way w = {.src = (uint32_t)src, .dst = (uint32_t)dst, .n = 1, .bytes = (double)bytes};
	if (received > sent) {
		w.timed_bytes = (double)bytes;
		w.ms = received - sent;
	}
	return rc ? rc : add(m, &w) ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
}

/* "[starpu_comm_stats][0:1]\t409600.000000 B\t0.390625 MB\t 0.585043 B/s\t …": true when it is one. */
static bool parse_output(struct weft_str line, struct way *w)
{
	static const char head[] = "[starpu_comm_stats][";
	uint64_t src, dst;
	struct weft_str rest = line, part, from, word;
	if (line.n < sizeof head || memcmp(line.at, head, sizeof head - 1) != 0)
		return false;
	rest = weft_str_n(line.at + sizeof head - 1, line.n - sizeof head + 1);
	if (!weft_str_cut(&rest, ']', &part) || !weft_str_cut(&part, ':', &from) || weft_parse_u64(from, &src) || !part.at ||
	    weft_parse_u64(part, &dst) || src >= RANKS_MOST || dst >= RANKS_MOST || !rest.at)
		return false;
	*w = (struct way){.src = (uint32_t)src, .dst = (uint32_t)dst};
	double before = NAN;
	rest = weft_str_trim(rest);
	while ((word = weft_str_word(&rest)).n) {
		if (weft_str_eq(word, "B"))
			w->bytes = before;
		else if (weft_str_eq(word, "B/s"))
			w->per_s = before;
		else if (weft_parse_double(word, &before))
			before = NAN;
	}
	return w->bytes >= 0 && w->bytes < 1e18 && isfinite(w->per_s);
}

static int read_output(struct matrix *m, struct text_lines *t, struct weft_err *err)
{
	struct weft_str line;
	struct way w;
	int rc;
	while ((rc = text_lines_next(t, &line, err)) > 0)
		if (parse_output(line, &w) && add(m, &w))
			return weft_err_set(err, -ENOMEM, "out of memory");
	return rc         ? rc
	       : m->ranks ? 0
	                  : weft_err_set(err, WEFT_E_SYNTAX,
	                                 "%s: no line '[starpu_comm_stats][0:1] …', as STARPU_MPI_STATS=1 makes them",
	                                 text_lines_name(t));
}

static int read_matrix(struct matrix *m, const char *path)
{
	struct text_lines *t;
	struct record r = {.line = 0};
	struct weft_err err = {0};
	int rc, status = files_open(&t, path);
	if (status)
		return status;
	if (files_is_rec(path))
		while ((rc = record_next(&r, t, &err)) > 0 && !(rc = add_record(m, &r, t, &err)))
			;
	else
		rc = read_output(m, t, &err);
	record_fini(&r);
	text_lines_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

/* ---- drawing ---- */

/* From white to a dark blue. */
static uint32_t shade(double share)
{
	static const double dark[] = {8, 48, 107};
	uint32_t color = 0;
	for (int i = 0; i < 3; i++)
		color = color << 8 | (uint32_t)(255 - share * (255 - dark[i]) + 0.5);
	return color;
}

static double shown(const struct matrix *m, const struct way *w)
{
	double v = m->volume ? w->bytes / 1e6 : bandwidth(w);
	return isfinite(v) ? v : 0;
}

static int draw(void *arg, enum weft_picture_form form, struct weft_buf *out)
{
	const struct matrix *m = arg;
	double cell = m->ranks > 24 ? 1000.0 / m->ranks : CELL, most = 0, size = cell * m->ranks;
	struct picture p;
	char text[40];
	int rc = picture_begin(&p, form, out, (unsigned)fmax(LEFT + size + 40, WIDTH_LEAST), (unsigned)(TOP + size + 50),
	                       m->title);
	picture_text(&p, LEFT, 26, SVG_LEFT, "t", m->title, 0);
	picture_text(&p, LEFT, 46, SVG_LEFT, "s", "rows send, columns receive", 0);
	for (size_t i = 0; i < m->way.n; i++)
		most = fmax(most, shown(m, &m->way.at[i]));
	for (size_t i = 0; i < m->way.n && !rc; i++) {
		const struct way *w = &m->way.at[i];
		double v = shown(m, w),
		       share = most > 0 ? v / most * (cell >= CELL ? 0.55 : 1) : 0; /* a number can be read on it */
		picture_rect(&p, LEFT + cell * w->dst, TOP + cell * w->src, cell, cell, shade(share), 0);
		snprintf(text, sizeof text, "%.3g", v);
		if (cell >= CELL)
			picture_text(&p, LEFT + cell * (w->dst + 0.5), TOP + cell * (w->src + 0.5) + 4, SVG_MIDDLE, "b", text, 0);
	}
	unsigned step = m->ranks > 24 ? m->ranks / 12 : 1;
	for (uint32_t i = 0; i < m->ranks && !rc; i += step) {
		snprintf(text, sizeof text, "%u", i);
		picture_text(&p, LEFT - 8, TOP + cell * (i + 0.5) + 4, SVG_RIGHT, "l", text, 0);
		picture_text(&p, LEFT + cell * (i + 0.5), TOP - 8, SVG_MIDDLE, "l", text, 0);
	}
	snprintf(text, sizeof text, "darkest: %.4g %s", most, m->volume ? "MB" : "MB/s");
	picture_text(&p, LEFT, TOP + size + 22, SVG_LEFT, "s", text, 0);
	int ended = picture_end(&p);
	return rc ? rc : ended;
}

/* Two pictures, as StarPU's script makes them. */
static int draw_both(const struct files_args *a, struct matrix *m, const char *path)
{
	char name[4300], stem[80];
	int status = CLI_OK;
	files_stem(path, stem, sizeof stem);
	for (int i = 0; i < 2 && !status; i++) {
		m->volume = !i;
		m->title = i ? "Bandwidth between programs (MB/s)" : "Sent between programs (MB)";
		snprintf(name, sizeof name, "%s_%s.%s", stem, i ? "bandwidth" : "volume", a->png ? "png" : "pdf");
		status = files_picture(a, name, draw, m);
	}
	return status;
}

static int print(const struct files_args *a, const struct matrix *m)
{
	static const struct weft_column columns[] = {{"src", "from", WEFT_CELL_U64},
	                                             {"dst", "to", WEFT_CELL_U64},
	                                             {"n", "messages", WEFT_CELL_U64},
	                                             {"bytes", "bytes", WEFT_CELL_U64},
	                                             {"mb_per_s", "MB/s", WEFT_CELL_DOUBLE}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, columns, 5);
	for (size_t i = 0; i < m->way.n && !rc; i++) {
		const struct way *w = &m->way.at[i];
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_U64, {.u64 = w->src}},
		                                             {WEFT_CELL_U64, {.u64 = w->dst}},
		                                             {w->n ? WEFT_CELL_U64 : WEFT_CELL_NONE, {.u64 = w->n}},
		                                             {WEFT_CELL_U64, {.u64 = (uint64_t)w->bytes}},
		                                             {WEFT_CELL_DOUBLE, {.f64 = bandwidth(w)}}});
	}
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

int files_matrix(const struct files_args *a, char **operand, int n)
{
	struct matrix m = {.volume = true, .title = "Sent between programs (MB)"};
	int status = read_matrix(&m, operand[0]);
	(void)n;
	if (!status && a->foreign)
		status = draw_both(a, &m, operand[0]);
	else if (!status)
		status = a->output ? files_picture(a, a->output, draw, &m) : print(a, &m);
	weft_map_fini(&m.of);
	free(m.way.at);
	return status;
}
