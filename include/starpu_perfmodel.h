/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models: how long a task is expected to take, from its history or a formula.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_PERFMODEL_H__
#define __STARPU_PERFMODEL_H__

#include <stdio.h>
#include <starpu_worker.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_RECURSIVE_TASKS_NMAX_LEVELS 16
#define starpu_per_arch_perfmodel starpu_perfmodel_per_arch

struct _starpu_perfmodel_state;
struct starpu_perfmodel;
struct starpu_perfmodel_arch;
struct starpu_perfmodel_device;
struct starpu_perfmodel_history_entry;
struct starpu_perfmodel_history_list;
struct starpu_perfmodel_history_table;
struct starpu_perfmodel_per_arch;
struct starpu_perfmodel_regression_model;
struct starpu_recursive_perfmodel_subgraph_list;
struct starpu_task;

enum starpu_perfmodel_type {
	STARPU_PERFMODEL_INVALID = 0,
	STARPU_PER_WORKER = 1,
	STARPU_PER_ARCH = 2,
	STARPU_COMMON = 3,
	STARPU_HISTORY_BASED = 4,
	STARPU_REGRESSION_BASED = 5,
	STARPU_NL_REGRESSION_BASED = 6,
	STARPU_MULTIPLE_REGRESSION_BASED = 7,
};

typedef double (*starpu_perfmodel_per_arch_cost_function)(struct starpu_task *, struct starpu_perfmodel_arch *, unsigned);
typedef size_t (*starpu_perfmodel_per_arch_size_base)(struct starpu_task *, struct starpu_perfmodel_arch *, unsigned);
typedef struct _starpu_perfmodel_state *starpu_perfmodel_state_t;

struct starpu_perfmodel_device {
	enum starpu_worker_archtype type;
	int devid;
	int ncores;
};

struct starpu_perfmodel_arch {
	int ndevices;
	struct starpu_perfmodel_device *devices;
};

struct starpu_perfmodel_history_entry {
	double mean;
	double deviation;
	double sum;
	double sum2;
	unsigned nsample;
	unsigned nerror;
	uint32_t footprint;
	size_t size;
	double flops;
	double duration;
	starpu_tag_t tag;
	double *parameters;
};

struct starpu_perfmodel_history_list {
	struct starpu_perfmodel_history_list *next;
	struct starpu_perfmodel_history_entry *entry;
};

struct starpu_perfmodel_regression_model {
	double sumlny;
	double sumlnx;
	double sumlnx2;
	unsigned long minx;
	unsigned long maxx;
	double sumlnxlny;
	double alpha;
	double beta;
	unsigned valid;
	double a;
	double b;
	double c;
	unsigned nl_valid;
	unsigned nsample;
	double *coeff;
	unsigned ncoeff;
	unsigned multi_valid;
};

struct starpu_perfmodel_per_arch {
	starpu_perfmodel_per_arch_cost_function cost_function;
	starpu_perfmodel_per_arch_size_base size_base;
	struct starpu_perfmodel_history_table *history;
	struct starpu_perfmodel_history_list *list;
	struct starpu_perfmodel_regression_model regression;
	char debug_path[256];
};

struct starpu_perfmodel {
	enum starpu_perfmodel_type type;
	double (*cost_function)(struct starpu_task *, unsigned);
	double (*arch_cost_function)(struct starpu_task *, struct starpu_perfmodel_arch *, unsigned);
	double (*worker_cost_function)(struct starpu_task *, unsigned, unsigned);
	size_t (*size_base)(struct starpu_task *, unsigned);
	uint32_t (*footprint)(struct starpu_task *);
	const char *symbol;
	char *path;
	unsigned is_loaded;
	unsigned benchmarking;
	unsigned is_init;
	unsigned is_recorded_recursive;
	struct starpu_recursive_perfmodel_subgraph_list *recursive_graphs;
	void (*parameters)(struct starpu_task *, double *);
	const char **parameters_names;
	unsigned nparameters;
	unsigned **combinations;
	unsigned ncombinations;
	starpu_perfmodel_state_t state;
	uint32_t footprint_per_level[STARPU_RECURSIVE_TASKS_NMAX_LEVELS];
};

