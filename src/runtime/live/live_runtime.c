/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime as the source of a live channel: what a sample says, and which commands there are. docs/live.md lists the keys. */
#include "live_runtime.h"
#include "live_graph.h"
#include "live_watch.h"
#include "pulse/pulse.h"
#include "runtime/task/complain.h"
#include "runtime/profile/profile.h"
#include <errno.h>
#include <string.h>

/* ---- a sample ---- */

static void sample_workers(struct weft_json *j)
{
	static const char *const states[LIVE_STATES] = {"other", "executing", "callback", "sleeping"};
	static const char *const keys[LIVE_STATES] = {"other_s", "executing_s", "callback_s", "sleeping_s"};
	weft_json_key(j, "workers");
	weft_json_array(j);
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		struct live_worker w = live_watch_worker(i);
		weft_json_object(j);
		live_add_count(j, "id", i);
		live_add_text(j, "name", rt_machine.worker[i].name);
		live_add_text(j, "state", states[w.state]);
		live_add_text(j, "codelet", *w.codelet ? w.codelet : NULL);
		live_add_count(j, "tasks", w.tasks);
		for (unsigned s = 0; s < LIVE_STATES; s++)
			live_add_number(j, keys[s], (double)w.spent_ns[s] / 1e9);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_codelets(struct weft_json *j)
{
	struct live_codelet list[LIVE_CODELETS];
	unsigned n = live_watch_codelets(list);
	weft_json_key(j, "codelets");
	weft_json_array(j);
	for (unsigned i = 0; i < n; i++) {
		weft_json_object(j);
		live_add_text(j, "name", list[i].name);
		live_add_count(j, "tasks", list[i].tasks);
		live_add_number(j, "time_s", (double)list[i].time_ns / 1e9);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void sample_tasks(struct weft_json *j)
{
	uint64_t executed = 0;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		executed += live_watch_worker(i).tasks;
	weft_json_key(j, "tasks");
	weft_json_object(j);
	live_add_count(j, "submitted", (uint64_t)starpu_task_nsubmitted());
	live_add_count(j, "ready", (uint64_t)starpu_task_nready());
	live_add_count(j, "executed", executed);
	weft_json_end(j);
}

static void sample_nodes(struct weft_json *j)
{
	weft_json_key(j, "nodes");
	weft_json_array(j);
	for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++) {
		char name[64] = "";
		starpu_memory_node_get_name(i, name, sizeof name);
		starpu_ssize_t total = starpu_memory_get_total(i);
		weft_json_object(j);
		live_add_count(j, "id", i);
		live_add_text(j, "name", name);
		live_add_count(j, "used_bytes", starpu_memory_get_used(i));
		weft_json_key(j, "total_bytes");
		if (total > 0)
			weft_json_u64(j, (uint64_t)total);
		else
			weft_json_null(j);
		weft_json_end(j);
	}
	weft_json_end(j);
}

/* Only those over which something has gone. */
static void sample_links(struct weft_json *j)
{
	unsigned nodes = starpu_memory_nodes_get_count();
	weft_json_key(j, "links");
	weft_json_array(j);
	for (unsigned i = 0; i < nodes * nodes; i++) {
		unsigned from = i / nodes, to = i % nodes;
		struct rt_profile_way w = rt_profile_way(from, to);
		char a[64] = "", b[64] = "", name[140];
		if (!w.transfers)
			continue;
		starpu_memory_node_get_name(from, a, sizeof a);
		starpu_memory_node_get_name(to, b, sizeof b);
		snprintf(name, sizeof name, "%s -> %s", a, b);
		weft_json_object(j);
		live_add_count(j, "from", from);
		live_add_count(j, "to", to);
		live_add_text(j, "name", name);
		live_add_count(j, "bytes", w.bytes);
		live_add_count(j, "transfers", w.transfers);
		live_add_number(j, "time_s", (double)w.ns / 1e9);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void runtime_sample(struct weft_json *j)
{
	static void (*const parts[])(struct weft_json *) = {
		sample_tasks,         sample_workers,         sample_codelets,   sample_nodes,    sample_links,
		live_counters_sample, live_iterations_sample, live_knobs_sample, live_top_sample,
	};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		parts[i](j);
}

/* ---- commands ---- */

static int command_start(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)word, (void)answer;
	return live_top_start(err);
}

static int command_set(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)answer;
	return live_top_set(word[1], word[2], err);
}

static int command_knob(char **word, struct weft_json *answer, struct weft_err *err)
{
	double was;
	int rc = live_knob_set(word + 1, &was, err);
	if (!rc)
		live_add_number(answer, "was", was);
	return rc;
}

static int command_count(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)answer;
	return live_count(word[1], err);
}

static int command_graph(char **word, struct weft_json *answer, struct weft_err *err)
{
	return live_graph_tell(word[1], answer, err);
}

static int command_pause(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)word, (void)answer, (void)err;
	live_graph_pause();
	return 0;
}

