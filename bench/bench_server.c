/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page waits for, at the server: the first picture of a .prv of 1.2 GB that has an index (from the request to open it until rows, names and
 * cells are made), and steps of zooming and panning in 10^8 events × 10^4 rows: the four pieces of 512 pixels × 64 lines that a screen newly
 * needs, each at another zoom and place; and a screen of all rows, of which ten share a line. Wall time, with as many threads as there are cores.
 * Then how much memory a process holds that shows the .prv, besides pages of files: its own, and what is shared that no file has, after pictures, zooms,
 * nested regions, tables, summaries, messages and searches, as a page asks for them. Last the many events opened from their index by a process of its
 * own: until it is open, until all rows of the first screen are there, a step of one screen, what that process holds.
 * WEFT_BENCH_BYTES and WEFT_BENCH_EVENTS are the sizes; WEFT_LONG=1: 10^9 events, which take some 20 GB below TMPDIR.
 */
#include "bench.h"

#include "base/clock.h"
#include "base/fs.h"
#include "metric/library/library.h"
#include "prv_text.h"
#include "rows_trace.h"
#include "server/core/server_look.h"
#include "server/core/server_nest.h"
#include "trace/store/index_files.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 512, LINES = 64, PIECES = 4, SCREEN = 1080, LOOKS = 50 };

static char dir[64], prv[100];
static struct sized many = {.rows = ROWS_TRACE_MOST};
static const struct server_library library = {weft_views_each, weft_view_text_named};
static struct server_session *wide; /* of the many rows */
static uint64_t seed = 88172645463325252u;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

static bool ask(struct server_session *s, const char *path, const struct server_arg *arg, unsigned n)
{
	struct weft_err err = {0};
	struct server_answer a = {.status = 200};
	struct server_request r = {.session = s, .arg = arg, .n_args = n, .body = "", .err = &err};
	const struct server_route *route = server_route_find(path);
	int rc = route ? route->answer(&r, &a) : -1;
	bench_keep(a.body.n);
	weft_buf_fini(&a.body);
	if (rc)
		fprintf(stderr, "%s: %s\n", path, err.text);
	return rc == 0;
}

/* ---- the first picture ---- */

/* What is no page of a file: of this process alone, and what it shares by memory of its own. */
static double held_mib(void)
{
	char line[200];
	double sum = 0, kib;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "RssAnon: %lf kB", &kib) == 1 || sscanf(line, "RssShmem: %lf kB", &kib) == 1)
			sum += kib;
	if (f)
		fclose(f);
	return sum / 1024;
}

static double first_picture(void *unused)
{
	struct server_session *s = calloc(1, sizeof *s);
	struct weft_err err = {0};
	uint64_t from = bench_now_ns();
	(void)unused;
	if (!s || server_session_init(s) || server_session_add(s, prv, &err) || server_session_begin(s, &err))
		return -1;
	while (weft_load_u32(&s->trace[0].state) < SERVER_READY)
		usleep(500);
	const struct server_arg width[] = {{"width", "1536"}};
	bool good = ask(s, "time/rows", NULL, 0) && ask(s, "time/legend", NULL, 0) && ask(s, "time/cells", width, 1);
	double ms = (double)(bench_now_ns() - from) / 1e6;
	if (getenv("WEFT_BENCH_SAY"))
		fprintf(stderr, "%s: %llu events\n", prv, (unsigned long long)s->trace[0].trace->n_events);
	server_session_fini(s);
	free(s);
	return good ? ms : -1;
}

static bool write_prv(void)
{
	const char *size = getenv("WEFT_BENCH_BYTES");
	struct prv_text t;
	snprintf(prv, sizeof prv, "%s/large.prv", dir);
	prv_text_make(&t, size ? strtoull(size, NULL, 10) : 1200000000);
	FILE *f = fopen(prv, "w");
	bool good = f && !t.out.failed && fwrite(t.out.at, 1, t.out.n, f) == t.out.n;
	good = f && fclose(f) == 0 && good;
	weft_buf_fini(&t.out);
	return good && first_picture(NULL) >= 0; /* makes the index */
}

/* ---- steps ---- */

/* A session with a trace that is open, as if it had read it. */
static struct server_session *session_of(struct weft_trace *trace, const struct weft_space *space)
{
	struct server_session *s = calloc(1, sizeof *s);
	if (!s || server_session_init(s))
		return NULL;
	struct server_trace *t = &s->trace[0];
	*t = (struct server_trace){.name = "wide", .trace = trace, .space = *space};
	t->regions = calloc(1, sizeof *t->regions);
	if (!t->regions || server_regions_init(t->regions, t->trace) || server_nests_new(&t->nests, t->trace))
		return NULL;
	s->n_traces = 1;
	weft_store_u32(&t->state, SERVER_READY);
	return s;
}

