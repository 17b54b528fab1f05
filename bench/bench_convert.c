/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converting: how fast a trace of some ten million events in memory becomes each format, in bytes of output and in events. The
 * output goes to /dev/null, so that the file system is not what is measured, but for our own streams, which need a folder (on
 * /dev/shm). `floor` copies as many bytes from memory and hands them over likewise. As context: how fast pj_dump only reads Paje.
 */
#include "bench.h"

#include "base/fs.h"
#include "trace/store/build.h"
#include "trace/write/export.h"
#include "trace/write/write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4, SMALL = 50 };
static const char *const scratch = "/dev/shm/weft-bench-convert";

static uint64_t n_events = 10000000;
static struct weft_trace *trace; /* made when first asked for */

static void must(int64_t rc)
{
	if (rc < 0) {
		fprintf(stderr, "bench_convert: %s\n", weft_err_name((int)rc));
		exit(1);
	}
}

/* One step of a program: a region with its attribute, a counter, a point, a message to the next thread. */
static void make_step(struct weft_appender *a, const uint32_t id[8], uint32_t thread, uint64_t step, uint64_t at)
{
	uint32_t region = id[step % 3];
	must(weft_append(a, at, weft_what(WEFT_EV_ENTER, region), 0));
	must(weft_append(a, at + 40, weft_what(WEFT_EV_ATTR, id[3]), step * 64));
	must(weft_append(a, at + 90, weft_what(WEFT_EV_ENTER, id[4]), 0));
	must(weft_append(a, at + 417, weft_what(WEFT_EV_LEAVE, id[4]), 0));
	must(weft_append(a, at + 423, weft_what(WEFT_EV_COUNTER, id[5]), step * 1771));
	must(weft_append(a, at + 431, weft_what(WEFT_EV_POINT, id[6]), step % 10));
	struct weft_half_row half =
		{.time = at + 450, .began = at + 440, .size = 8192, .comm = id[7], .peer = (int32_t)thread, .tag = 7};
	half.key = (uint64_t)thread << 40 | (step + 1);
	half.is_send = true;
	must(weft_append_half(a, &half));
	if (step) {
		half.key = (uint64_t)((thread + THREADS - 1) % THREADS) << 40 | step;
		half.is_send = false;
		half.time = at + 470;
		must(weft_append_half(a, &half));
	}
	must(weft_append(a, at + 1000, weft_what(WEFT_EV_LEAVE, region), 0));
}

static struct weft_trace *make_trace(uint64_t events)
{
	static const struct {
		enum weft_class of;
		const char *name;
	} defs[8] = {{WEFT_CLASS_REGION, "solve"},
	             {WEFT_CLASS_REGION, "exchange halo"},
	             {WEFT_CLASS_REGION, "write checkpoint"},
	             {WEFT_CLASS_ATTR, "rows"},
	             {WEFT_CLASS_REGION, "MPI_Wait"},
	             {WEFT_CLASS_COUNTER, "instructions"},
	             {WEFT_CLASS_TYPE, "iteration"},
	             {WEFT_CLASS_COMM, "world"}};
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_open_how how = {.memory = UINT64_C(8) << 30, .no_index = true};
	uint32_t id[8];
	must(weft_builder_new(&b, "bench", "bench", &how, NULL));
	must(weft_build_app(b, "bench"));
	for (unsigned i = 0; i < 8; i++) {
		int64_t made = weft_build_def(b, defs[i].of, &(struct weft_def_row){.name = defs[i].name});
		must(made);
		id[i] = (uint32_t)made;
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		must(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
		                                                  .pid = 100 + i,
		                                                  .rank = (int32_t)i,
		                                                  .name = "bench",
		                                                  .command = "bench",
		                                                  .host = "node",
		                                                  .begin = WEFT_NEVER,
		                                                  .end = WEFT_NEVER}));
		must(weft_build_thread(b, &(struct weft_thread_row){.process = i,
		                                                    .number = 1,
		                                                    .tid = 100 + i,
		                                                    .name = "main",
		                                                    .begin = WEFT_NEVER,
		                                                    .end = WEFT_NEVER}));
		struct weft_appender *a = weft_builder_appender(b, i);
		for (uint64_t step = 0; step < events / 9 / THREADS; step++)
			make_step(a, id, i, step, step * 1250 + step % 7 + i);
	}
	must(weft_build_finish(b, NULL, &t, NULL));
	return t;
}

struct job {
	const char *format;
	bool by_events;
	uint64_t bytes; /* of the output, once it is known */
};

