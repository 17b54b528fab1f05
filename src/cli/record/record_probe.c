/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region for each function, its attributes as points ("work.x", "work.return") at the same instant. A function whose exit cannot
 * be watched is a point of its own. The processes write all of that themselves, with libweft, which the agent brings: what is done here
 * ends when a process enters main.
 *
 * One thread does it: accepts, binds, defines, inserts, lets go. Sessions stay open until their processes end, or all is over: then what
 * still runs goes on recording, as programs do that use libweft.
 */
#include "record_probe.h"
#include "base/log.h"
#include "base/vec.h"
#include "cli/common/cli.h"
#include "probe/probe_watch.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A function of the process that is being begun, of those that a watch stands for. */
struct function {
	struct probe_watch watch;
	unsigned from; /* which of the command's watches */
};

/* Of a watch: for how many functions it stands, in the process that had most. */
struct stands {
	unsigned forms, names, refused;
	struct weft_err why; /* what should be known of one that is watched */
};

struct record_prober {
	struct record_prober_how how;
	struct probe_watch *watch;
	struct weft_err *why; /* of each watch: why it was not put in, when it never was */
	bool *was_in;
	struct stands *stands;
	WEFT_VEC(struct function) function;
	struct probe_bound *bound; /* of each function; watch NULL: it is not watched */
	unsigned n_watches;
	struct probe_listener *listener; /* owned */
	int stop;                        /* an eventfd */
	pthread_t thread;
	bool started;
	WEFT_VEC(struct probe_session *) process;
	struct record_probed totals;
};

/* ---- a process ---- */

static void keep_why(struct record_prober *p, unsigned watch, const struct weft_err *err)
{
	/* Not to be there is the weaker reason: it is so in each shell. */
	if (!p->why[watch].code || p->why[watch].code == -ENOENT)
		p->why[watch] = *err;
}

/* The functions of this process that the watches stand for, and room to bind them. */
static int find_functions(struct record_prober *p, struct probe_session *s)
{
	p->function.n = 0;
	for (unsigned k = 0; k < p->n_watches; k++) {
		struct weft_err err = {0};
		struct probe_watch *all;
		int n = probe_watch_expand(s, &p->watch[k], &all, &err), rc = 0;
		if (n < 0)
			keep_why(p, k, &err);
		for (int i = 0; i < n && rc == 0; i++)
			rc = weft_vec_push(&p->function, (struct function){all[i], k});
		free(all);
		if (rc)
			return rc;
	}
	free(p->bound);
	p->bound = calloc(p->function.n + 1, sizeof *p->bound);
	return p->bound ? 0 : -ENOMEM;
}

/* Those that can be watched; their number. */
static unsigned bind_all(struct record_prober *p, struct probe_session *s)
{
	unsigned n = 0;
	for (unsigned k = 0; k < p->function.n; k++) {
		struct weft_err err = {0};
		if (probe_watch_bind(s, &p->function.at[k].watch, &p->bound[k], &err)) {
			keep_why(p, p->function.at[k].from, &err);
			p->bound[k].watch = NULL;
			continue;
		}
		n++;
	}
	return n;
}

/* Another watch of the same function is in already: it writes down when that runs. */
static bool is_told(const struct record_prober *p, unsigned function)
{
	const struct function *f = p->function.at;
	for (unsigned k = 0; k < function; k++)
		if (p->bound[k].watch && f[k].watch.at.addr == f[function].watch.at.addr &&
		    strcmp(f[k].watch.function, f[function].watch.function) == 0)
			return true;
	return false;
}

static bool insert_one(struct record_prober *p, struct probe_session *s, unsigned k)
{
	struct probe_bound *b = &p->bound[k];
	struct weft_err err = {0};
	unsigned from = p->function.at[k].from;
	if (!b->watch)
		return false;
	int rc = probe_watch_record(s, b, is_told(p, k), &err);
	if (rc == 0 && probe_insert(s, &b->request, 1)) {
		rc = b->request.rc;
		err = b->request.err;
	}
	if (rc) {
		keep_why(p, from, &err);
		b->watch = NULL;
		return false;
	}
	if (b->watch->at.stands_for && !p->stands[from].why.text[0])
		p->stands[from].why = b->request.err;
	p->was_in[from] = true;
	return true;
}

/* Forms of one function, as the compiler has made them, have one name. */
static bool is_another_name(const struct record_prober *p, unsigned k)
{
	const struct function *f = p->function.at;
	for (unsigned i = k; i-- > 0 && f[i].from == f[k].from;)
		if (!strcmp(f[i].watch.function, f[k].watch.function))
			return false;
	return true;
}

