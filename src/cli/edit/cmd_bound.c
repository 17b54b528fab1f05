/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft bound` and starpu_lp2paje: the schedule in what a solver printed of the program of a bound (starpu_bound_print_lp, ..._mps), as
 * a Paje trace. lp_solve, cbc and glpsol print different tables; in all of them a variable's value is the first number behind its name.
 *
 *     s4, c4: begin and end of task 4, in ms        x4_1: 1 where it runs on worker 1
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MOST = 1000000, WORKERS_MOST = 4096, NO_WORKER = -1, SHARED = -2 };

struct bound_args {
	struct cli_common common;
	const char *output;
};
struct placed_task {
	double begin_ms, end_ms;
	int worker;
};
struct schedule {
	struct placed_task *task;
	size_t n, room;
	unsigned workers;
	double end_ms; /* NaN: the solver says none */
};

static const struct weft_opt bound_options[] = {
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct bound_args, output), "write to FILE instead of stdout"},
	{0},
};

/* ---- reading ---- */

static struct placed_task *find_task(struct schedule *s, unsigned long number)
{
	if (number >= TASKS_MOST)
		return NULL;
	if (number >= s->room) {
		size_t room = number + number / 2 + 64;
		struct placed_task *more = realloc(s->task, room * sizeof *more);
		if (!more)
			return NULL;
		s->task = more;
		s->room = room;
	}
	while (s->n <= number)
		s->task[s->n++] = (struct placed_task){.worker = NO_WORKER};
	return &s->task[number];
}

/* "s4": the letter and the number; "x4_1": with the one behind. */
static bool read_name(const char *word, char *letter, unsigned long *task, unsigned long *worker)
{
	char *end;
	if (!*word || !strchr("scx", *word) || word[1] < '0' || word[1] > '9')
		return false;
	*letter = *word;
	*task = strtoul(word + 1, &end, 10);
	if (*letter != 'x')
		return !*end;
	if (*end != '_' || end[1] < '0' || end[1] > '9')
		return false;
	*worker = strtoul(end + 1, &end, 10);
	return !*end;
}

static bool first_number(char **rest, double *value)
{
	char *end, *word;
	while ((word = strtok_r(NULL, " \t\r", rest))) {
		*value = strtod(word, &end);
		if (end != word && !*end)
			return isfinite(*value);
	}
	return false;
}

/* A variable's value is kept; 0, or what is wrong with it. */
static const char *take_value(struct schedule *s, char letter, unsigned long number, unsigned long worker, double value)
{
	struct placed_task *t = find_task(s, number);
	if (!t || (letter == 'x' && worker >= WORKERS_MOST))
		return t ? "a worker of too high a number" : "a task of too high a number";
	if (letter == 's')
		t->begin_ms = value;
	else if (letter == 'c')
		t->end_ms = value;
	else if (value > 0.999 && value < 1.001)
		t->worker = t->worker == NO_WORKER || t->worker == (int)worker ? (int)worker : SHARED;
	else if (value > 0.001 || value < -0.001)
		t->worker = SHARED;
	if (letter == 'x' && worker >= s->workers)
		s->workers = (unsigned)worker + 1;
	return NULL;
}

/* 0, or what is wrong with the line. */
static const char *read_line(struct schedule *s, char *line)
{
	char *rest = NULL, letter = 0;
	unsigned long task = 0, worker = 0;
	double value;
	for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
		bool total = !strcmp(word, "tmax");
		if (!total && !read_name(word, &letter, &task, &worker))
			continue;
		if (!first_number(&rest, &value))
			return "no value behind a variable's name";
		if (!total)
			return take_value(s, letter, task, worker, value);
		s->end_ms = value;
		return NULL;
	}
	return NULL;
}

/* What solvers say where they have no schedule. */
static bool is_refusal(const char *line)
{
	static const char *const words[] = {"infeasible", "INFEASIBLE", "unbounded", "UNBOUNDED", "EMPTY"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

static int read_schedule(struct schedule *s, char *text, const char *path, struct weft_err *err)
{
	unsigned number = 0;
	for (char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (!strncmp(line, "Dual value", 10))
			break; /* the same names again, with prices */
		if (is_refusal(line))
			return weft_err_set(err, -ENOENT, "'%s' has no schedule: the solver says '%s'", path,
			                    line + strspn(line, " \t"));
		const char *wrong = read_line(s, line);
		if (wrong)
			return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: %s", path, number, wrong);
	}
	return 0;
}

/* ---- what was read is a schedule ---- */

static int check_schedule(const struct schedule *s, const char *path, struct weft_err *err)
{
	unsigned long placed = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct placed_task *t = &s->task[i];
		if (t->worker == SHARED)
			return weft_err_set(err, WEFT_E_SYNTAX,
			                    "'%s': task %zu runs on several workers: solve it with whole numbers", path, i);
		if (t->begin_ms < -1e-6 || t->end_ms < t->begin_ms - 1e-6)
			return weft_err_set(err, WEFT_E_SYNTAX, "'%s': task %zu begins at %g ms and ends at %g ms", path, i,
			                    t->begin_ms, t->end_ms);
		placed += t->worker >= 0;
	}
	if (!placed && isnan(s->end_ms))
		return weft_err_set(err, WEFT_E_SYNTAX,
		                    "'%s' is not what a solver prints of a bound: there is neither 'tmax' nor a task", path);
	if (!placed && s->end_ms > 0)
		return weft_err_set(
			err, WEFT_E_SYNTAX,
			"'%s' says how many tasks, not when: begin the bound with dependencies (starpu_bound_start(1, 0))", path);
	return 0;
}

static int by_worker(const void *a, const void *b)
{
	const struct placed_task *x = *(const struct placed_task *const *)a, *y = *(const struct placed_task *const *)b;
	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->begin_ms < y->begin_ms ? -1 : x->begin_ms > y->begin_ms;
}

static bool takes_time(const struct placed_task *t)
{
	return t->worker >= 0 && t->end_ms > t->begin_ms;
}

/*
 * One after the other on each worker. Solvers print six digits: a task that seems to begin within the last one of the end of the one
 * before it begins there.
 */
static int order_workers(struct schedule *s, const char *path, struct weft_err *err)
{
	struct placed_task **order = calloc(s->n + 1, sizeof *order);
	size_t n = 0;
	int rc = order ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < s->n; i++)
		if (takes_time(&s->task[i]))
			order[n++] = &s->task[i];
	if (n > 1)
		qsort(order, n, sizeof *order, by_worker);
	for (size_t i = 1; !rc && i < n; i++) {
		struct placed_task *before = order[i - 1], *t = order[i];
		if (before->worker != t->worker || t->begin_ms >= before->end_ms)
			continue;
		if (before->end_ms - t->begin_ms > 2e-5 * before->end_ms + 1e-9)
			rc = weft_err_set(err, WEFT_E_SYNTAX, "'%s': tasks %zu and %zu are both on worker %d at %g ms", path,
			                  (size_t)(before - s->task), (size_t)(t - s->task), t->worker, t->begin_ms);
		t->begin_ms = before->end_ms;
	}
	free(order);
	return rc;
}

/* ---- writing ---- */

static const char paje_head[] =
	"%EventDef PajeDefineContainerType 0\n%\tAlias string\n%\tType string\n%\tName string\n%EndEventDef\n"
	"%EventDef PajeDefineStateType 1\n%\tAlias string\n%\tType string\n%\tName string\n%EndEventDef\n"
	"%EventDef PajeCreateContainer 2\n%\tTime date\n%\tAlias string\n%\tType string\n%\tContainer string\n"
	"%\tName string\n%EndEventDef\n"
	"%EventDef PajeDestroyContainer 3\n%\tTime date\n%\tName string\n%\tType string\n%EndEventDef\n"
	"%EventDef PajePushState 4\n%\tTime date\n%\tType string\n%\tContainer string\n%\tValue string\n"
	"%EndEventDef\n"
	"%EventDef PajePopState 5\n%\tTime date\n%\tType string\n%\tContainer string\n%EndEventDef\n"
	"0 P 0 \"Program\"\n0 W P \"Worker\"\n1 S W \"Task\"\n2 0 p P 0 \"program\"\n";

struct instant {
	double ms;
	uint32_t task;
	bool begins;
};

/* On one worker a task that ends now is over before the next one begins; one that takes no time begins before it ends. */
static int compare_instants(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;
	if (x->ms < y->ms || x->ms > y->ms)
		return x->ms < y->ms ? -1 : 1;
	if (x->task == y->task)
		return x->begins ? -1 : 1;
	return x->begins == y->begins ? (x->task < y->task ? -1 : 1) : x->begins ? 1 : -1;
}

static struct instant *order_instants(const struct schedule *s, size_t *n)
{
	struct instant *all = calloc(2 * s->n + 1, sizeof *all);
	*n = 0;
	for (size_t i = 0; all && i < s->n; i++) {
		const struct placed_task *t = &s->task[i];
		if (!takes_time(t))
			continue;
		all[(*n)++] = (struct instant){t->begin_ms > 0 ? t->begin_ms : 0, (uint32_t)i, true};
		all[(*n)++] = (struct instant){t->end_ms, (uint32_t)i, false};
	}
	if (all && *n > 1)
		qsort(all, *n, sizeof *all, compare_instants);
	return all;
}

static int write_schedule(const struct schedule *s, FILE *to)
{
	size_t n;
	struct instant *all = order_instants(s, &n);
	if (!all)
		return -ENOMEM;
	double end_ms = n ? all[n - 1].ms : 0;
	if (s->end_ms > end_ms)
		end_ms = s->end_ms;
	fputs(paje_head, to);
	for (unsigned w = 0; w < s->workers; w++)
		fprintf(to, "2 0 w%u W p \"worker %u\"\n", w, w);
	for (size_t i = 0; i < n; i++)
		if (all[i].begins)
			fprintf(to, "4 %.9f S w%d \"task %" PRIu32 "\"\n", all[i].ms / 1000, s->task[all[i].task].worker,
			        all[i].task);
		else
			fprintf(to, "5 %.9f S w%d\n", all[i].ms / 1000, s->task[all[i].task].worker);
	for (unsigned w = 0; w < s->workers; w++)
		fprintf(to, "3 %.9f w%u W\n", end_ms / 1000, w);
	fprintf(to, "3 %.9f p P\n", end_ms / 1000);
	free(all);
	return 0;
}

/* 0, or negative with err. */
static int convert_schedule(const char *path, const char *output, struct weft_err *err)
{
	struct schedule s = {.end_ms = NAN};
	struct weft_out out;
	char *text;
	size_t n;
	int rc = weft_read_input(strcmp(path, "-") ? path : "/dev/stdin", &text, &n, err);
	if (rc)
		return rc;
	rc = memchr(text, '\0', n) ? weft_err_set(err, WEFT_E_SYNTAX, "'%s' is no text", path)
	                           : read_schedule(&s, text, path, err);
	if (!rc)
		rc = check_schedule(&s, path, err);
	if (!rc)
		rc = order_workers(&s, path, err);
	if (!rc && !(rc = weft_out_open(&out, output, err))) {
		rc = write_schedule(&s, out.to);
		if (rc)
			weft_out_abandon(&out);
		else
			rc = weft_out_commit(&out, err);
	}
	free(s.task);
	free(text);
	return rc;
}

static int run_bound(int argc, char **argv)
{
	struct bound_args a = {.output = "-"};
	struct weft_err err = {0};
	int n;
	if (!cli_parse(&weft_command_bound, &a, argc, argv, &n) || !cli_operands(&weft_command_bound, argv, n, 1, 1))
		return CLI_USAGE;
	int rc = convert_schedule(argv[1], a.output, &err);
	return !rc ? CLI_OK : err.text[0] ? cli_fail(&err) : cli_fail_code(rc);
}

/* A filter: lp_solve tasks.lp | starpu_lp2paje >paje.trace. Fails with 1, as StarPU's tools do. */
int cli_lp2paje(int argc, char **argv)
{
	struct weft_err err = {0};
	const char *input = argc > 1 ? argv[1] : "-";
	bool asks = argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"));
	weft_log_set(WEFT_LOG_WARN, "starpu_lp2paje");
	if (argc > 1 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "--version"))) {
		printf("starpu_lp2paje (StarPU 1.4 by Weft " WEFT_VERSION ")\n");
		return CLI_OK;
	}
	if (asks || argc > 2 || (input[0] == '-' && input[1])) {
		fprintf(asks ? stdout : stderr, "usage: lp_solve tasks.lp | starpu_lp2paje [FILE] >paje.trace\n"
		                                "Writes the schedule that a solver has found as a Paje trace.\n"
		                                "  -h, --help     this text\n"
		                                "  -v, --version  the version\n");
		return asks ? CLI_OK : 1;
	}
	int rc = convert_schedule(input, "-", &err);
	if (rc)
		(void)(err.text[0] ? cli_fail(&err) : cli_fail_code(rc));
	return rc ? 1 : CLI_OK;
}

const struct weft_command weft_command_bound = {
	.name = "bound",
	.operands = "SOLUTION",
	.summary = "the schedule that a solver found for a bound, as a Paje trace",
	.about = "Reads what lp_solve, cbc or glpsol has found for the program that\n"
		 "starpu_bound_print_lp() or starpu_bound_print_mps() wrote of a program's tasks\n"
		 "with their dependencies, and writes the schedule as a Paje trace: which worker\n"
		 "runs which task when. SOLUTION is a file, or - for standard input.\n"
		 "\n"
		 "Examples:\n"
		 "    weft bound solution.txt -o best.paje\n"
		 "    lp_solve tasks.lp | weft bound - -o best.paje",
	.options = bound_options,
	.run = run_bound,
};
