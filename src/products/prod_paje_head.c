/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of paje.trace: lines' fields, types, values with their colours, containers.
 *
 *   MPIroot ── program ── scheduler                     curves: submitted, ready, GFlop/s in all
 *                  ├── memory node ── memory manager    states and curves of its memory; ends of transfers
 *                  │         └── thread ── worker       states, GFlop/s
 *                  └── user thread                      what it pushes and pops
 *
 * Numbers, aliases and colours are those that readers of StarPU's traces know.
 */
#include "prod_walk.h"
#include <stdio.h>

static const struct {
	const char *event, *fields; /* "Name type", separated by commas */
	unsigned code;
} lines[] = {
	{"PajeDefineContainerType", "Alias string,Type string,Name string", 1},
	{"PajeDefineEventType", "Alias string,Type string,Name string,Color color", 2},
	{"PajeDefineStateType", "Alias string,Type string,Name string", 3},
	{"PajeDefineVariableType", "Alias string,Type string,Name string", 4},
	{"PajeDefineLinkType", "Alias string,Type string,StartContainerType string,EndContainerType string,Name string", 5},
	{"PajeDefineEntityValue", "Alias string,Type string,Name string,Color color", 6},
	{"PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string", 7},
	{"PajeDestroyContainer", "Time date,Name string,Type string", 8},
	{"PajeNewEvent", "Time date,Type string,Container string,Value string", 9},
	{"PajeSetState", "Time date,Container string,Type string,Value string", 10},
	{"PajePushState", "Time date,Container string,Type string,Value string", 11},
	{"PajePopState", "Time date,Container string,Type string", 12},
	{"PajeSetVariable", "Time date,Container string,Type string,Value double", 13},
	{"PajeAddVariable", "Time date,Type string,Container string,Value double", 14},
	{"PajeSubVariable", "Time date,Type string,Container string,Value double", 15},
	{"PajeStartLink", "Time date,Type string,Container string,Value string,StartContainer string,Key string", 18},
	{"PajeEndLink", "Time date,Type string,Container string,Value string,EndContainer string,Key string", 19},
	{"PajeSetState",
         "Time date,Container string,Type string,Value string,Size string,Params string,Footprint string,Tag string,JobId "
         "string,SubmitOrder string,Priority string,GFlop string,X string,Y string,Iteration string,Subiteration "
         "string,NumaNodes string",
         20},
	{"PajeSetState",
         "Time date,Container string,Type string,Value string,Size string,Params string,Footprint string,Tag string,JobId "
         "string,SubmitOrder string",
         21},
	{"PajeNewEvent", "Time date,Type string,Container string,Value string,Handle string,Info string,Size string,Tid string",
         22},
	{"PajeStartLink",
         "Time date,Type string,Container string,Value string,StartContainer string,Key string,MPITAG string,MPIType "
         "string,Priority string,Handle string,HName string,X string,Y string",
         23},
	{"PajeStartLink",
         "Time date,Type string,Container string,Value string,StartContainer string,Key string,Handle string,HName "
         "string,X string,Y string",
         24},
	{"PajeNewEvent", "Time date,Type string,Container string,Value string,CheckpointInstance string,CheckpointDomain string",
         25},
	{"PajeSetState", "Time date,Container string,Type string,Value string,JobId string", 26},
};

