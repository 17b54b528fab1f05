/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A region for each function, its attributes as points ("work.x", "work.return") at the same instant. A function whose exit cannot
 * be watched is a point of its own. Streams describe their processes from outside, as the launcher's does, so that a reader unites
 * them with what the process records by itself; ticks are the processor's, as the agent takes them.
 *
 * One thread does all: accepts, binds, inserts, lets go, and reads rings every few milliseconds (they hold 128 KB a thread: 5000 events).
 */
#include "record_probe.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "probe/probe_watch.h"
#include "record_stream.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_LEAST_MS = 1, LOOK_MOST_MS = 8, CALIBRATE_MS = 11, EVENTS_IN_A_ROW = 100000 };

struct probed_thread {
	uint32_t tid;
	struct record_lane lane;
};

struct probed {
	struct probe_session *session;
	struct record_stream stream;
	struct probe_bound *bound; /* owned; one for each watch; request.n_sites 0: it is not here */
	WEFT_VEC(struct probed_thread) thread;
	WEFT_VEC(char *) string; /* owned */
	uint64_t events;
};

struct record_prober {
	struct record_prober_how how;
	struct probe_watch *watch;
	struct weft_err *why; /* of each watch: why it was not put in, when it never was */
	bool *was_in;
	unsigned n_watches;
	struct probe_listener *listener; /* owned */
	int stop;                        /* an eventfd */
	double ticks_per_ns;
	pthread_t thread;
	bool started;
	WEFT_VEC(struct probed *) process;
	WEFT_VEC(uint32_t) pid; /* of all processes that ever were: for names of streams */
	struct record_probed totals;
};

/* ---- definitions ---- */

/* Ids: watch k is region k + 1 and type k + 1; its attributes are types behind those. */
static uint32_t type_id(const struct record_prober *p, unsigned watch, unsigned attribute)
{
	return p->n_watches + 1 + watch * PROBE_WATCH_ATTRIBUTES + attribute;
}

static void define(struct probed *x, unsigned kind, uint32_t id, const uint64_t *word, unsigned n, const char *text)
{
	uint64_t now = record_stream_ticks(&x->stream);
	record_stream_meta(&x->stream, &(struct weft_record){now, kind, id, n, word}, text, strlen(text));
}

static void define_watches(const struct record_prober *p, struct probed *x)
{
	for (unsigned k = 0; k < p->n_watches; k++) {
		const struct probe_watch *w = &p->watch[k];
		uint64_t region[2] = {(uint64_t)WEFT_STATE_RUNNING << 32, 0}, type[2] = {0, 0};
		if (x->bound[k].request.n_sites == 0)
			continue;
		if (x->bound[k].request.kinds & PROBE_EXIT)
			define(x, WEFT_EV_DEF_REGION, k + 1, region, 2, w->function);
		else
			define(x, WEFT_EV_DEF_TYPE, k + 1, type, 2, w->function);
		for (unsigned a = 0; a < w->n; a++) {
			char name[sizeof w->function + sizeof w->attribute[a].name + 2];
			snprintf(name, sizeof name, "%s.%s", w->function, w->attribute[a].name);
			define(x, WEFT_EV_DEF_TYPE, type_id(p, k, a), type, 2, name);
		}
	}
}

/* When the process began, which is not when it got its present program; in ticks. 0: not known. */
static uint64_t process_begin(const struct record_prober *p, pid_t pid)
{
	char path[64], line[1024] = "";
	unsigned long long begun = 0;
	struct timespec boot;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (f && !fgets(line, sizeof line, f))
		line[0] = '\0';
	if (f)
		fclose(f);
	const char *rest = strrchr(line, ')');
	if (!rest ||
	    sscanf(rest + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &begun) != 1)
		return 0;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	double ago = (double)boot.tv_sec * 1e9 + (double)boot.tv_nsec - (double)begun * 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct record_stream now = {.ticks_per_ns = p->ticks_per_ns};
	return record_stream_ticks(&now) - (ago > 0 ? (uint64_t)(ago * p->ticks_per_ns) : 0);
}

