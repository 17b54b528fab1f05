/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What definitions of a trace mean here: names are compared once, then an event costs a look into a table. Recordings of ours have calls as
 * regions; in traces of Extrae the labels of some types become regions of the model, named as the calls are.
 */
#include "causal_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct name_rule {
	const char *category, *pattern; /* category: NULL for any */
	uint8_t role;
};
/* The first that matches. */
static const struct name_rule region_rules[] = {
	{NULL, "MPI_Init", CAUSAL_MPI_INIT},
	{NULL, "MPI_Init_thread", CAUSAL_MPI_INIT},
	{NULL, "MPI_Finalize", CAUSAL_MPI_END},
	{NULL, "MPI_Probe", CAUSAL_MPI_PROBE},
	{NULL, "MPI_Mprobe", CAUSAL_MPI_PROBE},
	{NULL, "MPI_Ssend", CAUSAL_MPI_SSEND},
	{NULL, "MPI_Send", CAUSAL_MPI_SEND},
	{NULL, "MPI_Rsend", CAUSAL_MPI_SEND},
	{NULL, "MPI_Sendrecv*", CAUSAL_MPI_SEND},
	{NULL, "MPI_Isend", CAUSAL_MPI_ISEND},
	{NULL, "MPI_Issend", CAUSAL_MPI_ISEND},
	{NULL, "MPI_Irsend", CAUSAL_MPI_ISEND},
	{NULL, "MPI_Start*", CAUSAL_MPI_ISEND},
	{NULL, "MPI_Wait", CAUSAL_MPI_WAIT},
	{NULL, "MPI_Waita*", CAUSAL_MPI_WAITALL},
	{NULL, "MPI_Waitsome", CAUSAL_MPI_WAITALL},
	{NULL, "MPI_Win_fence", CAUSAL_MPI_MEETS},
	{NULL, "MPI_Win_create*", CAUSAL_MPI_MEETS},
	{NULL, "MPI_Win_allocate*", CAUSAL_MPI_MEETS},
	{NULL, "MPI_Win_free", CAUSAL_MPI_MEETS},
	{NULL, "MPI_File_open", CAUSAL_MPI_MEETS},
	{NULL, "MPI_File_close", CAUSAL_MPI_MEETS},
	{NULL, "MPI_File_*_all", CAUSAL_MPI_MEETS},
	{NULL, "MPI_*", CAUSAL_MPI},
	{"openmp", "omp parallel in *", CAUSAL_OMP_PARALLEL},
	{"openmp", "* [[]omp parallel]", CAUSAL_OMP_PART},
	{"openmp", "omp join", CAUSAL_OMP_JOIN},
	{"openmp", "omp idle", CAUSAL_OMP_IDLE},
	{"openmp", "omp barrier", CAUSAL_OMP_BARRIER},
	{"openmp", "omp for*", CAUSAL_OMP_LOOP},
	{"openmp", "omp chunk", CAUSAL_OMP_CHUNK},
	{"openmp", "omp critical* wait", CAUSAL_OMP_LOCK_WAIT},
	{"openmp", "omp lock* wait", CAUSAL_OMP_LOCK_WAIT},
	{"openmp", "omp nest lock* wait", CAUSAL_OMP_LOCK_WAIT},
	{"openmp", "omp atomic wait", CAUSAL_OMP_LOCK_WAIT},
	{"openmp", "omp ordered wait", CAUSAL_OMP_LOCK_WAIT},
	{"openmp", "omp lock, still held", CAUSAL_OWN},
	{"openmp", "omp critical*", CAUSAL_OMP_LOCK},
	{"openmp", "omp lock*", CAUSAL_OMP_LOCK},
	{"openmp", "omp nest lock*", CAUSAL_OMP_LOCK},
	{"openmp", "omp atomic", CAUSAL_OMP_LOCK},
	{"openmp", "omp ordered", CAUSAL_OMP_LOCK},
	{"openmp", "omp taskwait", CAUSAL_OMP_DRAIN},
	{"openmp", "omp taskgroup wait", CAUSAL_OMP_DRAIN},
	{"openmp", "omp doacross wait", CAUSAL_WAITS},
	{"openmp", "omp *", CAUSAL_OMP_OWN},
	{"threads", "pthread_mutex_*lock", CAUSAL_LOCK},
	{"threads", "pthread_rwlock_*lock", CAUSAL_LOCK},
	{"threads", "pthread_spin_lock", CAUSAL_LOCK},
	{"threads", "mtx_*lock", CAUSAL_LOCK},
	{"threads", "pthread_barrier_wait", CAUSAL_BARRIER},
	{"threads", "pthread_cond_*wait", CAUSAL_WOKEN},
	{"threads", "cnd_*wait", CAUSAL_WOKEN},
	{"threads", "sem_*wait", CAUSAL_WOKEN},
	{"threads", "pthread_*join*", CAUSAL_WOKEN},
	{"threads", "thrd_join", CAUSAL_WOKEN},
	{"threads", "*", CAUSAL_OWN},
	{"io", "*poll*", CAUSAL_INPUT},
	{"io", "*select", CAUSAL_INPUT},
	{"io", "epoll_*wait", CAUSAL_INPUT},
	{"io", "*", CAUSAL_OWN},
	{"stdio", "*", CAUSAL_OWN},
	{"memory", "*", CAUSAL_OWN},
	{"process", "*", CAUSAL_OWN},
};
static const struct name_rule point_rules[] = {
	{"threads", "lock taken", CAUSAL_POINT_TAKEN},
	{"threads", "lock released", CAUSAL_POINT_RELEASED},
};
static const struct name_rule attr_rules[] = {
	{"openmp", "omp team", CAUSAL_ATTR_TEAM},
	{"threads", "lock", CAUSAL_ATTR_LOCK},
	{"threads", "holder", CAUSAL_ATTR_HOLDER},
	{"threads", "waits on", CAUSAL_ATTR_ADDRESS},
	{"openmp", "omp iterations", CAUSAL_ATTR_ITERATIONS},
};
static const struct name_rule flow_rules[] = {
	{"openmp", "omp task", CAUSAL_FLOW_OMP_TASK},
	{NULL, "task", CAUSAL_FLOW_TASK},
	{NULL, "transfer", CAUSAL_FLOW_DATA},
	{NULL, "depends", CAUSAL_FLOW_DATA},
	{"threads", "lock passed on", CAUSAL_FLOW_DATA}, /* that is known by locks and barriers themselves */
	{"threads", "barrier opened", CAUSAL_FLOW_DATA},
};
/* Types of Extrae's whose values are calls. Where `value` is not 0, that value alone is: by a name and a role of its own. */
static const struct {
	int64_t code, value;
	const char *name; /* NULL: the label's where the role is by names, else the type's */
	uint8_t point, role;
} coded[] = {
	{50000001, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OWN},
	{50000002, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OWN},
	{50000003, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OWN},
	{50000004, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OWN},
	{50000005, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OWN},
	{50100004, 0, NULL, CAUSAL_POINT_COMM, CAUSAL_OWN},
	{50100003, 0, NULL, CAUSAL_POINT_ROOT, CAUSAL_OWN},
	{CAUSAL_PARALLEL_CODE, 0, "OpenMP parallel", CAUSAL_POINT_REGION, CAUSAL_OMP_PARALLEL},
	{60000018, 0, NULL, CAUSAL_POINT_REGION, CAUSAL_OMP_PART},
	{60000005, 0, "OpenMP barrier", CAUSAL_POINT_REGION, CAUSAL_OMP_BARRIER},
	{60000016, 1, "OpenMP worksharing join", CAUSAL_POINT_REGION, CAUSAL_OMP_BARRIER},
	{60000006, 3, "OpenMP named lock wait", CAUSAL_POINT_REGION, CAUSAL_OMP_LOCK_WAIT},
	{60000006, 6, "OpenMP named lock", CAUSAL_POINT_REGION, CAUSAL_OMP_LOCK},
	{60000007, 3, "OpenMP unnamed lock wait", CAUSAL_POINT_REGION, CAUSAL_OMP_LOCK_WAIT},
	{60000007, 6, "OpenMP unnamed lock", CAUSAL_POINT_REGION, CAUSAL_OMP_LOCK},
	{60000022, 0, "OpenMP taskwait", CAUSAL_POINT_REGION, CAUSAL_OMP_DRAIN},
};

