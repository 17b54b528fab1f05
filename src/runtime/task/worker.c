/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries for workers and memory nodes. Answers come from the machine, which does not change while
 * it runs, and which is kept after the end, until the next begin, so that a program can still query
 * it. The topology is freed with the runtime.
 */
#include "complain.h"
#include "task.h"
#include <stdio.h>
#include <strings.h>

static const struct {
	const char *name, *variable;
	enum starpu_node_kind memory;
} kinds[STARPU_NARCH] = {
	[STARPU_CPU_WORKER] = {"CPU", "CPU", STARPU_CPU_RAM},
	[STARPU_CUDA_WORKER] = {"CUDA", "CUDA", STARPU_CUDA_RAM},
	[STARPU_OPENCL_WORKER] = {"OpenCL", "OPENCL", STARPU_OPENCL_RAM},
	[STARPU_MAX_FPGA_WORKER] = {"FPGA", "MAX_FPGA", STARPU_MAX_FPGA_RAM},
	[STARPU_MPI_SC_WORKER] = {"MPI_SC", "MPI_SC", STARPU_MPI_SC_RAM},
	[STARPU_TCPIP_SC_WORKER] = {"TCPIP_SC", "TCPIP_SC", STARPU_TCPIP_SC_RAM},
	[STARPU_HIP_WORKER] = {"HIP", "HIP", STARPU_HIP_RAM},
	[STARPU_SYCL_WORKER] = {"SYCL", "SYCL", STARPU_SYCL_RAM},
};

static bool worker_known(enum starpu_worker_archtype type)
{
	return (unsigned)type < STARPU_NARCH && kinds[type].name;
}

static hwloc_topology_t topology_for(const char *function)
{
	if (!rt_machine.topology)
		rt_misuse("%s: StarPU is not initialised", function);
	return rt_machine.topology;
}

static const struct rt_worker_info *worker_info(int id)
{
	return id >= 0 && (unsigned)id < rt_machine.n_workers ? &rt_machine.worker[id] : NULL;
}

void starpu_worker_wait_for_initialisation(void)
{
	starpu_wait_initialized();
}

unsigned starpu_worker_archtype_is_valid(enum starpu_worker_archtype type)
{
	return worker_known(type);
}

enum starpu_worker_archtype starpu_arch_mask_to_worker_archtype(unsigned mask)
{
	for (unsigned i = 0; i < STARPU_NARCH; i++)
		if (worker_known((enum starpu_worker_archtype)i) && mask == STARPU_WORKER_TO_MASK(i))
			return (enum starpu_worker_archtype)i;
	return STARPU_UNKNOWN_WORKER;
}

unsigned starpu_worker_get_count(void)
{
	return rt_machine.n_workers;
}

int starpu_worker_get_count_by_type(enum starpu_worker_archtype type)
{
	int n = 0;
	if (type != STARPU_ANY_WORKER && !worker_known(type))
		return -EINVAL;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		n += type == STARPU_ANY_WORKER || rt_machine.worker[i].arch == type;
	return n;
}

#define COUNT(function, type) \
	unsigned function(void) \
	{ \
		return (unsigned)starpu_worker_get_count_by_type(type); \
	}
COUNT(starpu_cpu_worker_get_count, STARPU_CPU_WORKER)
COUNT(starpu_cuda_worker_get_count, STARPU_CUDA_WORKER)
COUNT(starpu_hip_worker_get_count, STARPU_HIP_WORKER)
COUNT(starpu_sycl_worker_get_count, STARPU_SYCL_WORKER)
COUNT(starpu_opencl_worker_get_count, STARPU_OPENCL_WORKER)
COUNT(starpu_mpi_sc_worker_get_count, STARPU_MPI_SC_WORKER)
COUNT(starpu_tcpip_sc_worker_get_count, STARPU_TCPIP_SC_WORKER)
COUNT(starpu_mpi_ms_worker_get_count, STARPU_MPI_SC_WORKER)
COUNT(starpu_tcpip_ms_worker_get_count, STARPU_TCPIP_SC_WORKER)
#undef COUNT

unsigned starpu_mic_worker_get_count(void)
{
	return 0;
}

int starpu_worker_get_mp_nodeid(int id)
{
	(void)id;
	return -1;
}

int starpu_worker_get_id(void)
{
	int id = rt_worker_number();
	return worker_info(id) ? id : -1;
}

unsigned _starpu_worker_get_id_check(const char *file, int line)
{
	int id = starpu_worker_get_id();
	if (id < 0)
		rt_misuse("%s:%d: starpu_worker_get_id_check is called by a thread that is no worker", file, line);
	return (unsigned)id;
}

unsigned(starpu_worker_get_id_check)(void)
{
	return _starpu_worker_get_id_check("?", 0);
}

