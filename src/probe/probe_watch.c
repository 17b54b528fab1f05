/* SPDX-License-Identifier: Apache-2.0 */
/* From what people write to a request. */
#include "probe_watch.h"
#include "probe_priv.h"
#include "base/str.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int copy(struct weft_str part, char *out, size_t room)
{
	if (part.n == 0 || part.n >= room)
		return -EINVAL;
	memcpy(out, part.at, part.n);
	out[part.n] = '\0';
	return 0;
}

/* The colon of a type: one, not two ("Class::member"). */
static size_t type_at(struct weft_str s)
{
	for (size_t k = s.n; k-- > 0;)
		if (s.at[k] == ':')
			return k > 0 && s.at[k - 1] != ':' ? k : s.n;
	return s.n;
}

/* "return", "*return", "return->a" */
static bool is_result(const char *name)
{
	name += strspn(name, "*");
	return strncmp(name, "return", 6) == 0 && (!name[6] || strchr(".-[", name[6]));
}

static int parse_attribute(struct weft_str part, enum link_when when, struct probe_watch *w, const char *text,
                           struct weft_err *err)
{
	struct probe_type type;
	part = weft_str_trim(part);
	if (w->n == PROBE_WATCH_ATTRIBUTES)
		return weft_err_set(err, -E2BIG, "'%s': %u attributes are the most", text, PROBE_WATCH_ATTRIBUTES);
	struct probe_attribute *a = &w->attribute[w->n];
	*a = (struct probe_attribute){.when = when};
	size_t colon = type_at(part);
	if (copy(weft_str_trim(weft_str_n(part.at, colon)), a->name, sizeof a->name))
		return weft_err_set(err, -EINVAL, "'%s': expected the name of a parameter or variable, found '%.*s'", text,
		                    (int)part.n, part.at);
	if (colon < part.n &&
	    (copy(weft_str_trim(weft_str_n(part.at + colon + 1, part.n - colon - 1)), a->declared, sizeof a->declared) ||
	     !probe_type_named(a->declared, &type)))
		return weft_err_set(err, -EINVAL, "'%s': no type is called '%.*s'", text, (int)(part.n - colon - 1),
		                    part.at + colon + 1);
	a->result = is_result(a->name);
	a->when = a->result ? LINK_EXIT : when;
	w->n++;
	return 0;
}

static int parse_list(struct weft_str list, enum link_when when, struct probe_watch *w, const char *text, struct weft_err *err)
{
	struct weft_str part;
	if (weft_str_trim(list).n == 0)
		return 0;
	while (weft_str_cut(&list, ',', &part)) {
		int rc = parse_attribute(part, when, w, text, err);
		if (rc)
			return rc;
	}
	return 0;
}

int probe_watch_parse(const char *text, struct probe_watch *out, struct weft_err *err)
{
	struct weft_str all = weft_str_trim(weft_str(text)), lists;
	const char *open = memchr(all.at, '(', all.n);
	size_t name = open ? (size_t)(open - all.at) : all.n;
	*out = (struct probe_watch){0};
	if (copy(weft_str_trim(weft_str_n(all.at, name)), out->function, sizeof out->function))
		return weft_err_set(err, -EINVAL, "'%s': expected the name of a function", text);
	if (!open)
		return 0;
	if (all.at[all.n - 1] != ')')
		return weft_err_set(err, -EINVAL, "'%s': expected ')' at the end", text);
	lists = weft_str_n(open + 1, all.n - name - 2);
	const char *semicolon = memchr(lists.at, ';', lists.n);
	size_t entry = semicolon ? (size_t)(semicolon - lists.at) : lists.n;
	int rc = parse_list(weft_str_n(lists.at, entry), LINK_ENTRY, out, text, err);
	if (rc == 0 && semicolon)
		rc = parse_list(weft_str_n(semicolon + 1, lists.n - entry - 1), LINK_EXIT, out, text, err);
	return rc;
}

/* ---- in a process ---- */

