## SPDX-License-Identifier: Apache-2.0
## needs: gcc g++ clang objcopy
## tags: builds=release,debug timeout=180
## weft record --probe: values of every type, in the forms that debug information has.
$ cat >types.c <<'END'
> #include <string.h>
> struct inner { short s; float f; char tag[8]; };
> struct box { char c; short s; int i; long l; float f; double d; const char *text; char name[2][8]; struct inner in[2]; int *pi; struct box *next; };
> char gc = 'x'; short gs = -3; int gi = -42; long gl = 1L << 40; float gf = 1.25f; double gd = -2.5; const char *gt = "glob";
> int gm[2][3] = {{1, 2, 3}, {4, 5, 6}}, *gpi = &gi;
> long double gld; static int hidden = 11; _Thread_local int own;
> struct box gx = {'q', -7, 13, -5, 0.75f, 3.5, "text", {"first", "second"}, {{98, 7.5f, "a"}, {99, 8.5f, "b"}}, &gi, &gx}, *gp = &gx;
> #define OUT __attribute__((noinline))
> OUT int use(char c, short s, int i, long l, float f, double d, const char *t, double *pd, struct box *b)
> {
> 	__asm__ volatile("" : "+m"(gx), "+m"(gm), "+m"(hidden), "+m"(*pd));
> 	return c + s + i + (int)l + (int)f + (int)d + t[0] + b->i + (int)*pd;
> }
> OUT double half(int k) { __asm__ volatile(""); return k * 0.5; }
> OUT const char *word(int k) { __asm__ volatile(""); return k ? "odd" : "even"; }
> OUT struct box *found(void) { __asm__ volatile(""); return &gx; }
> OUT void nothing(void) { __asm__ volatile(""); }
> static inline int tiny(int x) { return x + own; }
> int main(int argc, char **argv)
> {
> 	double pd = 6.25;
> 	own = 77;
> 	int local = use('A', -2, 3, 4000000000L, 1.5f, 2.5, "told", &pd, &gx);
> 	nothing();
> 	return tiny(local + (int)half(argc) + word(argc)[0] + found()->i) == 7 && argv[0][0] && gm[1][1] + gc + gs + gl + gf + gd + gt[0] + *gpi + gp->i + (int)gld;
> }
> END
$ probe() { rm -rf t.weft; weft record -q -o t.weft --probe "$2" -- ./$1; weft dump t.weft | awk '/ point[_a-z]* /{$1=$2=$3=""; print}' | sed 's/^ *//'; }
$ gcc -O2 -g -o types types.c
$ probe types 'use(c, s, i, l, f, d, t, b->c, b->name[1], *pd, $3, gm[1][2], 42, -1.5)'
use.c = 65
use.s = -2
use.i = 3
use.l = 4000000000
use.f = 1.5
use.d = 2.5
use.t = "told"
use.b->c = 113
use.b->name[1] = "second"
use.*pd = 6.25
use.$3 = 3
use.gm[1][2] = 6
use.42 = 42
use.-1.5 = -1.5
$ probe types 'nothing(gc, gs, gi, gl, gf, gd, gt, hidden, gx.in[1].f, gx.in[1].tag, gp->next->next->s, *gpi, gx.name[0], own)'
nothing.gc = 120
nothing.gs = -3
nothing.gi = -42
nothing.gl = 1099511627776
nothing.gf = 1.25
nothing.gd = -2.5
nothing.gt = "glob"
nothing.hidden = 11
nothing.gx.in[1].f = 8.5
nothing.gx.in[1].tag = "b"
nothing.gp->next->next->s = -7
nothing.*gpi = -42
nothing.gx.name[0] = "first"
nothing.own = 77

## At the exit parameters are what they were at the entry; what a result points to is there, too.
$ probe types 'use(; c, f, d, b->l)'; probe types 'half(; k, return)'; probe types 'word(; return, *return)'; probe types 'found(; return->i, *return->pi, return->next->d)'
use.c = 65
use.f = 1.5
use.d = 2.5
use.b->l = -5
half.k = 1
half.return = 0.5
word.return = "odd"
word.*return = 111
found.return->i = 13
found.*return->pi = -42
found.return->next->d = 3.5

