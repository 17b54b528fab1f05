/* SPDX-License-Identifier: Apache-2.0 */
/* From what people write to a request. */
#include "probe_watch.h"
#include "probe_priv.h"
#include "base/env.h"
#include "base/str.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int watch_copy(struct weft_str part, char *out, size_t room)
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
	if (watch_copy(weft_str_trim(weft_str_n(part.at, colon)), a->name, sizeof a->name))
		return weft_err_set(err, -EINVAL, "'%s': expected the name of a parameter or variable, found '%.*s'", text,
		                    (int)part.n, part.at);
	if (colon < part.n &&
	    (watch_copy(weft_str_trim(weft_str_n(part.at + colon + 1, part.n - colon - 1)), a->declared, sizeof a->declared) ||
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

/* ---- where the name ends ---- */

/* Words that are only types. */
static bool is_type_word(const char *at, size_t n)
{
	static const char *const words[] = {"void",     "bool",     "char",     "short",    "int",      "long",  "float",
	                                    "double",   "signed",   "unsigned", "wchar_t",  "char8_t",  "const", "char16_t",
	                                    "char32_t", "__int128", "auto",     "volatile", "decltype", "std"};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (strlen(words[k]) == n && !memcmp(words[k], at, n))
			return true;
	return false;
}

static size_t word_length(const char *at, size_t n)
{
	size_t k = 0;
	while (k < n && (isalnum((unsigned char)at[k]) || at[k] == '_'))
		k++;
	return k;
}

/* Nothing but a parameter of C++ looks like that. */
static bool has_type(struct weft_str part)
{
	part = weft_str_trim(part);
	if (part.n == 0)
		return false;
	char last = part.at[part.n - 1];
	if (last == '*' || last == '&' || memchr(part.at, '<', part.n) || memchr(part.at, '{', part.n) ||
	    (part.n == 3 && !memcmp(part.at, "...", 3)))
		return true;
	for (size_t k = 0; k < part.n; k++) {
		size_t n = word_length(part.at + k, part.n - k);
		if (is_type_word(part.at + k, n))
			return true;
		k += n;
	}
	return false;
}

/* The parameters of a name, and no attributes. */
static bool is_signature(struct weft_str list)
{
	struct weft_str part;
	if (weft_str_trim(list).n == 0)
		return true;
	bool type = false;
	while (weft_str_cut(&list, ',', &part)) {
		if (memchr(part.at, ';', part.n) || memchr(part.at, '$', part.n) || type_at(part) < part.n)
			return false;
		type |= has_type(part);
	}
	return type;
}

/* What c++filt prints behind the parameters. */
static bool is_qualifier(struct weft_str rest)
{
	static const char *const words[] = {"const", "volatile", "&", "&&", "const &", "const &&", "noexcept"};
	rest = weft_str_trim(rest);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (strlen(words[k]) == rest.n && !memcmp(words[k], rest.at, rest.n))
			return true;
	return rest.n > 0 && rest.at[0] == '[';
}

struct groups {
	size_t n, first, last, last_end, first_end;
};

/*
 * Groups in parentheses that are no part of a path ("(anonymous namespace)::") nor of an operator's
 * name.
 */
static struct groups find_groups(struct weft_str all)
{
	struct groups g = {0};
	for (size_t k = 0; k < all.n;) {
		bool begins = k == 0 || !word_length(all.at + k - 1, 1);
		if (begins && all.n - k > 8 && !memcmp(all.at + k, "operator", 8) && !word_length(all.at + k + 8, 1)) {
			k += 8;
			k += all.n - k >= 2 && (!memcmp(all.at + k, "()", 2) || !memcmp(all.at + k, "[]", 2)) ? 2 : 0;
			while (k < all.n && strchr("+-*/%^&|~!=<>,", all.at[k]))
				k++;
			continue;
		}
		if (!strchr("(<{[", all.at[k])) {
			k++;
			continue;
		}
		size_t to = k + probe_name_group(all.at + k, all.n - k);
		bool path = all.n - to >= 2 && !memcmp(all.at + to, "::", 2);
		if (all.at[k] == '(' && !path) {
			g.first = g.n ? g.first : k;
			g.first_end = g.n ? g.first_end : to;
			g.last = k;
			g.last_end = to;
			g.n++;
		}
		k = to;
	}
	return g;
}

/* Length of the name; all of it where there are no attributes. */
static size_t name_length(struct weft_str all)
{
	struct groups g = find_groups(all);
	if (g.n == 0 || (g.n == 1 && all.at[all.n - 1] != ')'))
		return g.n && is_signature(weft_str_n(all.at + g.first + 1, g.first_end - g.first - 2)) &&
		                       is_qualifier(weft_str_n(all.at + g.first_end, all.n - g.first_end))
		               ? all.n
		               : (g.n ? g.first : all.n);
	if (g.n == 1)
		return g.last_end == all.n && is_signature(weft_str_n(all.at + g.last + 1, all.n - g.last - 2)) ? all.n : g.last;
	return g.last_end == all.n ? g.last : all.n;
}

int probe_watch_parse(const char *text, struct probe_watch *out, struct weft_err *err)
{
	struct weft_str all = weft_str_trim(weft_str(text)), lists;
	*out = (struct probe_watch){0};
	size_t name = name_length(all);
	if (watch_copy(weft_str_trim(weft_str_n(all.at, name)), out->function, sizeof out->function))
		return weft_err_set(err, -EINVAL, "'%s': expected the name of a function", text);
	if (name == all.n)
		return 0;
	if (all.at[all.n - 1] != ')')
		return weft_err_set(err, -EINVAL, "'%s': expected ')' at the end", text);
	lists = weft_str_n(all.at + name + 1, all.n - name - 2);
	const char *semicolon = memchr(lists.at, ';', lists.n);
	size_t entry = semicolon ? (size_t)(semicolon - lists.at) : lists.n;
	int rc = parse_list(weft_str_n(lists.at, entry), LINK_ENTRY, out, text, err);
	if (rc == 0 && semicolon)
		rc = parse_list(weft_str_n(semicolon + 1, lists.n - entry - 1), LINK_EXIT, out, text, err);
	return rc;
}

/* ---- in a process ---- */

/*
 * A parameter, else a variable. What is said is said of the parameter, unless there is none of that
 * name.
 */
static int find_value(struct probe_session *s, const struct probe_watch *w, const struct probe_attribute *a,
                      struct probe_value *out, struct weft_err *err)
{
	struct probe_expression e = {w->function, a->name, a->declared[0] ? a->declared : NULL, a->when};
	struct weft_err first = {0}, second = {0};
	if (a->result)
		return w->is_one ? probe_result_at(&w->at, &e, out, err) : probe_result(s, &e, out, err);
	if (probe_constant(a->name, out))
		return 0;
	int rc = w->is_one ? probe_parameter_at(&w->at, &e, out, &first) : probe_parameter(s, &e, out, &first);
	if (rc != -ENOENT && rc != -ENODATA)
		goto out;
	if (a->name[0] == '$')
		goto out;
	rc = probe_variable(s, a->name, e.declared, out, &second);
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

/* Their number, up to PROBE_CLONES, or a reason. */
static int functions_of(struct probe_session *s, const struct probe_watch *w, struct probe_found *found, struct weft_err *err)
{
	if (!w->is_one)
		return probe_find(s, w->function, false, found, err);
	found[0] = w->at;
	return 1;
}

int probe_watch_bind(struct probe_session *s, const struct probe_watch *w, struct probe_bound *b, struct weft_err *err)
{
	struct weft_err why = {0};
	struct probe_found found[PROBE_CLONES];
	*b = (struct probe_bound){.watch = w, .request = {.function = w->function, .kinds = PROBE_ENTRY}};
	int n = functions_of(s, w, found, &why), rc = n < 0 ? n : 0;
	bool has_exit = true;
	for (int k = 0; k < n; k++)
		has_exit &= !site_no_exit(found[k].symbol);
	if (has_exit)
		b->request.kinds |= PROBE_EXIT;
	if (w->is_one)
		b->request.found = &w->at;
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

/*
 * Tasks of PVM are made by its daemon, which began before us: of the environment of whoever spawns
 * them they get what PVM_EXPORT names. The variable is inherited with the rest, so that it goes on
 * from task to task.
 */
int probe_set_environment(const char *agent, const char *socket, struct weft_err *err)
{
	int rc = weft_set_list("LD_PRELOAD", agent, getenv("LD_PRELOAD"));
	rc = rc ? rc : setenv(LINK_ENVIRONMENT, socket, 1) ? -errno : 0;
	rc = rc ? rc : weft_set_list("PVM_EXPORT", "LD_PRELOAD:" LINK_ENVIRONMENT, getenv("PVM_EXPORT"));
	return rc ? weft_err_sys(err, -rc, "cannot set the environment") : 0;
}