/* Four pieces of a screen, `span` each. */
static bool ask_pieces(struct server_session *s, uint64_t row, uint64_t at, uint64_t span)
{
	char rows[32], from[32], to[32];
	snprintf(rows, sizeof rows, "%llu-%llu", (unsigned long long)row, (unsigned long long)(row + LINES - 1));
	for (unsigned i = 0; i < PIECES; i++) {
		snprintf(from, sizeof from, "%llu", (unsigned long long)(at + i * span));
		snprintf(to, sizeof to, "%llu", (unsigned long long)(at + (i + 1) * span));
		const struct server_arg arg[] = {{"rows", rows}, {"from", from}, {"to", to}, {"width", "512"}};
		if (!ask(s, "time/cells", arg, 4))
			return false;
	}
	return true;
}

/* Made, and what its rows are evaluated to kept, which the first picture does. */
static bool open_wide(void)
{
	const char *most = getenv("WEFT_BENCH_EVENTS"), *is_long = getenv("WEFT_LONG");
	uint64_t began = bench_now_ns();
	many.events = most ? strtoull(most, NULL, 10) : is_long && !strcmp(is_long, "1") ? 1000000000 : 100000000;
	if (!rows_trace_make(&many, dir) || !(wide = session_of(many.trace, &many.space)))
		return false;
	uint64_t made = bench_now_ns();
	bool good = ask_pieces(wide, 0, 0, many.trace->end / PIECES);
	if (getenv("WEFT_BENCH_SAY"))
		fprintf(stderr, "%llu events: made in %.1f s, first picture in %.1f s\n", (unsigned long long)many.events,
		        (double)(made - began) / 1e9, (double)(bench_now_ns() - made) / 1e9);
	return good;
}

static double step(void *unused)
{
	uint64_t end = many.trace->end, span = (end >> any(14)) / PIECES, at = any(end - span * PIECES + 1),
		 row = any(ROWS_TRACE_MOST - LINES), began = bench_now_ns();
	(void)unused;
	return ask_pieces(wide, row, at, span) ? (double)(bench_now_ns() - began) / 1e6 : -1;
}

/* 10,000 rows on a screen of 1,080 lines: each line is several rows. ms of processor time. */
static double all_rows(void *draw)
{
	struct weft_buf rows = {0};
	for (unsigned i = 0; i < SCREEN; i++)
		weft_buf_printf(&rows, "%s%u~%u", i ? "," : "", i * ROWS_TRACE_MOST / SCREEN,
		                (i + 1) * ROWS_TRACE_MOST / SCREEN - 1);
	const struct server_arg arg[] = {{"rows", rows.at}, {"width", "1536"}, {"fuse", "maximum"}, {"draw", draw}};
	uint64_t began = weft_process_cpu_ns();
	bool good = !rows.failed && ask(wide, "time/cells", arg, 4);
	double ms = (double)(weft_process_cpu_ns() - began) / 1e6;
	weft_buf_fini(&rows);
	return good ? ms : -1;
}

/* What a process holds that shows the .prv and nothing else: this program again, with its path. */
static double memory(void *unused)
{
	char command[200];
	double mib = -1;
	(void)unused;
	snprintf(command, sizeof command, "\"$(readlink /proc/$PPID/exe)\" --show %s", prv);
	FILE *f = popen(command, "r");
	if (f && fscanf(f, "%lf", &mib) != 1)
		mib = -1;
	if (f)
		pclose(f);
	return mib;
}

/* The most that is held at any time, looked at each millisecond. */
struct watch {
	pthread_t thread;
	struct weft_atomic_u32 over;
	double most;
};

static void *watch_memory(void *arg)
{
	struct watch *w = arg;
	while (!weft_load_u32(&w->over)) {
		double now = held_mib();
		w->most = now > w->most ? now : w->most;
		usleep(1000);
	}
	return NULL;
}

/* One round of what a page asks for a range. */
static bool look(struct server_session *s, const char *from, const char *to)
{
	static const struct {
		const char *path;
		struct server_arg more[2];
		unsigned n;
	} asked[] = {
		{"time/cells", {{"width", "512"}}, 1},   {"time/cells", {{"width", "512"}, {"view", "useful"}}, 2},
		{"time/exact", {{"most", "4000"}}, 1},   {"time/find", {{"filter", "duration>1us"}}, 1},
		{"table/view", {{"view", "useful"}}, 1}, {"table/profile", {{NULL, NULL}}, 0},
		{"table/messages", {{NULL, NULL}}, 0},   {"table/groups", {{NULL, NULL}}, 0},
	};
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct server_arg arg[4] = {{"from", from}, {"to", to}, asked[i].more[0], asked[i].more[1]};
		if (!ask(s, asked[i].path, arg, 2 + asked[i].n))
			return false;
	}
	return true;
}

