/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is looked at through the server: this one, whose channel says what the test wants. Streams, commands, its end. */
#include "pulse/pulse.h"
#include "server_stage.h"
#include <pthread.h>
#include <sys/stat.h>

static int looked, starts;
static char last_command[200];
static pthread_mutex_t command_lock = PTHREAD_MUTEX_INITIALIZER;

static void watched(bool on)
{
	__atomic_add_fetch(&looked, on ? 1 : -1, __ATOMIC_SEQ_CST);
}

static void sample(struct weft_json *j)
{
	weft_json_key(j, "name");
	weft_json_string(j, "<b>\"\n\xe2\x80\xae");
}

static int command(char *line, struct weft_json *answer, struct weft_err *err)
{
	pthread_mutex_lock(&command_lock);
	snprintf(last_command, sizeof last_command, "%s", line);
	pthread_mutex_unlock(&command_lock);
	if (!strncmp(line, "graph ", 6)) {
		weft_json_key(answer, "seq");
		weft_json_u64(answer, 7);
		weft_json_key(answer, "tasks");
		weft_json_array(answer);
		weft_json_end(answer);
		return 0;
	}
	if (!strcmp(line, "start"))
		return __atomic_add_fetch(&starts, 1, __ATOMIC_SEQ_CST) == 1 ? 0 : weft_err_set(err, -1, "it runs already");
	return strncmp(line, "set ", 4) && strncmp(line, "break ", 6) ? weft_err_set(err, -1, "unknown: %s", line) : 0;
}

/* The last command, as it stands now: the channel's thread writes it. */
static const char *commanded(void)
{
	static char copy[200];
	pthread_mutex_lock(&command_lock);
	memcpy(copy, last_command, sizeof copy);
	pthread_mutex_unlock(&command_lock);
	return copy;
}

static const struct pulse_source source = {.kind = "test", .watched = watched, .sample = sample, .command = command};
static char folder[64];

static void live_begin(struct stage *s)
{
	struct weft_err err = {0};
	char pid[24];
	strcpy(folder, "/tmp/weft-test-seen-XXXXXX");
	REQUIRE(mkdtemp(folder) && !chmod(folder, 0700) && !setenv("WEFT_LIVE", folder, 1));
	looked = starts = 0;
	last_command[0] = '\0';
	REQUIRE(pulse_serve(&source, &err) == 0);
	stage_begin(s);
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	REQUIRE(server_live_open(&s->session->live[0], pid, false, &err) == 0);
	s->session->n_lives = 1;
	s->session->control = true;
}

static void live_end(struct stage *s)
{
	char command_line[100];
	stage_end(s);
	pulse_end();
	snprintf(command_line, sizeof command_line, "rm -rf %s", folder);
	CHECK(system(command_line) == 0);
}

struct listener {
	const struct server_stream *kind;
	void *state;
	struct weft_buf text;
};

static void listen_begin(struct listener *l, struct stage *s, const char *path)
{
	struct server_request r = {.session = s->session, .err = &s->err, .body = ""};
	const struct server_route *route = server_route_find(path);
	REQUIRE(route && route->stream);
	*l = (struct listener){.kind = route->stream};
	REQUIRE(l->kind->begin(&r, &l->state) == 0);
}

/* Until the stream has said this. */
static void listen_for(struct listener *l, const char *what)
{
	for (unsigned turn = 0; !l->text.at || !strstr(l->text.at, what); turn++)
		REQUIRE(test_pause(turn) && l->kind->next(l->state, &l->text) == 0);
}

static void listen_end(struct listener *l)
{
	l->kind->end(l->state);
	weft_buf_fini(&l->text);
}

TEST(samples_come_while_somebody_listens)
{
	struct stage s;
	struct listener a, b;
	live_begin(&s);
	CHECK_I64(__atomic_load_n(&looked, __ATOMIC_SEQ_CST), 0);
	listen_begin(&a, &s, "live/events");
	listen_for(&a, "event: state\ndata: {");
	listen_for(&a, "\"connected\":true");
	listen_for(&a, "event: sample\ndata: {\"sample\":0,");
	listen_begin(&b, &s, "live/events");
	listen_for(&b, "event: sample\n");
	listen_for(&a, "{\"sample\":3,");
	CHECK(!strstr(a.text.at, "\n\n\n")); /* an event a line */
	CHECK_I64(__atomic_load_n(&looked, __ATOMIC_SEQ_CST), 1);
	listen_end(&a);
	listen_end(&b);
	WAIT_FOR(!__atomic_load_n(&looked, __ATOMIC_SEQ_CST)); /* the last one has gone: nothing is measured any more */
	CHECK_I64(__atomic_load_n(&looked, __ATOMIC_SEQ_CST), 0);
	live_end(&s);
}