static bool in_category(const struct weft_trace *t, const struct weft_def_row *row, const char *category)
{
	return !category || strcmp(t->def[WEFT_CLASS_CATEGORY].at[row->category].name, category) == 0;
}

/* "[[]" stands for "[": the library's patterns have no such sets, so it is looked at by hand. */
static bool like(const char *pattern, const char *name)
{
	const char *set = strstr(pattern, "[[]");
	if (!set)
		return weft_glob(pattern, name);
	size_t tail = strlen(set + 2), n = strlen(name);
	return n >= tail && name[n - tail] == '[' && strcmp(name + n - tail + 1, set + 3) == 0;
}

static uint8_t *by_rules(const struct weft_trace *t, enum weft_class of, const struct name_rule *rule, size_t n_rules)
{
	const struct weft_def_table *d = &t->def[of];
	uint8_t *role = calloc((size_t)d->n + 1, 1);
	for (uint32_t i = 1; role && i < d->n; i++)
		for (size_t k = 0; k < n_rules; k++)
			if (in_category(t, &d->at[i], rule[k].category) && like(rule[k].pattern, d->at[i].name)) {
				role[i] = rule[k].role;
				break;
			}
	return role;
}

/* A region that no rule knows: by the state that it says. */
static uint8_t by_state(uint32_t state)
{
	static const uint8_t roles[WEFT_STATE_CLASSES] = {
		[WEFT_STATE_RUNNING] = CAUSAL_COMPUTES,
		[WEFT_STATE_WAITING] = CAUSAL_WAITS,
		[WEFT_STATE_COMMUNICATING] = CAUSAL_COMMUNICATES,
		[WEFT_STATE_SYNCHRONIZING] = CAUSAL_WAITS,
		[WEFT_STATE_IDLE] = CAUSAL_WAITS,
	};
	return state < WEFT_STATE_CLASSES ? roles[state] : CAUSAL_OWN;
}

