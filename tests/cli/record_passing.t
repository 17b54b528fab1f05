## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang
## tags: builds=release,debug timeout=120
## Parameters are where the calling convention or the compiler has put them: the program prints what they are.
$ cat >pass.c <<'END'
> #include <complex.h>
> #include <stdio.h>
> #define F __attribute__((noinline))
> #define SAY(f, p) printf("%s.%s = %ld\n", f, #p, (long)(p))
> struct pair { long a, b; };
> struct mixed { double d; int i; };
> struct bits { double d; unsigned lo : 3, hi : 20; };
> struct big { long v[3]; };
> struct wide { long double v; };
> typedef float quad __attribute__((vector_size(16)));
> F long double ld(int a, int b) { SAY("ld", a); SAY("ld", b); return a + b; }
> F double complex cd(int a, int b) { SAY("cd", a); SAY("cd", b); return a + b * I; }
> F long double complex cld(int a, int b) { SAY("cld", a); SAY("cld", b); return a + b * I; }
> F __int128 i128(int a, int b) { SAY("i128", a); SAY("i128", b); return (__int128)a << 64 | b; }
> F struct big big(int a, int b) { SAY("big", a); SAY("big", b); return (struct big){{a, b, a}}; }
> F struct wide wide(int a, int b) { SAY("wide", a); SAY("wide", b); return (struct wide){a}; }
> F struct bits bits(int a, int b) { SAY("bits", a); SAY("bits", b); return (struct bits){a, 1, 2}; }
> F quad vec(int a, int b) { SAY("vec", a); SAY("vec", b); return (quad){a, b}; }
> F int take128(int a, __int128 x, int b, __int128 y, long c, long d, long e)
> { SAY("take128", a); SAY("take128", b); SAY("take128", c); SAY("take128", d); SAY("take128", e); return (int)(x + y); }
> F int takecomplex(double complex z, double d, long double l, int a, float complex q, double g)
> { SAY("takecomplex", a); SAY("takecomplex", d); SAY("takecomplex", g); return (int)(creal(z) + l + crealf(q)); }
> F int takestruct(struct pair p, struct mixed m, struct bits t, struct big w, quad v, int a, double d)
> { SAY("takestruct", p.a); SAY("takestruct", p.b); SAY("takestruct", m.d); SAY("takestruct", m.i); SAY("takestruct", t.d);
>   SAY("takestruct", w.v[1]); SAY("takestruct", a); SAY("takestruct", d); return (int)v[0]; }
> F int stacked(long a, long b, long c, long d, long e, long f, int g, long double h, int i, int k, __int128 j)
> { SAY("stacked", g); SAY("stacked", i); SAY("stacked", k); return (int)(a + b + c + d + e + f + h + j); }
> int main(int n, char **argv)
> {
> 	(void)argv;
> 	for (int k = n; k < n + 3; k++) {
> 		ld(k, 2 * k); cd(3 * k, 4 * k); cld(5 * k, 6 * k); i128(7 * k, 8 * k);
> 		big(9 * k, 10 * k); wide(11 * k, 12 * k); bits(13 * k, 14 * k); vec(15 * k, 16 * k);
> 		take128(17 * k, 18, 19 * k, 20 * k, 21 * k, 22 * k, 23 * k);
> 		takecomplex(k + 2 * k * I, 24 * k, 25 * k, 26 * k, 27 * k, 28 * k);
> 		takestruct((struct pair){29 * k, 30 * k}, (struct mixed){31 * k, 32 * k}, (struct bits){33 * k, 3, 4}, (struct big){{0, 34 * k, 0}},
> 		           (quad){1, 2}, 35 * k, 36 * k);
> 		stacked(1, 2, 3, 4, 5, 6, 37 * k, 38 * k, 39 * k, 40 * k, 41);
> 	}
> 	return 0;
> }
> END

$ cat >compare <<'END'
> # compare PROGRAM PROBE…: what is recorded is what the program prints of it
> program=$1; shift
> rm -rf o.weft
> for p; do set -- "$@" --probe "$p"; shift; done
> weft record -q -o o.weft "$@" -- ./$program >truth || exit
> weft dump o.weft | awk '/ point(_f)? /{sub(/.* point(_f)? +/, ""); sub(/\.5$/, ""); print}' | sort >got
> cut -d' ' -f1 got | sort -u >names
> grep -F -w -f names truth | sort >wanted
> [ -s got ] && cmp -s got wanted && echo "$(wc -l <got) values are right"
> END

