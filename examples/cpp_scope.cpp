/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++: a region is left at the end of its block, also when an exception goes through.
 *
 *     c++ -std=c++17 cpp_scope.cpp $(pkg-config --cflags --libs weft) -pthread -o cpp_scope
 *     weft record -- ./cpp_scope && weft stat cpp_scope.weft
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>
#include <weft/record.h>

WEFT_REGION(region_sort, "sort", WEFT_STATE_RUNNING);
WEFT_REGION(region_check, "check", WEFT_STATE_RUNNING);

static void check(const std::vector<int> &values)
{
	weft::scope here(region_check);
	if (!std::is_sorted(values.begin(), values.end()))
		throw std::runtime_error("not sorted");
}

static void sort(unsigned seed)
{
	std::vector<int> values(100000);
	for (int &v : values)
		v = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 8);
	try {
		check(values); /* throws: the trace shows that `check` was left all the same */
	} catch (const std::runtime_error &) {
		weft::scope here(region_sort);
		std::sort(values.begin(), values.end());
	}
	check(values);
}

int main()
{
	std::vector<std::thread> threads;
	for (unsigned i = 1; i <= 4; i++)
		threads.emplace_back([i] {
			weft_name_thread(("sorter " + std::to_string(i)).c_str());
			sort(i);
		});
	for (std::thread &t : threads)
		t.join();
	std::puts("sorted");
	return 0;
}
