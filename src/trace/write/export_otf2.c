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
 *
 * Definitions are written last, when it is known how many events a location has. The archive is made under another name beside its place.
 */
#include "export_otf2.h"
#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct otf2 {
	struct export_sink sink;  /* first: callbacks get it */
	struct export_out failed; /* no file: whether something went wrong */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	OTF2_EvtWriter *events; /* of the location that is being written */
	uint64_t *n_events;     /* by thread. Owned */
	uint8_t *floating;      /* by metric: it has floating values. Owned */
	uint32_t *rank;         /* by process: its place among those that messages are sent among. Owned */
	uint64_t *locations;    /* by that place: its first thread. Owned */
	uint32_t n_ranks;
	struct weft_map strings; /* text's hash -> number */
	uint32_t n_strings;
	char why[300]; /* what the library said first */
};

static struct otf2 *otf2_of(struct export_sink *s)
{
	return (struct otf2 *)s;
}

static void check(struct otf2 *w, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !w->failed.failed) {
		snprintf(w->why, sizeof w->why, "%.290s", OTF2_Error_GetDescription(code));
		export_fail(&w->failed, -EIO);
	}
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

/* Numbers of definitions count from 0, without gaps, in the order in which they are written; ids in a trace from 1. */
static uint32_t n_defs(const struct otf2 *w, enum weft_class c)
{
	return w->sink.t->def[c].n ? w->sink.t->def[c].n - 1 : 0;
}

/* Regions, then states of a foreign trace. */
static uint32_t state_region(const struct otf2 *w, uint32_t state)
{
	return n_defs(w, WEFT_CLASS_REGION) + state - 1;
}

/* Counters, then types of points. */
static uint32_t metric_of(const struct otf2 *w, enum weft_class c, uint32_t id)
{
	return c == WEFT_CLASS_COUNTER ? id - 1 : n_defs(w, WEFT_CLASS_COUNTER) + id - 1;
}

/* Attributes that are numbers, attributes that are texts, points that are texts: a parameter has one kind of value. */
static uint32_t parameter_of(const struct otf2 *w, unsigned kind, uint32_t id)
{
	uint32_t attrs = n_defs(w, WEFT_CLASS_ATTR);
	return kind == WEFT_EV_ATTR ? id - 1 : kind == WEFT_EV_ATTR_S ? attrs + id - 1 : 2 * attrs + id - 1;
}

static void on_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct otf2 *w = otf2_of(s);
	(void)time;
	w->events = OTF2_Archive_GetEvtWriter(w->archive, l->thread);
	if (!w->events)
		export_fail(s->out, -ENOMEM);
}

static void on_end(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct otf2 *w = otf2_of(s);
	(void)time;
	check(w, OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->n_events[l->thread]));
	check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
}

static void on_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	(void)l;
	if (region)
		check(otf2_of(s), OTF2_EvtWriter_Enter(otf2_of(s)->events, NULL, time, region - 1));
}

static void on_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region, const struct export_attr *attr,
                   size_t n_attrs)
{
	(void)l, (void)attr, (void)n_attrs;
	if (region)
		check(otf2_of(s), OTF2_EvtWriter_Leave(otf2_of(s)->events, NULL, time, region - 1));
}

static void on_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	struct otf2 *w = otf2_of(s);
	(void)l;
	if (!state)
		return;
	check(w, begins ? OTF2_EvtWriter_Enter(w->events, NULL, time, state_region(w, state))
	                : OTF2_EvtWriter_Leave(w->events, NULL, time, state_region(w, state)));
}

static void put_metric(struct otf2 *w, const struct weft_event *e, enum weft_class c, bool floating)
{
	OTF2_Type type = floating ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
	OTF2_MetricValue value;
	w->floating[metric_of(w, c, e->id)] |= floating;
	memcpy(&value, &e->value, sizeof e->value);
	check(w, OTF2_EvtWriter_Metric(w->events, NULL, e->time, metric_of(w, c, e->id), 1, &type, &value));
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
	check(w, OTF2_EvtWriter_ParameterInt(w->events, NULL, e->time, parameter_of(w, WEFT_EV_ATTR, e->id), value));
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
	check(w, (sends ? OTF2_EvtWriter_MpiSend : OTF2_EvtWriter_MpiRecv)(w->events, NULL, e->time, peer, e->id - 1,
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
		check(w, OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, e->time));
		check(w, OTF2_EvtWriter_MpiCollectiveEnd(w->events, NULL, e->time, operations[i].op, e->id - 1,
		                                         operations[i].root && root >= 0 ? (uint32_t)root
		                                                                         : OTF2_COLLECTIVE_ROOT_NONE,
		                                         word[1], word[2]));
	}
}

static uint32_t string_of(struct otf2 *w, const char *text);