static const struct {
	uint8_t tasks, role;
} runtime_roles[] = {
	{TASKS_SLEEPING, CAUSAL_SLEEPING},    {TASKS_WAITING, CAUSAL_DRAIN},          {TASKS_ACQUIRING, CAUSAL_DRAIN},
	{TASKS_SCHEDULING, CAUSAL_SLEEPING},  {TASKS_FETCHING, CAUSAL_RUNTIME},       {TASKS_CALLBACK, CAUSAL_OWN},
	{TASKS_PROGRESSING, CAUSAL_SLEEPING}, {TASKS_OVERHEAD, CAUSAL_RUNTIME},       {TASKS_PUSHING_OUTPUT, CAUSAL_RUNTIME},
	{TASKS_BUILDING, CAUSAL_RUNTIME},     {TASKS_SUBMITTING, CAUSAL_RUNTIME},     {TASKS_THROTTLING, CAUSAL_DRAIN},
	{TASKS_INITIALISING, CAUSAL_RUNTIME}, {TASKS_DEINITIALISING, CAUSAL_RUNTIME},
};

static uint8_t role_of(const struct weft_trace *t, const struct tasks_roles *tasks, uint32_t id)
{
	const struct weft_def_row *row = &t->def[WEFT_CLASS_REGION].at[id];
	uint8_t of = (uint8_t)tasks_role(tasks, WEFT_CLASS_REGION, id);
	for (size_t k = 0; of && k < sizeof runtime_roles / sizeof *runtime_roles; k++)
		if (runtime_roles[k].tasks == of)
			return runtime_roles[k].role;
	if (of)
		return CAUSAL_RUNTIME;
	for (size_t k = 0; k < sizeof region_rules / sizeof *region_rules; k++)
		if (in_category(t, row, region_rules[k].category) && like(region_rules[k].pattern, row->name))
			return region_rules[k].role;
	if (in_category(t, row, "openmp") && like("*[[]omp task]", row->name))
		return CAUSAL_OMP_TASK;
	return by_state(row->state);
}

