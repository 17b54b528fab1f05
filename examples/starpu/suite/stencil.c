/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffusion in a box of floats that is a ring along z, cut into slabs along z. A step of a slab needs the two faces of its neighbours:
 * these are copied out by tasks of their own, so that nothing but faces travels between memory nodes.
 *
 *     slab k:    face below of k+1, face above of k-1 ─> update (old ─> new) ─> save bottom, save top ─> faces of k
 */
#include "suite.h"
#include <math.h>

struct box {
	unsigned x, y, z, slabs, steps;
	float *value[2];
	starpu_data_handle_t *slab[2], *face[2][2]; /* by parity of the step; bottom and top */
};

enum { BOTTOM, TOP };

#define BLOCK(b) ((float *)STARPU_BLOCK_GET_PTR(b))
#define PLANE(b) ((size_t)STARPU_BLOCK_GET_NX(b) * STARPU_BLOCK_GET_NY(b))

/* The seven-point mean; x and y end in walls that keep what there is. */
static void update(void *b[], void *arg)
{
	const float *old = BLOCK(b[0]), *below = BLOCK(b[1]), *above = BLOCK(b[2]);
	float *now = BLOCK(b[3]);
	size_t nx = STARPU_BLOCK_GET_NX(b[0]), ny = STARPU_BLOCK_GET_NY(b[0]), nz = STARPU_BLOCK_GET_NZ(b[0]), plane = nx * ny;
	(void)arg;
	for (size_t k = 0; k < nz; k++) {
		const float *here = old + k * plane, *down = k ? here - plane : below, *up = k + 1 < nz ? here + plane : above;
		for (size_t j = 0; j < ny; j++)
			for (size_t i = 0; i < nx; i++) {
				size_t at = j * nx + i;
				float left = here[i ? at - 1 : at], right = here[i + 1 < nx ? at + 1 : at];
				float front = here[j ? at - nx : at], back = here[j + 1 < ny ? at + nx : at];
				now[k * plane + at] = (here[at] * 2 + left + right + front + back + down[at] + up[at]) / 8;
			}
	}
}

static void save_bottom(void *b[], void *arg)
{
	(void)arg;
	memcpy(BLOCK(b[1]), BLOCK(b[0]), PLANE(b[0]) * sizeof(float));
}

static void save_top(void *b[], void *arg)
{
	(void)arg;
	memcpy(BLOCK(b[1]), BLOCK(b[0]) + (STARPU_BLOCK_GET_NZ(b[0]) - 1) * PLANE(b[0]), PLANE(b[0]) * sizeof(float));
}

#define MODEL(of) \
	{ \
		.type = STARPU_HISTORY_BASED, .symbol = of \
	}
static struct starpu_perfmodel models[] = {MODEL("cl_update"), MODEL("save_cl_bottom"), MODEL("save_cl_top")};
static struct starpu_codelet cl_update = {
	.cpu_funcs = {update},
	.cpu_funcs_name = {"update"},
	.nbuffers = 4,
	.modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W},
	.model = &models[0],
	.name = "update",
};
static struct starpu_codelet cl_save[] = {
	[BOTTOM] = {.cpu_funcs = {save_bottom},
                    .cpu_funcs_name = {"save_bottom"},
                    .nbuffers = 2,
                    .modes = {STARPU_R, STARPU_W},
                    .model = &models[1],
                    .name = "save bottom"},
	[TOP] = {.cpu_funcs = {save_top},
                 .cpu_funcs_name = {"save_top"},
                 .nbuffers = 2,
                 .modes = {STARPU_R, STARPU_W},
                 .model = &models[2],
                 .name = "save top"},
};

