/* SPDX-License-Identifier: Apache-2.0 */
/* `weft Dimemas`, also by the name Dimemas: what Dimemas predicts, said as it says it. */
#include "base/log.h"
#include "replay_cli.h"
#include "replay/dimemas/dim.h"
#include "replay/dimemas/dim_cfg.h"
#include "replay/dimemas/dim_prv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *dim, *prv, *eager, *scheduler, *files, *communication, *random, *deadlocks, *event;
	bool all_eager, fill, interleaved, wait_receive, ideal_openmp, no_openmp, no_cuda, asynchronous, only_time, debug,
		verbose;
	double bandwidth, latency, from, to, stop;
	uint64_t per_node, reload;
};

static const struct weft_opt options[] = {
	{0, "dim", "FILE", WEFT_OPT_STRING, offsetof(struct args, dim), "the program (.dim)"},
	{'p', "prv", "OUT", WEFT_OPT_STRING, offsetof(struct args, prv), "write the predicted trace OUT.prv, .pcf, .row"},
	{'S', "eager-limit", "SIZE", WEFT_OPT_STRING, offsetof(struct args, eager),
         "messages of SIZE bytes (or with k, m, g behind) wait for their receiver"},
	{'F', "all-eager", NULL, WEFT_OPT_FLAG, offsetof(struct args, all_eager), "no message waits for its receiver"},
	{0, "bandwidth", "MB/S", WEFT_OPT_DOUBLE, offsetof(struct args, bandwidth), "of links between nodes"},
	{0, "latency", "SECONDS", WEFT_OPT_DOUBLE, offsetof(struct args, latency), "of messages between nodes"},
	{0, "fill-nodes", NULL, WEFT_OPT_FLAG, offsetof(struct args, fill), "tasks fill one node after the other"},
	{0, "process-per-node", "N", WEFT_OPT_U64, offsetof(struct args, per_node), "N tasks on each node"},
	{0, "interleaved", NULL, WEFT_OPT_FLAG, offsetof(struct args, interleaved), "tasks go round the nodes"},
	{'s', "scheduler", "FILE", WEFT_OPT_STRING, offsetof(struct args, scheduler), "policies of processors"},
	{'f', "filesystem", "FILE", WEFT_OPT_STRING, offsetof(struct args, files), "not used: files take no time"},
	{'c', "communication", "FILE", WEFT_OPT_STRING, offsetof(struct args, communication), "models of collective operations"},
	{'r', "random", "FILE", WEFT_OPT_STRING, offsetof(struct args, random), "not used: nothing is random"},
	{'y', "window-begin", "SECONDS", WEFT_OPT_DOUBLE, offsetof(struct args, from), "the predicted trace begins there"},
	{'z', "window-end", "SECONDS", WEFT_OPT_DOUBLE, offsetof(struct args, to), "and ends there"},
	{'T', "stop", "SECONDS", WEFT_OPT_DOUBLE, offsetof(struct args, stop), "predict no longer than that"},
	{'w', "wait-receive", NULL, WEFT_OPT_FLAG, offsetof(struct args, wait_receive), "show receives at their waits"},
	{'R', "reload", "N", WEFT_OPT_U64, offsetof(struct args, reload), "not used: the program runs once"},
	{0, "ideal-openmp", NULL, WEFT_OPT_FLAG, offsetof(struct args, ideal_openmp), "a processor for each thread"},
	{0, "disable-openmp", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_openmp), "threads do not wait for each other"},
	{0, "disable-cuda", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_cuda), "devices are as fast as they were"},
	{0, "clean-deadlocks", "PERCENT", WEFT_OPT_STRING, offsetof(struct args, deadlocks),
         "not used: what gets stuck is explained"},
	{0, "asynch-read", NULL, WEFT_OPT_FLAG, offsetof(struct args, asynchronous), "not used: the program is read first"},
	{'t', "time", NULL, WEFT_OPT_FLAG, offsetof(struct args, only_time), "print the predicted time only"},
	{'e', "event", "TYPE", WEFT_OPT_STRING, offsetof(struct args, event), "not used: all events are kept"},
	{'d', "debug", NULL, WEFT_OPT_FLAG, offsetof(struct args, debug), "say more"},
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct args, verbose), "say more"},
	{0},
};