static int convert(const struct weft_trace *t, const char *format, const char *path)
{
	struct weft_export_how how = {0};
	if (strcmp(format, "weft") == 0)
		return weft_trace_write(&t, 1, path, &(struct weft_write_how){.to = WEFT_NEVER}, false, true, NULL);
	return weft_exporter_find(format, NULL)->write(t, path, &how, NULL);
}

/* Before what is measured: the trace, and how much this format makes of it. */
static double prepare(struct job *j)
{
	if (!trace)
		trace = make_trace(n_events);
	if (j->bytes)
		return 0;
	struct stat st;
	if (convert(trace, j->format, scratch))
		return bench_skip("cannot write to /dev/shm");
	j->bytes = weft_is_dir(scratch) ? weft_dir_bytes(scratch) : stat(scratch, &st) ? 0 : (uint64_t)st.st_size;
	return weft_remove_tree(scratch, NULL) ? bench_skip("cannot remove from /dev/shm") : 0;
}

static double ours(void *arg)
{
	struct job *j = arg;
	double skipped = prepare(j);
	if (skipped < 0)
		return skipped;
	bool folder = strcmp(j->format, "weft") == 0;
	uint64_t from = bench_now_ns();
	if (convert(trace, j->format, folder ? scratch : "/dev/null"))
		return bench_skip("the conversion failed");
	uint64_t ns = bench_now_ns() - from;
	if (folder && weft_remove_tree(scratch, NULL))
		return bench_skip("cannot remove from /dev/shm");
	return j->by_events ? (double)trace->n_events * 1e3 / (double)ns : (double)j->bytes / (double)ns;
}

/* The same number of bytes, read from memory once and handed over. */
static double floor_of(void *arg)
{
	struct job *j = arg;
	enum { SOURCE = 256 << 20 };
	static char block[256 << 10];
	static char *source;
	double skipped = prepare(j);
	if (skipped < 0)
		return skipped;
	if (!source && (source = malloc(SOURCE)))
		memset(source, 'x', SOURCE);
	FILE *to = fopen("/dev/null", "w");
	if (!to || !source)
		return bench_skip("cannot open /dev/null, or no memory");
	setvbuf(to, NULL, _IONBF, 0);
	uint64_t from = bench_now_ns();
	for (uint64_t at = 0; at < j->bytes; at += sizeof block) {
		memcpy(block, source + at % SOURCE, sizeof block);
		bench_keep(fwrite(block, 1, sizeof block, to));
	}
	uint64_t ns = bench_now_ns() - from;
	fclose(to);
	return (double)j->bytes / (double)ns;
}

static double pj_dump_reads(void *arg)
{
	static uint64_t bytes;
	(void)arg;
	if (access("/usr/bin/pj_dump", X_OK))
		return bench_skip("not installed");
	if (!bytes) {
		struct stat st;
		struct weft_trace *small = make_trace(n_events / SMALL);
		if (convert(small, "paje", scratch) || stat(scratch, &st))
			return bench_skip("cannot write to /dev/shm");
		weft_trace_close(small);
		bytes = (uint64_t)st.st_size;
	}
	double seconds = bench_command("/usr/bin/pj_dump -q %s", scratch);
	return seconds < 0 ? seconds : (double)bytes / seconds / 1e9;
}

#define JOBS(f) static struct job f##_bytes = {#f, false, 0}, f##_events = {#f, true, 0};
JOBS(paje)
JOBS(chrome)
JOBS(perfetto)
JOBS(csv)
JOBS(weft)
#define BENCHES(f) \
	{"convert-" #f, "GB/s", 3, \
	 (const struct bench_variant[]){{"ours", ours, &f##_bytes}, {"floor", floor_of, &f##_bytes}, {0}}}, \
	{ \
		"convert-" #f "-events", "M/s", 3, (const struct bench_variant[]) \
		{ \
			{"ours", ours, &f##_events}, \
			{ \
				0 \
			} \
		} \
	}

static const struct bench benches[] = {
	BENCHES(chrome),
	BENCHES(perfetto),
	BENCHES(csv),
	BENCHES(weft),
	{"convert-paje", "GB/s", 3,
         (const struct bench_variant[]){{"ours", ours, &paje_bytes},
                                        {"floor", floor_of, &paje_bytes},
                                        {"pj_dump-q-reads", pj_dump_reads, NULL},
                                        {0}}},
	{"convert-paje-events", "M/s", 3, (const struct bench_variant[]){{"ours", ours, &paje_events}, {0}}},
	{0},
};

int main(int argc, char **argv)
{
	const char *events = getenv("WEFT_BENCH_EVENTS");
	if (events)
		n_events = strtoull(events, NULL, 10);
	int status = bench_main(argc, argv, benches);
	if (trace)
		weft_trace_close(trace);
	unlink(scratch);
	return status;
}
