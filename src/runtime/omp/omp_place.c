/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: sets of processors, as OMP_PLACES names them (a kind of the machine's parts, or a list), for who asks. Where threads run
 * is where their workers are bound: a thread is in the first place that has its worker's processor.
 */
#include "omp.h"
#include <ctype.h>
#include <hwloc.h>
#include <strings.h>

enum { PLACES_MOST = 4096 };
static struct {
	hwloc_bitmap_t *at;
	int n;
} places;

void omp_places_end(void)
{
	for (int i = 0; i < places.n; i++)
		hwloc_bitmap_free(places.at[i]);
	free(places.at);
	places.at = NULL;
	places.n = 0;
}

static bool add(hwloc_const_bitmap_t set)
{
	hwloc_bitmap_t *more = places.n < PLACES_MOST ? realloc(places.at, (size_t)(places.n + 1) * sizeof *more) : NULL;
	hwloc_bitmap_t copy = more ? hwloc_bitmap_dup(set) : NULL;
	places.at = more ? more : places.at;
	if (copy)
		places.at[places.n++] = copy;
	return copy != NULL;
}

static void drop(hwloc_const_bitmap_t set)
{
	int kept = 0;
	for (int i = 0; i < places.n; i++)
		if (hwloc_bitmap_isequal(places.at[i], set))
			hwloc_bitmap_free(places.at[i]);
		else
			places.at[kept++] = places.at[i];
	places.n = kept;
}

/* ---- a kind of parts, perhaps with how many of them: cores(4) ---- */

static bool read_kind(const char *text)
{
	static const struct {
		const char *name;
		hwloc_obj_type_t type;
	} kinds[] = {{"threads", HWLOC_OBJ_PU},
	             {"cores", HWLOC_OBJ_CORE},
	             {"sockets", HWLOC_OBJ_PACKAGE},
	             {"numa_domains", HWLOC_OBJ_NUMANODE},
	             {"ll_caches", HWLOC_OBJ_L3CACHE}};
	hwloc_topology_t topology = starpu_get_hwloc_topology();
	size_t length = strcspn(text, "( \t");
	for (unsigned k = 0; topology && k < sizeof kinds / sizeof kinds[0]; k++) {
		if (strlen(kinds[k].name) != length || strncasecmp(text, kinds[k].name, length) != 0)
			continue;
		const char *count = strchr(text, '(');
		int n = hwloc_get_nbobjs_by_type(topology, kinds[k].type), most = count ? atoi(count + 1) : n;
		for (int i = 0; i < n && i < most; i++)
			add(hwloc_get_obj_by_type(topology, kinds[k].type, (unsigned)i)->cpuset);
		return true;
	}
	return false;
}

/* ---- a list: {0:4}:2:4,!{5} ---- */

/* from, and how many of them, at which distance */
struct interval {
	bool excluded;
	long from, n, stride;
};

static char seen(const char **at)
{
	while (isspace((unsigned char)**at))
		(*at)++;
	return **at;
}

static bool take(const char **at, char c)
{
	bool is = seen(at) == c;
	*at += is;
	return is;
}

static bool take_number(const char **at, long *out)
{
	char *end;
	*out = strtol(*at, &end, 10);
	bool any = end != *at && *out > -PLACES_MOST && *out < PLACES_MOST;
	*at = end;
	return any;
}

/* What stands behind the first element: how many, and the distance. */
static bool take_repeat(const char **at, struct interval *i)
{
	i->n = i->stride = 1;
	if (!take(at, ':'))
		return true;
	return take_number(at, &i->n) && i->n > 0 && (!take(at, ':') || take_number(at, &i->stride));
}

static bool take_processors(const char **at, hwloc_bitmap_t set)
{
	struct interval i = {.excluded = take(at, '!')};
	if (!take_number(at, &i.from) || !take_repeat(at, &i) || i.from < 0 || i.from + (i.n - 1) * i.stride < 0)
		return false;
	for (long k = 0; k < i.n; k++) {
		unsigned processor = (unsigned)(i.from + k * i.stride);
		(i.excluded ? hwloc_bitmap_clr : hwloc_bitmap_set)(set, processor);
	}
	return true;
}

static bool take_place(const char **at, hwloc_bitmap_t set)
{
	if (!take(at, '{'))
		return false;
	do
		if (!take_processors(at, set))
			return false;
	while (take(at, ','));
	return take(at, '}') && !hwloc_bitmap_iszero(set);
}

static void move_by(hwloc_bitmap_t to, hwloc_const_bitmap_t from, long by)
{
	hwloc_bitmap_zero(to);
	for (int p = hwloc_bitmap_first(from); p >= 0; p = hwloc_bitmap_next(from, p))
		if (p + by >= 0)
			hwloc_bitmap_set(to, (unsigned)(p + by));
}

static bool take_places(const char **at, hwloc_bitmap_t first, hwloc_bitmap_t moved)
{
	struct interval i = {.excluded = take(at, '!')};
	hwloc_bitmap_zero(first);
	bool good = take_place(at, first) && take_repeat(at, &i);
	for (long k = 0; good && k < i.n; k++) {
		move_by(moved, first, k * i.stride);
		if (i.excluded)
			drop(moved);
		else
			good = !hwloc_bitmap_iszero(moved) && add(moved);
	}
	return good;
}

static bool read_list(const char *at)
{
	hwloc_bitmap_t first = hwloc_bitmap_alloc(), moved = hwloc_bitmap_alloc();
	bool good = first && moved;
	do
		good = good && take_places(&at, first, moved);
	while (good && take(&at, ','));
	hwloc_bitmap_free(first);
	hwloc_bitmap_free(moved);
	return good && !seen(&at);
}

void omp_places_begin(void)
{
	const char *text = getenv("OMP_PLACES");
	if (text && seen(&text) && !read_kind(text) && !read_list(text))
		omp_places_end(); /* a wrong value names none */
}

/* ---- who asks ---- */

static hwloc_const_bitmap_t place(int number)
{
	return number >= 0 && number < places.n ? places.at[number] : NULL;
}

int starpu_omp_get_num_places(void)
{
	return places.n;
}

int starpu_omp_get_place_num_procs(int place_num)
{
	return place(place_num) ? hwloc_bitmap_weight(place(place_num)) : 0;
}

void starpu_omp_get_place_proc_ids(int place_num, int *ids)
{
	hwloc_const_bitmap_t set = place(place_num);
	for (int p = set ? hwloc_bitmap_first(set) : -1; p >= 0; p = hwloc_bitmap_next(set, p))
		*ids++ = p;
}

int starpu_omp_get_place_num(void)
{
	int worker = starpu_worker_get_id();
	hwloc_obj_t unit = worker >= 0 && places.n ? starpu_worker_get_hwloc_obj(worker) : NULL;
	for (int i = 0; unit && i < places.n; i++)
		if (hwloc_bitmap_isset(places.at[i], unit->os_index))
			return i;
	return -1;
}

/* Every thread may use all places. */
int starpu_omp_get_partition_num_places(void)
{
	return places.n;
}

void starpu_omp_get_partition_place_nums(int *place_nums)
{
	for (int i = 0; i < places.n; i++)
		place_nums[i] = i;
}
