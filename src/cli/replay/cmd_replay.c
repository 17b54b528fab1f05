/* SPDX-License-Identifier: Apache-2.0 */
/* `weft replay`: what was recorded, on another machine. */
#include "base/log.h"
#include "cli/common/left_out.h"
#include "replay/dimemas/dim.h"
#include "replay/dimemas/dim_prv.h"
#include "replay/out/replay_trace.h"
#include "replay_options.h"
#include "trace/write/export.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct weft_opt options[] = {
	{'m', "machine", "MACHINE", WEFT_OPT_STRING, offsetof(struct replay_args, machine),
         "a machine's file, Dimemas' .cfg, or the name of one that came with Weft"},
	{0, "ideal", NULL, WEFT_OPT_FLAG, offsetof(struct replay_args, ideal), "a network without latency and limits"},
	{0, "latency", "TIME", WEFT_OPT_STRING, offsetof(struct replay_args, latency), "between nodes, like 2us"},
	{0, "bandwidth", "RATE", WEFT_OPT_STRING, offsetof(struct replay_args, bandwidth),
         "of links between nodes, like 10GB/s; 0: no limit"},
	{0, "cpu", "FACTOR", WEFT_OPT_STRING, offsetof(struct replay_args, cpu), "processors that are so much faster"},
	{0, "eager", "SIZE", WEFT_OPT_STRING, offsetof(struct replay_args, eager),
         "messages of SIZE or more wait for their receiver"},
	{0, "topology", "TOPOLOGY", WEFT_OPT_STRING, offsetof(struct replay_args, topology),
         "messages share links of fat-tree:k=4, torus:4x4x2, dragonfly:a=4,p=2,h=2, or a file's"},
	{0, "links", NULL, WEFT_OPT_FLAG, offsetof(struct replay_args, links),
         "print what the links of the topology were used for, not the ranks"},
	{0, "set", "NAME=VALUE", WEFT_OPT_LIST, offsetof(struct replay_args, set), "any setting of a machine's file"},
	{0, "map", "MAP", WEFT_OPT_STRING, offsetof(struct replay_args, map),
         "ranks to nodes: fill, interleaved, N on each node, or a node for each rank (0,0,1,1)"},
	{0, "faster", "REGION=FACTOR", WEFT_OPT_LIST, offsetof(struct replay_args, faster),
         "what computes in regions that match is so much faster"},
	{0, "rank-speed", "RANK=FACTOR", WEFT_OPT_LIST, offsetof(struct replay_args, rank_speed),
         "ranks (3, or 4-7) whose processors are so much faster"},
	{0, "drop-calls", NULL, WEFT_OPT_FLAG, offsetof(struct replay_args, drop_calls),
         "calls of MPI that carry nothing take no time, as in Dimemas"},
	{0, "no-thread-waits", NULL, WEFT_OPT_FLAG, offsetof(struct replay_args, no_threads),
         "threads of a process do not wait for each other"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct replay_args, output),
         "write the predicted trace OUT, .weft or .prv"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct replay_args, force), "replace OUT if it is there"},
	{0, "sweep", "NAME=VALUES", WEFT_OPT_LIST, offsetof(struct replay_args, sweep),
         "predict for all of latency=1us..100us (or cpu=1,2,4); several: all combinations"},
	{0, "picture", "FILE", WEFT_OPT_STRING, offsetof(struct replay_args, picture), "draw the sweep as FILE, .svg or .png"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- input ---- */

static bool is_dim(const char *path)
{
	char first[16];
	FILE *f = fopen(path, "re");
	const size_t n = f ? fread(first, 1, sizeof first, f) : 0;
	if (f)
		fclose(f);
	return weft_replay_is_dim(first, n);
}

static int open_program(const struct replay_args *a, const char *path, struct weft_trace **t, struct weft_replay_program **p)
{
	const struct weft_open_how open_how = cli_open_how(&a->common);
	const struct weft_replay_from from = {.events = a->output != NULL,
	                                      .drop_calls = a->drop_calls,
	                                      .memory = weft_open_memory(&open_how),
	                                      .threads = (unsigned)a->common.threads};
	struct weft_err err = {0};
	*t = NULL;
	if (is_dim(path))
		return weft_replay_dim_read(p, path, from.memory, &err) ? cli_fail(&err) : CLI_OK;
	struct weft_filter *f;
	int status = cli_open(&a->common, path, t, &f);
	if (status)
		return status;
	weft_filter_free(f);
	cli_left_out_warn(*t, "that time counts as computing");
	if (weft_replay_program_trace(p, *t, &from, &err)) {
		weft_trace_close(*t);
		*t = NULL;
		return cli_fail(&err);
	}
	return CLI_OK;
}

/* ---- output ---- */

struct output {
	struct weft_replay_prv *prv;     /* of a .dim */
	struct weft_replay_trace *trace; /* of a trace */
};

static int begin_output(const struct replay_args *a, const struct weft_replay_program *p, const struct weft_replay_machine *m,
                        struct output *o, struct weft_replay_how *how)
{
	const struct weft_open_how open_how = cli_open_how(&a->common);
	struct weft_err err = {0};
	int rc = 0;
	if (!a->output)
		return CLI_OK;
	if (p->trace)
		rc = weft_replay_trace_new(&o->trace, p, m, &open_how, &err);
	else
		rc = weft_replay_prv_new(&o->prv, p, m, weft_open_memory(&open_how) / 2, &err);
	if (rc)
		return err.code ? cli_fail(&err) : cli_fail_code(rc);
	how->sink = p->trace ? weft_replay_trace_sink(o->trace) : weft_replay_prv_sink(o->prv);
	return CLI_OK;
}

static int write_trace(const struct replay_args *a, struct output *o, double time_ns)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	const struct weft_export_how how = {.force = a->force, .memory = a->common.memory};
	const struct weft_exporter *e = weft_exporter_find(NULL, a->output);
	struct weft_replay_trace *made = o->trace;
	o->trace = NULL;
	if (weft_replay_trace_finish(made, time_ns, &t, &err))
		return cli_fail(&err);
	int rc = e->write(t, a->output, &how, &err);
	weft_trace_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int end_output(const struct replay_args *a, const char *input, struct output *o, double time_ns)
{
	struct weft_err err = {0};
	int status = CLI_OK;
	if (o->trace)
		status = write_trace(a, o, time_ns);
	else if (o->prv) {
		const size_t n = strlen(input);
		char *pcf = malloc(n + 8);
		if (pcf)
			snprintf(pcf, n + 8, "%.*s.pcf", (int)(n > 4 && input[n - 4] == '.' ? n - 4 : n), input);
		if (weft_replay_prv_write(o->prv, time_ns, a->output, pcf, &err))
			status = cli_fail(&err);
		free(pcf);
	}
	return status;
}

static int check_output(const struct replay_args *a)
{
	if (!a->output)
		return CLI_OK;
	if (!weft_exporter_find(NULL, a->output))
		return cli_usage(
			&weft_command_replay,
			"cannot tell the format from the name '%s': known endings are .weft .prv and those of weft convert",
			a->output);
	if (!a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_replay, "'%s' is there already (--force replaces it)", a->output);
	return CLI_OK;
}

/* ---- one prediction ---- */

enum { BUSIEST = 5 }; /* links that are named */

static int predict(const struct replay_args *a, struct replay_setup *s, const struct weft_replay_program *p, const char *path)
{
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct output o = {0};
	struct weft_err err = {0};
	if (replay_make_machine(s, &s->settings, &m, &err))
		return cli_fail(&err);
	int status = begin_output(a, p, &m, &o, &s->how);
	if (!status && weft_replay_run(p, &m, &s->how, &r, &err))
		status = cli_fail(&err);
	else if (!status) {
		cli_replay_say_run(p, &m, &r);
		status = end_output(a, path, &o, r.time_ns);
		if (!status)
			status = a->links ? replay_print_links(a, s->topology, &r)
			                  : replay_print(a, p, &r, m.memory_share > 0 || s->how.place_memory);
		if (!status && !a->links && s->topology && cli_form(&a->common) == WEFT_TABLE_TEXT)
			replay_say_links(s->topology, &r, BUSIEST);
		if (!status && r.n_stuck)
			status = CLI_NO;
		weft_replay_result_fini(&r);
	}
	weft_replay_prv_free(o.prv);
	weft_replay_trace_free(o.trace);
	weft_replay_machine_fini(&m);
	return status;
}

static int replay(const struct replay_args *a, const char *path)
{
	struct replay_setup s;
	struct weft_trace *t;
	struct weft_replay_program *p;
	int status = replay_setup_init(&s, a);
	if (!status && a->links && !s.topology)
		status = cli_usage(&weft_command_replay, "option '--links' wants --topology, or a machine with one");
	if (status) {
		replay_setup_fini(&s);
		return status;
	}
	status = open_program(a, path, &t, &p);
	if (status) {
		replay_setup_fini(&s);
		return status;
	}
	cli_replay_say_faults(p);
	status = replay_setup_program(&s, p);
	if (!status)
		status = a->sweep.n ? replay_sweep(&s, p) : predict(a, &s, p, path);
	replay_setup_fini(&s);
	weft_replay_program_free(p);
	weft_trace_close(t);
	return status;
}

static int run(int argc, char **argv)
{
	struct replay_args a = {0};
	int n;
	if (!cli_parse(&weft_command_replay, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_replay, argv, n, 1, 1))
		return CLI_USAGE;
	if (a.sweep.n && a.output)
		return cli_usage(&weft_command_replay, "option '-o' is for one prediction, not for a sweep (--picture draws it)");
	if (a.sweep.n && a.links)
		return cli_usage(&weft_command_replay, "option '--links' is for one prediction, not for a sweep");
	if (a.picture && !a.sweep.n)
		return cli_usage(&weft_command_replay, "option '--picture' wants --sweep");
	int status = check_output(&a);
	return cli_finish(status ? status : replay(&a, argv[1]));
}

const struct weft_command weft_command_replay = {
	.name = "replay",
	.operands = "TRACE",
	.summary = "what a message-passing program would take on another machine",
	.about = "Runs what a trace recorded (or a .dim) on another machine: computation as long as\n"
		 "it was, or as fast as the machine's processors, messages and collective\n"
		 "operations by the machine's network. Prints a row for each process.\n"
		 "Exit status 1: it got stuck; who waits for whom is said.\n"
		 "\n"
		 "Examples:\n"
		 "    weft replay run.weft --ideal\n"
		 "    weft replay run.prv --latency 2us --bandwidth 10GB/s --cpu 1.5\n"
		 "    weft replay run.weft --machine cluster.machine --map 0,0,1,1 -o there.weft\n"
		 "    weft replay run.weft --sweep latency=1us..100us --sweep cpu=1,2,4",
	.options = options,
	.run = run,
};
