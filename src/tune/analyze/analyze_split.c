/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first collector of a run that began without one, when the analyzer and its models are busy
 * with the controller's messages. The analyzer forks, between two rounds of its loop: the child
 * takes over the stream to the controller, with its bytes read and its bytes to be written, and is
 * a collector above it; the analyzer has a new stream, to the child. Nothing is in flight that
 * could be lost, and the controller notices nothing.
 *
 * Of iterations that have begun events have been here already: the child knows up to which they
 * were heard, of each process and tunlet, and folds from the next one on; all others pass, as they
 * do from processes of which it is not known yet who they are.
 *
 * From then on the tunlet that chooses how many collectors there are is one of the run's: it could
 * not know anything before.
 */
#include "analyze_priv.h"
#include "base/clock.h"
#include "tune/collect/collect.h"
#include "tune/collect/tree.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define INTERVAL_NS UINT64_C(250000000)
enum { DESCRIPTORS = 1024, IN_A_ROW = 2 };
static const double BUSY = 0.5;

/* ---- in the child ---- */

static void note_heard(struct collect_known *known, const struct analyze *a, const struct message *m)
{
	uint32_t tunlet = m->event.event >> 16, event = m->event.event & 0xffff;
	if (m->kind != MESSAGE_EVENT || tunlet >= a->how.n_tunlets || event >= a->tunlet[tunlet].s->event.n)
		return;
	uint32_t at = a->tunlet[tunlet].s->event.at[event].iteration_ref;
	if (at < m->event.n)
		collect_heard(&known->heard[tunlet], m->event.value[at].i);
}

/* Messages that were evaluated or that wait in the queue. */
static void fill_known(struct collect_known *known, const struct analyze *a, const struct analyze_process *t)
{
	known->process = t->process;
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		known->heard[k] = t->binding[k].heard;
		for (size_t i = 0; i < t->binding[k].waiting.n; i++)
			note_heard(known, a, t->binding[k].waiting.at[i]);
	}
	for (size_t i = 0; i < a->queue.n; i++)
		if (message_process_of(a->queue.at[i].m) == t->process)
			note_heard(known, a, a->queue.at[i].m);
}

/*
 * Processes that the collector below has announced; one may still wait in the queue, and so not be
 * known here yet.
 */
static int find_known(struct collect_joins *j, const struct analyze *a, unsigned controller)
{
	j->known = calloc(a->process.n + a->held.n + a->queue.n + 1, sizeof *j->known);
	if (!j->known)
		return -ENOMEM;
	for (size_t i = 0; i < a->process.n; i++)
		if (a->process.at[i]->alive && a->process.at[i]->controller == controller)
			fill_known(&j->known[j->n_known++], a, a->process.at[i]);
	for (size_t i = 0; i < a->held.n; i++)
		j->known[j->n_known++].process = a->held.at[i].m->process.process;
	for (size_t i = 0; i < a->queue.n; i++)
		if (a->queue.at[i].m->kind == MESSAGE_PROCESS)
			j->known[j->n_known++].process = a->queue.at[i].m->process.process;
	return 0;
}

static _Noreturn void collector_main(struct analyze *a, unsigned controller, int up)
{
	struct weft_err err = {0};
	struct collect_joins j = {.stream = &a->controller[controller]};
	prctl(PR_SET_NAME, "weft-collector");
	for (int fd = 3; fd < DESCRIPTORS; fd++)
		if (fd != up && fd != j.stream->fd)
			close(fd);
	if (find_known(&j, a, controller))
		_exit(1);
	for (uint32_t k = 0; k < a->how.n_tunlets; k++)
		j.tunlet[k] = (struct collect_joins_tunlet){.spec = fold_folds(a, k) ? a->tunlet[k].s : NULL,
		                                            .began = a->began,
		                                            .per_unit = a->tunlet[k].per_unit,
		                                            .passes = a->how.sink.ctx != NULL};
	struct collect_how how = {.up = up, .number = 1, .life = -1, .joins = &j};
	_exit(collect_run(&how, &err) != 0);
}

/* ---- in the analyzer ---- */

static int put_between(struct analyze *a, unsigned controller)
{
	int up[2];
	if (channel_pair(up, NULL))
		return -EMFILE;
	a->self.split = fork();
	if (a->self.split == 0)
		collector_main(a, controller, up[1]);
	close(up[1]);
	if (a->self.split < 0) {
		close(up[0]);
		return -EAGAIN;
	}
	channel_fini(&a->controller[controller]);
	channel_init(&a->controller[controller], up[0], CHANNEL_ALL);
	return 0;
}

/* The collector is new: it knows no process yet but those of analyze_self.c. */
static int add_tunlet(struct analyze *a, struct weft_err *err)
{
	uint32_t k = a->how.n_tunlets++;
	for (size_t i = 0; i < a->process.n; i++)
		a->process.at[i]->binding[k].actor = ACTOR_NONE;
	return analyze_begin_tunlet(a, k, err);
}

static bool some_fold(const struct analyze *a)
{
	for (uint32_t k = 0; k < a->how.n_tunlets; k++)
		if (fold_folds(a, k))
			return true;
	return false;
}

/*
 * The share of a processor in the last interval: measured, with the models' processes, or computed
 * by the model of tree.h from the events, whichever is more.
 */
static double share_of(struct analyze *a, uint64_t now)
{
	struct analyze_self *f = &a->self;
	double ns = (double)(now - f->time);
	struct analyze_used used = {weft_process_cpu_ns(), weft_process_delay_ns(0)};
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		used.cpu_ns += weft_eval_cpu_ns(a->tunlet[k].e);
		used.delay_ns += weft_eval_delay_ns(a->tunlet[k].e);
	}
	struct tree_load load = {.controllers = 1, .events = (double)(a->sequence - f->events) * 1e9 / ns};
	double measured = self_share(f->used, used, ns);
	f->used = used;
	f->events = a->sequence;
	return fmax(measured, tree_busy(&load));
}

static bool is_busy(struct analyze *a)
{
	struct analyze_self *f = &a->self;
	uint64_t now = weft_monotonic_ns();
	if (f->time && now - f->time < INTERVAL_NS)
		return false;
	double share = share_of(a, now);
	f->busy = f->time && share > (a->how.busy > 0 ? a->how.busy : BUSY) ? f->busy + 1 : 0;
	f->time = now;
	return f->busy >= IN_A_ROW;
}

void split_look(struct analyze *a)
{
	struct weft_err err = {0};
	if (!a->how.may_adapt || a->how.adapts || a->ended || !is_busy(a))
		return;
	a->how.may_adapt = false;
	if (a->n_controllers != 1 || a->controller[0].fd < 0 || !some_fold(a) || put_between(a, 0))
		return;
	show_line(a, false, "the analyzer is busy: a collector shares its work from now on");
	a->how.collectors = 1;
	a->how.adapts = true;
	if (add_tunlet(a, &err))
		analyze_fail(a, err.code, &err);
}

void split_end(struct analyze *a)
{
	if (a->self.split > 0)
		(void)!waitpid(a->self.split, NULL, 0);
}