static int command_step(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)answer;
	return live_graph_step(word[1], err);
}

static int command_go(char **word, struct weft_json *answer, struct weft_err *err)
{
	(void)word, (void)answer, (void)err;
	live_graph_go();
	return 0;
}

static const struct {
	const char *name;
	int least, most; /* words with it; those that are not there are NULL */
	int (*run)(char **word, struct weft_json *answer, struct weft_err *err);
	const char *usage;
} commands[] = {
	{"start", 1, 1, command_start, "start"},           {"count", 2, 2, command_count, "count COUNTER"},
	{"graph", 2, 2, command_graph, "graph SEQ"},       {"pause", 1, 1, command_pause, "pause"},
	{"step", 1, 2, command_step, "step [WORKER]"},     {"go", 1, 1, command_go, "go"},
	{"set", 3, 3, command_set, "set PARAMETER VALUE"}, {"knob", 3, 4, command_knob, "knob NAME VALUE [WORKER or SCHEDULER]"},
};

enum { WORDS = 5 };

static int cut_words(char *line, char **word)
{
	char *rest = NULL;
	int n = 0;
	for (char *w = strtok_r(line, " \r", &rest); w && n < WORDS; w = strtok_r(NULL, " \r", &rest))
		word[n++] = w;
	return n;
}

static int runtime_command(char *line, struct weft_json *answer, struct weft_err *err)
{
	char *word[WORDS + 1] = {NULL};
	if (!strncmp(line, "break ", 6)) { /* names of codelets may have blanks */
		line[strcspn(line, "\r")] = '\0';
		return live_graph_break(line + 6, err);
	}
	int n = cut_words(line, word);
	for (size_t i = 0; n && i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(commands[i].name, word[0]))
			continue;
		if (n < commands[i].least || n > commands[i].most)
			return weft_err_set(err, -EINVAL, "usage: %s", commands[i].usage);
		return commands[i].run(word, answer, err);
	}
	return weft_err_set(err, -EINVAL, "unknown command '%s'", n ? word[0] : "");
}

/* ---- with the runtime ---- */

static void runtime_watched(bool on)
{
	live_graph_watch(on);
	live_watch_set(on);
	live_iterations_watch(on);
	if (!on)
		live_counters_end();
}

static const struct pulse_source source = {
	.kind = "runtime",
	.watched = runtime_watched,
	.sample = runtime_sample,
	.command = runtime_command,
};

/* A program runs without a channel as well as with one: why there is none is said to those who ask for it (starpu_top). */
static int live_started(struct rt_machine *m, struct weft_err *err)
{
	struct weft_err reason = {0};
	(void)m;
	(void)err;
	if (pulse_serve(&source, &reason) == -EINVAL)
		rt_say("%s", reason.text);
	return 0;
}

static void live_stopping(struct rt_machine *m)
{
	(void)m;
	pulse_end();
	live_top_end();
}

const struct rt_layer rt_layer_live = {.name = "live", .started = live_started, .stopping = live_stopping};
