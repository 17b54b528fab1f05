/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starpu_replay: the tasks of a tasks.rec submitted anew, with their dependencies, data and priorities, to a machine that is simulated.
 * What each takes is what the machine's models say of it, by its model's symbol and footprint; where they say nothing, what was recorded.
 *
 *     records, read once ──> codelets by name, handles by number ──> tasks, submitted in their order ──> the time of the last end
 */
#include "tool_usual.h"
#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char usage[] = "usage: starpu_replay [-h] [-v] [--recorded] FILE\n"
			    "Submits the tasks of FILE, a tasks.rec, to a simulated machine (weft simulate).\n"
			    "  --recorded     tasks take what they took, whatever models say\n"
			    "  -h, --help     this text\n"
			    "  -v, --version  the version\n";

enum { FIELDS = 12, NAME = 0, MODEL, JOB, DEPENDS, PRIORITY, START, END, HANDLES, MODES, SIZES, FOOTPRINT, CONTROL };
static const char *const field_names[FIELDS] = {"Name",    "Model",   "JobId", "DependsOn", "Priority",  "StartTime",
                                                "EndTime", "Handles", "Modes", "Sizes",     "Footprint", "Control"};
struct kind { /* a codelet, for each name and model */
	struct starpu_codelet cl;
	struct starpu_perfmodel model;
};
struct work {
	struct starpu_task *task;
	const char *field[FIELDS]; /* in the text; NULL: not there */
	struct kind *kind;
	double us;
	uint32_t footprint;
};
struct datum {
	starpu_data_handle_t handle;
	struct datum *before; /* in the list of all */
};
static struct {
	char *text; /* of the file, cut at the ends of lines */
	struct work *work;
	size_t n, room;
	struct datum *datum; /* the last that was made */
	double first, last;  /* ms: as recorded */
	bool recorded;
} all;

static void give_up(const char *what, const char *which)
{
	fprintf(stderr, "starpu_replay: error: %s '%s': %s\n", what, which, strerror(errno));
	exit(EXIT_FAILURE);
}

static void *enough(void *at)
{
	if (!at)
		give_up("out of memory for", "tasks");
	return at;
}

/* ---- the file ---- */

static void read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t n = 0, room = 1 << 16;
	all.text = enough(malloc(room));
	if (!f)
		give_up("cannot open", path);
	for (size_t got; (got = fread(all.text + n, 1, room - n - 1, f)) > 0;) {
		n += got;
		if (n + 1 == room)
			all.text = enough(realloc(all.text, room *= 2));
	}
	if (ferror(f))
		give_up("cannot read", path);
	all.text[n] = '\0';
	fclose(f);
}

static void new_work(void)
{
	if (all.n == all.room)
		all.work = enough(realloc(all.work, (all.room = 2 * all.room + 64) * sizeof *all.work));
	all.work[all.n++] = (struct work){0};
}

static void set_field(struct work *w, char *line)
{
	char *colon = strchr(line, ':');
	if (!colon)
		return;
	*colon = '\0';
	for (unsigned i = 0; i < FIELDS; i++)
		if (!strcmp(line, field_names[i]))
			w->field[i] = colon + 1 + strspn(colon + 1, " ");
}

static void split_records(void)
{
	bool inside = false;
	for (char *line = all.text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!*line || *line == '#' || *line == '%')
			inside = inside && *line;
		else {
			if (!inside)
				new_work();
			inside = true;
			set_field(&all.work[all.n - 1], line);
		}
	}
}

/* Records of what is no task, as "Control: WontUse". */
static void keep_tasks(void)
{
	size_t kept = 0;
	for (size_t i = 0; i < all.n; i++)
		if (!all.work[i].field[CONTROL])
			all.work[kept++] = all.work[i];
	all.n = kept;
}

/* ---- what is found by name ---- */

static struct hsearch_data kinds, jobs, data;

/* The entry of a name; found or made with what `make` gives. Names stay where they are. */
static void *entry(struct hsearch_data *table, const char *name, void *new_one)
{
	ENTRY *found, e = {.key = (char *)(uintptr_t)name, .data = new_one};
	if (!hsearch_r(e, new_one ? ENTER : FIND, &found, table))
		return NULL;
	return found->data;
}