/* ---- options ---- */

static int read_eager(const struct args *a, struct weft_replay_how *how)
{
	uint64_t n;
	if (a->all_eager)
		how->eager = WEFT_REPLAY_EAGER_ALL;
	if (!a->eager)
		return CLI_OK;
	struct weft_str text = weft_str(a->eager);
	static const char units[] = "kmg";
	const char *unit = text.n ? strchr(units, text.at[text.n - 1] | 32) : NULL;
	const unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (shift)
		text.n--;
	if (weft_parse_u64(text, &n) || n > UINT64_MAX >> shift)
		return cli_usage(&weft_command_dimemas, "option '-S' wants bytes like 32768 or 32k, not '%s'", a->eager);
	how->eager = WEFT_REPLAY_EAGER_BELOW;
	how->eager_bytes = n << shift;
	return CLI_OK;
}

static void override(const struct args *a, struct weft_replay_machine *m)
{
	for (size_t i = 0; i < m->kind.n; i++)
		if (!isnan(a->latency))
			m->kind.at[i].inter_latency_ns = a->latency * 1e9;
	for (size_t i = 0; i < m->site.n; i++)
		if (!isnan(a->bandwidth))
			m->site.at[i].bytes_per_ns = a->bandwidth * 1048576 / 1e9;
	if (a->fill)
		m->map.rule = WEFT_REPLAY_FILL;
	if (a->interleaved)
		m->map.rule = WEFT_REPLAY_INTERLEAVED;
	if (a->per_node) {
		m->map.rule = WEFT_REPLAY_PER_NODE;
		m->map.per_node = (uint32_t)a->per_node;
	}
}

static int read_machine(const struct args *a, const char *path, struct weft_replay_machine *m)
{
	struct weft_err err = {0};
	const char *notice = NULL;
	if (weft_replay_cfg_read(m, path, &notice, &err))
		return cli_fail(&err);
	if (notice)
		weft_log(WEFT_LOG_WARN, "'%s': %s", path, notice);
	override(a, m);
	const char *rules[] = {a->scheduler, a->communication};
	for (unsigned i = 0; i < 2; i++)
		if (rules[i] && weft_replay_collectives_read(m, rules[i], &err)) {
			weft_replay_machine_fini(m);
			return cli_fail(&err);
		}
	return CLI_OK;
}

/* ---- the log ---- */

static double seconds(double ns)
{
	return floor(ns + 0.5) / 1e9;
}

static double computation(const struct weft_replay_program *p, const struct weft_replay_result *r, uint32_t rank)
{
	return r->thread_computation_ns[p->rank[rank].first_thread];
}

static double communication(const struct weft_replay_rank_result *x)
{
	return x->latency_ns + x->receiving_ns + x->waiting_ns + x->collective_ns;
}

enum { COLUMNS = 11, TIMES_FROM = 6 };

static void row_of(const struct weft_replay_rank_result *x, double *out)
{
	const double row[COLUMNS] = {(double)x->sent,
	                             (double)x->bytes_sent,
	                             (double)x->immediate,
	                             (double)(x->received - x->immediate),
	                             (double)x->bytes_received,
	                             (double)x->collectives,
	                             x->waiting_ns,
	                             x->collective_ns,
	                             x->link_wait_ns,
	                             x->bus_wait_ns,
	                             0};
	memcpy(out, row, sizeof row);
}

static void print_summary(const char *name, const double *row)
{
	printf("%s", name);
	for (unsigned i = 0; i < COLUMNS; i++)
		printf("\t%e", row[i]);
	printf("\t\n");
}