static void define_process(const struct record_prober *p, struct probed *x)
{
	const struct link_hello *hello = probe_hello(x->session);
	uint64_t begin = process_begin(p, probe_pid(x->session));
	uint64_t word[3] = {hello->pid, UINT32_MAX | UINT64_C(1) << 32, begin}; /* no rank; application 1 */
	const char *slash = strrchr(hello->exe, '/');
	const struct {
		uint64_t which;
		const char *text;
	} texts[] = {{WEFT_TEXT_HOST, p->how.host}, {WEFT_TEXT_BOOT_ID, p->how.boot_id}, {WEFT_TEXT_EXE, hello->exe}};
	define(x, WEFT_EV_PROCESS, 1, word, 3, slash ? slash + 1 : hello->exe);
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		if (texts[k].text[0])
			define(x, WEFT_EV_PROCESS_TEXT, 1, (uint64_t[]){texts[k].which, UINT64_C(1) << 32}, 2, texts[k].text);
}

static uint32_t string_id(struct probed *x, const char *text)
{
	for (size_t k = 0; k < x->string.n; k++)
		if (!strcmp(x->string.at[k], text))
			return (uint32_t)k + 1;
	char *copy = x->string.n < WEFT_ID_MAX ? strdup(text) : NULL;
	if (!copy || weft_vec_push(&x->string, copy)) {
		free(copy);
		return 0;
	}
	define(x, WEFT_EV_DEF_STRING, (uint32_t)x->string.n, NULL, 0, text);
	return (uint32_t)x->string.n;
}

/* ---- events ---- */

static struct probed_thread *thread_of(struct record_prober *p, struct probed *x, uint32_t tid, uint64_t ticks)
{
	for (size_t k = x->thread.n; k-- > 0;)
		if (x->thread.at[k].tid == tid)
			return &x->thread.at[k];
	struct probed_thread t = {.tid = tid, .lane = {.thread = (uint32_t)x->thread.n + 1}};
	if (weft_vec_push(&x->thread, t))
		return NULL;
	define(x, WEFT_EV_THREAD, t.lane.thread, (uint64_t[]){tid, 1, ticks}, 3, "");
	p->totals.threads++;
	return &x->thread.at[x->thread.n - 1];
}

static void put(struct probed *x, struct probed_thread *t, uint64_t ticks, unsigned kind, uint32_t id, uint64_t word)
{
	struct weft_record r = {ticks, kind, id, kind == WEFT_EV_ENTER || kind == WEFT_EV_LEAVE ? 0 : 1, &word};
	record_stream_event(&x->stream, &t->lane, &r);
}

static void put_value(struct record_prober *p, struct probed *x, struct probed_thread *t, uint64_t ticks, unsigned watch,
                      const struct probe_value_read *v)
{
	uint64_t word = (uint64_t)v->i;
	unsigned kind = WEFT_EV_POINT;
	if (v->type.kind == PROBE_TYPE_STRING) {
		kind = WEFT_EV_POINT_S;
		word = string_id(x, v->text);
	} else if (v->type.kind == PROBE_TYPE_FLOAT) {
		kind = WEFT_EV_POINT_F;
		memcpy(&word, &v->d, sizeof word);
	}
	put(x, t, ticks, kind, type_id(p, watch, v->attribute), word);
}

static void take_event(struct record_prober *p, struct probed *x, unsigned watch, const struct probe_event *e)
{
	struct probe_value_read value[PROBE_WATCH_ATTRIBUTES];
	struct probed_thread *t = thread_of(p, x, e->tid, e->ticks);
	unsigned n = probe_watch_values(&x->bound[watch], e, value);
	bool region = x->bound[watch].request.kinds & PROBE_EXIT;
	if (!t) {
		p->totals.lost++;
		return;
	}
	if (e->when == LINK_ENTRY)
		put(x, t, e->ticks, region ? WEFT_EV_ENTER : WEFT_EV_POINT, watch + 1, 1);
	for (unsigned k = 0; k < n; k++)
		put_value(p, x, t, e->ticks, watch, &value[k]);
	if (e->when == LINK_EXIT)
		put(x, t, e->ticks, WEFT_EV_LEAVE, watch + 1, 0);
	p->totals.events++;
	x->events++;
}