$ for how in 'gcc -O0' 'gcc -O2' 'gcc -O1 -no-pie -gdwarf-4' 'clang -O0' 'clang -O2' 'clang -O3 -no-pie -gdwarf-4'; do
>   $how -g -w -o pass pass.c -lm
>   sh compare pass 'ld(a,b)' 'cd(a,b)' 'cld(a,b)' 'i128(a,b)' 'big(a,b)' 'wide(a,b)' 'bits(a,b)' 'vec(a,b)' \
>     'take128(a,b,c,d,e)' 'takecomplex(a,d,g)' 'takestruct(p.a,p.b,m.d,m.i,t.d,w.v[1],a,d)' 'stacked(g,i,k)'
> done
105 values are right
105 values are right
105 values are right
105 values are right
105 values are right
105 values are right

## What cannot be a number is refused; so is what is behind an integer that clang 14 does not pass as the convention says.
$ for p in 'take128(x)' 'takecomplex(z)' 'takecomplex(l)' 'takestruct(p)' 'ld(return)' 'i128(return)'; do weft record -q --force -o r.weft --probe "$p" -- ./pass >out; done
weft record: warning: nothing was watched by --probe 'take128(x)': 'x' is __int128, which is not measured
weft record: warning: nothing was watched by --probe 'takecomplex(z)': 'z' is complex, which is not measured
weft record: warning: nothing was watched by --probe 'takecomplex(l)': 'l' is long double, which is not measured
weft record: warning: nothing was watched by --probe 'takestruct(p)': 'p' is a struct pair: name one of its members
weft record: warning: nothing was watched by --probe 'ld(return)': function 'ld' returns long double, which is not measured
weft record: warning: nothing was watched by --probe 'i128(return)': 'return' is __int128, which is not measured

## Functions that only their own file calls: constants, parameters that are gone, and those behind them.
$ cat >clone.c <<'END'
> #include <stdio.h>
> #include <stdlib.h>
> #define F static __attribute__((noinline))
> #define SAY(f, p) printf("%s.%s = %ld\n", f, #p, (long)(p))
> struct s { long x, y; };
> F long always(int unused, int a, int b, double c) { (void)unused; SAY("always", a); SAY("always", b); SAY("always", c); return a + b + (long)c; }
> F long some(int a, int b) { SAY("some", a); SAY("some", b); return a * b; }
> F long through(const struct s *p, int b) { SAY("through", p->x); SAY("through", b); return p->x + b; }
> F long dead(int unused, const char *never, int a, long b) { (void)unused; (void)never; SAY("dead", a); SAY("dead", b); return a - b; }
> F long kept(int unused, int a, int b) { (void)unused; int *volatile p = &b; SAY("kept", a); *p += 0; SAY("kept", b); return a + *p; }
> volatile long sink;
> int main(int n, char **argv)
> {
> 	for (int k = n; k < n + 3; k++) {
> 		struct s v = {k, 2 * k};
> 		sink = always(k, 7, 3 * k, 0.5 + 2);
> 		sink = some(5, 4 * k);
> 		sink = through(&v, 5 * k);
> 		sink = dead(k, argv[0], 6 * k, 7 * k);
> 		sink = kept(k, 8 * k, 9 * k);
> 	}
> 	sink = some(n, n + 1);
> 	return 0;
> }
> END

$ for how in 'gcc -O0' 'gcc -O2' 'gcc -O3 -no-pie' 'clang -O0' 'clang -O2'; do
>   $how -g -w -o clone clone.c
>   sh compare clone 'always(a,b,c)' 'some(a,b)' 'through(p->x,b)' 'dead(a,b)' 'kept(a)'
> done
32 values are right
32 values are right
32 values are right
32 values are right
32 values are right

$ weft record -q -o u.weft --probe 'always(unused)' -- ./clone >out
weft record: warning: nothing was watched by --probe 'always(unused)': where parameter 'unused' of 'always' is when that is entered is not known: the compiler has changed how it is called