## What cannot be, and why.
$ for a in gld gx gm 'gm[1]' 'gm[2][0]' gx.none 'gi->x' '*gi' local missing; do probe types "nothing($a)" 2>&1 | sed "s/.*)': //"; done; probe types 'nothing(; return)' 2>&1 | sed "s/.*)': //"; probe types 'tiny(x)' 2>&1 | sed "s/.*)': //"
'gld' is long double, which is not measured
'gx' is a struct box: name one of its members
'gm' is an array: name one of its elements
'gm[1]' is an array: name one of its elements
in 'gm[2][0]', the array has 2 elements only
in 'gx.none', box has no member 'none'
in 'gi->x', int is no pointer
in '*gi', int is no pointer
'nothing' has no parameter 'local', and no variable 'local' in this process: it is a local variable of a function, which nothing outside of that can reach
'nothing' has no parameter 'missing', and no variable 'missing' in this process: it is not there, or the compiler has left it out
function 'nothing' returns nothing
no function 'tiny' in this process: it was inlined everywhere (__attribute__((noinline)) keeps a function)

## The same from all forms of debug information: versions of DWARF, compressed, split from the program, with units of types.
$ all='use(c, s, i, l, f, d, t, b->c, b->in[1].f, *pd, gm[1][2], hidden, gd; d, return)'; probe types "$all" >expected; wc -l <expected
15
$ for cc in gcc clang; do for f in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 -gz '-gsplit-dwarf -gdwarf-4' '-gsplit-dwarf -gdwarf-5' -fdebug-types-section -no-pie -O0 -O1 -O3; do $cc -w -O2 -g $f -o t types.c && probe t "$all" | diff expected - || echo "$cc $f"; done; done
$ for cc in g++ clang++; do for f in -O0 -O2 -no-pie; do $cc -w -g $f -D_Thread_local=thread_local -x c++ -o t types.c && probe t "$all" | diff expected - || echo "$cc $f"; done; done
$ gcc -O2 -g -o t types.c && objcopy --only-keep-debug t t.debug && strip t && objcopy --add-gnu-debuglink=t.debug t && probe t "$all" | diff expected -
$ if command -v dwz >/dev/null; then gcc -O2 -g -o t types.c && cp t u && gcc -O1 -g -o v types.c && dwz u && dwz -m common t v && probe u "$all" && probe t "$all"; else cat expected expected; fi | diff <(cat expected expected) -

## A type that one file only declares is defined in another one.
$ cat >user.c <<'END'
> struct job; struct job *make(void); void use(struct job *);
> __attribute__((noinline)) void pass(struct job *j) { use(j); }
> int main(void) { pass(make()); return 0; }
> END
$ cat >maker.c <<'END'
> struct job { int kind; double weight; }; static struct job one = {4, 1.5};
> struct job *make(void) { return &one; }
> void use(struct job *j) { __asm__ volatile("" ::"r"(j)); }
> END
$ gcc -O2 -g -o t user.c maker.c && probe t 'pass(j->kind, j->weight)'
pass.j->kind = 4
pass.j->weight = 1.5

## Two variables of a name are not one.
$ printf 'static int n = 1; int b(void) { __asm__ volatile("" : "+m"(n)); return n; }' >b.c; printf 'static int n = 2; int b(void); int main(void) { __asm__ volatile("" : "+m"(n)); return b() + n == 0; }' >a.c; gcc -g -o t a.c b.c && probe t 'b(n)'
weft record: warning: nothing was watched by --probe 'b(n)': there are 2 variables 'n'

## Without debug information: by register with a declared type, also what those point to; by symbol.
$ gcc -O2 -s -rdynamic -o t types.c && probe t 'use($1:char, $2:short, $3:int, $4:long, $1:float, $2:double, $5:string, *$6:double, $6[0]:double, gd:double; $2:double, return:int)'
use.$1 = 65
use.$2 = -2
use.$3 = 3
use.$4 = 4000000000
use.$1 = 1.5
use.$2 = 2.5
use.$5 = "told"
use.*$6 = 6.25
use.$6[0] = 6.25
use.gd = -2.5
use.$2 = 2.5
use.return = -294967092
$ gcc -O2 -s -o t types.c && probe t 'use($1:char)'
weft record: warning: nothing was watched by --probe 'use($1:char)': no function 'use' in this process: its executable has no symbols (it was stripped)