static int show(const char *path)
{
	struct weft_err err = {0};
	struct server_session *s = calloc(1, sizeof *s);
	struct watch watch = {.most = 0};
	snprintf(prv, sizeof prv, "%s", path);
	if (pthread_create(&watch.thread, NULL, watch_memory, &watch))
		return 1;
	if (!s || server_session_init(s) || server_session_add(s, prv, &err) || server_session_begin(s, &err))
		return 1;
	s->library = &library;
	while (weft_load_u32(&s->trace[0].state) < SERVER_READY)
		usleep(500);
	uint64_t end = s->trace[0].trace->end;
	for (unsigned i = 0; i < LOOKS; i++) {
		char from[32], to[32];
		uint64_t span = end >> any(12), at = any(end - span + 1);
		snprintf(from, sizeof from, "%llu", (unsigned long long)at);
		snprintf(to, sizeof to, "%llu", (unsigned long long)(at + span));
		if (!look(s, from, to))
			return 1;
	}
	weft_store_u32(&watch.over, 1);
	pthread_join(watch.thread, NULL);
	printf("%f\n", watch.most);
	server_session_fini(s);
	free(s);
	return 0;
}

/* ---- the many events, opened ---- */

static double since(uint64_t began)
{
	return (double)(bench_now_ns() - began) / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Opens them from their index: ms until that is done, until the first screen is there, of a step (the median), MiB that are held. */
static int show_wide(const char *path)
{
	struct index_stamps none = {0};
	struct weft_space space;
	double step_ms[LOOKS];
	uint64_t began = bench_now_ns();
	if (index_open(&many.trace, path, &none, weft_open_memory(NULL), NULL) || weft_space_init(&space, many.trace))
		return 1;
	wide = session_of(many.trace, &space);
	double open_ms = since(began);
	bool good = wide && ask_pieces(wide, 0, 0, many.trace->end / PIECES);
	double first_ms = since(began);
	for (unsigned i = 0; i < LOOKS && good; i++)
		good = (step_ms[i] = step(NULL)) >= 0;
	if (!good)
		return 1;
	qsort(step_ms, LOOKS, sizeof *step_ms, by_value);
	printf("%f %f %f %f\n", open_ms, first_ms, step_ms[LOOKS / 2], held_mib());
	return 0;
}

static double opened[4];
static bool have_opened(void)
{
	char command[300], path[100];
	if (opened[1] > 0)
		return true;
	rows_trace_path(&many, dir, path, sizeof path);
	snprintf(command, sizeof command, "\"$(readlink /proc/$PPID/exe)\" --wide %s", path);
	FILE *f = popen(command, "r");
	bool good = f && fscanf(f, "%lf %lf %lf %lf", &opened[0], &opened[1], &opened[2], &opened[3]) == 4;
	return f && pclose(f) == 0 && good;
}

static double of_opened(void *at)
{
	return have_opened() ? *(const double *)at : -1;
}

static const struct bench_variant first[] = {{"prv-1.2GB", first_picture, NULL}, {0}};
static const struct bench_variant steps[] = {{"1e8x1e4", step, NULL}, {0}},
				  screens[] = {{"last", all_rows, "last"}, {"most", all_rows, "most"}, {0}},
				  held[] = {{"own-and-shared", memory, NULL}, {0}},
				  wide_open[] = {{"1e8x1e4", of_opened, &opened[0]}, {0}},
				  wide_screen[] = {{"1e8x1e4", of_opened, &opened[1]}, {0}},
				  wide_step[] = {{"1e8x1e4", of_opened, &opened[2]}, {0}},
				  wide_held[] = {{"1e8x1e4", of_opened, &opened[3]}, {0}};
static const struct bench benches[] = {
	{"first-picture", "ms", 7, first},
	{"step", "ms", 41, steps},
	{"all-rows", "ms", 5, screens},
	{"memory", "MiB", 1, held},
	{"opened", "ms", 1, wide_open},
	{"opened-screen", "ms", 1, wide_screen},
	{"opened-step", "ms", 1, wide_step},
	{"opened-memory", "MiB", 1, wide_held},
	{0},
};

int main(int argc, char **argv)
{
	int status = 1;
	const char *below = getenv("TMPDIR");
	if (argc == 3 && !strcmp(argv[1], "--show"))
		return show(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--wide"))
		return show_wide(argv[2]);
	snprintf(dir, sizeof dir, "%s/weft-bench-server-XXXXXX", below && strlen(below) < 30 ? below : "/tmp");
	if (mkdtemp(dir) && write_prv() && open_wide())
		status = bench_main(argc, argv, benches);
	else
		fprintf(stderr, "cannot make the traces in '%s'\n", dir);
	return weft_remove_tree(dir, NULL) ? 1 : status;
}
