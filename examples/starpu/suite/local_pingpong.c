/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a datum takes from one memory node to another and back: between the first two devices of one kind, else between main
 * memory and a device.
 */
#include "suite.h"

/* The first two nodes of a kind, where there are two. */
static bool find_two(enum starpu_node_kind kind, unsigned *nodes)
{
	unsigned found = 0, two[2];
	for (unsigned i = 0; i < starpu_memory_nodes_get_count() && found < 2; i++)
		if (starpu_node_get_kind(i) == kind)
			two[found++] = i;
	if (found == 2)
		memcpy(nodes, two, sizeof two);
	return found == 2;
}

static void move_to(starpu_data_handle_t handle, unsigned node)
{
	int rc = starpu_data_acquire_on_node(handle, (int)node, STARPU_RW);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_data_acquire_on_node");
	starpu_data_release_on_node(handle, (int)node);
}

int main(int argc, char **argv)
{
	unsigned times = 1000, bytes = 4, nodes[2] = {STARPU_MAIN_RAM, 1};
	const struct suite_option options[] = {
		{"niter", &times, NULL, "there and back, times"},
		{"size", &bytes, NULL, "bytes of the datum"},
		{0},
	};
	suite_options(argc, argv, options);
	suite_begin(NULL);
	if (starpu_memory_nodes_get_count() < 2) {
		printf("skipped: one memory node\n");
		starpu_shutdown();
		return SUITE_SKIPPED;
	}
	if (!find_two(STARPU_CUDA_RAM, nodes))
		find_two(STARPU_OPENCL_RAM, nodes);
	char *value = calloc(bytes, 1);
	if (!value)
		return 1;
	starpu_data_handle_t handle;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)value, bytes, 1);
	move_to(handle, nodes[0]);
	move_to(handle, nodes[1]); /* allocated on both */
	double from = starpu_timing_now();
	for (unsigned i = 0; i < times; i++) {
		move_to(handle, nodes[0]);
		move_to(handle, nodes[1]);
	}
	double us = starpu_timing_now() - from;
	starpu_data_unregister(handle);
	char names[2][64];
	for (int i = 0; i < 2; i++)
		starpu_memory_node_get_name(nodes[i], names[i], sizeof names[i]);
	printf("# from\tto\tbytes\tlatency (us)\n%s\t%s\t%u\t%.3f\n", names[0], names[1], bytes, us / (2.0 * times));
	free(value);
	starpu_shutdown();
	return 0;
}
