// SPDX-License-Identifier: Apache-2.0
// C++ functions whose names are told apart in full: overloads, operators, templates, lambdas.
#include <cstdio>
#include <string>
#define F __attribute__((noinline))
static volatile long sink;
struct Vec {
	double x;
	F explicit Vec(double by) : x(by)
	{
		sink++;
	}
	F ~Vec()
	{
		sink++;
	}
	F Vec operator+(const Vec &o) const
	{
		sink++;
		return Vec(x + o.x);
	}
	F bool operator<(const Vec &o) const
	{
		sink++;
		return x < o.x;
	}
	F int operator()(int n)
	{
		sink++;
		return n + 1;
	}
	F operator int() const
	{
		sink++;
		return (int)x;
	}
};
namespace shop
{
F long over(int n)
{
	sink += n;
	return n;
}
F long over(double n)
{
	sink += (long)n;
	return 2;
}
F long over(const std::string &s, unsigned long n)
{
	sink += (long)n;
	return (long)s.size();
}
F long single(Vec *v)
{
	sink++;
	return (long)v->x;
}
namespace
{
F long hidden(int n)
{
	sink -= n;
	return n + 3;
}
}
template <typename T> F T twice(T v)
{
	sink++;
	return v + v;
}
template <typename T> struct Box {
	T v;
	F void put(T w)
	{
		sink++;
		v = w;
	}
};
}
int main()
{
	shop::Box<int> box{0};
	auto add = [](int n) __attribute__((noinline))
	{
		sink += n;
		return n;
	};
	for (int k = 0; k < 6; k++) {
		Vec a(k), b(2);
		if (k < 5)
			shop::over(k);
		if (k < 4)
			shop::over(0.5 * k);
		if (k < 3)
			shop::over(std::string("abc"), 7);
		if (k < 2)
			shop::single(&a);
		if (k < 5)
			shop::hidden(k);
		if (k < 4)
			shop::twice(k);
		if (k < 3)
			shop::twice(0.25);
		if (k < 2)
			box.put(k);
		if (k < 4)
			add(k);
		if (k < 1)
			sink += (a + b).x;
		if (k < 2)
			sink += a < b;
		if (k < 3)
			sink += a(k);
		if (k < 4)
			sink += (int)b;
	}
	return 0;
}
