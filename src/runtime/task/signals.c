/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STARPU_CATCH_SIGNALS: handlers for SIGINT, SIGSEGV and SIGTRAP that print the running tasks in
 * one line and raise the signal again with its default action. Nothing else is to be done:
 * libweft's records are in files already, and models are not written in the middle of an update. A
 * signal that the program handles or ignores (a JVM, a sanitizer, a shell) keeps its handler.
 */
#include "begin.h"
#include "task.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct caught {
	int number;
	const char *name;
	bool ours;
} caught[] = {{SIGINT, "SIGINT", false}, {SIGSEGV, "SIGSEGV", false}, {SIGTRAP, "SIGTRAP", false}};
static bool catching;
enum { CAUGHT = sizeof caught / sizeof caught[0] };

struct line {
	char text[400];
	size_t n;
};

static void add(struct line *l, const char *text)
{
	size_t n = strlen(text), left = sizeof l->text - l->n;
	n = n < left ? n : left;
	memcpy(l->text + l->n, text, n);
	l->n += n;
}

/* snprintf is not for signal handlers. */
static void add_number(struct line *l, uint64_t number)
{
	char digits[21], *at = digits + sizeof digits;
	*--at = '\0';
	do {
		*--at = (char)('0' + number % 10);
	} while (number /= 10);
	add(l, at);
}

static void add_where(struct line *l)
{
	const struct rt_worker *w = rt_worker_self();
	struct rt_job *j = w ? rt_worker_current(w) : NULL;
	const struct starpu_codelet *cl = j ? rt_upper(j)->cl : NULL;
	if (!w || w->number >= rt_machine.n_workers) {
		add(l, " outside of the workers");
		return;
	}
	add(l, " on worker ");
	add(l, rt_machine.worker[w->number].name);
	if (j)
		add(l, ", in a task of codelet ");
	if (j)
		add(l, cl && cl->name ? cl->name : "without a name");
}

static void say(int number)
{
	struct line l = {.n = 0};
	const struct rt_runtime *core = rt_machine.core;
	add(&l, "starpu: ");
	for (unsigned i = 0; i < CAUGHT; i++)
		if (caught[i].number == number)
			add(&l, caught[i].name);
	add_where(&l);
	if (core) {
		add(&l, "; tasks that are not done: ");
		add_number(&l, rt_unfinished(core));
	}
	l.n -= l.n == sizeof l.text;
	add(&l, "\n");
	if (write(STDERR_FILENO, l.text, l.n) < 0)
		return;
}

/*
 * The default action is back when this runs (SA_RESETHAND), and the signal is not blocked
 * (SA_NODEFER).
 */
static void handle(int number)
{
	say(number);
	raise(number);
}

void rt_signals_begin(const struct rt_machine *m)
{
	if (m->conf.catch_signals == 1 && !starpu_get_env_number_default("STARPU_SILENT", 0))
		rt_signals_catch(true);
}

static void catch_them(void)
{
	struct sigaction act = {.sa_handler = handle, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK)}, old;
	for (unsigned i = 0; i < CAUGHT; i++)
		caught[i].ours = !sigaction(caught[i].number, NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
		                 old.sa_handler == SIG_DFL && !sigaction(caught[i].number, &act, NULL);
}

/* Unless the program has installed a handler meanwhile. */
static void let_go(void)
{
	struct sigaction none = {.sa_handler = SIG_DFL}, now;
	for (unsigned i = 0; i < CAUGHT; i++) {
		if (caught[i].ours && !sigaction(caught[i].number, NULL, &now) && now.sa_handler == handle)
			sigaction(caught[i].number, &none, NULL);
		caught[i].ours = false;
	}
}

void rt_signals_catch(bool on)
{
	if (on && !catching)
		catch_them();
	else if (!on && catching)
		let_go();
	catching = on;
}

bool rt_signals_are_caught(void)
{
	return catching;
}

void rt_signals_end(void)
{
	rt_signals_catch(false);
}
