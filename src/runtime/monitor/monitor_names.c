/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes, types, names and numbers, of counters and knobs alike. */
#include "monitor_names.h"
#include "runtime/task/complain.h"
#include "runtime/task/machine.h"
#include <string.h>

enum { ID_SCOPES = 8 }; /* number = place × ID_SCOPES + scope */

static const char *const types[] =
	{[MONITOR_INT32] = "int32", [MONITOR_INT64] = "int64", [MONITOR_FLOAT] = "float", [MONITOR_DOUBLE] = "double"};
enum { TYPES = sizeof types / sizeof types[0] };

static int index_of(const char *const *names, int n, const char *name)
{
	for (int i = 0; name && i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	return -1;
}

const char *monitor_type_name(int type)
{
	return type > 0 && type < TYPES ? types[type] : NULL;
}

int monitor_type_of(const char *name)
{
	int type = index_of(types, TYPES, name);
	if (type < 0)
		rt_say("there is no type '%s' of counters and knobs", name ? name : "");
	return type < 0 ? 0 : type;
}

const char *monitor_scope_name(const struct monitor_items *all, int scope)
{
	return scope >= 0 && scope < all->n_scopes ? all->scopes[scope] : NULL;
}

int monitor_scope_of(const struct monitor_items *all, const char *name)
{
	int scope = index_of(all->scopes, all->n_scopes, name);
	if (scope < 0)
		rt_say("there is no scope '%s' of %ss", name ? name : "", all->what);
	return scope < 0 ? 0 : scope;
}

static void expect_scope(const struct monitor_items *all, int scope, const char *function)
{
	RT_EXPECT(monitor_scope_name(all, scope), "%s: %d is no scope of %ss", function, scope, all->what);
}

int monitor_count(const struct monitor_items *all, int scope, const char *function)
{
	int n = 0;
	expect_scope(all, scope, function);
	for (unsigned i = 0; i < all->n && rt_machine.core; i++)
		n += all->item[i].scope == scope;
	return n;
}

int monitor_nth(const struct monitor_items *all, int scope, int nth, const char *function)
{
	expect_scope(all, scope, function);
	for (unsigned i = 0; i < all->n && nth >= 0; i++)
		if (all->item[i].scope == scope && !nth--)
			return (int)i * ID_SCOPES + scope;
	return -1;
}

int monitor_by_name(const struct monitor_items *all, int scope, const char *name, const char *function)
{
	expect_scope(all, scope, function);
	if (!rt_machine.core) {
		rt_say("%s: StarPU is not initialised, so it knows no %s '%s'", function, all->what, name ? name : "");
		return -1;
	}
	for (unsigned i = 0; name && i < all->n; i++)
		if (all->item[i].scope == scope && !strcmp(all->item[i].name, name))
			return (int)i * ID_SCOPES + scope;
	rt_say("%s: there is no %s '%s' in scope %s", function, all->what, name ? name : "", monitor_scope_name(all, scope));
	return -1;
}

/* As many as there are: none. */
static unsigned place_of(const struct monitor_items *all, int id)
{
	unsigned at = id < 0 ? all->n : (unsigned)id / ID_SCOPES;
	return at < all->n && all->item[at].scope == id % ID_SCOPES ? at : all->n;
}

const struct monitor_item *monitor_item(const struct monitor_items *all, int id, const char *function)
{
	unsigned at = place_of(all, id);
	if (at == all->n)
		rt_say("%s: there is no %s with the number %d", function, all->what, id);
	return at < all->n ? &all->item[at] : NULL;
}

unsigned monitor_at(const struct monitor_items *all, int id, const char *function)
{
	unsigned at = place_of(all, id);
	RT_EXPECT(at < all->n, "%s: there is no %s with the number %d", function, all->what, id);
	return at;
}

unsigned monitor_typed(const struct monitor_items *all, int id, int scope, enum monitor_type type, const char *function)
{
	unsigned at = monitor_at(all, id, function);
	const struct monitor_item *i = &all->item[at];
	RT_EXPECT(i->scope == scope, "%s: %s '%s' is of scope %s, not %s", function, all->what, i->name,
	          monitor_scope_name(all, i->scope), monitor_scope_name(all, scope));
	RT_EXPECT(i->type == type, "%s: %s '%s' is of type %s, not %s", function, all->what, i->name, types[i->type],
	          types[type]);
	return at;
}

void monitor_list(const struct monitor_items *all, int scope, const char *function)
{
	int n = monitor_count(all, scope, function);
	printf("scope %s, %d %ss:\n", monitor_scope_name(all, scope), n, all->what);
	for (unsigned i = 0; i < all->n && n; i++)
		if (all->item[i].scope == scope)
			printf("  %-40s %-6s %s\n", all->item[i].name, types[all->item[i].type], all->item[i].help);
}

void monitor_list_all(const struct monitor_items *all, const char *function)
{
	for (int scope = 0; scope < all->n_scopes; scope++)
		if (all->scopes[scope])
			monitor_list(all, scope, function);
}