static void print_statistics(const struct weft_replay_result *r)
{
	double total[COLUMNS] = {0}, square[COLUMNS] = {0}, most[COLUMNS], least[COLUMNS], row[COLUMNS];
	printf("\n Id.\tMess.sent\tBytes sent\tImmediate recv\tWaiting recv\tBytes recv\tColl.op.\tBlock time\tComm. time\t"
	       "Wait link time\tWait buses time\tI/O time\n");
	for (uint32_t k = 0; k < r->n_ranks; k++) {
		row_of(&r->rank[k], row);
		printf("%3u", k);
		for (unsigned i = 0; i < COLUMNS; i++) {
			printf(i < TIMES_FROM ? "\t%e" : "\t%.9f", i < TIMES_FROM ? row[i] : seconds(row[i]));
			total[i] += row[i];
			square[i] += row[i] * row[i];
			most[i] = k && most[i] > row[i] ? most[i] : row[i];
			least[i] = k && least[i] < row[i] ? least[i] : row[i];
		}
		putchar('\n');
	}
	for (unsigned i = 0; i < 180; i++)
		putchar('-');
	putchar('\n');
	print_summary("Total", total);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const double n = r->n_ranks, mean = total[i] / n, variance = square[i] / n - mean * mean;
		square[i] = variance > 0 ? sqrt(variance) : 0;
		total[i] = mean;
	}
	print_summary("Average", total);
	print_summary("Maximum", most);
	print_summary("Minimum", least);
	print_summary("Stdev", square);
}

static void print_log(const struct weft_replay_program *p, const struct weft_replay_result *r)
{
	double cpu = 0;
	for (uint32_t i = 0; i < r->n_ranks; i++)
		cpu += computation(p, r, i);
	printf("\n**** Application 0 (%s) ****\n\n**** Total Statistics ****\n\n", p->name);
	printf("Execution time:\t%.9f\nSpeedup:\t%.2f \nCPU Time:\t%.9f\n\n", seconds(r->time_ns),
	       r->time_ns > 0 ? cpu / r->time_ns : 0, seconds(cpu));
	printf(" Id.\tComputation\t%%time\tCommunication\n");
	for (uint32_t i = 0; i < r->n_ranks; i++) {
		const double own = computation(p, r, i), all = own + r->time_ns;
		printf("%3u\t%.9f\t%.2f\t%.9f\n", i, seconds(own), all > 0 ? 100 * own / all : 0,
		       seconds(communication(&r->rank[i])));
	}
	print_statistics(r);
}

/* ---- the run ---- */

static char *beside(const char *path, const char *suffix)
{
	const size_t n = strlen(path), cut = n > 4 && path[n - 4] == '.' ? n - 4 : n;
	char *out = malloc(n + 8);
	if (out)
		snprintf(out, n + 8, "%.*s%s", (int)cut, path, suffix);
	return out;
}

static int write_prv(const struct args *a, struct weft_replay_prv *prv, double time_ns)
{
	struct weft_err err = {0};
	char *pcf = beside(a->dim, ".pcf");
	int rc = pcf ? weft_replay_prv_write(prv, time_ns, a->prv, pcf, &err) : -ENOMEM;
	free(pcf);
	if (rc)
		return err.code ? cli_fail(&err) : cli_fail_code(rc);
	if (!a->only_time)
		printf("\nOutput Paraver trace \"%s\" generated\n", a->prv);
	return CLI_OK;
}

static int predict(const struct args *a, const struct weft_replay_program *p, const struct weft_replay_machine *m,
                   struct weft_replay_how *how)
{
	struct weft_err err = {0};
	struct weft_replay_result r;
	struct weft_replay_prv *prv = NULL;
	int status = CLI_OK;
	if (a->prv && weft_replay_prv_new(&prv, p, m, weft_open_memory(NULL) / 2, &err))
		return cli_fail(&err);
	if (prv) {
		weft_replay_prv_window(prv, a->from * 1e9, a->to * 1e9);
		how->sink = weft_replay_prv_sink(prv);
	}
	if (!a->only_time)
		printf("\n%.9f: START SIMULATION\n\n", 0.0);
	if (weft_replay_run(p, m, how, &r, &err))
		status = cli_fail(&err);
	else {
		cli_replay_say_run(p, m, &r);
		if (a->only_time)
			printf("%.9f\n", seconds(r.time_ns));
		else {
			printf("%.9f: END SIMULATION\n", seconds(r.time_ns));
			print_log(p, &r);
		}
		if (prv)
			status = write_prv(a, prv, r.time_ns);
		if (!status && r.n_stuck)
			status = CLI_NO;
		weft_replay_result_fini(&r);
	}
	weft_replay_prv_free(prv);
	return status;
}

