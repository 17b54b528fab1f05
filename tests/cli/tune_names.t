## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++
## tags: builds=release,debug
## weft tune: functions by all names that weft record --probe knows; values that several functions have in different places.
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
> F long over(double n) { sink += (long)n; return 2; }
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
$ cat >tunlet <<'END'
> variable() { printf 'variable\n  id: %s\n  path: %s\n  comment: /* v */\n  source: %s\n  type: %s\n  actorId: p\nendvariable\n' $1 "$2" ${4:-asFuncParamValue} $3; }
> event() { printf 'event\n  id: %s\n  actorId: p\n  controliter: %s\n  utility: always\n  method: %s\n  class: %s\n  place: entry\nATTRS\n' $1 $2 "$3" ${4:-none}; [ $# -lt 5 ] || printf '  id: %s\n' "$5"; echo endevent; }
> tunlet() { printf 'TUNLET\nname: names\ncomment: /* t */\ninclude: math.h\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n'; variable n n int; echo EVENTS; cat; printf 'ACTORS\nactor\n  id: p\n  min: 1\n  max: 1\n  completion: /# t1 > 0 #/\n  class: none\n  exe: any\nATTRS\n  id: t1\n  comment: /* a */\n  type: double\n  inic: /# t1 = 0; #/\n  depinic: none\n  value: /# p[B.id].t1 = B.timestamp; #/\n  cum: false\n  dependency: B\nendactor\nITERATION INFORMATION\nMODEL PARAMETERS\nPERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n'; }
> END
$ g++ -O1 -g -o shop shop.cc; gcc -O2 -shared -fPIC -o libmine.so lib.c; gcc -O2 -g -fno-builtin -o two a.c b.c -L. -lmine -Wl,-rpath,.

$ . ./tunlet; { event B begin 'over(int)' shop n; event E end 'Vec::operator+(Vec const&) const'; event C no over shop n; event D no over shop; event F no 'shop::twice<int>'; } | tunlet >names.tsl; weft tune check ./shop names.tsl | grep -v '^predicted'
event 'B' of p: ok
event 'E' of p: ok
event 'C' of p: cannot be measured: 'shop::over' stands for 3 functions, which have 'n' in different places ('shop::over([..])', 'shop::over([..])')
event 'D' of p: ok; 'shop::over' stands for 3 functions
event 'F' of p: ok

$ . ./tunlet; { event B begin a.c:same none n; event E end memcpy; event C no same none n; event D no 'MPI_*'; } | tunlet >names.tsl; weft tune check ./two names.tsl | grep -v '^predicted'
event 'B' of p: ok
event 'E' of p: ok; 'memcpy' is the variant '[..]' here, which may stand for other functions, too
event 'C' of p: ok; 'same' stands for 2 functions
event 'D' of p: ok; 'MPI_*' stands for 2 functions

## What is measured is what was called.
$ . ./tunlet; { event B begin 'over(int)' shop n; event E end 'Vec::operator+'; event D no over shop; event F no '(anonymous namespace)::hidden'; } | tunlet >names.tsl; weft tune -q -t names.tsl -o t.weft -- ./shop; weft dump t.weft | awk '/ point +names\.[BDEF] = /{n[$4]++} END{for (k in n) print n[k], k}' | sort -k2
5 names.B
12 names.D
1 names.E
5 names.F