static const struct {
	unsigned code;
	const char *alias, *parent, *name, *more; /* more: what follows the parent of a link's type, or NULL */
} types[] = {
	{1, "MPIP", "0", "MPI Program", NULL},
	{1, "P", "MPIP", "Program", NULL},
	{1, "Mn", "P", "Memory Node", NULL},
	{1, "T", "Mn", "Thread", NULL},
	{1, "UT", "P", "User Thread", NULL},
	{1, "Mm", "Mn", "Memory Manager", NULL},
	{1, "W", "T", "Worker", NULL},
	{1, "MPICt", "P", "MPI Communication Thread", NULL},
	{1, "Sc", "P", "Scheduler State", NULL},
	{2, "prog_event", "P", "program event type", NULL},
	{2, "checkpoint_begin", "P", "Checkpoint Begin", NULL},
	{2, "checkpoint_end", "P", "Checkpoint End", NULL},
	{2, "pu", "P", "Task Push", NULL},
	{2, "po", "P", "Task Pop", NULL},
	{2, "register", "P", "data registration", NULL},
	{2, "unregister", "P", "data unregistration", NULL},
	{2, "user_event", "P", "user event type", NULL},
	{2, "thread_event", "T", "thread event type", NULL},
	{2, "user_user_event", "UT", "user event type", NULL},
	{2, "user_thread_event", "UT", "thread event type", NULL},
	{2, "su", "UT", "Task Submission", NULL},
	{2, "MPIev", "MPICt", "MPI event type", NULL},
	{2, "SI", "Mm", "data state invalid", NULL},
	{2, "SS", "Mm", "data state shared", NULL},
	{2, "SO", "Mm", "data state owner", NULL},
	{2, "WU", "Mm", "data wont use", NULL},
	{2, "Al", "Mm", "Allocating Start", NULL},
	{2, "AlE", "Mm", "Allocating End", NULL},
	{2, "Alr", "Mm", "Allocating Async Start", NULL},
	{2, "AlrE", "Mm", "Allocating Async End", NULL},
	{2, "Fe", "Mm", "Free Start", NULL},
	{2, "FeE", "Mm", "Free End", NULL},
	{2, "rc", "Mm", "Request Created", NULL},
	{2, "Wb", "Mm", "WritingBack Start", NULL},
	{2, "WbE", "Mm", "WritingBack End", NULL},
	{2, "DCo", "Mm", "DriverCopy Start", NULL},
	{2, "DCoE", "Mm", "DriverCopy End", NULL},
	{2, "DCoA", "Mm", "DriverCopyAsync Start", NULL},
	{2, "DCoAE", "Mm", "DriverCopyAsync End", NULL},
	{3, "S", "T", "Thread State", NULL},
	{3, "CtS", "MPICt", "Communication Thread State", NULL},
	{3, "WS", "W", "Worker State", NULL},
	{3, "US", "UT", "User Thread State", NULL},
	{3, "MS", "Mm", "Memory Node State", NULL},
	{3, "Ctx1", "W", "InCtx1", NULL},
	{3, "Ctx2", "W", "InCtx2", NULL},
	{3, "Ctx3", "W", "InCtx3", NULL},
	{3, "Ctx4", "W", "InCtx4", NULL},
	{3, "Ctx5", "W", "InCtx5", NULL},
	{3, "Ctx6", "W", "InCtx6", NULL},
	{3, "Ctx7", "W", "InCtx7", NULL},
	{3, "Ctx8", "W", "InCtx8", NULL},
	{3, "Ctx9", "W", "InCtx9", NULL},
	{4, "nsubmitted", "Sc", "Number of Submitted Uncompleted Tasks", NULL},
	{4, "nready", "Sc", "Number of Ready Tasks", NULL},
	{4, "gft", "Sc", "Total GFlop/s", NULL},
	{4, "use", "Mm", "Used (MB)", NULL},
	{4, "bwi_mm", "Mm", "Bandwidth In (MB/s)", NULL},
	{4, "bwo_mm", "Mm", "Bandwidth Out (MB/s)", NULL},
	{4, "bwi_mpi", "MPICt", "Bandwidth In (MB/s)", NULL},
	{4, "bwo_mpi", "MPICt", "Bandwidth Out (MB/s)", NULL},
	{4, "gf", "W", "GFlop/s", NULL},
	{5, "MPIL", "MPIP", "MPI communication", "MPICt\tMPICt"},
	{5, "F", "P", "Intra-node data Fetch", "Mm\tMm"},
	{5, "TF", "P", "Intra-node data TaskPreFetch", "Mm\tMm"},
	{5, "PF", "P", "Intra-node data PreFetch", "Mm\tMm"},
	{5, "IF", "P", "Intra-node data IdleFetch", "Mm\tMm"},
	{5, "WSL", "P", "Work steal", "W\tW"},
	{5, "Dep", "P", "Task dependency", "W\tW"},
};