static unsigned insert_all(struct record_prober *p, struct probe_session *s)
{
	unsigned in = 0;
	for (unsigned k = 0; k < p->function.n;) {
		unsigned from = p->function.at[k].from, good = 0;
		struct stands now = {0, 0, 0, p->stands[from].why}, *most = &p->stands[from];
		for (; k < p->function.n && p->function.at[k].from == from; k++, now.forms++) {
			good += insert_one(p, s, k);
			now.names += is_another_name(p, k);
		}
		now.refused = now.forms - good;
		now.why = most->why;
		if (now.forms > most->forms)
			*most = now;
		in += good;
	}
	return in;
}

/* False: nothing here is watched. */
static bool watch_process(struct record_prober *p, struct probe_session *s)
{
	struct weft_err err = {0};
	if (find_functions(p, s)) {
		weft_log(WEFT_LOG_WARN, "out of memory");
		return false;
	}
	if (bind_all(p, s) == 0)
		return false;
	if (probe_record(s, p->how.dir, &err)) {
		for (unsigned k = 0; k < p->function.n; k++)
			if (p->bound[k].watch)
				keep_why(p, p->function.at[k].from, &err);
		weft_log(WEFT_LOG_WARN, "%s", err.text);
		return false;
	}
	return insert_all(p, s) > 0;
}

static void begin_process(struct record_prober *p, struct probe_session *s)
{
	if (weft_vec_reserve(&p->process, p->process.n + 1)) {
		weft_log(WEFT_LOG_WARN, "out of memory");
		probe_close(s);
		return;
	}
	if (!watch_process(p, s)) {
		probe_close(s);
		return;
	}
	p->process.at[p->process.n++] = s;
	p->totals.processes++;
	int rc = probe_go(s);
	(void)rc; /* gone already: the loop sees that */
}

static void accept_one(struct record_prober *p)
{
	struct probe_session *s;
	struct weft_err err = {0};
	int rc = probe_accept(p->listener, 0, &s, &err);
	if (rc == 0)
		begin_process(p, s);
	else if (rc != -ETIMEDOUT)
		weft_log(WEFT_LOG_INFO, "%s", err.text);
}

/* ---- the thread ---- */

/* False: it is time to end. */
static bool wait_for_more(struct record_prober *p, struct pollfd *at)
{
	at[0] = (struct pollfd){p->stop, POLLIN, 0};
	at[1] = (struct pollfd){probe_listener_fd(p->listener), POLLIN, 0};
	for (size_t k = 0; k < p->process.n; k++)
		at[2 + k] = (struct pollfd){probe_socket(p->process.at[k]), 0, 0};
	if (poll(at, 2 + p->process.n, -1) < 0)
		for (size_t k = 0; k < 2 + p->process.n; k++)
			at[k].revents = 0;
	return !at[0].revents;
}

static void *prober_main(void *arg)
{
	struct record_prober *p = arg;
	WEFT_VEC(struct pollfd) poll_at = {0};
	for (bool more = true; more;) {
		if (weft_vec_reserve(&poll_at, 2 + p->process.n))
			break;
		more = wait_for_more(p, poll_at.at);
		for (size_t k = p->process.n; k-- > 0;) {
			if (!poll_at.at[2 + k].revents)
				continue;
			probe_abandon(p->process.at[k]);
			p->process.at[k] = p->process.at[--p->process.n];
		}
		if (poll_at.at[1].revents)
			accept_one(p);
	}
	while (p->process.n)
		probe_abandon(p->process.at[--p->process.n]);
	free(poll_at.at);
	return NULL;
}

/* ---- begin and end ---- */

static void prober_free(struct record_prober *p)
{
	probe_listener_free(p->listener);
	if (p->stop >= 0)
		close(p->stop);
	free(p->process.at);
	free(p->watch);
	free(p->why);
	free(p->was_in);
	free(p->stands);
	free(p->function.at);
	free(p->bound);
	free(p);
}

static int agent_path(char *out, size_t room, struct weft_err *err)
{
	static const char *const places[] = {"libweft-agent.so.0", "../lib/libweft-agent.so.0"};
	if (cli_find_own(places, sizeof places / sizeof *places, out, room) == 0)
		return 0;
	return weft_err_set(err, -ENOENT, "libweft-agent.so is not there: it belongs beside this program, or into its ../lib");
}