static int watch_of(const struct record_prober *p, const struct probed *x, uint32_t site)
{
	for (unsigned k = 0; k < p->n_watches; k++)
		for (unsigned i = 0; i < x->bound[k].request.n_sites; i++)
			if (x->bound[k].request.site[i] == site)
				return (int)k;
	return -1;
}

/* Whether there was anything. */
static bool drain(struct record_prober *p, struct probed *x)
{
	struct probe_event e;
	unsigned n = 0;
	while (n < EVENTS_IN_A_ROW && probe_next(x->session, &e)) {
		int watch = watch_of(p, x, e.site);
		if (watch >= 0)
			take_event(p, x, (unsigned)watch, &e);
		n++;
	}
	return n > 0;
}

/* ---- processes ---- */

static void probed_free(struct record_prober *p, struct probed *x)
{
	for (size_t k = 0; k < x->thread.n; k++)
		record_stream_end_lane(&x->thread.at[k].lane);
	if (x->stream.at) {
		p->totals.lost += record_stream_dropped(&x->stream);
		record_stream_close(&x->stream);
	}
	for (size_t k = 0; k < x->string.n; k++)
		free(x->string.at[k]);
	free(x->string.at);
	free(x->thread.at);
	free(x->bound);
	free(x);
}

/* The process is gone, or the command is: takes probes out, and the last events. */
static void end_process(struct record_prober *p, struct probed *x)
{
	int rc = probe_detach(x->session);
	(void)rc; /* it may be gone */
	while (drain(p, x))
		;
	p->totals.lost += probe_dropped(x->session) + probe_lost(x->session);
	probe_abandon(x->session);
	probed_free(p, x);
}

/* DIR/HOST-PID-probes.stream; a pid that gets another program begins another stream. */
static int open_stream(struct record_prober *p, struct probed *x, struct weft_err *err)
{
	char name[128];
	uint32_t pid = probe_hello(x->session)->pid;
	unsigned before = 0;
	for (size_t k = 0; k < p->pid.n; k++)
		before += p->pid.at[k] == pid;
	if (weft_vec_push(&p->pid, pid))
		return weft_err_set(err, -ENOMEM, "out of memory");
	if (before)
		snprintf(name, sizeof name, "%s-%u-probes-%u.stream", p->how.host, pid, before + 1);
	else
		snprintf(name, sizeof name, "%s-%u-probes.stream", p->how.host, pid);
	return record_stream_open(&x->stream, p->how.dir, name, p->how.run_id, p->ticks_per_ns, err);
}

/* Puts the probes in that have a place in this process; their number. */
static unsigned insert_all(struct record_prober *p, struct probed *x)
{
	unsigned in = 0;
	for (unsigned k = 0; k < p->n_watches; k++) {
		struct weft_err err = {0};
		struct probe_bound *b = &x->bound[k];
		int rc = probe_watch_bind(x->session, &p->watch[k], b, &err);
		if (rc == 0 && probe_insert(x->session, &b->request, 1)) {
			rc = b->request.rc;
			err = b->request.err;
		}
		if (rc) {
			b->request.n_sites = 0;
			/* Not to be there is the weaker reason: it is so in each shell. */
			if (!p->why[k].code || p->why[k].code == -ENOENT)
				p->why[k] = err;
			continue;
		}
		p->was_in[k] = true;
		in++;
	}
	return in;
}