static void never_called(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static double recorded_us(struct starpu_task *task, unsigned nimpl)
{
	(void)nimpl;
	return ((const struct work *)task->cl_arg)->us;
}

static uint32_t recorded_footprint(struct starpu_task *task)
{
	return ((const struct work *)task->cl_arg)->footprint;
}

static bool machine_knows(const char *symbol)
{
	char path[4096];
	if (all.recorded || !symbol)
		return false;
	starpu_perfmodel_get_model_path(symbol, path, sizeof path);
	return access(path, R_OK) == 0;
}

/* recorded: of what models do not know. */
static struct kind *kind_of(const struct work *w, bool recorded)
{
	const char *name = w->field[NAME] ? w->field[NAME] : "unknown", *model = w->field[MODEL];
	char *key;
	if (asprintf(&key, "%s\t%s\t%d", name, model ? model : "", recorded) < 0)
		give_up("out of memory for", name);
	struct kind *k = entry(&kinds, key, NULL);
	if (k) {
		free(key);
		return k;
	}
	k = enough(calloc(1, sizeof *k));
	k->model.type = !recorded && machine_knows(model) ? STARPU_HISTORY_BASED : STARPU_COMMON;
	if (k->model.type == STARPU_COMMON)
		k->model.cost_function = recorded_us;
	else {
		k->model.symbol = model;
		k->model.footprint = recorded_footprint;
	}
	k->cl = (struct starpu_codelet){.cpu_funcs = {never_called},
	                                .nbuffers = STARPU_VARIABLE_NBUFFERS,
	                                .model = &k->model,
	                                .name = name};
	enough(entry(&kinds, key, k));
	return k;
}

/* Nobody touches what a simulated task works on: all data lie at one address, of which no page is ever made. */
static starpu_data_handle_t datum_of(const char *name, size_t bytes)
{
	static void *nowhere;
	enum { ROOM = 30 };
	struct datum *d = entry(&data, name, NULL);
	if (d)
		return d->handle;
	if (!nowhere)
		nowhere = mmap(NULL, (size_t)1 << ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	d = enough(malloc(sizeof *d));
	starpu_variable_data_register(&d->handle, STARPU_MAIN_RAM, (uintptr_t)nowhere, bytes ? bytes : 1);
	d->before = all.datum;
	all.datum = d;
	enough(entry(&data, enough(strdup(name)), d));
	return d->handle;
}

/* ---- tasks ---- */

/* The next word of *at, copied; false: there is none. */
static bool next_word(const char **at, char *out, size_t room)
{
	size_t n = 0;
	if (!*at)
		return false;
	*at += strspn(*at, " ");
	for (; (*at)[n] && (*at)[n] != ' '; n++)
		if (n + 1 < room)
			out[n] = (*at)[n];
	out[n < room ? n : room - 1] = '\0';
	*at += n;
	return n > 0;
}

static enum starpu_data_access_mode mode_of(const char *text)
{
	static const struct {
		const char *text;
		int mode;
	} modes[] = {
		{"R", STARPU_R},
		{"W", STARPU_W},
		{"RW", STARPU_RW},
		{"SCRATCH", STARPU_SCRATCH},
		{"RW-C", STARPU_RW | STARPU_COMMUTE},
		{"REDUX", STARPU_RW | STARPU_COMMUTE}, /* how it is brought together is not recorded */
	};
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (!strcmp(text, modes[i].text))
			return (enum starpu_data_access_mode)modes[i].mode;
	return STARPU_RW;
}

static void add_data(struct work *w)
{
	const char *handles = w->field[HANDLES], *modes = w->field[MODES], *sizes = w->field[SIZES];
	char handle[64], mode[32], size[32];
	struct starpu_data_descr *descr = NULL;
	int n = 0;
	while (next_word(&handles, handle, sizeof handle) && next_word(&modes, mode, sizeof mode)) {
		const size_t bytes = next_word(&sizes, size, sizeof size) ? strtoull(size, NULL, 10) : 1;
		descr = enough(realloc(descr, ((size_t)n + 1) * sizeof *descr));
		descr[n++] = (struct starpu_data_descr){.handle = datum_of(handle, bytes), .mode = mode_of(mode)};
	}
	w->task->nbuffers = n;
	w->task->dyn_handles = enough(malloc(((size_t)n + 1) * sizeof *w->task->dyn_handles));
	w->task->dyn_modes = enough(malloc(((size_t)n + 1) * sizeof *w->task->dyn_modes));
	for (int i = 0; i < n; i++) {
		w->task->dyn_handles[i] = descr[i].handle;
		w->task->dyn_modes[i] = descr[i].mode;
	}
	free(descr);
}

static double ms_of(const struct work *w, unsigned field)
{
	return w->field[field] ? strtod(w->field[field], NULL) : 0;
}

/* Whether the machine knows what it takes, on some worker. */
static bool is_expected(struct starpu_task *task)
{
	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		if (starpu_task_expected_length(task, starpu_worker_get_perf_archtype((int)i, 0), 0) > 0)
			return true;
	return false;
}

static void make_task(struct work *w)
{
	const double start = ms_of(w, START), end = ms_of(w, END);
	w->us = end > start ? (end - start) * 1e3 : 0;
	w->footprint = w->field[FOOTPRINT] ? (uint32_t)strtoul(w->field[FOOTPRINT], NULL, 16) : 0;
	w->kind = kind_of(w, false);
	w->task = enough(starpu_task_create());
	w->task->destroy = 0;
	w->task->cl = &w->kind->cl;
	w->task->cl_arg = w;
	w->task->name = w->field[NAME];
	w->task->priority = w->field[PRIORITY] ? atoi(w->field[PRIORITY]) : 0;
	add_data(w);
	if (w->kind->model.type != STARPU_COMMON && !is_expected(w->task)) {
		w->kind = kind_of(w, true);
		w->task->cl = &w->kind->cl;
	}
	if (end > 0 && (all.last == 0 || start < all.first))
		all.first = start;
	all.last = end > all.last ? end : all.last;
	if (w->field[JOB])
		enough(entry(&jobs, w->field[JOB], w));
}

static void declare(const struct work *w)
{
	const char *at = w->field[DEPENDS];
	char job[64];
	while (next_word(&at, job, sizeof job)) {
		const struct work *before = entry(&jobs, job, NULL);
		if (before && before < w)
			starpu_task_declare_deps_array(w->task, 1, (struct starpu_task *[]){before->task});
	}
}

static void run(void)
{
	for (size_t i = 0; i < all.n; i++)
		make_task(&all.work[i]);
	const double begin = starpu_timing_now();
	for (size_t i = 0; i < all.n; i++) {
		declare(&all.work[i]);
		const int rc = starpu_task_submit(all.work[i].task);
		if (rc) {
			errno = -rc;
			give_up("cannot submit the task", all.work[i].kind->cl.name);
		}
	}
	starpu_task_wait_for_all();
	const double took = starpu_timing_now() - begin;
	for (struct datum *d = all.datum; d; d = d->before)
		starpu_data_unregister_no_coherency(d->handle);
	printf("tasks\t%zu\nrecorded\t%.3f ms\nreplayed\t%.3f ms\n", all.n, all.last - all.first, took / 1e3);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"recorded", no_argument, NULL, 'r'}, TOOL_OPTIONS};
	for (int option; (option = getopt_long(argc, argv, "hv", options, NULL)) != -1;)
		if (option == 'r')
			all.recorded = true;
		else
			tool_option(option, "starpu_replay", usage);
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	read_text(argv[optind]);
	split_records();
	keep_tasks();
	if (!all.n) {
		fprintf(stderr, "starpu_replay: error: '%s' has no tasks\n", argv[optind]);
		return 2;
	}
	const size_t handles = 16 * all.n + 64;
	if (!hcreate_r(2 * all.n + 64, &kinds) || !hcreate_r(2 * all.n + 64, &jobs) || !hcreate_r(handles, &data))
		give_up("out of memory for", argv[optind]);
	const int rc = starpu_init(NULL);
	if (rc) {
		errno = -rc;
		give_up("cannot begin", "the runtime");
	}
	run();
	starpu_shutdown();
	return EXIT_SUCCESS;
}