static int add_region(struct causal_names *n, const char *name, uint8_t role, uint8_t state)
{
	if (n->n_regions == n->cap_regions) {
		uint32_t cap = n->cap_regions + n->cap_regions / 2 + 16;
		struct weft_causal_region *more = realloc(n->region, cap * sizeof *more);
		if (!more)
			return -ENOMEM;
		n->region = more;
		n->cap_regions = cap;
	}
	n->region[n->n_regions++] = (struct weft_causal_region){name, role, state};
	return 0;
}

/* "mpi" of "Regions (mpi)", as traces that were written from ours call the values of a category's regions. */
static struct weft_str category_of(const struct weft_def_row *type)
{
	static const char front[] = "Regions (";
	size_t n = strlen(type->name);
	if (strncmp(type->name, front, sizeof front - 1) != 0 || type->name[n - 1] != ')')
		return weft_str_n(NULL, 0);
	return weft_str_n(type->name + sizeof front - 1, n - sizeof front);
}

static uint8_t role_of_label(struct weft_str category, const char *name)
{
	if (weft_str_eq(category, "openmp") && like("*[[]omp task]", name))
		return CAUSAL_OMP_TASK;
	for (size_t r = 0; r < sizeof region_rules / sizeof *region_rules; r++)
		if ((!region_rules[r].category || weft_str_eq(category, region_rules[r].category)) &&
		    like(region_rules[r].pattern, name))
			return region_rules[r].role;
	return weft_str_eq(category, "user") ? CAUSAL_COMPUTES : CAUSAL_OWN;
}

/* What a value of a type of Extrae's is: its row of the table; -1: nothing. */
static int row_of(int64_t code, int64_t value)
{
	for (size_t k = 0; k < sizeof coded / sizeof *coded; k++)
		if (coded[k].code == code && (!coded[k].value || coded[k].value == value))
			return (int)k;
	return -1;
}

static int add_label(struct causal_names *n, const struct weft_def_row *type, struct weft_str category,
                     const struct weft_label *label)
{
	int row = category.at ? -1 : row_of(type->code, label->value);
	const char *name = row >= 0 && coded[row].name ? coded[row].name : label->text;
	uint8_t role = row >= 0 && coded[row].role ? coded[row].role
	               : row >= 0 || category.at   ? role_of_label(category, name)
	                                           : CAUSAL_OWN;
	return add_region(n, name, role, weft_str_eq(category, "user") ? WEFT_STATE_RUNNING : WEFT_STATE_COMMUNICATING);
}

