/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at the runtime through its channel, and StarPU-Top's functions: what a client reads is what the program did. */
#include "starpu_check.h"
#include <starpu.h>
#include <starpu_top.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { TASKS = 60, TASK_US = 500, LINE = 1 << 20 };

static char folder[] = "/tmp/weft-live-XXXXXX", line[LINE];

static int look(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path, sizeof at.sun_path, "%s/%ld-runtime", folder, (long)getpid());
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&at, sizeof at)) {
		perror(at.sun_path);
		exit(1);
	}
	return fd;
}

/* The next line that has `with`, into `line`. */
static void hear(int fd, const char *with)
{
	do {
		size_t n = 0;
		while (n < sizeof line - 1 && recv(fd, line + n, 1, 0) == 1 && line[n] != '\n')
			n++;
		if (!n) {
			fprintf(stderr, "the channel has ended\n");
			exit(1);
		}
		line[n] = '\0';
	} while (!strstr(line, with));
}

static int ask(int fd, const char *command)
{
	char text[200];
	int n = snprintf(text, sizeof text, "%s\n", command);
	if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		return 0;
	hear(fd, "\"done\"");
	return strstr(line, "true") != NULL;
}

/* The number behind a text, from `from` on; -1: not there. */
static double number_after(const char *from, const char *text)
{
	const char *at = from ? strstr(from, text) : NULL;
	return at ? strtod(at + strlen(text), NULL) : -1;
}

static void spin(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	double until = starpu_timing_now() + TASK_US;
	while (starpu_timing_now() < until)
		;
}
static struct starpu_codelet codelet = {.cpu_funcs = {spin}, .cpu_funcs_name = {"spin"}, .name = "a spin"};

/* All that ran while somebody looked, on whichever worker, and how long. */
static void check_counts(int fd)
{
	CHECK(ask(fd, "watch 100"));
	for (int i = 0; i < TASKS; i++)
		CHECK(starpu_task_insert(&codelet, 0) == 0);
	starpu_task_wait_for_all();
	/* Some samples are from before; in others a task's end is counted by one counter and not yet by the other. */
	for (int i = 0;
	     i < 1000 && (!i || number_after(line, "\"executed\":") < TASKS || number_after(line, "\"submitted\":") > 0); i++)
		hear(fd, "\"sample\"");
	CHECK(number_after(line, "\"submitted\":") == 0);
	CHECK(number_after(line, "\"executed\":") == TASKS);
	const char *codelets = strstr(line, "\"codelets\":");
	CHECK(codelets && strstr(codelets, "\"a spin\""));
	CHECK(number_after(codelets, "\"tasks\":") == TASKS);
	CHECK(number_after(codelets, "\"time_s\":") >= TASKS * TASK_US / 1e6);
	double tasks = 0, seconds = 0;
	const char *at = strstr(line, "\"workers\":");
	unsigned workers = 0;
	for (; at && (at = strstr(at, "{\"id\":")) && at < codelets; at++, workers++) {
		tasks += number_after(at, "\"tasks\":");
		seconds += number_after(at, "\"executing_s\":");
	}
	CHECK(workers == starpu_worker_get_count());
	CHECK(tasks == TASKS);
	CHECK(seconds >= TASKS * TASK_US / 1e6);
	CHECK(ask(fd, "watch 0"));
}

static void check_knobs(int fd)
{
	CHECK(ask(fd, "knob starpu.worker.w_enable_worker_knob 0 1"));
	CHECK(ask(fd, "watch 100"));
	hear(fd, "\"sample\"");
	CHECK(strstr(line, "\"values\":[1,0]"));
	CHECK(ask(fd, "watch 0"));
	CHECK(ask(fd, "knob starpu.worker.w_enable_worker_knob 1 1"));
	CHECK(!ask(fd, "knob starpu.worker.w_enable_worker_knob 1 2"));
	CHECK(!ask(fd, "knob starpu.worker.w_enable_worker_knob 1"));
	CHECK(!ask(fd, "knob starpu.worker.w_enable_worker_knob much 1"));
	CHECK(!ask(fd, "knob nothing 1"));
	CHECK(strstr(line, "'nothing'"));
	CHECK(!ask(fd, "dance"));
	CHECK(!ask(fd, ""));
}

/* ---- starpu_top_* ---- */

static int flag, whole, choice, hooks;
static double real;
static const char *words[] = {"slow", "fast"};

static double look_at_real(void)
{
	double now;
	__atomic_load(&real, &now, __ATOMIC_ACQUIRE);
	return now;
}

static void hook(struct starpu_top_param *p)
{
	CHECK(p && p->name);
	__atomic_add_fetch(&hooks, 1, __ATOMIC_RELAXED);
}

