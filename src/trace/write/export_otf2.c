/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTF2, the Open Trace Format of Score-P, Vampir and their like, by its own library: an archive, which is a folder.
 *
 *     node ── process ── thread      system tree, location groups, locations
 *     region                         region; states of a foreign trace, too
 *     counter, number of a point     metric
 *     attribute, text of a point     parameter
 *     message, collective operation  those of MPI, among ranks; where nobody has a rank, among processes in their order
 *     call stack of a sample         calling context, where the caller knows names of functions; else left out
 *     team, task, lock, thread made  those of OpenMP and of pthreads
 *
 * Definitions are written last, when it is known how many events a location has. The archive is made under another name beside its place.
 */
#include "export_otf2.h"
#include "export_otf2_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void otf2_check(struct otf2 *w, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !w->failed.failed) {
		snprintf(w->why, sizeof w->why, "%.290s", OTF2_Error_GetDescription(code));
		export_fail(&w->failed, -EIO);
	}
}

uint32_t otf2_string(struct otf2 *w, const char *text)
{
	uint64_t key = weft_hash(text, strlen(text)), number;
	if (weft_map_get(&w->strings, key, &number))
		return (uint32_t)number;
	number = w->n_strings++;
	if (weft_map_put(&w->strings, key, number))
		export_fail(&w->failed, -ENOMEM);
	otf2_check(w, OTF2_GlobalDefWriter_WriteString(w->defs, (uint32_t)number, text));
	return (uint32_t)number;
}

/* It would print what goes wrong; that is for the caller to say. */
static OTF2_ErrorCode say_nothing(void *arg, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                  const char *format, va_list va)
{
	(void)arg, (void)file, (void)line, (void)function, (void)format, (void)va;
	return code;
}

static OTF2_FlushType before_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
	(void)arg, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

/* ---- events ---- */

static void on_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct otf2 *w = otf2_of(s);
	(void)time;
	w->level.n = w->held.n = w->late.release.n = 0;
	otf2_contexts_begin(w);
	w->events = OTF2_Archive_GetEvtWriter(w->archive, l->thread);
	if (!w->events)
		export_fail(s->out, -ENOMEM);
}

static void on_end(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct otf2 *w = otf2_of(s);
	(void)time;
	otf2_settle(w);
	otf2_check(w, OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->n_events[l->thread]));
	otf2_check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
}

static void on_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	if (region)
		otf2_team_push(otf2_of(s), l->thread, time, region);
}

/* States lie in each other, and regions do; a state and a region need not. */
static bool take_level(struct otf2 *w, bool is_state, struct otf2_level *out)
{
	size_t at = w->level.n;
	while (at && w->level.at[at - 1].is_state != is_state)
		at--;
	if (!at)
		return false;
	*out = w->level.at[--at];
	memmove(w->level.at + at, w->level.at + at + 1, (--w->level.n - at) * sizeof *out);
	return true;
}

static void on_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region, const struct export_attr *attr,
                   size_t n_attrs)
{
	struct otf2 *w = otf2_of(s);
	struct otf2_level level;
	(void)attr, (void)n_attrs;
	if (!region)
		return;
	otf2_settle_at(w, time, w->construct[region]);
	if (!take_level(w, false, &level))
		return;
	otf2_team_leaves(w, time, &level);
	otf2_leave(w, time, &level);
	otf2_team_left(w, l->thread, time, &level);
}

static void on_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	struct otf2 *w = otf2_of(s);
	struct otf2_level level = {.region = otf2_state_region(w, state), .comm = OTF2_UNDEFINED_COMM, .is_state = true};
	(void)l;
	if (!state)
		return;
	otf2_settle(w);
	if (!begins && take_level(w, true, &level)) {
		otf2_leave(w, time, &level);
	} else if (begins) {
		if (weft_vec_push(&w->level, level))
			export_fail(s->out, -ENOMEM);
		else
			otf2_enter(w, time, w->level.n - 1);
	}
}

static void put_metric(struct otf2 *w, const struct weft_event *e, enum weft_class c, bool floating)
{
	OTF2_Type type = floating ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
	OTF2_MetricValue value;
	w->floating[otf2_metric(w, c, e->id)] |= floating;
	memcpy(&value, &e->value, sizeof e->value);
	otf2_check(w, OTF2_EvtWriter_Metric(w->events, NULL, e->time, otf2_metric(w, c, e->id), 1, &type, &value));
}

/* A floating attribute is rounded: parameters are whole numbers or texts. */
static void put_attr(struct otf2 *w, const struct weft_event *e)
{
	int64_t value = (int64_t)e->value;
	if (e->kind == WEFT_EV_ATTR_F) {
		double d;
		memcpy(&d, &e->value, sizeof d);
		value = d > -9e18 && d < 9e18 ? (int64_t)d : 0;
	}
	otf2_check(w, OTF2_EvtWriter_ParameterInt(w->events, NULL, e->time, otf2_parameter(w, WEFT_EV_ATTR, e->id), value));
}