/* What it was, and why there is nothing of it here: a line each. */
static void say_unused(const struct args *a)
{
	const struct {
		bool is;
		const char *option, *text;
	} rows[] = {
		{a->files, "-f", "describes a file system; here files take no time"},
		{a->random, "-r", "makes times random; here the same input gives the same times"},
		{a->reload, "-R", "begins the program again when it has ended; here it runs once"},
		{a->event, "-e", "chooses the events that are kept; here all are"},
		{a->deadlocks, "--clean-deadlocks", "breaks deadlocks; here they are explained"},
		{a->asynchronous, "--asynch-read", "reads while it runs; here the program is read first, or mapped"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].is)
			weft_log(WEFT_LOG_WARN, "option '%s' %s: it has no effect", rows[i].option, rows[i].text);
}

static int dimemas(const struct args *a, const char *cfg)
{
	struct weft_replay_how how = {.stop_ns = a->stop * 1e9,
	                              .ideal_threads = a->ideal_openmp,
	                              .no_threads = a->no_openmp,
	                              .no_devices = a->no_cuda,
	                              .receive_at_wait = a->wait_receive};
	struct weft_replay_program *p;
	struct weft_replay_machine m;
	struct weft_err err = {0};
	int status = read_eager(a, &how);
	if (status)
		return status;
	say_unused(a);
	if (!a->only_time)
		printf("-> Simulator configuration to be read %s\n", cfg);
	if (!a->only_time)
		printf("-> Loading default random values\n-> Loading %s scheduler configuration\n   * Loading %s communications configuration\n",
		       a->scheduler ? a->scheduler : "default", a->communication ? a->communication : "default");
	status = read_machine(a, cfg, &m);
	if (status)
		return status;
	if (weft_replay_dim_read(&p, a->dim, weft_open_memory(NULL), &err))
		status = cli_fail(&err);
	else {
		cli_replay_say_faults(p);
		status = predict(a, p, &m, &how);
		weft_replay_program_free(p);
	}
	weft_replay_machine_fini(&m);
	return cli_finish(status);
}

static int run(int argc, char **argv)
{
	struct args a = {.bandwidth = NAN, .latency = NAN};
	int n;
	if (!cli_parse(&weft_command_dimemas, &a, argc, argv, &n))
		return CLI_USAGE;
	weft_log_set(a.debug || a.verbose ? WEFT_LOG_INFO : WEFT_LOG_WARN, argv[0]);
	if (!cli_operands(&weft_command_dimemas, argv, n, 1, 1))
		return CLI_USAGE;
	if (!a.dim)
		return cli_usage(&weft_command_dimemas, "option '--dim' is missing: the program that is to be run");
	return dimemas(&a, argv[1]);
}

/* Its statuses: 0 also when it gets stuck, 1 for what cannot be done. */
int cli_dimemas(int argc, char **argv)
{
	if (cli_replay_help(&weft_command_dimemas, argc, argv))
		return 0;
	const int status = run(argc, argv);
	return status == CLI_NO ? 0 : status ? 1 : 0;
}

const struct weft_command weft_command_dimemas = {
	.name = "Dimemas",
	.operands = "MACHINE.cfg",
	.summary = "predict a .dim program on a machine, as Dimemas does",
	.about = "Runs the program of a .dim on the machine of a configuration, and prints how long\n"
		 "each of its tasks computes and communicates there. `weft replay` does the same\n"
		 "from traces, and more. By the name Dimemas its exit status is that of Dimemas.\n"
		 "\n"
		 "Examples:\n"
		 "    weft Dimemas -S 32k --dim run.dim machine.cfg\n"
		 "    weft Dimemas --dim run.dim -p predicted.prv machine.cfg",
	.options = options,
	.run = run,
};
