/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of an OTF2 archive, which are written when all events are: how many each location has stands in its own. */
#include "export_otf2_priv.h"
#include <errno.h>
#include <stdlib.h>

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
	uint32_t nothing = otf2_string(w, "");
	for (uint32_t i = 1; i < regions->n; i++) {
		const struct weft_def_row *r = &regions->at[i];
		const char *category = export_def_name(t, WEFT_CLASS_CATEGORY, r->category);
		uint32_t name = otf2_string(w, r->name), file = *r->file ? otf2_string(w, r->file) : OTF2_UNDEFINED_STRING;
		otf2_check(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, i - 1, name, name, nothing, role_of(category, r->name),
		                                               paradigm_of(category), OTF2_REGION_FLAG_NONE, file, r->line, 0));
	}
	for (uint32_t i = 1; i < states->n; i++) {
		uint32_t name = otf2_string(w, states->at[i].name);
		otf2_check(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, otf2_state_region(w, i), name, name, nothing,
		                                               OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_UNKNOWN,
		                                               OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
	}
}

static void define_metrics(struct otf2 *w, enum weft_class c)
{
	const struct weft_def_table *defs = &w->sink.t->def[c];
	uint32_t nothing = otf2_string(w, "");
	for (uint32_t i = 1; i < defs->n; i++) {
		uint32_t metric = otf2_metric(w, c, i);
		otf2_check(w, OTF2_GlobalDefWriter_WriteMetricMember(w->defs, metric, otf2_string(w, defs->at[i].name), nothing,
		                                                     OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
		                                                     w->floating[metric] ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64,
		                                                     OTF2_BASE_DECIMAL, 0, otf2_string(w, defs->at[i].unit)));
		otf2_check(w, OTF2_GlobalDefWriter_WriteMetricClass(w->defs, metric, 1, &metric, OTF2_METRIC_ASYNCHRONOUS,
		                                                    OTF2_RECORDER_KIND_CPU));
	}
}

static void define_parameters(struct otf2 *w, unsigned kind, OTF2_ParameterType type)
{
	const struct weft_def_table *defs = &w->sink.t->def[weft_kind_info[kind].of];
	for (uint32_t i = 1; i < defs->n; i++)
		otf2_check(w, OTF2_GlobalDefWriter_WriteParameter(w->defs, otf2_parameter(w, kind, i),
		                                                  otf2_string(w, defs->at[i].name), type));
}

static void define_places(struct otf2 *w)
{
	const struct weft_trace *t = w->sink.t;
	uint32_t node = otf2_string(w, "node");
	struct weft_buf z = {0};
	otf2_check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, 0, otf2_string(w, "machine"), otf2_string(w, "machine"),
	                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < t->n_nodes; i++)
		otf2_check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->defs, i + 1, otf2_string(w, t->node[i].name), node, 0));
	for (uint32_t i = 0; i < t->n_processes; i++) {
		z.n = 0;
		export_process_name(t, i, &z);
		otf2_check(w,
		           OTF2_GlobalDefWriter_WriteLocationGroup(w->defs, i, otf2_string(w, z.failed ? "" : z.at),
		                                                   OTF2_LOCATION_GROUP_TYPE_PROCESS,
		                                                   t->process[i].node == WEFT_NONE ? 0 : t->process[i].node + 1,
		                                                   OTF2_UNDEFINED_LOCATION_GROUP));
	}
	for (uint32_t i = 0; i < t->n_threads; i++) {
		z.n = 0;
		export_thread_name(t, i, &z);
		otf2_check(w, OTF2_GlobalDefWriter_WriteLocation(w->defs, i, otf2_string(w, z.failed ? "" : z.at),
		                                                 OTF2_LOCATION_TYPE_CPU_THREAD, w->n_events[i],
		                                                 t->thread[i].process));
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
	otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, 0, otf2_string(w, "ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
	                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, w->n_ranks, w->locations));
	for (uint32_t i = 1; i < comms->n; i++) {
		const struct weft_def_row *c = &comms->at[i];
		uint32_t name = otf2_string(w, c->name);
		otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, i, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
		                                              OTF2_GROUP_FLAG_NONE, c->n_members ? c->n_members : w->n_ranks,
		                                              c->n_members ? c->member : all));
		otf2_check(w, OTF2_GlobalDefWriter_WriteComm(w->defs, i - 1, name, i, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	}
	free(all);
}

/* ---- threads ---- */

/* All locations, which groups of threads count from. */
static void define_threads(struct otf2 *w, uint32_t group, OTF2_Paradigm paradigm, const char *name)
{
	uint32_t n = w->sink.t->n_threads;
	uint64_t *all = malloc(((size_t)n + 1) * sizeof *all);
	if (!all) {
		export_fail(&w->failed, -ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		all[i] = i;
	otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, group, otf2_string(w, name), OTF2_GROUP_TYPE_COMM_LOCATIONS,
	                                              paradigm, OTF2_GROUP_FLAG_NONE, n, all));
	free(all);
}