static void begin_process(struct record_prober *p, struct probe_session *s)
{
	struct weft_err err = {0};
	struct probed *x = calloc(1, sizeof *x);
	if (x)
		x->bound = calloc(p->n_watches, sizeof *x->bound);
	if (!x || !x->bound)
		goto fail;
	x->session = s;
	if (insert_all(p, x) == 0) {
		probe_close(s); /* nothing here is watched */
		probed_free(p, x);
		return;
	}
	if (open_stream(p, x, &err) || weft_vec_push(&p->process, x)) {
		weft_log(WEFT_LOG_WARN, "%s", err.code ? err.text : "out of memory");
		goto fail;
	}
	define_process(p, x);
	define_watches(p, x);
	p->totals.processes++;
	int rc = probe_go(s);
	(void)rc; /* gone already: the loop sees that */
	return;
fail:
	probe_close(s);
	if (x)
		probed_free(p, x);
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

static void calibrate(struct record_prober *p)
{
	struct record_stream tsc = {.ticks_per_ns = 1};
	uint64_t ticks = record_stream_ticks(&tsc), ns = weft_monotonic_ns();
	nanosleep(&(struct timespec){0, CALIBRATE_MS * 1000000}, NULL);
	p->ticks_per_ns = (double)(record_stream_ticks(&tsc) - ticks) / (double)(weft_monotonic_ns() - ns);
}

/* False: it is time to end. */
static bool wait_for_more(struct record_prober *p, struct pollfd *at, int ms)
{
	at[0] = (struct pollfd){p->stop, POLLIN, 0};
	at[1] = (struct pollfd){probe_listener_fd(p->listener), POLLIN, 0};
	for (size_t k = 0; k < p->process.n; k++)
		at[2 + k] = (struct pollfd){probe_socket(p->process.at[k]->session), 0, 0};
	if (poll(at, 2 + p->process.n, p->process.n ? ms : -1) < 0)
		for (size_t k = 0; k < 2 + p->process.n; k++)
			at[k].revents = 0;
	return !at[0].revents;
}

static void *prober_main(void *arg)
{
	struct record_prober *p = arg;
	WEFT_VEC(struct pollfd) poll_at = {0};
	int ms = LOOK_LEAST_MS;
	calibrate(p);
	for (bool more = true; more;) {
		if (weft_vec_reserve(&poll_at, 2 + p->process.n))
			break;
		more = wait_for_more(p, poll_at.at, ms);
		bool seen = false;
		size_t n = p->process.n;
		for (size_t k = n; k-- > 0;) {
			seen |= drain(p, p->process.at[k]);
			if (poll_at.at[2 + k].revents) {
				end_process(p, p->process.at[k]);
				p->process.at[k] = p->process.at[--p->process.n];
			}
		}
		if (poll_at.at[1].revents)
			accept_one(p);
		ms = seen ? LOOK_LEAST_MS : ms * 2 < LOOK_MOST_MS ? ms * 2 : LOOK_MOST_MS;
	}
	while (p->process.n)
		end_process(p, p->process.at[--p->process.n]);
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
	free(p->pid.at);
	free(p->watch);
	free(p->why);
	free(p->was_in);
	free(p);
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
	int rc = p->watch && p->why && p->was_in ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	for (unsigned k = 0; rc == 0 && k < p->n_watches; k++)
		rc = probe_watch_parse(how->probes->at[k], &p->watch[k], err);
	rc = rc ? rc : probe_agent_path(agent, sizeof agent, err);
	rc = rc ? rc : probe_listen(&p->listener, NULL, err);
	if (rc == 0 && (p->stop = eventfd(0, EFD_CLOEXEC)) < 0)
		rc = weft_err_sys(err, errno, "cannot watch functions");
	rc = rc ? rc : probe_set_environment(agent, probe_listener_name(p->listener), err);
	if (rc)
		prober_free(p);
	else
		*out = p;
	return rc;
}

int record_prober_start(struct record_prober *p)
{
	int error = pthread_create(&p->thread, NULL, prober_main, p);
	p->started = error == 0;
	return -error;
}

void record_prober_finish(struct record_prober *p, struct record_probed *totals, struct weft_buf *remarks)
{
	*totals = (struct record_probed){0};
	if (!p)
		return;
	uint64_t one = 1;
	if (p->started && write(p->stop, &one, sizeof one) == (ssize_t)sizeof one)
		pthread_join(p->thread, NULL);
	for (unsigned k = 0; k < p->n_watches; k++)
		if (!p->was_in[k])
			weft_buf_printf(remarks, "nothing was watched by --probe '%s': %s\n", p->how.probes->at[k],
			                p->why[k].code ? p->why[k].text
			                               : "no process of the command had the agent (is it statically linked?)");
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