static void check_parameters(int fd)
{
	starpu_top_register_parameter_boolean("flag", &flag, hook);
	struct starpu_top_param *p = starpu_top_register_parameter_integer("whole", &whole, -5, 100, hook);
	starpu_top_register_parameter_float("real", &real, 0, 10, hook);
	starpu_top_register_parameter_enum("choice", &choice, (char **)(uintptr_t)words, 2, NULL);
	CHECK(ask(fd, "set flag true") && LOOK(flag) == 1);
	CHECK(ask(fd, "set flag 0") && LOOK(flag) == 0);
	CHECK(ask(fd, "set whole -5") && LOOK(whole) == -5);
	CHECK(ask(fd, "set real 2.5") && look_at_real() == 2.5);
	CHECK(ask(fd, "set choice fast") && LOOK(choice) == 1);
	CHECK(LOOK(hooks) == 4);
	__atomic_store_n(&whole, 17, __ATOMIC_RELAXED); /* by the program itself */
	starpu_top_update_parameter(p);
	CHECK(ask(fd, "watch 100"));
	hear(fd, "\"sample\"");
	CHECK(strstr(line, "{\"name\":\"whole\",\"type\":\"integer\",\"value\":17,\"min\":-5,\"max\":100}"));
	CHECK(ask(fd, "watch 0"));
	__atomic_store_n(&whole, -5, __ATOMIC_RELAXED);
	CHECK(!ask(fd, "set whole 101") && LOOK(whole) == -5);
	CHECK(!ask(fd, "set whole 1.5") && LOOK(whole) == -5);
	CHECK(!ask(fd, "set real nan") && look_at_real() == 2.5);
	CHECK(!ask(fd, "set choice slower") && LOOK(choice) == 1);
	CHECK(!ask(fd, "set nothing 1"));
	CHECK(LOOK(hooks) == 4);
}

static void check_shown(int fd)
{
	struct starpu_top_data *b = starpu_top_add_data_boolean("yes or no", 1),
			       *i = starpu_top_add_data_integer("an integer", 0, 100, 1),
			       *f = starpu_top_add_data_float("a \"float\"", -1, 1, 0);
	starpu_top_update_data_boolean(b, 7);
	starpu_top_update_data_integer(i, 42);
	starpu_top_update_data_float(f, -0.25);
	starpu_top_update_data_float(NULL, 1);
	starpu_top_task_prevision(NULL, 1, 1000, 2500);
	starpu_top_debug_log("a message");
	CHECK(ask(fd, "watch 100"));
	hear(fd, "\"sample\"");
	CHECK(strstr(line, "{\"name\":\"yes or no\",\"value\":true,"));
	CHECK(strstr(line, "{\"name\":\"an integer\",\"value\":42,\"min\":0,\"max\":100,\"active\":true}"));
	CHECK(strstr(line, "{\"name\":\"a \\\"float\\\"\",\"value\":-0.25,\"min\":-1,\"max\":1,\"active\":false}"));
	CHECK(strstr(line, "\"worker\":1,\"start_us\":1000,\"end_us\":2500}"));
	CHECK(strstr(line, "\"messages\":[\"a message\"]"));
	CHECK(ask(fd, "watch 0"));
}

static void *wait_for_start(void *went_on)
{
	starpu_top_init_and_wait("the application");
	__atomic_store_n((int *)went_on, 1, __ATOMIC_SEQ_CST);
	starpu_top_debug_lock("a lock");
	__atomic_store_n((int *)went_on, 2, __ATOMIC_SEQ_CST);
	return NULL;
}

static void check_start(int fd)
{
	pthread_t thread;
	int went_on = 0;
	CHECK(!ask(fd, "start"));
	CHECK(pthread_create(&thread, NULL, wait_for_start, &went_on) == 0);
	CHECK(ask(fd, "watch 100"));
	hear(fd, "\"waits_for_start\":\"the application\"");
	CHECK(!__atomic_load_n(&went_on, __ATOMIC_SEQ_CST));
	CHECK(ask(fd, "start"));
	hear(fd, "\"waits_for_start\":\"a lock\"");
	CHECK(__atomic_load_n(&went_on, __ATOMIC_SEQ_CST) == 1);
	CHECK(ask(fd, "start"));
	pthread_join(thread, NULL);
	CHECK(went_on == 2);
	hear(fd, "\"waits_for_start\":null");
}

int main(void)
{
	struct starpu_conf conf;
	if (!mkdtemp(folder) || setenv("WEFT_LIVE", folder, 1))
		return 1;
	starpu_top_init_and_wait("too early"); /* goes on */
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.ncuda = conf.nopencl = 0;
	int rc = starpu_init(&conf);
	if (rc)
		cannot_begin();
	int fd = look();
	check_counts(fd);
	check_knobs(fd);
	check_parameters(fd);
	check_shown(fd);
	check_start(fd);
	starpu_shutdown();
	CHECK(recv(fd, line, 1, 0) >= 0); /* what was under way, then the end */
	close(fd);
	CHECK(rmdir(folder) == 0);
	return checks_failed();
}
