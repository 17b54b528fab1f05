/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a saved page: those that few events make are tracks of their own, which the page offers as curves. */
#include "server/area/server_time.h"
#include "server_export_priv.h"
#include <errno.h>
#include <string.h>

enum { EVENTS_PART = 64 /* of the limit's bytes: so many events all together */ };

struct choosing {
	const struct server_export_how *how;
	struct export_counter *out;
	unsigned n;
};
struct putting {
	struct weft_json *j;
	const struct export_track *track;
	unsigned n_tracks;
};

static int each(const struct server_export_how *how, int (*use)(void *arg, const struct server_counter *c), void *arg)
{
	struct weft_err none = {0};
	struct server_request r = {.session = how->session, .body = "", .err = &none};
	int rc = server_counters_each(&r, export_trace(how), use, arg);
	return rc == -ENOMEM ? rc : 0; /* a session may be full of views */
}

/* In the order of their events; of one that is read with others only, all of the trace's. */
static int choose(void *arg, const struct server_counter *c)
{
	struct choosing *k = arg;
	const uint64_t events = c->def->n_events ? c->def->n_events : export_trace(k->how)->trace->n_events;
	unsigned at = k->n;
	while (at && k->out[at - 1].events > events)
		at--;
	if (at == EXPORT_COUNTERS)
		return 0;
	k->n += k->n < EXPORT_COUNTERS;
	memmove(k->out + at + 1, k->out + at, (k->n - 1 - at) * sizeof *k->out);
	k->out[at].events = events;
	snprintf(k->out[at].view, sizeof k->out[at].view, "%s", c->view);
	return 0;
}

int export_counters_choose(const struct server_export_how *how, struct export_counter out[EXPORT_COUNTERS], unsigned *n)
{
	struct choosing k = {.how = how, .out = out};
	int rc = each(how, choose, &k);
	*n = 0;
	for (uint64_t events = 0; *n < k.n && (events += out[*n].events) <= how->limit / EVENTS_PART;)
		++*n;
	return rc;
}

static bool has_track(const struct putting *p, const char *view)
{
	for (unsigned i = 0; i < p->n_tracks; i++)
		if (!strcmp(p->track[i].view, view))
			return true;
	return false;
}

/* As the route time/counters; without a view of which there is no track. */
static int put(void *arg, const struct server_counter *c)
{
	const struct putting *p = arg;
	bool value = has_track(p, c->view), rate = has_track(p, c->rate);
	if (!value && !rate)
		return 0;
	weft_json_object(p->j);
	server_put_string(p->j, "name", c->def->name);
	server_put_string(p->j, "unit", c->def->unit);
	server_put_u64(p->j, "events", c->def->n_events);
	if (value)
		server_put_string(p->j, "view", c->view);
	if (rate)
		server_put_string(p->j, "rate", c->rate);
	weft_json_end(p->j);
	return 0;
}

int export_counters_put(struct weft_json *j, const struct server_export_how *how, const struct export_track *track,
                        unsigned n_tracks)
{
	struct putting p = {j, track, n_tracks};
	weft_json_key(j, "time/counters");
	weft_json_object(j);
	weft_json_key(j, "counters");
	weft_json_array(j);
	int rc = each(how, put, &p);
	weft_json_end(j);
	weft_json_end(j);
	return rc;
}