static void on_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct otf2 *w = otf2_of(s);
	const enum weft_class of = weft_kind_info[e->kind].of;
	(void)l;
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
		break;
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
		put_attr(w, e);
		break;
	case WEFT_EV_ATTR_S:
	case WEFT_EV_POINT_S: {
		uint32_t text = string_of(w, export_def_name(s->t, WEFT_CLASS_STRING, e->value));
		check(w, OTF2_EvtWriter_ParameterString(w->events, NULL, e->time, parameter_of(w, e->kind, e->id), text));
		break;
	}
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		put_message(w, e);
		break;
	case WEFT_EV_COLLECTIVE:
		put_collective(w, e);
		break;
	default:
		break;
	}
}

/* ---- definitions ---- */

static uint32_t string_of(struct otf2 *w, const char *text)
{
	uint64_t key = weft_hash(text, strlen(text)), number;
	if (weft_map_get(&w->strings, key, &number))
		return (uint32_t)number;
	number = w->n_strings++;
	if (weft_map_put(&w->strings, key, number))
		export_fail(&w->failed, -ENOMEM);
	check(w, OTF2_GlobalDefWriter_WriteString(w->defs, (uint32_t)number, text));
	return (uint32_t)number;
}

/* By category, what a region's paradigm is. */
static OTF2_Paradigm paradigm_of(const char *category)
{
	static const struct {
		const char *category;
		OTF2_Paradigm paradigm;
	} known[] = {{"mpi", OTF2_PARADIGM_MPI},
	             {"openmp", OTF2_PARADIGM_OPENMP},
	             {"threads", OTF2_PARADIGM_PTHREAD},
	             {"user", OTF2_PARADIGM_USER}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].category, category))
			return known[i].paradigm;
	return OTF2_PARADIGM_COMPILER;
}

/* The first pattern that fits. */
static OTF2_RegionRole role_of(const char *category, const char *name)
{
	static const struct {
		const char *category, *name;
		OTF2_RegionRole role;
	} known[] = {{"openmp", "omp parallel in *", OTF2_REGION_ROLE_PARALLEL},
	             {"openmp", "* [omp task]", OTF2_REGION_ROLE_TASK},
	             {"openmp", "omp for*", OTF2_REGION_ROLE_LOOP},
	             {"openmp", "omp sections", OTF2_REGION_ROLE_SECTIONS},
	             {"openmp", "omp section", OTF2_REGION_ROLE_SECTION},
	             {"openmp", "omp single", OTF2_REGION_ROLE_SINGLE},
	             {"openmp", "omp barrier", OTF2_REGION_ROLE_BARRIER},
	             {"openmp", "omp join", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
	             {"openmp", "omp critical*", OTF2_REGION_ROLE_CRITICAL},
	             {"openmp", "omp ordered*", OTF2_REGION_ROLE_ORDERED},
	             {"openmp", "omp task create", OTF2_REGION_ROLE_TASK_CREATE},
	             {"openmp", "omp taskwait", OTF2_REGION_ROLE_TASK_WAIT},
	             {"mpi", "MPI_Barrier", OTF2_REGION_ROLE_BARRIER},
	             {"mpi", "MPI_File_*", OTF2_REGION_ROLE_FILE_IO},
	             {"mpi", "MPI_Put*", OTF2_REGION_ROLE_RMA},
	             {"mpi", "MPI_Get", OTF2_REGION_ROLE_RMA},
	             {"io", "*", OTF2_REGION_ROLE_FILE_IO},
	             {"threads", "*_create", OTF2_REGION_ROLE_THREAD_CREATE},
	             {"threads", "*_join", OTF2_REGION_ROLE_THREAD_WAIT}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].category, category) && weft_glob(known[i].name, name))
			return known[i].role;
	return OTF2_REGION_ROLE_FUNCTION;
}

static void define_regions(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION], *states = &t->def[WEFT_CLASS_STATE];
	uint32_t nothing = string_of(w, "");
	for (uint32_t i = 1; i < regions->n; i++) {
		const struct weft_def_row *r = &regions->at[i];
		const char *category = export_def_name(t, WEFT_CLASS_CATEGORY, r->category);
		uint32_t name = string_of(w, r->name), file = *r->file ? string_of(w, r->file) : OTF2_UNDEFINED_STRING;
		check(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, i - 1, name, name, nothing, role_of(category, r->name),
		                                          paradigm_of(category), OTF2_REGION_FLAG_NONE, file, r->line, 0));
	}
	for (uint32_t i = 1; i < states->n; i++) {
		uint32_t name = string_of(w, states->at[i].name);
		check(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, state_region(w, i), name, name, nothing,
		                                          OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_UNKNOWN,
		                                          OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
	}
}

