## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++ clang++
## tags: builds=release,debug timeout=120
## Functions by the names that people know: of C++ in full, of one file, patterns, those that have variants.
$ cat >shop.cc <<'END'
> #include <cstdio>
> #include <string>
> #define F __attribute__((noinline))
> static volatile long sink;
> struct Vec {
> 	double x;
> 	F explicit Vec(double by) : x(by) { sink++; }
> 	F ~Vec() { sink++; }
> 	F Vec operator+(const Vec &o) const { sink++; return Vec(x + o.x); }
> 	F bool operator<(const Vec &o) const { sink++; return x < o.x; }
> 	F int operator()(int n) { sink++; return n + 1; }
> 	F operator int() const { sink++; return (int)x; }
> };
> namespace shop {
> F long over(int n) { sink += n; return n; }
> F long over(double d) { sink += (long)d; return 2; }
> F long over(const std::string &s, unsigned long n) { sink += (long)n; return (long)s.size(); }
> F long single(Vec *v) { sink++; return (long)v->x; }
> namespace { F long hidden(int n) { sink -= n; return n + 3; } }
> template <typename T> F T twice(T v) { sink++; return v + v; }
> template <typename T> struct Box { T v; F void put(T w) { sink++; v = w; } };
> }
> int main()
> {
> 	shop::Box<int> box{0};
> 	auto add = [](int n) __attribute__((noinline)) { sink += n; return n; };
> 	for (int k = 0; k < 6; k++) {
> 		Vec a(k), b(2);
> 		if (k < 5) shop::over(k);
> 		if (k < 4) shop::over(0.5 * k);
> 		if (k < 3) shop::over(std::string("abc"), 7);
> 		if (k < 2) shop::single(&a);
> 		if (k < 5) shop::hidden(k);
> 		if (k < 4) shop::twice(k);
> 		if (k < 3) shop::twice(0.25);
> 		if (k < 2) box.put(k);
> 		if (k < 4) add(k);
> 		if (k < 1) sink += (a + b).x;
> 		if (k < 2) sink += a < b;
> 		if (k < 3) sink += a(k);
> 		if (k < 4) sink += (int)b;
> 	}
> 	return 0;
> }
> END

$ cat >count <<'END'
> # count PROGRAM PROBE…: how often each function was entered
> program=$1; shift
> for p; do set -- "$@" --probe "$p"; shift; done
> rm -rf o.weft
> weft record -q -o o.weft "$@" -- ./$program
> weft dump o.weft | awk '/ enter /{sub(/.* enter +/, ""); n[$0]++} END{for (k in n) print n[k], k}' | LC_ALL=C sort -k2
> END

$ g++ -O2 -g -o shop shop.cc; for p in 'shop::over(int)' 'shop::over(double)' 'over( std::string const &, unsigned long )' 'Vec::operator+' 'Vec::operator<(Vec const&) const' 'Vec::operator()' 'Vec::operator int' 'Vec::Vec(double)' '~Vec' 'shop::(anonymous namespace)::hidden(int)' 'shop::twice<int>' 'double shop::twice<double>(double)' 'Box::put' 'main::{lambda(int)#1}::operator()(int) const' 'single(Vec*)'; do sh count shop "$p"; done
5 shop::over(int)
4 shop::over(double)
3 over( std::string const &, unsigned long )
1 Vec::operator+
2 Vec::operator<(Vec const&) const
3 Vec::operator()
4 Vec::operator int
13 Vec::Vec(double)
13 ~Vec
5 shop::(anonymous namespace)::hidden(int)
4 shop::twice<int>
3 double shop::twice<double>(double)
2 Box::put
4 main::{lambda(int)#1}::operator()(int) const
2 single(Vec*)

## A name of several functions, or a pattern: each under its full name.
$ for how in 'g++ -O0 -no-pie' 'g++ -O1 -s -rdynamic' 'g++ -O3' 'clang++ -O0' 'clang++ -O2'; do $how -w -o shop shop.cc; sh count shop over 'Vec::oper*' 2>&1; done | sort | uniq -c | sed 's/^ *//'
5 1 Vec::operator+(Vec const&) const
5 2 Vec::operator<(Vec const&) const
5 3 Vec::operator()(int)
5 3 shop::over(std::string const&,unsigned long)
5 4 Vec::operator int() const
5 4 shop::over(double)
5 5 shop::over(int)
5 weft record: warning: 'Vec::oper*' stands for 4 functions
5 weft record: warning: 'over' stands for 3 functions

## Each has its own parameters, also what the compiler has made of one.
$ g++ -O2 -g -o shop shop.cc; rm -rf o.weft; weft record -q -o o.weft --probe 'shop::over(int)(n)' --probe 'single(v->x)' -- ./shop; weft dump o.weft | awk '/ point/{sub(/.* point(_f)? +/, ""); print}'
shop::over(int).n = 0
single.v->x = 0
shop::over(int).n = 1
single.v->x = 1
shop::over(int).n = 2
shop::over(int).n = 3
shop::over(int).n = 4

$ sh count shop 'shop::over(char)' 'nothing::*'
weft record: warning: nothing was watched by --probe 'shop::over(char)': no function 'shop::over(char)' in this process: did you mean 'shop::over(int)'?
weft record: warning: nothing was watched by --probe 'nothing::*': no function 'nothing::*' in this process: it is not there, or was inlined everywhere

$ cat >a.c <<'END'
> #include <stddef.h>
> #include <string.h>
> static volatile long sink;
> __attribute__((noinline)) static void same(int n) { sink += n; }
> void other(int n);
> static void *pick(void);
> int chosen(int n) __attribute__((ifunc("pick")));
> static int chosen_fast(int n) { sink += n; return n; }
> static int chosen_slow(int n) { sink -= n; return n; }
> static void *pick(void) { return sink ? (void *)chosen_slow : (void *)chosen_fast; }
> int MPI_a(int), MPI_b(int);
> int main(int n, char **argv)
> {
> 	char to[64];
> 	for (int k = 0; k < 5; k++) { same(k); chosen(k); MPI_a(k); sink += (long)strlen(argv[0]); memcpy(to, argv[0], strlen(argv[0])); sink += to[0]; }
> 	for (int k = 0; k < 3; k++) { other(k); MPI_b(k); }
> 	return 0;
> }
> END
$ cat >b.c <<'END'
> static volatile long sink;
> __attribute__((noinline)) static void same(int n) { sink += 2 * n; }
> void other(int n) { same(n); same(n + 1); }
> END
$ cat >lib.c <<'END'
> static volatile int s; int MPI_a(int n) { return s += n; } int MPI_b(int n) { return s -= n; }
> END
$ gcc -O2 -shared -fPIC -o libmine.so lib.c; gcc -O2 -g -fno-builtin -o two a.c b.c -L. -lmine -Wl,-rpath,.

$ sh count two same; sh count two b.c:same; sh count two 'MPI_*'; sh count two c.c:same
weft record: warning: 'same' stands for 2 functions
5 a.c:same
6 b.c:same
6 b.c:same
weft record: warning: 'MPI_*' stands for 2 functions
5 MPI_a
3 MPI_b
weft record: warning: nothing was watched by --probe 'c.c:same': no function 'same' is of a file 'c.c'

$ for p in chosen memcpy strlen; do sh count two $p; done
weft record: warning: 'chosen' is the variant 'chosen_fast' here, which may stand for other functions, too
5 chosen
weft record: warning: 'memcpy' is the variant '[..]' here, which may stand for other functions, too
5 memcpy
weft record: warning: 'strlen' is the variant '[..]' here, which may stand for other functions, too
10 strlen