static const struct {
	const char *alias, *name, *color, *of; /* of: types of states, with blanks around each */
} values[] = {
	{"I", "Idle", ".9 .1 .0", " S WS Ctx "},
	{"In", "Initializing", "0.0 .7 1.0", " S WS Ctx "},
	{"D", "Deinitializing", "0.0 .1 .7", " S WS Ctx "},
	{"Fi", "FetchingInput", "1.0 .1 1.0", " S WS Ctx "},
	{"Po", "PushingOutput", "0.1 1.0 1.0", " S WS Ctx "},
	{"C", "Callback", ".0 .3 .8", " S WS Ctx US "},
	{"B", "Overhead", ".5 .18 .0", " S WS Ctx "},
	{"Ps", "Parallel sync", ".5 .18 1.0", " S WS Ctx "},
	{"E", "Executing", ".0 .6 .5", " S WS Ctx "},
	{"Sc", "Scheduling", ".7 .36 .0", " S WS Ctx US "},
	{"Sl", "Sleeping", ".9 .1 .0", " S WS Ctx "},
	{"P", "Progressing", ".1 .3 .1", " S WS Ctx "},
	{"U", "Unpartitioning", ".0 .0 1.0", " S WS Ctx "},
	{"H", "Hypervisor", ".5 .18 .0", " S WS Ctx "},
	{"Bu", "Building task", ".5 .18 .0", " S WS US "},
	{"Su", "Submitting task", ".3 .09 .0", " S WS US "},
	{"Th", "Throttling task submission", ".8 .6 .6", " S WS US "},
	{"W", "Waiting task", ".9 .1 .0", " US "},
	{"WA", "Waiting all tasks", ".9 .1 .0", " US "},
	{"No", "Nothing", ".0 .0 .0", " US MS "},
	{"A", "Allocating", ".4 .1 .0", " MS "},
	{"Ar", "AllocatingReuse", ".1 .1 .8", " MS "},
	{"F", "Freeing", ".6 .3 .0", " MS "},
	{"W", "WritingBack", ".0 .0 .5", " MS "},
	{"Wa", "WritingBackAsync", ".0 .0 .4", " MS "},
	{"R", "Reclaiming", ".0 .1 .6", " MS "},
	{"Co", "DriverCopy", ".3 .5 .1", " MS "},
	{"CoA", "DriverCopyAsync", ".1 .3 .1", " MS "},
};

static void put_fields(struct export_out *o, const char *fields)
{
	struct weft_str rest = weft_str(fields), one;
	while (weft_str_cut(&rest, ',', &one)) {
		struct weft_str name = weft_str_word(&one);
		PUT(o, "%\t");
		put_str(o, name);
		export_char(o, '\t');
		put_str(o, one);
		export_char(o, '\n');
	}
}

static void put_value(struct export_out *o, size_t i, const char *type)
{
	PUT(o, "6\t");
	export_text(o, values[i].alias);
	export_char(o, '\t');
	export_text(o, type);
	PUT(o, "\t\"");
	export_text(o, values[i].name);
	PUT(o, "\"\t\"");
	export_text(o, values[i].color);
	PUT(o, "\"\n");
}

static void put_values(struct export_out *o)
{
	static const char *const of[] = {"S", "WS", "US", "MS"};
	char word[8];
	for (size_t k = 0; k < sizeof of / sizeof *of; k++)
		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			snprintf(word, sizeof word, " %s ", of[k]);
			if (strstr(values[i].of, word))
				put_value(o, i, of[k]);
		}
	for (unsigned ctx = 1; ctx <= 9; ctx++)
		for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
			snprintf(word, sizeof word, "Ctx%u", ctx);
			if (strstr(values[i].of, " Ctx "))
				put_value(o, i, word);
		}
}

void prod_paje_types(struct prod_walk *w)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		PUT(o, "%EventDef\t");
		export_text(o, lines[i].event);
		export_char(o, '\t');
		export_u64(o, lines[i].code);
		export_char(o, '\n');
		put_fields(o, lines[i].fields);
		PUT(o, "%EndEventDef\n");
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		export_u64(o, types[i].code);
		export_char(o, '\t');
		export_text(o, types[i].alias);
		export_char(o, '\t');
		export_text(o, types[i].parent);
		export_char(o, '\t');
		if (types[i].more) {
			export_text(o, types[i].more);
			export_char(o, '\t');
		}
		export_char(o, '"');
		export_text(o, types[i].name);
		export_text(o, types[i].code == 2 ? "\"\t\"1.0 1.0 1.0\"\n" : "\"\n");
	}
	put_values(o);
}

/* ---- containers ---- */

static void create(struct export_out *o, const char *prefix, const char *alias, const char *type, const char *parent,
                   const char *name)
{
	paje_begin(o, "7", 0);
	export_text(o, prefix);
	export_text(o, alias);
	export_char(o, '\t');
	export_text(o, type);
	export_char(o, '\t');
	export_text(o, prefix);
	export_text(o, parent);
	export_char(o, '\t');
	export_text(o, prefix);
	export_text(o, name);
	export_char(o, '\n');
}

static void create_nodes(struct prod_walk *w, const struct prod_program *p)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	for (uint32_t i = 0; i < p->n_nodes; i++) {
		char mn[24], mm[24], name[40];
		snprintf(mn, sizeof mn, "mn%u", i);
		snprintf(mm, sizeof mm, "mm%u", i);
		snprintf(name, sizeof name, "MEMNODE%u", i);
		create(o, p->prefix, mn, "Mn", "p", name);
		snprintf(name, sizeof name, "MEMMANAGER%u", i);
		create(o, p->prefix, mm, "Mm", mn, name);
		paje_set(w, 0, p->prefix, "mm", (int)i, "use", 0);
		if (!w->set->how->no_bus) {
			paje_set(w, 0, p->prefix, "mm", (int)i, "bwi_mm", 0);
			paje_set(w, 0, p->prefix, "mm", (int)i, "bwo_mm", 0);
		}
	}
}

