// SPDX-License-Identifier: Apache-2.0
// Exceptions, virtual calls, containers and strings, stepped through: at each instruction the stack that src/unwind finds is that of
// backtrace(). Ends with 1 when one is not.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <algorithm>
extern "C" {
#include "unwind_stepper.h"
}

struct shape {
	virtual ~shape() = default;
	virtual double area(int n) const = 0;
};
struct box : shape {
	double area(int n) const override
	{
		if (n == 0)
			throw std::runtime_error("nothing left");
		std::string text = "box " + std::to_string(n);
		return (double)text.size() + area(n - 1);
	}
};

static volatile double sink;
static void run()
{
	box b;
	const shape *s = &b;
	try {
		sink = s->area(3);
	} catch (const std::exception &e) {
		sink = e.what()[0];
	}
	std::map<std::string, std::vector<int>> names;
	for (int i = 0; i < 5; i++)
		names[std::string(20, (char)('a' + i * 7 % 5))].push_back(i);
	std::vector<int> v = {5, 3, 9, 1, 7};
	std::sort(v.begin(), v.end(), [](int x, int y) { return x > y; });
	sink = sink + v[0] + (double)names.size();
}

int main()
{
	run(); // what is found at the first call, is found
	stepper_run(run, 25000);
	printf("%lu instructions, %u other stacks, %u not whole\n", stepper_steps, stepper_bad, stepper_not_whole);
	// While an exception is being delivered, libgcc writes another frame's registers and address over its own: some forty instructions.
	return stepper_steps < 2000 || stepper_bad || stepper_not_whole > stepper_steps / 100;
}