int starpu_worker_get_bindid(int workerid)
{
	const struct rt_worker_info *w = worker_info(workerid);
	return w ? rt_worker_pu(w) : -1;
}

int starpu_bindid_get_workerids(int bindid, int **workerids)
{
	static _Thread_local int ids[STARPU_NMAXWORKERS];
	int n = 0;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_worker_pu(&rt_machine.worker[i]) == bindid)
			ids[n++] = (int)i;
	*workerids = ids;
	return n;
}

enum starpu_worker_archtype starpu_worker_get_type(int id)
{
	const struct rt_worker_info *w = worker_info(id);
	return w ? w->arch : STARPU_UNKNOWN_WORKER;
}

unsigned starpu_worker_get_ids_by_type(enum starpu_worker_archtype type, int *workerids, unsigned maxsize)
{
	unsigned n = 0;
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		if (type != STARPU_ANY_WORKER && rt_machine.worker[i].arch != type)
			continue;
		if (n == maxsize)
			return (unsigned)-ERANGE;
		workerids[n++] = (int)i;
	}
	return n;
}

int starpu_worker_get_by_type(enum starpu_worker_archtype type, int num)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if ((type == STARPU_ANY_WORKER || rt_machine.worker[i].arch == type) && num-- == 0)
			return (int)i;
	return -1;
}

int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int devid)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_machine.worker[i].arch == type && rt_machine.worker[i].devid == devid)
			return (int)i;
	return -1;
}

int starpu_worker_get_devids(enum starpu_worker_archtype type, int *devids, int num)
{
	int n = 0;
	for (unsigned i = 0; i < rt_machine.n_workers && n < num; i++) {
		bool seen = rt_machine.worker[i].arch != type;
		for (int k = 0; k < n && !seen; k++)
			seen = devids[k] == rt_machine.worker[i].devid;
		if (!seen)
			devids[n++] = rt_machine.worker[i].devid;
	}
	return n;
}

int starpu_worker_get_stream_workerids(unsigned devid, int *workerids, enum starpu_worker_archtype type)
{
	int n = 0;
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_machine.worker[i].arch == type && rt_machine.worker[i].devid == (int)devid)
			workerids[n++] = (int)i;
	return n;
}

unsigned starpu_worker_type_can_execute_task(enum starpu_worker_archtype worker_type, const struct starpu_task *task)
{
	struct rt_mask m;
	rt_task_mask(task, &m);
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_machine.worker[i].arch == worker_type && rt_mask_has(&m, i))
			return 1;
	return 0;
}

void starpu_worker_get_name(int id, char *dst, size_t maxlen)
{
	const struct rt_worker_info *w = worker_info(id);
	snprintf(dst, maxlen, "%s", w ? w->name : "no worker");
}

int starpu_worker_get_devid(int id)
{
	const struct rt_worker_info *w = worker_info(id);
	return w ? w->devid : -1;
}

int starpu_worker_get_devnum(int id)
{
	const struct rt_worker_info *w = worker_info(id);
	return w ? w->devnum : -1;
}

int starpu_worker_get_subworkerid(int id)
{
	const struct rt_worker_info *w = worker_info(id);
	return w ? w->subworker : -1;
}

static void worker_display(FILE *f, enum starpu_worker_archtype type)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_machine.worker[i].arch == type)
			fprintf(f, "\t%s\n", rt_machine.worker[i].name);
}

void starpu_worker_display_count(FILE *output, enum starpu_worker_archtype type)
{
	int n = starpu_worker_get_count_by_type(type);
	fprintf(output, "%d %s worker%s\n", n, worker_known(type) ? kinds[type].name : "unknown", n == 1 ? "" : "s");
}

void starpu_worker_display_names(FILE *output, enum starpu_worker_archtype type)
{
	int n = starpu_worker_get_count_by_type(type);
	if (n <= 0) {
		fprintf(output, "No %s worker\n", worker_known(type) ? kinds[type].name : "unknown");
		return;
	}
	starpu_worker_display_count(output, type);
	worker_display(output, type);
}

void starpu_worker_display_all(FILE *output)
{
	fprintf(output, "StarPU has:\n");
	for (unsigned i = 0; i < STARPU_NARCH; i++)
		if (worker_known((enum starpu_worker_archtype)i))
			starpu_worker_display_names(output, (enum starpu_worker_archtype)i);
}

const char *starpu_worker_get_type_as_string(enum starpu_worker_archtype type)
{
	return type == STARPU_ANY_WORKER ? "ANY" : worker_known(type) ? kinds[type].name : "unknown";
}

enum starpu_worker_archtype starpu_worker_get_type_from_string(const char *type)
{
	for (unsigned i = 0; i < STARPU_NARCH; i++)
		if (worker_known((enum starpu_worker_archtype)i) && !strcasecmp(type, kinds[i].name))
			return (enum starpu_worker_archtype)i;
	return !strcasecmp(type, "ANY") ? STARPU_ANY_WORKER : STARPU_UNKNOWN_WORKER;
}