/* "CPU 0" is called CPU0, as it is there. */
static void worker_name(const char *name, char *to, size_t size)
{
	size_t n = 0;
	for (; *name && n + 1 < size; name++) {
		unsigned char c = (unsigned char)*name;
		if (c > ' ' && c < 0x7f && c != '"' && c != '\\')
			to[n++] = (char)c;
	}
	to[n] = '\0';
	if (!n)
		snprintf(to, size, "worker");
}

static void create_worker(struct prod_walk *w, struct prod_lane *l)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	const struct weft_tasks_worker *worker = &l->t->tasks.worker[l->worker];
	uint32_t node = worker->node < l->p->n_nodes ? worker->node : 0;
	char mn[24], name[48];
	snprintf(mn, sizeof mn, "mn%u", node);
	snprintf(name, sizeof name, "T%u", worker->number);
	create(o, l->p->prefix, l->thread_alias + strlen(l->p->prefix), "T", mn, name);
	worker_name(worker->name, name, sizeof name);
	create(o, l->p->prefix, l->alias + strlen(l->p->prefix), "W", l->thread_alias + strlen(l->p->prefix), name);
	if (!w->set->how->no_flops)
		paje_set(w, 0, l->p->prefix, "w", (int)(l->worker - l->p->first_worker), "gf", 0);
	struct export_out *activity = prod_out(w->set, PROD_ACTIVITY);
	PUT(activity, "name\t");
	export_u64(activity, l->t->first_worker + l->worker);
	export_char(activity, '\t');
	put_str(activity, weft_str(worker->name));
	export_char(activity, '\n');
}

static void create_program(struct prod_walk *w, const struct prod_program *p)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "7", 0);
	export_text(o, p->prefix);
	PUT(o, "p\tP\tMPIroot\t");
	export_text(o, p->prefix);
	PUT(o, "program\n");
	create(o, p->prefix, "sched", "Sc", "p", "scheduler");
	if (!w->set->how->no_counter) {
		paje_set(w, 0, p->prefix, "sched", -1, "nsubmitted", 0);
		paje_set(w, 0, p->prefix, "sched", -1, "nready", 0);
	}
	if (!w->set->how->no_flops)
		paje_set(w, 0, p->prefix, "sched", -1, "gft", 0);
	if (p->of->trace->message.n)
		create(o, p->prefix, "mpict", "MPICt", "p", "mpict");
	create_nodes(w, p);
}

void prod_paje_containers(struct prod_walk *w)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "7", 0);
	PUT(o, "MPIroot\tMPIP\t0\troot\n");
	for (uint32_t i = 0; i < w->set->n_programs; i++)
		create_program(w, &w->set->program[i]);
	for (uint32_t i = 0; i < w->n_lanes; i++) {
		struct prod_lane *l = &w->lane[i];
		if (!l->p)
			continue;
		snprintf(l->thread_alias, sizeof l->thread_alias, "%st%lld", l->p->prefix,
		         (long long)l->t->trace->thread[l->thread].tid);
		if (l->worker == WEFT_TASKS_NO_ONE)
			continue;
		snprintf(l->alias, sizeof l->alias, "%sw%u", l->p->prefix, l->worker - l->p->first_worker);
		l->created = true;
		create_worker(w, l);
	}
}

static void destroy(struct prod_walk *w, const char *prefix, const char *alias, const char *type)
{
	struct export_out *o = prod_out(w->set, PROD_PAJE);
	paje_begin(o, "8", w->set->end);
	export_text(o, prefix);
	export_text(o, alias);
	export_char(o, '\t');
	export_text(o, type);
	export_char(o, '\n');
}

void prod_paje_end(struct prod_walk *w)
{
	for (uint32_t i = 0; i < w->n_lanes; i++)
		if (w->lane[i].p && w->lane[i].worker != WEFT_TASKS_NO_ONE) {
			destroy(w, "", w->lane[i].alias, "W");
			destroy(w, "", w->lane[i].thread_alias, "T");
		} else if (w->lane[i].p && w->lane[i].created) {
			destroy(w, "", w->lane[i].thread_alias, "UT");
		}
	for (uint32_t i = 0; i < w->set->n_programs; i++) {
		destroy(w, w->set->program[i].prefix, "sched", "Sc");
		destroy(w, w->set->program[i].prefix, "p", "P");
	}
	destroy(w, "", "MPIroot", "MPIP");
}