/* A rank of the process in the communicator. */
static uint32_t rank_in(const struct otf2 *w, uint32_t comm, uint32_t thread)
{
	const struct weft_def_table *comms = &w->sink.t->def[WEFT_CLASS_COMM];
	uint32_t rank = w->rank[w->sink.t->thread[thread].process];
	for (uint32_t k = 0; comm < comms->n && k < comms->at[comm].n_members; k++)
		if (comms->at[comm].member[k] == rank)
			return k;
	return rank;
}

/* Of messages with both ends. */
static void put_message(struct otf2 *w, const struct weft_event *e)
{
	const struct weft_messages *m = &w->sink.t->message;
	uint64_t i = e->value;
	if (i >= m->n || m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE)
		return;
	bool sends = e->kind == WEFT_EV_SEND;
	uint32_t peer = rank_in(w, e->id, sends ? m->recv_thread[i] : m->send_thread[i]);
	if (peer == WEFT_NONE)
		return;
	otf2_check(w, (sends ? OTF2_EvtWriter_MpiSend : OTF2_EvtWriter_MpiRecv)(w->events, NULL, e->time, peer, e->id - 1,
	                                                                        (uint32_t)m->tag[i], m->size[i]));
}

/* By MPI's numbers in Paraver (docs/format.md). */
static const struct {
	uint8_t number, op;
	bool root;
} operations[] = {
	{7, OTF2_COLLECTIVE_OP_BCAST, true},
	{8, OTF2_COLLECTIVE_OP_BARRIER, false},
	{9, OTF2_COLLECTIVE_OP_REDUCE, true},
	{10, OTF2_COLLECTIVE_OP_ALLREDUCE, false},
	{11, OTF2_COLLECTIVE_OP_ALLTOALL, false},
	{12, OTF2_COLLECTIVE_OP_ALLTOALLV, false},
	{13, OTF2_COLLECTIVE_OP_GATHER, true},
	{14, OTF2_COLLECTIVE_OP_GATHERV, true},
	{15, OTF2_COLLECTIVE_OP_SCATTER, true},
	{16, OTF2_COLLECTIVE_OP_SCATTERV, true},
	{17, OTF2_COLLECTIVE_OP_ALLGATHER, false},
	{18, OTF2_COLLECTIVE_OP_ALLGATHERV, false},
	{30, OTF2_COLLECTIVE_OP_SCAN, false},
	{80, OTF2_COLLECTIVE_OP_REDUCE_SCATTER, false},
	{168, OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, false},
	{170, OTF2_COLLECTIVE_OP_ALLTOALLW, false},
	{214, OTF2_COLLECTIVE_OP_EXSCAN, false},
};

/* One whose kind the format does not know is left out: there it is a region only. */
static void put_collective(struct otf2 *w, const struct weft_event *e)
{
	uint32_t n = 0;
	const uint64_t *word = weft_extra(w->sink.t, e->thread, e->value, &n);
	for (size_t i = 0; n >= 3 && i < sizeof operations / sizeof *operations; i++) {
		if (operations[i].number != (uint32_t)word[0])
			continue;
		int32_t root = (int32_t)(word[0] >> 32);
		otf2_check(w, OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, e->time));
		otf2_check(w, OTF2_EvtWriter_MpiCollectiveEnd(w->events, NULL, e->time, operations[i].op, e->id - 1,
		                                              operations[i].root && root >= 0 ? (uint32_t)root
		                                                                              : OTF2_COLLECTIVE_ROOT_NONE,
		                                              word[1], word[2]));
	}
}

static void on_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct otf2 *w = otf2_of(s);
	const enum weft_class of = weft_kind_info[e->kind].of;
	(void)l;
	if (e->kind != WEFT_EV_FLOW_IN)
		otf2_settle(w);
	/* Of what nothing is defined there is nothing to say. */
	if (of != WEFT_CLASS_NONE && (e->id == 0 || e->id >= s->t->def[of].n))
		return;
	switch (e->kind) {
	case WEFT_EV_COUNTER:
	case WEFT_EV_COUNTER_F:
		put_metric(w, e, WEFT_CLASS_COUNTER, e->kind == WEFT_EV_COUNTER_F);
		break;
	case WEFT_EV_POINT:
	case WEFT_EV_POINT_F:
		put_metric(w, e, WEFT_CLASS_TYPE, e->kind == WEFT_EV_POINT_F);
		otf2_team_point(w, e);
		break;
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
		put_attr(w, e);
		otf2_team_attr(w, e);
		break;
	case WEFT_EV_ATTR_S:
	case WEFT_EV_POINT_S: {
		uint32_t text = otf2_string(w, export_def_name(s->t, WEFT_CLASS_STRING, e->value));
		otf2_check(w, OTF2_EvtWriter_ParameterString(w->events, NULL, e->time, otf2_parameter(w, e->kind, e->id), text));
		break;
	}
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		put_message(w, e);
		break;
	case WEFT_EV_COLLECTIVE:
		put_collective(w, e);
		break;
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		otf2_team_flow(w, e);
		break;
	case WEFT_EV_SAMPLE:
		otf2_sample(w, e);
		break;
	default:
		break;
	}
}