extern struct starpu_perfmodel starpu_perfmodel_nop;
void starpu_perfmodel_init(struct starpu_perfmodel *model);
int starpu_perfmodel_deinit(struct starpu_perfmodel *model);
int starpu_energy_start(int workerid, enum starpu_worker_archtype archi);
int starpu_energy_stop(struct starpu_perfmodel *model, struct starpu_task *task, unsigned nimpl, unsigned ntasks, int workerid,
                       enum starpu_worker_archtype archi);
int starpu_perfmodel_load_file(const char *filename, struct starpu_perfmodel *model);
int starpu_perfmodel_load_symbol(const char *symbol, struct starpu_perfmodel *model);
int starpu_perfmodel_unload_model(struct starpu_perfmodel *model);
void starpu_save_history_based_model(struct starpu_perfmodel *model);
void starpu_perfmodel_get_model_path(const char *symbol, char *path, size_t maxlen);
void starpu_perfmodel_dump_xml(FILE *output, struct starpu_perfmodel *model);
void starpu_perfmodel_free_sampling(void);
struct starpu_perfmodel_arch *starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id);
int starpu_perfmodel_get_narch_combs(void);
int starpu_perfmodel_arch_comb_add(int ndevices, struct starpu_perfmodel_device *devices);
int starpu_perfmodel_arch_comb_get(int ndevices, struct starpu_perfmodel_device *devices);
struct starpu_perfmodel_arch *starpu_perfmodel_arch_comb_fetch(int comb);
struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_arch(struct starpu_perfmodel *model,
                                                                      struct starpu_perfmodel_arch *arch, unsigned impl);
struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_devices(struct starpu_perfmodel *model, int impl, ...);
int starpu_perfmodel_set_per_devices_cost_function(struct starpu_perfmodel *model, int impl,
                                                   starpu_perfmodel_per_arch_cost_function func, ...);
int starpu_perfmodel_set_per_devices_size_base(struct starpu_perfmodel *model, int impl, starpu_perfmodel_per_arch_size_base func,
                                               ...);
void starpu_perfmodel_debugfilepath(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, char *path, size_t maxlen,
                                    unsigned nimpl);
const char *starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype);
void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch *arch, char *archname, size_t maxlen, unsigned nimpl);
/* What a codelet's history says of its data's size at a level of recursion (footprint_per_level), on the first worker's kind; NaN: nothing
 * yet; -1: without a model. */
double starpu_codelet_expected_length_by_level(struct starpu_codelet *cl, int level);
double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch,
                                                    uint32_t footprint);
void starpu_perfmodel_initialize(void);
int starpu_perfmodel_list(FILE *output);
void starpu_perfmodel_print(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, unsigned nimpl, char *parameter,
                            uint32_t *footprint, FILE *output);
int starpu_perfmodel_print_all(struct starpu_perfmodel *model, char *arch, char *parameter, uint32_t *footprint, FILE *output);
int starpu_perfmodel_print_estimations(struct starpu_perfmodel *model, uint32_t footprint, FILE *output);
int starpu_perfmodel_list_combs(FILE *output, struct starpu_perfmodel *model);
void starpu_perfmodel_update_history(struct starpu_perfmodel *model, struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                                     unsigned cpuid, unsigned nimpl, double measured);
void starpu_perfmodel_update_history_n(struct starpu_perfmodel *model, struct starpu_task *task,
                                       struct starpu_perfmodel_arch *arch, unsigned cpuid, unsigned nimpl,
                                       double average_measured, unsigned number);
void starpu_perfmodel_directory(FILE *output);
void starpu_bus_print_bandwidth(FILE *f);
void starpu_bus_print_affinity(FILE *f);
void starpu_bus_print_filenames(FILE *f);
double starpu_transfer_bandwidth(unsigned src_node, unsigned dst_node);
double starpu_transfer_latency(unsigned src_node, unsigned dst_node);
double starpu_transfer_predict(unsigned src_node, unsigned dst_node, size_t size);

#ifdef __cplusplus
}
#endif
#endif
