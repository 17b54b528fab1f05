/* SPDX-License-Identifier: Apache-2.0 */
/* What is open: traces are read by one thread, in their order; see server_session.h. */
#include "server_session.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/pool.h"
#include "server_guard.h"
#include "server_tasks.h"
#include "server_look.h"
#include "server_nest.h"
#include "replay/program/program.h"
#include "symbols/symbols.h"
#include "trace/open.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const server_level_names[WEFT_LEVELS] =
	{[WEFT_WORKLOAD] = "workload", [WEFT_APPL] = "application", [WEFT_TASK] = "process", [WEFT_THREAD] = "thread",
         [WEFT_SYSTEM] = "system",     [WEFT_NODE] = "node",        [WEFT_CPU] = "cpu"};

int server_session_init(struct server_session *s)
{
	char random[33];
	int rc = server_token_make(random);
	if (!rc)
		memcpy(s->nonce, random, sizeof s->nonce - 1);
	if (!rc)
		rc = -pthread_mutex_init(&s->lock, NULL);
	if (!rc)
		rc = -pthread_mutex_init(&s->tasks_lock, NULL);
	return rc;
}

int server_session_add(struct server_session *s, const char *path, struct weft_err *err)
{
	if (s->n_traces == SERVER_TRACES_MOST)
		return weft_err_set(err, -E2BIG, "at most %u traces can be open together", SERVER_TRACES_MOST);
	struct server_trace *t = &s->trace[s->n_traces];
	t->id = s->n_traces;
	t->path = strdup(path);
	if (!t->path)
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	size_t n = strlen(t->path);
	while (n > 1 && t->path[n - 1] == '/')
		t->path[--n] = 0;
	const char *slash = strrchr(t->path, '/');
	t->name = slash && slash[1] ? slash + 1 : t->path;
	bool one = !pthread_mutex_init(&t->symbols_lock, NULL);
	if (!one || pthread_mutex_init(&t->program_lock, NULL)) {
		if (one)
			pthread_mutex_destroy(&t->symbols_lock);
		free(t->path);
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	}
	s->n_traces++;
	return 0;
}

int server_symbols_take(struct server_trace *t, struct weft_symbols **s)
{
	pthread_mutex_lock(&t->symbols_lock);
	int rc = t->symbols ? 0 : weft_symbols_new(&t->symbols, t->trace, NULL);
	*s = t->symbols;
	if (rc) {
		*s = NULL;
		pthread_mutex_unlock(&t->symbols_lock);
	}
	return rc;
}

void server_symbols_give(struct server_trace *t, struct weft_symbols *s)
{
	if (s)
		pthread_mutex_unlock(&t->symbols_lock);
}

static bool has_tasks(const struct weft_trace *t)
{
	const struct weft_def_table *flows = &t->def[WEFT_CLASS_FLOW];
	for (uint32_t i = 1; i < flows->n; i++)
		if (flows->at[i].n_events && !strcmp(flows->at[i].name, "task"))
			return true;
	return false;
}

/* Blocks say which kinds they have: one is read, of the first thread with some. */
static int find_samples(struct server_trace *t)
{
	int rc = 0;
	for (uint32_t i = 0; i < t->trace->n_threads && !rc && !t->has_samples; i++) {
		struct weft_cursor c;
		struct weft_block b;
		rc = weft_cursor_begin(&c, t->trace, i, 0, WEFT_NEVER);
		if (rc)
			break;
		weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_SAMPLE});
		rc = weft_cursor_next(&c, &b);
		t->has_samples = rc > 0;
		rc = rc < 0 ? rc : 0;
		weft_cursor_end(&c);
	}
	return rc;
}

static int read_trace(struct server_session *s, struct server_trace *t)
{
	struct weft_open_how how = {.memory = s->memory, .threads = s->threads, .rebuild = s->rebuild, .progress = true};
	uint64_t began_ns = weft_monotonic_ns();
	if (stat(t->path, &t->seen))
		t->seen = (struct stat){0};
	t->bytes = S_ISDIR(t->seen.st_mode) ? weft_dir_bytes(t->path) : (uint64_t)t->seen.st_size;
	int rc = weft_trace_open(&t->trace, t->path, &how, &t->err);
	if (rc)
		return rc;
	rc = s->own_threads ? weft_space_init_whole(&t->space, t->trace) : weft_space_init(&t->space, t->trace);
	t->has_tasks = has_tasks(t->trace);
	t->regions = calloc(1, sizeof *t->regions);
	if (!rc)
		rc = t->regions ? server_regions_init(t->regions, t->trace) : -ENOMEM;
	if (!rc)
		rc = server_nests_new(&t->nests, t->trace);
	if (!rc)
		rc = find_samples(t);
	if (rc)
		return weft_err_set(&t->err, rc, "cannot read '%s': %s", t->path, weft_err_name(rc));
	t->opened_ns = weft_monotonic_ns() - began_ns;
	return 0;
}

static void *read_all(void *arg)
{
	struct server_session *s = arg;
	for (uint32_t i = 0; i < s->n_traces && !weft_load_bool(&s->ending); i++) {
		struct server_trace *t = &s->trace[i];
		weft_progress_tell(&t->progress);
		weft_store_u32(&t->state, SERVER_READING);
		weft_store_u32(&t->state, read_trace(s, t) ? SERVER_FAILED : SERVER_READY);
	}
	weft_progress_tell(NULL);
	return NULL;
}

int server_session_begin(struct server_session *s, struct weft_err *err)
{
	int rc = -pthread_create(&s->reader, NULL, read_all, s);
	s->has_reader = !rc;
	return rc ? weft_err_set(err, rc, "cannot begin to read: %s", weft_err_name(rc)) : 0;
}

void server_session_fini(struct server_session *s)
{
	weft_store_bool(&s->ending, true);
	if (s->has_reader)
		pthread_join(s->reader, NULL);
	server_views_fini(s);
	for (unsigned i = 0; i < s->n_lives; i++)
		server_live_close(s->live[i]);
	for (uint32_t i = 0; i < s->n_traces; i++) {
		struct server_trace *t = &s->trace[i];
		server_tasks_free(t->tasks);
		server_nests_free(t->nests);
		weft_symbols_free(t->symbols);
		pthread_mutex_destroy(&t->symbols_lock);
		weft_replay_program_free(t->program);
		pthread_mutex_destroy(&t->program_lock);
		if (t->regions)
			server_regions_fini(t->regions);
		free(t->regions);
		weft_space_fini(&t->space);
		weft_trace_close(t->trace);
		free(t->path);
	}
	pthread_mutex_destroy(&s->tasks_lock);
	pthread_mutex_destroy(&s->lock);
}

unsigned server_session_threads(const struct server_session *s)
{
	unsigned all = s->threads ? s->threads : weft_pool_width();
	unsigned running = weft_load_u32(&s->running);
	unsigned each = running > 1 ? all / running : all;
	return each ? each : 1;
}