/* A parameter, else a variable. What is said is said of the parameter, unless there is none of that name. */
static int find_value(struct probe_session *s, const struct probe_watch *w, const struct probe_attribute *a,
                      struct probe_value *out, struct weft_err *err)
{
	const char *declared = a->declared[0] ? a->declared : NULL;
	struct weft_err first = {0}, second = {0};
	if (a->result)
		return probe_result(s, w->function, a->name, declared, out, err);
	if (probe_constant(a->name, out))
		return 0;
	int rc = probe_parameter(s, w->function, a->name, declared, a->when, out, &first);
	if (rc != -ENOENT && rc != -ENODATA)
		goto out;
	if (a->name[0] == '$')
		goto out;
	rc = probe_variable(s, a->name, declared, out, &second);
	if (rc == -ENOENT && first.code == -ENODATA)
		*err = first;
	else if (rc == -ENOENT)
		weft_err_set(err, rc, "'%s' has no parameter '%s', and %s", w->function, a->name, second.text);
	else if (rc)
		*err = second;
	return rc;
out:
	if (rc)
		*err = first;
	return rc;
}

static int add_ops(struct probe_bound *b, enum link_when when, const struct probe_value *v, struct weft_err *err)
{
	struct probe_program *p = &b->request.program[when];
	if (p->n + v->n > LINK_PROGRAM_OPS)
		return weft_err_set(err, -E2BIG, "too many attributes of '%s'", b->watch->function);
	memcpy(&b->op[when][p->n], v->op, v->n * sizeof *v->op);
	p->op = b->op[when];
	p->n += v->n;
	return 0;
}

/* Whether all functions of that name have an exit that can be watched. */
static bool has_exit(struct probe_session *s, const char *function)
{
	struct probe_found found[PROBE_CLONES];
	int n = probe_find(s, function, false, found, NULL);
	for (int k = 0; k < n; k++)
		if (site_no_exit(found[k].symbol))
			return false;
	return true;
}

int probe_watch_bind(struct probe_session *s, const struct probe_watch *w, struct probe_bound *b, struct weft_err *err)
{
	struct weft_err why = {0};
	struct probe_found found[PROBE_CLONES];
	*b = (struct probe_bound){.watch = w, .request = {.function = w->function, .kinds = PROBE_ENTRY}};
	int rc = probe_find(s, w->function, false, found, &why);
	rc = rc < 0 ? rc : 0;
	if (rc == 0 && has_exit(s, w->function))
		b->request.kinds |= PROBE_EXIT;
	for (unsigned k = 0; k < w->n && rc == 0; k++) {
		struct probe_value v;
		if (w->attribute[k].when == LINK_EXIT && !(b->request.kinds & PROBE_EXIT))
			continue;
		rc = find_value(s, w, &w->attribute[k], &v, &why);
		rc = rc ? rc : add_ops(b, w->attribute[k].when, &v, &why);
		b->type[k] = v.type;
		b->n_ops[k] = rc ? 0 : v.n;
	}
	if (rc && err)
		*err = why;
	return rc;
}

/* ---- the agent ---- */

int probe_agent_path(char *out, size_t room, struct weft_err *err)
{
	static const char *const places[] = {"libweft-agent.so.0", "../lib/libweft-agent.so.0"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash = n > 0 ? (self[n] = '\0', strrchr(self, '/')) : NULL;
	for (size_t k = 0; slash && k < sizeof places / sizeof *places; k++) {
		int length = snprintf(out, room, "%.*s/%s", (int)(slash - self), self, places[k]);
		if (length > 0 && (size_t)length < room && access(out, R_OK) == 0)
			return 0;
	}
	return weft_err_set(err, -ENOENT, "libweft-agent.so is not there: it belongs beside this program, or into its ../lib");
}

/* first:second; only first where there is no second. */
static int set_list(const char *variable, const char *first, const char *second)
{
	char *all = NULL;
	if (asprintf(&all, "%s%s%s", first, second && *second ? ":" : "", second ? second : "") < 0)
		return -ENOMEM;
	int rc = setenv(variable, all, 1) ? -errno : 0;
	free(all);
	return rc;
}

/*
 * Tasks of PVM are made by its daemon, which began before us: of the environment of whoever spawns them they get what PVM_EXPORT names. The
 * variable is inherited with the rest, so that it goes on from task to task.
 */
int probe_set_environment(const char *agent, const char *socket, struct weft_err *err)
{
	int rc = set_list("LD_PRELOAD", agent, getenv("LD_PRELOAD"));
	rc = rc ? rc : setenv(LINK_ENVIRONMENT, socket, 1) ? -errno : 0;
	rc = rc ? rc : set_list("PVM_EXPORT", "LD_PRELOAD:" LINK_ENVIRONMENT, getenv("PVM_EXPORT"));
	return rc ? weft_err_sys(err, -rc, "cannot set the environment") : 0;
}