const char *starpu_worker_get_type_as_env_var(enum starpu_worker_archtype type)
{
	return worker_known(type) ? kinds[type].variable : "UNKNOWN";
}

hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int workerid)
{
	const struct rt_worker_info *w = worker_info(workerid);
	hwloc_obj_t unit = w && !rt_worker_set(w) ? starpu_worker_get_hwloc_obj(workerid) : NULL; /* where it would be bound */
	return w && rt_worker_set(w) ? hwloc_bitmap_dup(rt_worker_set(w)) : unit ? hwloc_bitmap_dup(unit->cpuset) : NULL;
}

hwloc_obj_t starpu_worker_get_hwloc_obj(int workerid)
{
	const struct rt_worker_info *w = worker_info(workerid);
	return w && rt_worker_pu(w) >= 0 && rt_machine.topology
	               ? hwloc_get_obj_by_type(rt_machine.topology, HWLOC_OBJ_PU, (unsigned)rt_worker_pu(w))
	               : NULL;
}

hwloc_topology_t starpu_get_hwloc_topology(void)
{
	return rt_machine.topology;
}

int starpu_get_pu_os_index(unsigned logical_index)
{
	hwloc_obj_t pu = hwloc_get_obj_by_type(topology_for(__func__), HWLOC_OBJ_PU, logical_index);
	return pu ? (int)pu->os_index : -1;
}

int starpu_cpu_os_index(int cpuid)
{
	return cpuid < 0 ? -1 : starpu_get_pu_os_index((unsigned)cpuid);
}

/* ---- memory nodes ---- */

static bool is_node(unsigned node)
{
	return node < rt_machine.n_nodes;
}

unsigned starpu_memory_nodes_get_count(void)
{
	return rt_machine.n_nodes;
}

unsigned starpu_memory_nodes_get_count_by_kind(enum starpu_node_kind kind)
{
	unsigned n = 0;
	for (unsigned i = 0; i < rt_machine.n_nodes; i++)
		n += rt_machine.node[i].kind == kind;
	return n;
}

unsigned starpu_memory_node_get_ids_by_type(enum starpu_node_kind kind, unsigned *memory_nodes_ids, unsigned maxsize)
{
	unsigned n = 0;
	for (unsigned i = 0; i < rt_machine.n_nodes; i++) {
		if (rt_machine.node[i].kind != kind)
			continue;
		if (n == maxsize)
			return (unsigned)-ERANGE;
		memory_nodes_ids[n++] = i;
	}
	return n;
}

int starpu_memory_node_get_name(unsigned node, char *name, size_t size)
{
	return snprintf(name, size, "%s", is_node(node) ? rt_machine.node[node].name : "no node");
}

enum starpu_node_kind starpu_node_get_kind(unsigned node)
{
	return is_node(node) ? rt_machine.node[node].kind : STARPU_UNUSED;
}

int starpu_memory_node_get_devid(unsigned node)
{
	return is_node(node) ? rt_machine.node[node].devid : -1;
}

unsigned starpu_memory_devid_find_node(int devid, enum starpu_node_kind kind)
{
	for (unsigned i = 0; i < rt_machine.n_nodes; i++)
		if (rt_machine.node[i].kind == kind && rt_machine.node[i].devid == devid)
			return i;
	return (unsigned)-1;
}

unsigned starpu_memory_nodes_get_numa_count(void)
{
	return starpu_memory_nodes_get_count_by_kind(STARPU_CPU_RAM);
}

int starpu_memory_nodes_numa_id_to_devid(int osid)
{
	for (unsigned i = 0; i < rt_machine.n_nodes; i++)
		if (rt_machine.node[i].kind == STARPU_CPU_RAM && rt_machine.node[i].numa == osid)
			return (int)i;
	return -1;
}

int starpu_memory_nodes_numa_devid_to_id(unsigned id)
{
	return is_node(id) ? rt_machine.node[id].numa : -1;
}

int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id)
{
	int numa = starpu_memory_nodes_numa_devid_to_id(id);
	hwloc_obj_t node = numa >= 0 ? hwloc_get_numanode_obj_by_os_index(rt_machine.topology, (unsigned)numa) : NULL;
	return node ? (int)node->logical_index : -1;
}

int starpu_node_needs_offset(unsigned node)
{
	return starpu_node_get_kind(node) == STARPU_OPENCL_RAM;
}

enum starpu_worker_archtype starpu_memory_node_get_worker_archtype(enum starpu_node_kind node_kind)
{
	for (unsigned i = 0; i < STARPU_NARCH; i++)
		if (kinds[i].name && kinds[i].memory == node_kind)
			return (enum starpu_worker_archtype)i;
	return STARPU_UNKNOWN_WORKER;
}

