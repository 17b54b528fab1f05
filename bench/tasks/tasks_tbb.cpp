/* SPDX-License-Identifier: Apache-2.0 */
/* oneTBB: task_group where there are no dependencies, flow graphs with edges by hand (built and run each time) where there are. */
#include "tasks.h"
#include <deque>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

namespace flow = oneapi::tbb::flow;
using node = flow::continue_node<flow::continue_msg>;
static oneapi::tbb::global_control *control;

static void indep(unsigned tasks)
{
	oneapi::tbb::task_group group;
	for (unsigned i = 0; i < tasks; i++)
		group.run([] { tasks_body(); });
	group.wait();
}

/* The tasks on whose results task i waits, in any order. */
static unsigned before(const char *pattern, unsigned i, unsigned *at)
{
	unsigned n = 0, width = !strcmp(pattern, "stencil-8") ? unsigned(METG_WIDTH) : unsigned(WIDTH), x = i % width;
	if (!strcmp(pattern, "chain") && i)
		at[n++] = i - 1;
	if (!strcmp(pattern, "indepd") && i >= DATA)
		at[n++] = i - DATA;
	if (!strncmp(pattern, "stencil", 7) && i >= width)
		for (unsigned k = x ? x - 1 : 0; k <= x + 1 && k < width; k++)
			at[n++] = i - x - width + k;
	if (!strcmp(pattern, "wave")) {
		unsigned y = i / WIDTH % (DATA / WIDTH);
		if (x)
			at[n++] = i - 1;
		if (y)
			at[n++] = i - WIDTH;
		if (i >= DATA) /* the last sweep: what read this datum */
			at[n++] = i - DATA + (y + 1 < DATA / WIDTH ? unsigned(WIDTH) : 0);
	}
	return n;
}

static int graph(const char *pattern, unsigned tasks)
{
	if (!strcmp(pattern, "indep")) {
		indep(tasks);
		return 0;
	}
	if (!strncmp(pattern, "handles", 7))
		return -1;
	flow::graph g;
	std::deque<node> nodes;
	std::deque<unsigned> first;
	for (unsigned i = 0; i < tasks; i++) {
		unsigned at[4], n = before(pattern, i, at);
		nodes.emplace_back(g, [](const flow::continue_msg &) { tasks_body(); });
		for (unsigned k = 0; k < n; k++)
			flow::make_edge(nodes[at[k]], nodes[i]);
		if (!n)
			first.push_back(i);
	}
	for (unsigned i : first)
		nodes[i].try_put(flow::continue_msg());
	g.wait_for_all();
	return 0;
}

static uint64_t fib(unsigned n)
{
	if (n < 2)
		return 1;
	uint64_t a, b;
	oneapi::tbb::task_group group;
	group.run([&a, n] { a = fib(n - 1); });
	group.run([&b, n] { b = fib(n - 2); });
	group.wait();
	return a + b + 1;
}

static int begin(unsigned)
{
	control = new oneapi::tbb::global_control(oneapi::tbb::global_control::max_allowed_parallelism, CORES);
	return 0;
}

static void end()
{
	delete control;
}

int main(int argc, char **argv)
{
	struct runtime r = {};
	r.begin = begin;
	r.end = end;
	r.graph = graph;
	r.fib = fib;
	return tasks_main(&r, argc, argv);
}