static void define_metrics(struct otf2 *w, enum weft_class c)
{
	const struct weft_def_table *defs = &w->sink.t->def[c];
	uint32_t nothing = string_of(w, "");
	for (uint32_t i = 1; i < defs->n; i++) {
		uint32_t metric = metric_of(w, c, i);
		check(w, OTF2_GlobalDefWriter_WriteMetricMember(w->defs, metric, string_of(w, defs->at[i].name), nothing,
		                                                OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
		                                                w->floating[metric] ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64,
		                                                OTF2_BASE_DECIMAL, 0, string_of(w, defs->at[i].unit)));
		check(w, OTF2_GlobalDefWriter_WriteMetricClass(w->defs, metric, 1, &metric, OTF2_METRIC_ASYNCHRONOUS,
		                                               OTF2_RECORDER_KIND_CPU));
	}
}

static void define_parameters(struct otf2 *w, unsigned kind, OTF2_ParameterType type)
{
	const struct weft_def_table *defs = &w->sink.t->def[weft_kind_info[kind].of];
	for (uint32_t i = 1; i < defs->n; i++)
		check(w, OTF2_GlobalDefWriter_WriteParameter(w->defs, parameter_of(w, kind, i), string_of(w, defs->at[i].name),
		                                             type));
}

static void define_places(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	uint32_t node = string_of(w, "node");
	struct weft_buf z = {0};
	check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, string_of(w, "machine"), string_of(w, "machine"),
	                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < t->n_nodes; i++)
		check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, i + 1, string_of(w, t->node[i].name), node, 0));
	for (uint32_t i = 0; i < t->n_processes; i++) {
		z.n = 0;
		export_process_name(t, i, &z);
		check(w, OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, i, string_of(w, z.failed ? "" : z.at),
		                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS,
		                                                 t->process[i].node == WEFT_NONE ? 0 : t->process[i].node + 1,
		                                                 OTF2_UNDEFINED_LOCATION_GROUP));
	}
	for (uint32_t i = 0; i < t->n_threads; i++) {
		z.n = 0;
		export_thread_name(t, i, &z);
		check(w, OTF2_GlobalDefWriter_WriteLocation(w->defs, i, string_of(w, z.failed ? "" : z.at),
		                                            OTF2_LOCATION_TYPE_CPU_THREAD, w->n_events[i], t->thread[i].process));
	}
	weft_buf_fini(&z);
}

/* Group 0: all ranks; behind it, of each communicator its members. */
static void define_comms(struct otf2 *w)
{
	const struct weft_def_table *comms = &w->sink.t->def[WEFT_CLASS_COMM];
	uint64_t *all = calloc((size_t)w->n_ranks + 1, sizeof *all);
	if (!all) {
		export_fail(&w->failed, -ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < w->n_ranks; i++)
		all[i] = i;
	check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, 0, string_of(w, "ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
	                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->n_ranks, w->locations));
	for (uint32_t i = 1; i < comms->n; i++) {
		const struct weft_def_row *c = &comms->at[i];
		uint32_t name = string_of(w, c->name);
		check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, i, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
		                                         OTF2_GROUP_FLAG_NONE, c->n_members ? c->n_members : w->n_ranks,
		                                         c->n_members ? c->member : all));
		check(w, OTF2_GlobalDefWriter_WriteComm(w->defs, i - 1, name, i, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
	free(all);
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
	w->floating = calloc((size_t)n_defs(w, WEFT_CLASS_COUNTER) + n_defs(w, WEFT_CLASS_TYPE) + 1, 1);
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
	check(w, OTF2_Archive_OpenDefFiles(w->archive));
	for (uint32_t i = 0; i < w->sink.t->n_threads && !w->failed.failed; i++) {
		OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(w->archive, i);
		if (!d)
			export_fail(&w->failed, -ENOMEM);
		else
			check(w, OTF2_Archive_CloseDefWriter(w->archive, d));
	}
	check(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static int write_all(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	check(w, OTF2_Archive_OpenEvtFiles(w->archive));
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!w->defs)
		return -ENOMEM;
	int rc = number_ranks(w);
	rc = rc ? rc : export_threads(&w->sink);
	if (rc)
		return rc;
	check(w, OTF2_Archive_CloseEvtFiles(w->archive));
	write_local(w);
	check(w, OTF2_GlobalDefWriter_WriteClockProperties(w->defs, 1000000000, 0, t->end + 1,
	                                                   t->begin_realtime ? t->begin_realtime : OTF2_UNDEFINED_TIMESTAMP));
	define_places(w);
	define_regions(w);
	define_metrics(w, WEFT_CLASS_COUNTER);
	define_metrics(w, WEFT_CLASS_TYPE);
	define_parameters(w, WEFT_EV_ATTR, OTF2_PARAMETER_TYPE_INT64);
	define_parameters(w, WEFT_EV_ATTR_S, OTF2_PARAMETER_TYPE_STRING);
	define_parameters(w, WEFT_EV_POINT_S, OTF2_PARAMETER_TYPE_STRING);
	define_comms(w);
	check(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs));
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
	check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
	check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
	check(w, OTF2_Archive_SetCreator(w->archive, "weft convert"));
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
	weft_map_fini(&w.strings);
	return rc;
}
