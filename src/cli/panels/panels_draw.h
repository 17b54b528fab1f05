/* SPDX-License-Identifier: Apache-2.0 */
/* What the drawing of panels is divided into: the sheet and curves, rows (workers, iterations). */
#ifndef WEFT_CLI_PANELS_DRAW_H
#define WEFT_CLI_PANELS_DRAW_H

#include "charts/gantt_draw.h"
#include "panels.h"

enum { PANELS_LEFT = 150, PANELS_RIGHT = 110, PANELS_TOP = 84 };
enum { /* in the order of panels_list */
       PANEL_WORKERS,
       PANEL_RUNTIME,
       PANEL_ITERATIONS,
       PANEL_KITERATION,
       PANEL_UTILIZATION,
       PANEL_SUBMITTED,
       PANEL_READY,
       PANEL_GFLOPS,
       PANEL_MEMORY,
       PANEL_TRANSFERS,
       PANEL_CODELETS,
};
struct panels_sheet {
	const struct panels *p;
	unsigned panels;
	struct picture pic;
	double x, y; /* the plot's left edge; where the next panel begins */
};

bool panels_is_task(const struct panels *p, uint32_t region);
uint32_t panels_colour(const struct panels *p, uint32_t region); /* of a codelet */
void panels_curve_line(struct panels_sheet *s, const double *value, double most, double height, uint32_t colour);

/* Each panel: its height with what lies below it, 0 where there is nothing to show; and itself. */
double panels_workers_height(const struct panels *p, unsigned panel);
void panels_workers_draw(struct panels_sheet *s, unsigned panel);
double panels_iterations_height(const struct panels *p, unsigned panel);
void panels_iterations_draw(struct panels_sheet *s, unsigned panel);
double panels_utilization_height(const struct panels *p, unsigned panel);
void panels_utilization_draw(struct panels_sheet *s, unsigned panel);

#endif
