/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run as a program that can be looked at (src/pulse, kind "tune"): `weft top --json PID`, the page's Live. The analyzer writes what happens into a
 * ring under a lock; the channel's thread reads it there, and knows nothing else of the analyzer.
 */
#include "analyze_priv.h"
#include "pulse/pulse.h"
#include "base/clock.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 256, TOLD = 64, TEXT = 240, VALUES = 32, NAME = 48, PIDS = 64 };

static const char *const kind_names[] = {"said", "decided", "refused", "done", "failed", "undone"};

struct entry {
	uint64_t at_ns;
	enum look_kind kind;
	int tunlet; /* -1: none */
	int64_t iteration;
	char text[TEXT];
};
struct tunlet {
	char name[NAME];
	char value_name[VALUES][NAME];
	double value[VALUES];
	uint32_t n;
	int64_t iteration;
	uint64_t evaluated, incomplete, late;
};
static struct {
	pthread_mutex_t lock;
	bool serves;
	uint64_t began_ns, n, count[LOOK_KINDS];
	bool dry_run;
	char command[TEXT];
	struct entry *ring;
	struct tunlet *tunlet;
	unsigned n_tunlets;
	uint32_t pid[PIDS];
	unsigned n_pids;
} look = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- a sample; by the channel's thread ---- */

static void put_text(struct weft_json *j, const char *key, const char *z)
{
	weft_json_key(j, key);
	weft_json_string(j, z);
}

static void put_count(struct weft_json *j, const char *key, uint64_t v)
{
	weft_json_key(j, key);
	weft_json_u64(j, v);
}

static void put_tunlet(struct weft_json *j, const struct tunlet *t)
{
	weft_json_object(j);
	put_text(j, "name", t->name);
	weft_json_key(j, "iteration");
	weft_json_i64(j, t->iteration);
	put_count(j, "evaluated", t->evaluated);
	put_count(j, "incomplete", t->incomplete);
	put_count(j, "late", t->late);
	weft_json_key(j, "values");
	weft_json_array(j);
	for (uint32_t i = 0; i < t->n; i++) {
		weft_json_object(j);
		put_text(j, "name", t->value_name[i]);
		weft_json_key(j, "value");
		weft_json_double(j, t->value[i]);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_end(j);
}

static void put_entry(struct weft_json *j, uint64_t number)
{
	const struct entry *e = &look.ring[number % RING];
	weft_json_object(j);
	put_count(j, "n", number);
	weft_json_key(j, "time_s");
	weft_json_double(j, (double)(e->at_ns - look.began_ns) / 1e9);
	put_text(j, "kind", kind_names[e->kind]);
	put_text(j, "tunlet", e->tunlet >= 0 ? look.tunlet[e->tunlet].name : NULL);
	weft_json_key(j, "iteration");
	weft_json_i64(j, e->iteration);
	put_text(j, "text", e->text);
	weft_json_end(j);
}

static void look_sample(struct weft_json *j)
{
	pthread_mutex_lock(&look.lock);
	put_text(j, "command", look.command);
	weft_json_key(j, "dry_run");
	weft_json_bool(j, look.dry_run);
	weft_json_key(j, "counts");
	weft_json_object(j);
	for (unsigned k = 0; k < LOOK_KINDS; k++)
		put_count(j, kind_names[k], look.count[k]);
	weft_json_end(j);
	weft_json_key(j, "processes");
	weft_json_array(j);
	for (unsigned i = 0; i < look.n_pids; i++)
		weft_json_u64(j, look.pid[i]);
	weft_json_end(j);
	weft_json_key(j, "tunlets");
	weft_json_array(j);
	for (unsigned i = 0; i < look.n_tunlets; i++)
		put_tunlet(j, &look.tunlet[i]);
	weft_json_end(j);
	weft_json_key(j, "log");
	weft_json_array(j);
	for (uint64_t i = look.n > TOLD ? look.n - TOLD : 0; i < look.n; i++)
		put_entry(j, i);
	weft_json_end(j);
	pthread_mutex_unlock(&look.lock);
}

static const struct pulse_source source = {.kind = "tune", .sample = look_sample};

/* ---- what happens; by the analyzer ---- */

void look_begin(struct analyze *a)
{
	struct weft_err err = {0};
	look.ring = calloc(RING, sizeof *look.ring);
	look.tunlet = calloc(a->how.n_tunlets + 1, sizeof *look.tunlet);
	look.n_tunlets = look.tunlet ? a->how.n_tunlets : 0;
	look.began_ns = weft_monotonic_ns();
	look.dry_run = a->how.dry_run;
	snprintf(look.command, sizeof look.command, "%s", a->how.command ? a->how.command : "");
	for (unsigned i = 0; i < look.n_tunlets; i++)
		snprintf(look.tunlet[i].name, NAME, "%s", weft_spec_name(a->how.tunlet[i].spec));
	/* A run goes on as well when nobody can look at it. */
	look.serves = look.ring && look.tunlet && !pulse_serve(&source, &err);
}

void look_end(void)
{
	if (look.serves)
		pulse_end();
	look.serves = false;
	free(look.ring);
	free(look.tunlet);
	look.ring = NULL;
	look.tunlet = NULL;
	look.n_tunlets = look.n_pids = 0;
	look.n = 0;
	memset(look.count, 0, sizeof look.count);
}

void look_say(enum look_kind kind, int tunlet, int64_t iteration, const char *text)
{
	if (!look.serves)
		return;
	pthread_mutex_lock(&look.lock);
	struct entry *e = &look.ring[look.n++ % RING];
	e->at_ns = weft_monotonic_ns();
	e->kind = kind;
	e->tunlet = tunlet < (int)look.n_tunlets ? tunlet : -1;
	e->iteration = iteration;
	snprintf(e->text, sizeof e->text, "%s", text);
	look.count[kind]++;
	pthread_mutex_unlock(&look.lock);
}

void look_values(const struct analyze_tunlet *k, int64_t iteration, const double *value, uint32_t n)
{
	if (!look.serves || k->index >= look.n_tunlets)
		return;
	struct tunlet *t = &look.tunlet[k->index];
	pthread_mutex_lock(&look.lock);
	t->iteration = iteration;
	t->evaluated = k->evaluated;
	t->incomplete = k->incomplete;
	t->late = k->late;
	for (uint32_t i = 0; i < n && i < VALUES; i++) {
		const char *name = i < t->n ? NULL : weft_eval_value_name(k->e, i);
		if (name) {
			snprintf(t->value_name[i], NAME, "%s", name);
			t->n = i + 1;
		}
		t->value[i] = value[i];
	}
	pthread_mutex_unlock(&look.lock);
}

void look_process(uint32_t pid)
{
	pthread_mutex_lock(&look.lock);
	bool known = look.n_pids == PIDS;
	for (unsigned i = 0; i < look.n_pids; i++)
		known = known || look.pid[i] == pid;
	if (!known)
		look.pid[look.n_pids++] = pid;
	pthread_mutex_unlock(&look.lock);
}