enum starpu_node_kind starpu_worker_get_memory_node_kind(enum starpu_worker_archtype type)
{
	return worker_known(type) ? kinds[type].memory : STARPU_UNUSED;
}

unsigned starpu_worker_get_memory_node(unsigned workerid)
{
	const struct rt_worker_info *w = worker_info((int)workerid);
	return w ? w->node : 0;
}

unsigned starpu_worker_get_local_memory_node(void)
{
	struct rt_worker *w = rt_worker_self();
	return w ? w->node : STARPU_MAIN_RAM;
}

/* ---- binding of threads ---- */

static void bind_to(hwloc_const_cpuset_t set)
{
	if (set)
		hwloc_set_cpubind(rt_machine.topology, set, HWLOC_CPUBIND_THREAD);
}

void starpu_bind_thread_on_worker(unsigned workerid)
{
	const struct rt_worker_info *w = worker_info((int)workerid);
	bind_to(w ? rt_worker_set(w) : NULL);
}

void starpu_bind_thread_on_main(void)
{
	if (rt_machine.topology && rt_machine.main_pu >= 0)
		starpu_bind_thread_on_cpu(rt_machine.main_pu);
	else
		bind_to(rt_machine.topology ? hwloc_topology_get_allowed_cpuset(rt_machine.topology) : NULL);
}

void starpu_bind_thread_on_cpu(int cpuid)
{
	hwloc_obj_t pu = cpuid < 0 ? NULL : hwloc_get_obj_by_type(topology_for(__func__), HWLOC_OBJ_PU, (unsigned)cpuid);
	bind_to(pu ? pu->cpuset : NULL);
}

/* The program's active threads, each on a unit, under the name that it has registered. */
static struct {
	pthread_mutex_t lock;
	char name[STARPU_MAXCPUS][32];
} active = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_worker(unsigned pu)
{
	bool has = rt_machine.main_pu == (int)pu;
	for (unsigned i = 0; i < rt_machine.n_workers && !has; i++)
		has = rt_worker_pu(&rt_machine.worker[i]) == (int)pu;
	return has;
}

static unsigned n_units(const char *function)
{
	unsigned n = (unsigned)hwloc_get_nbobjs_by_type(topology_for(function), HWLOC_OBJ_PU);
	return n < STARPU_MAXCPUS ? n : STARPU_MAXCPUS;
}

static bool is_free(unsigned pu)
{
	pthread_mutex_lock(&active.lock);
	bool is = !has_worker(pu) && !*active.name[pu];
	pthread_mutex_unlock(&active.lock);
	return is;
}

/* A unit that the program may use: a preferred one, else a free one, else any. */
unsigned starpu_get_next_bindid(unsigned flags, unsigned *preferred, unsigned npreferred)
{
	static struct weft_atomic_u32 turn;
	unsigned pus = n_units(__func__);
	(void)flags;
	for (unsigned i = 0; i < npreferred; i++)
		if (preferred[i] < pus)
			return preferred[i];
	for (unsigned i = 0; i < pus; i++)
		if (is_free(i))
			return i;
	return weft_add_u32(&turn, 1) % (pus ? pus : 1);
}

/* True: no other thread is known to be active there. */
static bool takes_unit(unsigned pu, bool is_active, const char *name)
{
	char *there = active.name[pu];
	pthread_mutex_lock(&active.lock);
	bool takes = !has_worker(pu) && (!*there || !strncmp(there, name, sizeof active.name[pu] - 1));
	if (is_active && takes)
		snprintf(there, sizeof active.name[pu], "%s", name);
	pthread_mutex_unlock(&active.lock);
	return takes;
}

int starpu_bind_thread_on(int cpuid, unsigned flags, const char *name)
{
	if (cpuid < 0 || (unsigned)cpuid >= n_units(__func__))
		return -1;
	if (!rt_machine.binds)
		return 0;
	starpu_bind_thread_on_cpu(cpuid);
	if (takes_unit((unsigned)cpuid, flags & STARPU_THREAD_ACTIVE, name ? name : ""))
		return 0;
	rt_say("thread '%s' is bound to processing unit %d, where there is another one", name ? name : "", cpuid);
	return -1;
}

void starpu_display_bindings(void)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		fprintf(stdout, "%s: processing unit %d\n", rt_machine.worker[i].name, rt_worker_pu(&rt_machine.worker[i]));
	fflush(stdout);
}

void starpu_topology_print(FILE *f)
{
	hwloc_topology_t t = topology_for(__func__);
	fprintf(f, "%d sockets, %d cores, %d processing units\n", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE),
	        hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE), hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU));
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		fprintf(f, "\t%s on processing unit %d, memory node %u\n", rt_machine.worker[i].name,
		        rt_worker_pu(&rt_machine.worker[i]), rt_machine.worker[i].node);
}