static void save_faces(const struct box *b, unsigned slab, unsigned parity)
{
	for (int side = BOTTOM; side <= TOP; side++) {
		int rc = starpu_task_insert(&cl_save[side], STARPU_R, b->slab[parity][slab], STARPU_W,
		                            b->face[parity][side][slab], 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
}

static void submit_step(const struct box *b, unsigned step)
{
	unsigned old = step % 2, now = !old, n = b->slabs;
	for (unsigned k = 0; k < n; k++) {
		int rc = starpu_task_insert(&cl_update, STARPU_R, b->slab[old][k], STARPU_R, b->face[old][TOP][(k + n - 1) % n],
		                            STARPU_R, b->face[old][BOTTOM][(k + 1) % n], STARPU_W, b->slab[now][k],
		                            STARPU_PRIORITY, 1, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		save_faces(b, k, now);
	}
}

static starpu_data_handle_t *handles_of(unsigned n)
{
	starpu_data_handle_t *handles = calloc(n, sizeof *handles);
	STARPU_ASSERT(handles);
	return handles;
}

static void box_make(struct box *b)
{
	size_t plane = (size_t)b->x * b->y, bytes = plane * b->z * b->slabs * sizeof(float);
	for (int p = 0; p < 2; p++) {
		if (starpu_malloc((void **)&b->value[p], bytes)) {
			fprintf(stderr, "no memory for %u slabs of %u x %u x %u\n", b->slabs, b->x, b->y, b->z);
			exit(1);
		}
		for (size_t i = 0; !p && !suite_is_simulated() && i < plane * b->z * b->slabs; i++)
			b->value[p][i] = (float)(i % 1009) / 1009;
		b->slab[p] = handles_of(b->slabs);
		b->face[p][BOTTOM] = handles_of(b->slabs);
		b->face[p][TOP] = handles_of(b->slabs);
		for (unsigned k = 0; k < b->slabs; k++) {
			starpu_block_data_register(&b->slab[p][k], STARPU_MAIN_RAM, (uintptr_t)(b->value[p] + k * plane * b->z),
			                           b->x, b->x * b->y, b->x, b->y, b->z, sizeof(float));
			for (int side = BOTTOM; side <= TOP; side++)
				starpu_block_data_register(&b->face[p][side][k], -1, 0, b->x, b->x * b->y, b->x, b->y, 1,
				                           sizeof(float));
		}
	}
}

static void box_free(struct box *b)
{
	for (int p = 0; p < 2; p++) {
		for (unsigned k = 0; k < b->slabs; k++)
			for (int side = BOTTOM; side <= TOP; side++)
				starpu_data_unregister(b->face[p][side][k]);
		free(b->slab[p]);
		free(b->face[p][BOTTOM]);
		free(b->face[p][TOP]);
		starpu_free_noflag(b->value[p], (size_t)b->x * b->y * b->z * b->slabs * sizeof(float));
	}
}

/* What there is in the box is neither made nor lost. */
static double total(const struct box *b, unsigned parity)
{
	double sum = 0;
	for (size_t i = 0; i < (size_t)b->x * b->y * b->z * b->slabs; i++)
		sum += (double)b->value[parity][i];
	return sum;
}

int main(int argc, char **argv)
{
	struct box b = {.x = 64, .y = 64, .z = 32, .slabs = 8, .steps = 50};
	bool check = false;
	const struct suite_option options[] = {
		{"sizex", &b.x, NULL, "width"},
		{"sizey", &b.y, NULL, "depth"},
		{"sizez", &b.z, NULL, "height of a slab"},
		{"nbz", &b.slabs, NULL, "slabs"},
		{"niter", &b.steps, NULL, "steps"},
		{"check", NULL, &check, "check the result: exit status 1 when it is wrong"},
		{0},
	};
	suite_options(argc, argv, options);
	suite_begin(NULL);
	box_make(&b);
	double before = check && !suite_is_simulated() ? total(&b, 0) : 0, from = starpu_timing_now();
	for (unsigned k = 0; k < b.slabs; k++)
		save_faces(&b, k, 0);
	for (unsigned step = 0; step < b.steps; step++)
		submit_step(&b, step);
	starpu_task_wait_for_all();
	double us = starpu_timing_now() - from, cells = (double)b.x * b.y * b.z * b.slabs * b.steps;
	for (int p = 0; p < 2; p++)
		for (unsigned k = 0; k < b.slabs; k++)
			starpu_data_unregister(b.slab[p][k]);
	double after = check && !suite_is_simulated() ? total(&b, b.steps % 2) : 0;
	printf("# sizex\tsizey\tsizez\tslabs\tsteps\tms\tMcells/s\n%u\t%u\t%u\t%u\t%u\t%.3f\t%.3f\n", b.x, b.y, b.z, b.slabs,
	       b.steps, us / 1e3, cells / us);
	bool wrong = fabs(after - before) > 1e-5 * fabs(before);
	if (check)
		printf("total before %.6g, after %.6g\n", before, after);
	box_free(&b);
	starpu_shutdown();
	return wrong;
}
