/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU-Top: a program shows values while it runs, and lets its user change parameters. `weft top` (or starpu_top) is the other side;
 * docs/live.md tells both. May be called by any thread; names are copied.
 */
#ifndef __STARPU_TOP_H__
#define __STARPU_TOP_H__

#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_top_data_type { STARPU_TOP_DATA_BOOLEAN, STARPU_TOP_DATA_INTEGER, STARPU_TOP_DATA_FLOAT };

struct starpu_top_data {
	unsigned int id;
	const char *name;
	int int_min_value;
	int int_max_value;
	double double_min_value;
	double double_max_value;
	int active;
	enum starpu_top_data_type type;
	struct starpu_top_data *next;
};

enum starpu_top_param_type { STARPU_TOP_PARAM_BOOLEAN, STARPU_TOP_PARAM_INTEGER, STARPU_TOP_PARAM_FLOAT, STARPU_TOP_PARAM_ENUM };

struct starpu_top_param {
	unsigned int id;
	const char *name;
	enum starpu_top_param_type type;
	void *value;
	char **enum_values;
	int nb_values;
	void (*callback)(struct starpu_top_param *);
	int int_min_value;
	int int_max_value;
	double double_min_value;
	double double_max_value;
	struct starpu_top_param *next;
};

/* What is shown; `active`: from the beginning. NULL when memory is out. They live as long as the program. */
struct starpu_top_data *starpu_top_add_data_boolean(const char *data_name, int active);
struct starpu_top_data *starpu_top_add_data_integer(const char *data_name, int minimum_value, int maximum_value, int active);
struct starpu_top_data *starpu_top_add_data_float(const char *data_name, double minimum_value, double maximum_value, int active);
void starpu_top_update_data_boolean(const struct starpu_top_data *data, int value);
void starpu_top_update_data_integer(const struct starpu_top_data *data, int value);
void starpu_top_update_data_float(const struct starpu_top_data *data, double value);

/* What the user may change; `callback` (may be NULL) is called after each change, by a thread of the runtime. */
struct starpu_top_param *starpu_top_register_parameter_boolean(const char *param_name, int *parameter_field,
                                                               void (*callback)(struct starpu_top_param *));
struct starpu_top_param *starpu_top_register_parameter_integer(const char *param_name, int *parameter_field, int minimum_value,
                                                               int maximum_value, void (*callback)(struct starpu_top_param *));
struct starpu_top_param *starpu_top_register_parameter_float(const char *param_name, double *parameter_field,
                                                             double minimum_value, double maximum_value,
                                                             void (*callback)(struct starpu_top_param *));
struct starpu_top_param *starpu_top_register_parameter_enum(const char *param_name, int *parameter_field, char **values,
                                                            int nb_values, void (*callback)(struct starpu_top_param *));
/* The program has changed it itself. */
void starpu_top_update_parameter(const struct starpu_top_param *param);

/* Waits until the user starts the program. Where nobody can (WEFT_LIVE=off, before starpu_init), it says so and goes on. */
void starpu_top_init_and_wait(const char *server_name);

/* A scheduler has decided when a task is to run, in microseconds. */
void starpu_top_task_prevision(struct starpu_task *task, int devid, unsigned long long start, unsigned long long end);

/* A message for whoever looks; the second goes on when somebody has pressed start again. */
void starpu_top_debug_log(const char *message);
void starpu_top_debug_lock(const char *message);

#ifdef __cplusplus
}
#endif

#endif