static void define_group(struct otf2 *w, uint32_t group, uint32_t comm, OTF2_Paradigm paradigm, const char *name,
                         const uint64_t *member, uint32_t n)
{
	uint32_t text = otf2_string(w, name);
	otf2_check(w, OTF2_GlobalDefWriter_WriteGroup(w->defs, group, text, OTF2_GROUP_TYPE_COMM_GROUP, paradigm,
	                                              OTF2_GROUP_FLAG_NONE, n, member));
	otf2_check(w, OTF2_GlobalDefWriter_WriteComm(w->defs, comm, text, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static uint32_t define_teams(struct otf2 *w, uint32_t group, uint64_t *member)
{
	const struct otf2_before *b = &w->before;
	if (!b->comm.n)
		return group;
	define_threads(w, group++, OTF2_PARADIGM_OPENMP, "omp threads");
	for (uint32_t i = 0; i < b->comm.n; i++) {
		const struct otf2_comm *c = &b->comm.at[i];
		for (size_t k = c->from; k < c->to; k++)
			member[k - c->from] = b->member.at[k].thread;
		define_group(w, group++, otf2_team_comm(w, i), OTF2_PARADIGM_OPENMP, "omp team", member,
		             (uint32_t)(c->to - c->from));
	}
	return group;
}

/* The threads of each process whose threads were made, in the order of their numbers. */
static void define_made(struct otf2 *w, uint32_t group, uint64_t *member)
{
	const struct weft_trace *t = w->sink.t;
	if (!w->before.n_makers)
		return;
	define_threads(w, group++, OTF2_PARADIGM_PTHREAD, "pthreads");
	for (uint32_t i = 0; i < t->n_processes; i++) {
		if (!w->before.maker[i])
			continue;
		for (uint32_t k = 0; k < t->process[i].n_threads; k++)
			member[k] = t->process[i].first_thread + k;
		define_group(w, group++, otf2_thread_comm(w, i), OTF2_PARADIGM_PTHREAD, "threads of a process", member,
		             t->process[i].n_threads);
	}
}

static void define_thread_groups(struct otf2 *w)
{
	uint32_t group = 1 + otf2_n_defs(w, WEFT_CLASS_COMM);
	uint64_t *member = malloc(((size_t)w->sink.t->n_threads + 1) * sizeof *member);
	if (!member) {
		export_fail(&w->failed, -ENOMEM);
		return;
	}
	define_made(w, define_teams(w, group, member), member);
	free(member);
}

/* ---- samples ---- */

static void define_functions(struct otf2 *w)
{
	uint32_t nothing = otf2_string(w, "");
	for (uint32_t i = 0; i < w->contexts.function.n; i++) {
		const struct otf2_function *f = &w->contexts.function.at[i];
		otf2_check(w, OTF2_GlobalDefWriter_WriteRegion(w->defs, otf2_function_region(w, i), f->name, f->name, nothing,
		                                               OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
		                                               OTF2_REGION_FLAG_NONE, f->file, 0, 0));
	}
}

static void define_contexts(struct otf2 *w)
{
	const struct otf2_contexts *c = &w->contexts;
	for (uint32_t i = 0; i < c->place.n; i++)
		otf2_check(w, OTF2_GlobalDefWriter_WriteSourceCodeLocation(w->defs, i, c->place.at[i].file, c->place.at[i].line));
	for (uint32_t i = 0; i < c->context.n; i++)
		otf2_check(w, OTF2_GlobalDefWriter_WriteCallingContext(w->defs, i, c->context.at[i].region,
		                                                       c->context.at[i].place, c->context.at[i].parent));
	for (uint32_t i = 0; i < c->generator.n; i++)
		otf2_check(w,
		           OTF2_GlobalDefWriter_WriteInterruptGenerator(w->defs, i,
		                                                        otf2_string(w, c->generator.at[i].is_wall ? "wall clock"
		                                                                                                  : "CPU time"),
		                                                        OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9,
		                                                        c->generator.at[i].period_ns));
	if (c->wanted)
		otf2_check(w, OTF2_GlobalDefWriter_WriteAttribute(w->defs, 0, otf2_string(w, "periods"),
		                                                  otf2_string(w, "for how many a sample stands, if not for one"),
		                                                  OTF2_TYPE_UINT32));
}

void otf2_define(struct otf2 *w)
{
	define_places(w);
	define_regions(w);
	define_functions(w);
	define_metrics(w, WEFT_CLASS_COUNTER);
	define_metrics(w, WEFT_CLASS_TYPE);
	define_parameters(w, WEFT_EV_ATTR, OTF2_PARAMETER_TYPE_INT64);
	define_parameters(w, WEFT_EV_ATTR_S, OTF2_PARAMETER_TYPE_STRING);
	define_parameters(w, WEFT_EV_POINT_S, OTF2_PARAMETER_TYPE_STRING);
	define_comms(w);
	define_thread_groups(w);
	define_contexts(w);
}
