/* SPDX-License-Identifier: Apache-2.0 */
/* A program of tasks for those who look on: factorises tiles again and again, in name, until its parameter go_on is 0. It waits to be started, but with GO in its environment. */
#include <starpu_top.h>
#include <stdlib.h>
#include <unistd.h>

enum { TILES = 5 };
static int go_on = 1, level = 3;
static double alpha = 0.5;

static void work(void *b[], void *a)
{
	(void)b, (void)a;
	usleep(4000);
}

static struct starpu_codelet gemm = {.cpu_funcs = {work},
                                     .name = "gemm",
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_RW}};
static struct starpu_codelet trsm = {.cpu_funcs = {work}, .name = "trsm", .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}};
static struct starpu_codelet potrf = {.cpu_funcs = {work}, .name = "potrf", .nbuffers = 1, .modes = {STARPU_RW}};

static void submit(starpu_data_handle_t tile[TILES][TILES])
{
	for (int k = 0; k < TILES; k++) {
		starpu_task_insert(&potrf, STARPU_RW, tile[k][k], 0);
		for (int i = k + 1; i < TILES; i++)
			starpu_task_insert(&trsm, STARPU_R, tile[k][k], STARPU_RW, tile[i][k], 0);
		for (int i = k + 1; i < TILES; i++)
			for (int j = k + 1; j <= i; j++)
				starpu_task_insert(&gemm, STARPU_R, tile[i][k], STARPU_R, tile[j][k], STARPU_RW, tile[i][j], 0);
	}
}

int main(void)
{
	static double value[TILES][TILES];
	starpu_data_handle_t tile[TILES][TILES];
	if (starpu_init(NULL))
		return 1;
	for (int i = 0; i < TILES; i++)
		for (int j = 0; j < TILES; j++)
			starpu_variable_data_register(&tile[i][j], STARPU_MAIN_RAM, (uintptr_t)&value[i][j], sizeof value[i][j]);
	starpu_top_register_parameter_boolean("go_on", &go_on, NULL);
	starpu_top_register_parameter_integer("level", &level, 0, 10, NULL);
	starpu_top_register_parameter_float("alpha", &alpha, 0, 1, NULL);
	struct starpu_top_data *rounds = starpu_top_add_data_integer("rounds", 0, 100, 1);
	if (!getenv("GO"))
		starpu_top_init_and_wait("a subject");
	for (int round = 0; __atomic_load_n(&go_on, __ATOMIC_RELAXED); round++) {
		starpu_top_update_data_integer(rounds, round % 100);
		starpu_iteration_push((unsigned long)round);
		submit(tile);
		starpu_iteration_pop();
		starpu_task_wait_for_all();
	}
	for (int i = 0; i < TILES; i++)
		for (int j = 0; j < TILES; j++)
			starpu_data_unregister(tile[i][j]);
	starpu_shutdown();
	return 0;
}