/* The labels of a type, in their order, as regions; "End" and "Outside" (0) among them, so that numbers are simple. */
static int add_labels(struct causal_names *n, const struct weft_def_row *type, uint32_t id)
{
	struct weft_str category = category_of(type);
	n->first_label[id] = n->n_regions;
	n->flat[id] = !category.at;
	for (uint32_t k = 0; k < type->n_labels; k++) {
		int rc = add_label(n, type, category, &type->label[k]);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_types(struct causal_names *n, const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++) {
		for (size_t k = 0; k < sizeof attr_rules / sizeof *attr_rules; k++)
			if (d->at[i].code && !n->point[i] && !strcmp(d->at[i].name, attr_rules[k].pattern))
				n->point[i] = (uint8_t)(CAUSAL_POINT_ATTR + attr_rules[k].role);
		if (category_of(&d->at[i]).at) {
			n->point[i] = CAUSAL_POINT_REGION;
			int rc = add_labels(n, &d->at[i], i);
			if (rc)
				return rc;
		}
		for (size_t k = 0; k < sizeof coded / sizeof *coded && !n->point[i]; k++)
			if (d->at[i].code == coded[k].code) {
				n->point[i] = coded[k].point;
				int rc = coded[k].point == CAUSAL_POINT_REGION ? add_labels(n, &d->at[i], i) : 0;
				if (rc)
					return rc;
			}
	}
	return 0;
}

static int mark_collectives(struct causal_names *n)
{
	static const char *const names[] = {"MPI_Barrier", "MPI_Bcast",    "MPI_Reduce*", "MPI_All*",
	                                    "MPI_Gather*", "MPI_Scatter*", "MPI_Scan",    "MPI_Exscan"};
	n->collective = calloc((size_t)n->n_regions + 1, sizeof *n->collective);
	for (uint32_t i = 0; n->collective && i < n->n_regions; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (weft_glob(names[k], n->region[i].name) && !weft_glob("MPI_*_init", n->region[i].name) &&
			    strcmp(n->region[i].name, "MPI_Alloc_mem") != 0 && !weft_glob("MPI_Reduce_local*", n->region[i].name))
				n->collective[i] = true;
	return n->collective ? 0 : -ENOMEM;
}

/* "omp critical foo wait" waits for the lock of "omp critical foo". */
static int pair_locks(struct causal_names *n)
{
	n->lock_of = malloc(((size_t)n->n_regions + 1) * sizeof *n->lock_of);
	if (!n->lock_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->n_regions; i++) {
		n->lock_of[i] = i;
		if (n->region[i].role != CAUSAL_OMP_LOCK_WAIT)
			continue;
		size_t length = strlen(n->region[i].name) - strlen(" wait");
		for (uint32_t k = 0; k < n->n_regions; k++)
			if (n->region[k].role == CAUSAL_OMP_LOCK && strlen(n->region[k].name) == length &&
			    !strncmp(n->region[k].name, n->region[i].name, length))
				n->lock_of[i] = k;
	}
	return 0;
}

int causal_names_init(struct causal_names *n, const struct weft_trace *t, struct weft_causal *model)
{
	struct tasks_roles tasks = {0};
	const struct weft_def_table *d = &t->def[WEFT_CLASS_REGION];
	int rc = tasks_roles_init(&tasks, t);
	*n = (struct causal_names){0};
	n->point = by_rules(t, WEFT_CLASS_TYPE, point_rules, sizeof point_rules / sizeof *point_rules);
	n->attr = by_rules(t, WEFT_CLASS_ATTR, attr_rules, sizeof attr_rules / sizeof *attr_rules);
	n->flow = by_rules(t, WEFT_CLASS_FLOW, flow_rules, sizeof flow_rules / sizeof *flow_rules);
	n->flat = calloc((size_t)t->def[WEFT_CLASS_TYPE].n + 1, 1);
	n->first_label = calloc((size_t)t->def[WEFT_CLASS_TYPE].n + 1, sizeof *n->first_label);
	if (!rc && (!n->point || !n->attr || !n->flow || !n->first_label || !n->flat))
		rc = -ENOMEM;
	/* "task" and its like count in the runtime's own categories alone */
	for (uint32_t i = 1; !rc && i < t->def[WEFT_CLASS_FLOW].n; i++)
		if (n->flow[i] >= CAUSAL_FLOW_TASK && !tasks_role(&tasks, WEFT_CLASS_FLOW, i))
			n->flow[i] = CAUSAL_FLOW_OTHER;
	for (uint32_t i = 0; !rc && i < d->n; i++)
		rc = i ? add_region(n, d->at[i].name, role_of(t, &tasks, i), (uint8_t)d->at[i].state)
		       : add_region(n, "(outside regions)", CAUSAL_OWN, WEFT_STATE_UNKNOWN);
	if (!d->n && !rc)
		rc = add_region(n, "(outside regions)", CAUSAL_OWN, WEFT_STATE_UNKNOWN);
	if (!rc)
		rc = add_types(n, t);
	if (!rc)
		rc = pair_locks(n);
	if (!rc)
		rc = mark_collectives(n);
	tasks_roles_fini(&tasks);
	model->region = n->region;
	model->n_regions = n->n_regions;
	return rc;
}

void causal_names_fini(struct causal_names *n) /* its regions are the model's */
{
	free(n->point);
	free(n->attr);
	free(n->flow);
	free(n->first_label);
	free(n->flat);
	free(n->lock_of);
	free(n->collective);
}