int record_prober_new(struct record_prober **out, const struct record_prober_how *how, struct weft_err *err)
{
	char agent[4200];
	struct record_prober *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return weft_err_set(err, -ENOMEM, "out of memory");
	p->how = *how;
	p->stop = -1;
	p->n_watches = how->probes->n;
	p->watch = calloc(p->n_watches, sizeof *p->watch);
	p->why = calloc(p->n_watches, sizeof *p->why);
	p->was_in = calloc(p->n_watches, sizeof *p->was_in);
	p->stands = calloc(p->n_watches, sizeof *p->stands);
	int rc = p->watch && p->why && p->was_in && p->stands ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	for (unsigned k = 0; rc == 0 && k < p->n_watches; k++)
		rc = probe_watch_parse(how->probes->at[k], &p->watch[k], err);
	rc = rc ? rc : agent_path(agent, sizeof agent, err);
	rc = rc ? rc : probe_listen(&p->listener, NULL, err);
	if (rc == 0 && (p->stop = eventfd(0, EFD_CLOEXEC)) < 0)
		rc = weft_err_sys(err, errno, "cannot watch functions");
	if (rc == 0 && !how->attach)
		rc = probe_set_environment(agent, probe_listener_name(p->listener), err);
	if (rc)
		prober_free(p);
	else
		*out = p;
	return rc;
}

/* ---- a process that runs ---- */

enum { INJECT_MS = 10000 };

int record_prober_attach(struct record_prober *p, pid_t pid, const char *samples, struct weft_err *err)
{
	char agent[4200];
	struct probe_session *s;
	int rc = agent_path(agent, sizeof agent, err);
	if (rc == 0 && weft_vec_reserve(&p->process, 1))
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (rc == 0)
		rc = probe_inject(pid, agent, probe_listener_name(p->listener), INJECT_MS, err);
	if (rc == 0)
		rc = probe_accept(p->listener, INJECT_MS, &s, err);
	if (rc)
		return rc;
	rc = probe_record(s, p->how.dir, err);
	if (rc == 0 && *samples)
		rc = probe_sample(s, samples, err);
	if (rc == 0 && (rc = find_functions(p, s)) < 0)
		rc = weft_err_set(err, rc, "out of memory");
	if (rc == 0 && bind_all(p, s) && insert_all(p, s))
		p->totals.processes++;
	else if (rc == 0 && !*samples)
		rc = weft_err_set(err, -ENOENT, "nothing would be recorded of process %d: %s", (int)pid,
		                  p->n_watches && p->why[0].code ? p->why[0].text : "no samples, and no function");
	if (rc == 0)
		rc = probe_go_alone(s);
	if (rc)
		probe_close(s);
	else
		p->process.at[p->process.n++] = s;
	return rc;
}

void record_prober_look(struct record_prober *p)
{
	struct weft_err err = {0};
	for (size_t k = 0; k < p->process.n; k++) {
		int rc = probe_sample(p->process.at[k], "", &err);
		(void)rc; /* gone: who waits for its end sees that */
	}
}

/* It is not recorded any more, where it still runs. */
static void let_go(struct probe_session *s)
{
	struct weft_err err = {0};
	int rc = probe_sample(s, "0", &err);
	(void)rc;
	probe_close(s);
}

int record_prober_start(struct record_prober *p)
{
	int error = pthread_create(&p->thread, NULL, prober_main, p);
	p->started = error == 0;
	return -error;
}

/* Names that are more than the one function that they seem to be. */
static void say_stands(const struct record_prober *p, struct weft_buf *remarks)
{
	for (unsigned k = 0; k < p->n_watches; k++) {
		const struct stands *s = &p->stands[k];
		if (!p->was_in[k])
			continue;
		if (s->names > 1)
			weft_buf_printf(remarks, "'%s' stands for %u functions\n", p->watch[k].function, s->names);
		if (s->refused)
			weft_buf_printf(remarks, "%u of %u for '%s' %s not watched: %s\n", s->refused, s->forms,
			                p->watch[k].function, s->refused == 1 ? "was" : "were", p->why[k].text);
		else if (*s->why.text)
			weft_buf_printf(remarks, "%s\n", s->why.text);
	}
}

void record_prober_finish(struct record_prober *p, struct record_probed *totals, struct weft_buf *remarks)
{
	*totals = (struct record_probed){0};
	if (!p)
		return;
	uint64_t one = 1;
	while (p->how.attach && p->process.n)
		let_go(p->process.at[--p->process.n]);
	if (p->started && write(p->stop, &one, sizeof one) == (ssize_t)sizeof one)
		pthread_join(p->thread, NULL);
	for (unsigned k = 0; k < p->n_watches; k++)
		if (!p->was_in[k])
			weft_buf_printf(remarks, "nothing was watched by --probe '%s': %s\n", p->how.probes->at[k],
			                p->why[k].code ? p->why[k].text
			                               : "no process of the command had the agent (is it statically linked?)");
	say_stands(p, remarks);
	const struct probe_refused *r = probe_refused(p->listener);
	if (r->unwatched)
		weft_buf_printf(remarks, "%u process%s not be taken on in time and ran on without probes\n", r->unwatched,
		                r->unwatched == 1 ? " could" : "es could");
	if (r->silent)
		weft_buf_printf(remarks, "%u connection%s no agent's and closed\n", r->silent,
		                r->silent == 1 ? " was" : "s were");
	*totals = p->totals;
	prober_free(p);
}