/* Those of the program's ranks; else all processes. */
static int number_ranks(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	int64_t most = -1;
	w->rank = malloc(((size_t)t->n_processes + 1) * sizeof *w->rank);
	for (uint32_t i = 0; i < t->n_processes; i++)
		most = t->process[i].rank > most && t->process[i].rank < 1 << 24 ? t->process[i].rank : most;
	w->n_ranks = most >= 0 ? (uint32_t)most + 1 : t->n_processes;
	w->locations = calloc((size_t)w->n_ranks + 1, sizeof *w->locations);
	w->n_events = calloc((size_t)t->n_threads + 1, sizeof *w->n_events);
	w->floating = calloc((size_t)otf2_n_defs(w, WEFT_CLASS_COUNTER) + otf2_n_defs(w, WEFT_CLASS_TYPE) + 1, 1);
	if (!w->rank || !w->locations || !w->n_events || !w->floating)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_processes; i++) {
		int64_t rank = most >= 0 ? t->process[i].rank : (int64_t)i;
		w->rank[i] = rank >= 0 && rank < w->n_ranks ? (uint32_t)rank : WEFT_NONE;
		if (w->rank[i] != WEFT_NONE)
			w->locations[w->rank[i]] = t->process[i].first_thread;
	}
	return 0;
}

/* ---- the archive ---- */

/* Each location has a file of definitions, which are all global here. */
static void write_local(struct otf2 *w)
{
	otf2_check(w, OTF2_Archive_OpenDefFiles(w->archive));
	for (uint32_t i = 0; i < w->sink.t->n_threads && !w->failed.failed; i++) {
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(w->archive, i);
		if (!d)
			export_fail(&w->failed, -ENOMEM);
		else
			otf2_check(w, OTF2_Archive_CloseDefWriter(w->archive, d));
	}
	otf2_check(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static int write_all(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	otf2_check(w, OTF2_Archive_OpenEvtFiles(w->archive));
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!w->defs)
		return -ENOMEM;
	int rc = number_ranks(w);
	rc = rc ? rc : otf2_look_before(w);
	rc = rc ? rc : export_threads(&w->sink);
	if (rc)
		return rc;
	otf2_check(w, OTF2_Archive_CloseEvtFiles(w->archive));
	write_local(w);
	otf2_check(w,
	           OTF2_GlobalDefWriter_WriteClockProperties(w->defs, 1000000000, 0, t->end + 1,
	                                                     t->begin_realtime ? t->begin_realtime : OTF2_UNDEFINED_TIMESTAMP));
	otf2_define(w);
	otf2_check(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs));
	return w->failed.failed;
}

static int make_archive(struct otf2 *w, const char *folder)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
	OTF2_Error_RegisterCallback(say_nothing, NULL);
	w->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX,
	                               OTF2_COMPRESSION_NONE);
	if (!w->archive)
		return -EIO;
	otf2_check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
	otf2_check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
	otf2_check(w, OTF2_Archive_SetCreator(w->archive, "weft convert"));
	int rc = w->failed.failed ? w->failed.failed : write_all(w);
	if (OTF2_Archive_Close(w->archive) != OTF2_SUCCESS && !rc)
		rc = -EIO;
	return rc;
}

int export_otf2(const struct weft_trace *t, const char *folder, const struct weft_export_how *how, struct weft_err *err)
{
	struct otf2 w = {.sink = {.t = t,
	                          .how = how,
	                          .begin = on_begin,
	                          .end = on_end,
	                          .push = on_push,
	                          .pop = on_pop,
	                          .state = on_state,
	                          .event = on_event}};
	w.sink.out = &w.failed;
	int rc = make_archive(&w, folder);
	if (rc)
		rc = weft_err_set(err, rc, "cannot write '%s': %s", folder, *w.why ? w.why : weft_err_name(rc));
	free(w.n_events);
	free(w.floating);
	free(w.rank);
	free(w.locations);
	free(w.level.at);
	free(w.held.at);
	otf2_before_fini(&w);
	otf2_contexts_fini(&w);
	weft_map_fini(&w.strings);
	return rc;
}