TEST(commands_go_there_and_answers_come_back)
{
	struct stage s;
	live_begin(&s);
	stage_ask(&s, "live/start", "");
	CHECK(s.rc == 0 && strstr(s.answer.body.at, "\"done\":true"));
	stage_ask(&s, "live/start", "");
	CHECK(s.rc != 0);
	CHECK_STR(s.err.text, "it runs already");
	stage_ask(&s, "live/set", "{\"name\":\"alpha\",\"value\":0.5}");
	CHECK(s.rc == 0);
	CHECK_STR(commanded(), "set alpha 0.5");
	stage_ask(&s, "live/break", "{\"codelet\":\"a b\"}");
	CHECK(s.rc == 0);
	CHECK_STR(commanded(), "break codelet a b");
	stage_ask(&s, "live/break", "{}");
	CHECK_STR(commanded(), "break none");
	stage_ask(&s, "live/break", "{\"task\":\"4294967465\"}");
	CHECK_STR(commanded(), "break task 4294967465");
	live_end(&s);
}

TEST(what_is_no_command_never_gets_there)
{
	static const struct {
		const char *route, *body, *why;
	} bad[] = {
		{"live/set", "{\"name\":\"a\\nstart\",\"value\":1}", "has blanks"},
		{"live/set", "{\"name\":\"a b\",\"value\":1}", "has blanks"},
		{"live/set", "{\"name\":\"\",\"value\":1}", "is empty"},
		{"live/set", "{\"name\":\"a\"}", "'value' is not given"},
		{"live/set", "{\"name\":[1],\"value\":1}", "'name' is not given"},
		{"live/set", "[", ""},
		{"live/set", "not json", ""},
		{"live/break", "{\"codelet\":\"a\\nstart\"}", "expected a codelet's name"},
		{"live/break", "{\"task\":\"1 start\"}", "task's number"},
	};
	struct stage s;
	live_begin(&s);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		stage_ask(&s, bad[i].route, bad[i].body);
		CHECK(s.rc != 0 && strstr(s.err.text, bad[i].why));
	}
	char *long_name = calloc(1, 3000);
	strcpy(long_name, "{\"name\":\"");
	memset(long_name + 9, 'x', 2000);
	strcat(long_name, "\",\"value\":1}");
	stage_ask(&s, "live/set", long_name);
	CHECK(s.rc != 0);
	free(long_name);
	CHECK_STR(commanded(), "");
	live_end(&s);
}

TEST(a_graph_is_asked_for_from_where_it_was)
{
	struct stage s;
	struct listener l;
	live_begin(&s);
	listen_begin(&l, &s, "live/graph");
	listen_for(&l, "event: graph\ndata: {\"seq\":7,");
	for (unsigned turn = 0; strcmp(commanded(), "graph 7") != 0; turn++) /* the next ask begins there */
		REQUIRE(test_pause(turn) && l.kind->next(l.state, &l.text) == 0);
	const char *first = strstr(l.text.at, "event: graph");
	CHECK(first && !strstr(first + 1, "event: graph")); /* nothing has changed since */
	listen_end(&l);
	live_end(&s);
}

TEST(the_end_of_the_program_is_said)
{
	struct stage s;
	struct listener l;
	live_begin(&s);
	listen_begin(&l, &s, "live/events");
	listen_for(&l, "event: sample\n");
	pulse_end();
	listen_for(&l, "\"ended\":true");
	stage_ask(&s, "live/start", "");
	CHECK(s.rc != 0);
	listen_end(&l);
	stage_end(&s);
}

TEST(without_a_program_there_is_nothing_to_look_at)
{
	struct stage s;
	struct weft_err err = {0};
	struct server_live *l;
	strcpy(folder, "/tmp/weft-test-seen-XXXXXX");
	REQUIRE(mkdtemp(folder) && !setenv("WEFT_LIVE", folder, 1));
	CHECK(server_live_open(&l, "no-such-program", false, &err) != 0 && !l);
	stage_begin(&s);
	stage_ask(&s, "live/set", "{\"name\":\"a\",\"value\":1}");
	CHECK(s.rc != 0 && strstr(s.err.text, "no program"));
	stage_end(&s);
	CHECK(rmdir(folder) == 0);
}
