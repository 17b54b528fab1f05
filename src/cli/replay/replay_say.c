/* SPDX-License-Identifier: Apache-2.0 */
/* What is said beside a prediction: what was wrong with its input, and why it got stuck. */
#include "base/log.h"
#include "replay_cli.h"
#include <stdlib.h>
#include <string.h>

enum { LINES = 10 };

void cli_replay_say_faults(const struct weft_replay_program *p)
{
	for (unsigned i = 0; i < WEFT_REPLAY_FAULTS; i++) {
		const struct weft_replay_fault_row *f = &p->fault[i];
		if (!f->count)
			continue;
		const uint32_t rank = f->thread < p->n_threads ? p->thread[f->thread].rank : 0;
		weft_log(WEFT_LOG_WARN, "'%s': %llu times: %s (first: rank %u)", p->name, (unsigned long long)f->count,
		         weft_replay_fault_texts[i], rank);
	}
}

bool cli_replay_help(const struct weft_command *c, int argc, char **argv)
{
	bool asked = false;
	for (int i = 1; i < argc; i++)
		asked |= !strcmp(argv[i], "-h") || !strcmp(argv[i], "--help");
	if (asked)
		cli_print_help(c, stdout);
	return asked;
}

void cli_replay_say_run(const struct weft_replay_program *p, const struct weft_replay_machine *m,
                        const struct weft_replay_result *r)
{
	if (r->n_small_nodes)
		weft_log(WEFT_LOG_WARN,
		         "%u nodes have fewer CPUs than threads run there (the first is node %u, of %u CPUs): threads take turns",
		         r->n_small_nodes, r->small_node, weft_replay_node_kind(m, r->small_node)->cpus);
	for (size_t i = 0; i < m->site.n; i++)
		if (m->site.at[i].policy != WEFT_REPLAY_FIFO)
			weft_log(WEFT_LOG_WARN,
			         "machine '%s': its policy %s has no counterpart here: processors go to who came first",
			         m->site.at[i].name, weft_replay_policy_names[m->site.at[i].policy]);
	if (r->patience.shares) {
		char late[32];
		weft_log(
			WEFT_LOG_WARN,
			"very many messages move at once: %llu times what links give was shared anew up to %s later than it changed",
			(unsigned long long)r->patience.shares, weft_human_ns(late, (uint64_t)(r->patience.most_ns + 0.5)));
	}
	if (!r->n_stuck)
		return;
	weft_log(WEFT_LOG_WARN, "deadlock: %u of %u threads do not go on", r->n_stuck, p->n_threads);
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		return;
	weft_replay_explain(p, r, LINES, to);
	fclose(to);
	struct weft_str all = weft_str_n(text, n), line;
	while (weft_str_cut(&all, '\n', &line))
		if (line.n)
			weft_log(WEFT_LOG_WARN, "%.*s", (int)line.n, line.at);
	free(text);
}
