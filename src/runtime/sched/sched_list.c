/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of policies: ours, and those of a library that STARPU_SCHED_LIB names. A library's
 * policies are found by its own functions; old names of StarPU's are translated.
 */
#include "policies.h"
#include <dlfcn.h>
#include <string.h>
#include <strings.h>

const struct sched_policy sched_policies[] = {
	{&policy_lws, true, RT_PRIO_OWN},
	{&policy_modular_eager, false, RT_PRIO_NONE},
	{&policy_modular_eager_prio, false, RT_PRIO_NONE},
	{&policy_modular_eager_prefetching, false, RT_PRIO_NONE},
	{&policy_modular_gemm, false, RT_PRIO_NONE},
	{&policy_modular_prio, false, RT_PRIO_NONE},
	{&policy_modular_prio_prefetching, false, RT_PRIO_NONE},
	{&policy_modular_random, false, RT_PRIO_NONE},
	{&policy_modular_random_prio, false, RT_PRIO_NONE},
	{&policy_modular_random_prefetching, false, RT_PRIO_NONE},
	{&policy_modular_random_prio_prefetching, false, RT_PRIO_NONE},
	{&policy_modular_ws, false, RT_PRIO_NONE},
	{&policy_modular_dmda, false, RT_PRIO_NONE},
	{&policy_modular_dmdap, false, RT_PRIO_NONE},
	{&policy_modular_dmdar, false, RT_PRIO_NONE},
	{&policy_modular_dmdas, false, RT_PRIO_NONE},
	{&policy_modular_heft, false, RT_PRIO_NONE},
	{&policy_modular_heft_prio, false, RT_PRIO_NONE},
	{&policy_modular_heft2, false, RT_PRIO_NONE},
	{&policy_modular_heteroprio, false, RT_PRIO_NONE},
	{&policy_modular_heteroprio_heft, false, RT_PRIO_NONE},
	{&policy_modular_parallel_heft, false, RT_PRIO_NONE},
	{&policy_modular_parallel_random, false, RT_PRIO_NONE},
	{&policy_modular_parallel_random_prio, false, RT_PRIO_NONE},
	{&policy_eager, true, RT_PRIO_FRONT},
	{&policy_prio, true, RT_PRIO_ONE},
	{&policy_random, false, RT_PRIO_NONE},
	{&policy_ws, true, RT_PRIO_OWN},
	{&policy_dm, false, RT_PRIO_NONE},
	{&policy_dmda, false, RT_PRIO_NONE},
	{&policy_dmdap, false, RT_PRIO_NONE},
	{&policy_dmdar, false, RT_PRIO_NONE},
	{&policy_dmdas, false, RT_PRIO_NONE},
	{&policy_dmdasd, false, RT_PRIO_NONE},
	{&policy_peager, false, RT_PRIO_NONE},
	{&policy_pheft, false, RT_PRIO_NONE},
	{&policy_heteroprio, false, RT_PRIO_NONE},
	{&policy_graph_test, false, RT_PRIO_NONE},
	{NULL, false, RT_PRIO_NONE},
};
enum { N_POLICIES = sizeof sched_policies / sizeof *sched_policies };

/* Old names that programs still use. */
static const struct {
	const char *old, *name;
} renamed[] = {
	{"heft", "dmda"},
	{"no-prio", "eager"},
	{"greedy", "eager"},
	{"heft-tm", "dm"},
	{"dmda-ready", "dmdar"},
	{"modular-pheft", "modular-parallel-heft"},
	{"modular-prandom", "modular-parallel-random"},
	{"modular-prandom-prio", "modular-parallel-random-prio"},
};

bool sched_policy_is_ours(const struct starpu_sched_policy *p)
{
	const struct sched_policy *at = sched_policies;
	while (at->policy && at->policy != p)
		at++;
	return at->policy != NULL;
}

const struct sched_policy *sched_policy_find(const char *name)
{
	if (!name || !*name)
		return &sched_policies[0];
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (!strcasecmp(renamed[i].old, name))
			name = renamed[i].name;
	for (const struct sched_policy *p = sched_policies; p->policy; p++)
		if (!strcasecmp(p->policy->policy_name, name))
			return p;
	return NULL;
}

/* An unknown name is no reason not to run: a line with the known ones, and the default. */
static const struct sched_policy *usual_instead(const char *name)
{
	fprintf(stderr, "starpu: there is no scheduling policy '%s'; '%s' is taken. These are known:", name,
	        sched_policies[0].policy->policy_name);
	for (const struct sched_policy *p = sched_policies; p->policy; p++)
		fprintf(stderr, " %s", p->policy->policy_name);
	fprintf(stderr, "\n");
	return &sched_policies[0];
}

const struct sched_policy *sched_policy_or_usual(const char *name)
{
	const struct sched_policy *found = sched_policy_find(name);
	return found ? found : usual_instead(name);
}

void sched_policy_list(FILE *to)
{
	fprintf(to, "STARPU_SCHED is one of these; without it, %s:\n", sched_policies[0].policy->policy_name);
	for (const struct sched_policy *p = sched_policies; p->policy; p++)
		fprintf(to, "%-30s\t-> %s\n", p->policy->policy_name, p->policy->policy_description);
}

struct starpu_sched_policy **starpu_sched_get_predefined_policies(void)
{
	static struct starpu_sched_policy *all[N_POLICIES];
	for (int i = 0; i < N_POLICIES; i++)
		__atomic_store_n(&all[i], sched_policies[i].policy, __ATOMIC_RELAXED); /* the same by every thread */
	return all;
}

struct starpu_sched_policy **starpu_sched_get_predefined_policies_non_default(void)
{
	static struct starpu_sched_policy *none[1];
	return none;
}

/* -- of a library: it has starpu_get_sched_lib_policy, and perhaps a list -- */

static void *lib(void)
{
	static void *handle;
	const char *path = starpu_getenv("STARPU_SCHED_LIB");
	void *h = __atomic_load_n(&handle, __ATOMIC_ACQUIRE);
	if (h || !path || !*path)
		return h;
	h = dlopen(path, RTLD_NOW);
	if (!h)
		fprintf(stderr, "starpu: STARPU_SCHED_LIB: %s\n", dlerror());
	__atomic_store_n(&handle, h, __ATOMIC_RELEASE);
	return h;
}

struct starpu_sched_policy *sched_lib_policy(const char *name)
{
	void *h = lib();
	struct starpu_sched_policy *(*get)(const char *) = NULL;
	if (h)
		*(void **)&get = dlsym(h, "starpu_get_sched_lib_policy");
	return get && get != starpu_get_sched_lib_policy ? get(name) : NULL;
}

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
	return sched_lib_policy(name);
}

struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
	void *h = lib();
	struct starpu_sched_policy **(*get)(void) = NULL;
	if (h)
		*(void **)&get = dlsym(h, "starpu_get_sched_lib_policies");
	return get && get != starpu_get_sched_lib_policies ? get() : NULL;
}
