/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance variables of MPI (MPI_T), those whose names `--counters mpi_t:PATTERN` says: read at the end of calls, by whichever thread
 * comes when they are due. Of the whole process, or of MPI_COMM_WORLD, whose elements are added up. Both libraries count the classes in the
 * standard's order, from 0 or from 240; objects that variables may be of from 0 or from 9700.
 */
#include "mpi_priv.h"
#include "link/link_counter.h"
#include <stdlib.h>
#include <time.h>

enum { PVARS_MOST = 32, PVAR_NAME = 128, PVAR_VALUES = 1024 };
enum { CLASS_COUNTER = 6, CLASS_TIMER = 8, CLASS_BEGIN = 240, BIND_BEGIN = 9700, BIND_NONE = 0, BIND_COMM = 1 };

static struct pvar {
	void *handle;
	weft_counter counter;
	int count, bytes; /* elements; of one */
	bool is_double, adds, has;
	double last;
} pvar[PVARS_MOST];
static unsigned n_pvars;
static uint64_t each_ns, due_ns;
static uint32_t reading; /* by somebody; atomic */
bool mpi_pvars_on;

static struct {
	int (*init_thread)(int, int *), (*get_num)(int *), (*session_create)(void **);
	int (*get_info)(int, char *, int *, int *, int *, mpi_word *, mpi_word *, char *, int *, int *, int *, int *, int *);
	int (*handle_alloc)(void *, int, void *, void **, int *), (*start)(void *, void *), (*read)(void *, void *, void *);
	void *session;
} tool;

static bool find_tool(void)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {{"MPI_T_init_thread", &tool.init_thread},
	              {"MPI_T_pvar_get_num", &tool.get_num},
	              {"MPI_T_pvar_session_create", &tool.session_create},
	              {"MPI_T_pvar_get_info", &tool.get_info},
	              {"MPI_T_pvar_handle_alloc", &tool.handle_alloc},
	              {"MPI_T_pvar_start", &tool.start},
	              {"MPI_T_pvar_read", &tool.read}};
	int provided;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		void *at = mpi_link->find(wanted[i].name);
		if (!at)
			return false;
		memcpy(wanted[i].to, &at, sizeof at);
	}
	return tool.init_thread(0, &provided) == 0 && tool.session_create(&tool.session) == 0;
}

static bool is_double(mpi_word type)
{
	enum { MPICH_DOUBLE = 0x4c00080b };
	return mpi.handle == 4 ? mpi_handle(type) == MPICH_DOUBLE : type == (mpi_word)mpi_link->find("ompi_mpi_double");
}

/* One of 32 or 64 bits that is the process's or the world's; else it is left out. */
static void add(int index, const char *pattern, weft_category category)
{
	char name[PVAR_NAME] = "", text[2] = "", called[PVAR_NAME + 8];
	int n_name = sizeof name, n_text = sizeof text, verbosity, class, bind, read_only, continuous, atomic;
	mpi_word type = 0, kinds = 0;
	struct pvar *p = &pvar[n_pvars];
	if (n_pvars == PVARS_MOST || tool.get_info(index, name, &n_name, &verbosity, &class, &type, &kinds, text, &n_text, &bind,
	                                           &read_only, &continuous, &atomic))
		return;
	class = class >= CLASS_BEGIN ? class - CLASS_BEGIN : class;
	bind = bind >= BIND_BEGIN ? bind - BIND_BEGIN : bind;
	/* Open MPI 4.1 asks the network's library about an endpoint that there is not where another network is used. */
	if (!weft_glob(pattern, name) || !strncmp(name, "mtl_psm", 7) || (bind != BIND_NONE && bind != BIND_COMM))
		return;
	*p = (struct pvar){.bytes = (int)mpi_type_size(type),
	                   .is_double = is_double(type),
	                   .adds = class >= CLASS_COUNTER && class <= CLASS_TIMER};
	if (tool.handle_alloc(tool.session, index, bind == BIND_COMM ? &mpi.world : NULL, &p->handle, &p->count) ||
	    p->count < 1 || p->count * p->bytes > PVAR_VALUES || (p->bytes != 4 && p->bytes != 8))
		return;
	if (!continuous && tool.start(tool.session, p->handle))
		return;
	snprintf(called, sizeof called, "mpi_t:%s", name);
	p->counter = weft_define_counter(called, "", category);
	n_pvars++;
}

/* False: it cannot be read now. */
static bool value_of(const struct pvar *p, double *out)
{
	_Alignas(8) char room[PVAR_VALUES];
	*out = 0;
	if (tool.read(tool.session, p->handle, room))
		return false;
	for (int i = 0; i < p->count; i++) {
		const void *at = room + (size_t)i * (size_t)p->bytes;
		double d;
		uint64_t u8;
		uint32_t u4;
		if (p->is_double)
			memcpy(&d, at, sizeof d);
		else if (p->bytes == 8)
			d = (double)*(const uint64_t *)memcpy(&u8, at, sizeof u8);
		else
			d = (double)*(const uint32_t *)memcpy(&u4, at, sizeof u4);
		*out += d;
	}
	return true;
}

static void read_all(void)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	for (unsigned i = 0; i < n_pvars; i++) {
		struct pvar *p = &pvar[i];
		double now;
		if (!value_of(p, &now))
			continue;
		double value = p->adds ? now - p->last : now;
		bool changed = p->adds ? value != 0 : !p->has || now != p->last;
		if (changed && p->is_double)
			weft_bundle_add(&b, p->counter, WEFT_HEAD_COUNTER_F, weft_double_word(value));
		else if (changed)
			weft_bundle_add(&b, p->counter, WEFT_HEAD_COUNTER, (uint64_t)(int64_t)value);
		p->has = true;
		p->last = now;
	}
	weft_bundle_record(&b);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void mpi_pvars_begin(void)
{
	const char *list = secure_getenv("WEFT_COUNTERS");
	struct link_plans plans;
	int n = 0;
	if (!list || !strstr(list, "mpi_t:") || link_plans_read(list, &plans, NULL) || !find_tool() || tool.get_num(&n))
		return;
	weft_category category = weft_define_category("counters", 1);
	for (unsigned k = 0; k < plans.n_counted; k++) {
		const struct link_counted *c = &plans.counted[k];
		if (c->of.source != LINK_COUNTER_MPI_T)
			continue;
		each_ns = plans.plan[c->plan].each_ns;
		for (int i = 0; i < n; i++)
			add(i, c->part, category);
	}
	mpi_pvars_on = n_pvars > 0;
}

void mpi_pvars_read(void)
{
	if (!each_ns || now_ns() >= __atomic_load_n(&due_ns, __ATOMIC_RELAXED)) {
		if (__atomic_exchange_n(&reading, 1, __ATOMIC_ACQUIRE))
			return;
		__atomic_store_n(&due_ns, each_ns ? now_ns() + each_ns : 0, __ATOMIC_RELAXED);
		read_all();
		__atomic_store_n(&reading, 0, __ATOMIC_RELEASE);
	}
}

/* MPI is about to end: once more, and never again. */
void mpi_pvars_end(void)
{
	if (!mpi_pvars_on)
		return;
	__atomic_store_n(&mpi_pvars_on, false, __ATOMIC_RELAXED);
	if (!__atomic_exchange_n(&reading, 1, __ATOMIC_ACQUIRE))
		read_all();
}
