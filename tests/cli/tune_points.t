## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## tags: builds=release,debug timeout=180
## weft tune: variables that are members, elements, behind pointers, of every type; arguments; old values. All points are applied in one iteration.
$ cat >points.c <<'EOF'
> #include <stdio.h>
> #include <stdlib.h>
> #include <time.h>
> #define OUT __attribute__((noinline, noclone))
> struct box { int m[2][3]; double d; struct box *next; } vx = {{{1, 2, 3}, {4, 5, 6}}, 0.5, &vx}, *vp = &vx;
> char vc = 'a'; short vs = 1; long vl = 1; float vf = 1; double vd = 1; const char *vt = "one";
> static int step, all, inserted;
> OUT void begins(int n, const char *name, const double *weight) { step = n; __asm__ volatile("" : "+m"(step) : "r"(name), "r"(weight) : "memory"); }
> OUT void ends(int n) { __asm__ volatile("" ::"r"(n) : "memory"); }
> OUT void once(int a, double b, int c) { all = a + (int)(10 * b) + 1000 * c; __asm__ volatile("" ::: "memory"); }
> OUT void insert(int a) { inserted = a; __asm__ volatile("" ::: "memory"); }
> OUT int removed(int a) { __asm__ volatile("" : "+r"(a)); return a; }
> OUT long whole(int a, long b) { __asm__ volatile("" : "+r"(a), "+r"(b)); return a * 10 + b; }
> OUT double real(float a, double b) { __asm__ volatile("" : "+x"(a), "+x"(b)); return (double)a * 10 + b; }
> static int left = 2;
> int main(void)
> {
> 	double weight = 2.5;
> 	int k = 0;
> 	for (; k < 10 || (k < 10000 && (vc == 'a' || vs == 1 || vl == 1 || vf == 1 || vd == 1 || vx.m[1][2] == 6 || vx.d == 0.5 || !all || inserted != 4 || removed(1) || whole(1, 2) == 12 || real(1, 2) == 12 || left--)); k++) {
> 		begins(k, "step", &weight);
> 		nanosleep(&(struct timespec){0, 3000000}, NULL);
> 		ends(k);
> 	}
> 	printf("%d %d %ld %g %g %s %d %g once %d inserted %d removed %d whole %ld real %g\n", vc, vs, vl, (double)vf, vd, vt, vx.m[1][2], vx.d, all, inserted, removed(1), whole(1, 2), real(1, 2));
> 	return 0;
> }
> EOF
$ variable() { printf 'variable\n  id: %s\n  path: %s\n  comment: /* v */\n  source: %s\n  type: %s\n  actorId: p\nendvariable\n' $1 "$2" ${4:-asVarValue} $3; }; event() { printf 'event\n  id: %s\n  actorId: p\n  controliter: %s\n  utility: always\n  method: %s\n  class: none\n  place: %s\nATTRS\n' $1 $2 $3 $4; shift 4; printf '  id: %s\n' "$@"; echo endevent; }; attr() { printf '  id: %s\n  comment: /* a */\n  type: %s\n  inic: /# %s = 0; #/\n  depinic: none\n  value: /# %s #/\n  cum: false\n  dependency: %s\n' $1 $2 $1 "$3" "${4:-none}"; }; point() { printf 'point\n  id: %s\n  kind: %s\n  cond: /# iter.number == 2 #/\n' $1 $2; shift 2; printf '  %s\n' "$@"; }
$ { printf 'TUNLET\nname: points\ncomment: /* t */\ninclude: math.h\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n'; variable step step int; variable n '$1' int asFuncParamValue; variable name '$2' string asFuncParamValue; variable weight '$3' double asFuncParamPointerValue; variable forty 42 int asConstValue; variable l vl long; variable c vc char; variable s vs short; variable f vf float; variable d vd double; variable t vt string; variable element 'vp->next->m[1][2]' int; variable member vx.d double; echo EVENTS; event B begin begins exit step l t element; event W no begins exit n name weight forty; event E end ends entry step; printf 'ACTORS\nactor\n  id: p\n  min: 1\n  max: 1\n  completion: /# t1 > 0 #/\n  class: none\n  exe: any\nATTRS\n'; attr t1 double 'p[E.id].t1 = E.timestamp;' E; echo endactor; echo ITERATION INFORMATION; attr number int 'iter.number = B.step;' B; attr big long 'iter.big = B.l;' B; attr el int 'iter.el = B.element;' B; attr w double 'iter.w = W.weight + W.n * 0 + W.forty;' W; echo MODEL PARAMETERS; attr par double 'par = 2.5;'; echo PERFORMANCE FUNCTIONS; echo TUNING POINTS; point l SetVariableValue 'value: /# 123456789012 #/' endpoint; point c SetVariableValue 'value: /# 98 #/' endpoint; point s SetVariableValue 'value: /# 0 - 5 #/' 'syncfunction: ends' 'syncplace: exit' endpoint; point f SetVariableValue 'value: /# 2.5 #/' endpoint; point d SetVariableValue 'value: /# 2.25 #/' 'syncfunction: begins' 'syncplace: entry' endpoint; point t SetVariableValue 'value: /# 2 #/' endpoint; point element SetVariableValue 'value: /# 7 #/' endpoint; point member SetVariableValue 'value: /# 0.25 #/' endpoint; point once OnTimeFuncCall 'value: /# 5 #/' ATTRS 'id: par' 'id: 3' endpoint; point begins InsertFunctionCall 'value: /# "insert" #/' 'place: exit' ATTRS 'id: 4' endpoint; point removed RemoveFuncCall endpoint; point whole FuncParamChange 'idx: 2' 'req: true' 'value: /# 9 #/' 'syncfunction: ends' 'syncplace: entry' endpoint; point real FuncParamChange 'idx: 1' 'req: true' 'value: /# 7.5 #/' endpoint; echo ENDTUNLET; } >points.tsl; weft tunlet check points.tsl
points.tsl: tunlet 'points': 0 errors, 0 warnings, 8 notes (shown with --all)
$ gcc -O2 -g -o points points.c; weft tune check ./points points.tsl | grep -v '^predicted'
event 'B' of p: ok
event 'W' of p: ok
event 'E' of p: ok
point 'l' of p: ok
point 'c' of p: ok
point 's' of p: ok
point 'f' of p: ok
point 'd' of p: ok
point 't' of p: cannot be tuned: 'vt' is a text: only numbers can be set
point 'element' of p: ok
point 'member' of p: ok
point 'once': ok
point 'begins': ok
point 'removed': ok
point 'whole': ok
point 'real': ok
$ said() { grep -oE '(Set|OnTime|Insert|Remove|FuncParam)[A-Za-z]+ [a-z]+.*' $1 | sed -E 's/; in force.*//' | sort; }; weft tune -q -t points.tsl --report report.txt -- ./points; said report.txt
98 -5 123456789012 2.5 2.25 one 7 0.25 once 3030 inserted 4 removed 0 whole 19 real 77
FuncParamChange real = 7.5, was 1
FuncParamChange whole = 9, was 2
InsertFunctionCall begins = insert
OnTimeFuncCall once = 5
RemoveFuncCall removed
SetVariableValue c = 98, was 97
SetVariableValue d = 2.25, was 1
SetVariableValue element = 7, was 6
SetVariableValue f = 2.5, was 1
SetVariableValue l = 123456789012, was 1
SetVariableValue member = 0.25, was 0.5
SetVariableValue s = -5, was 1
SetVariableValue t = 2: cannot be done: 'vt' is a text: only numbers can be set
$ grep -oE 'iter.number=[0-9]+ .*' report.txt | sed -n '3p; $p' | sed 's/number=[0-9]*/number=N/'
iter.number=N iter.big=1 iter.el=6 iter.w=44.5
iter.number=N iter.big=123456789012 iter.el=7 iter.w=44.5
$ sed 's|/# 2 #/|/# "two" #/|' points.tsl >text.tsl; weft tunlet check text.tsl
text.tsl:2:7: warning: the tunlet is called 'points', its file 'text.tsl': copied? [file-name]
     2 | name: points
       |       ^~~~~~
       | fix: name:text
text.tsl:252:13: error: 't' cannot be set to a text: only to numbers [type]
   252 |   value: /# "two" #/
       |             ^~~~~
text.tsl: tunlet 'points': 1 error, 1 warning, 8 notes (shown with --all)
? 2

## Without debug information: the declared types; what has none is said.
$ gcc -O2 -s -rdynamic -o points points.c; weft tune check ./points points.tsl | grep -v ': ok$' | grep -v '^predicted'
event 'B' of p: cannot be measured: no variable 'step' in this process: its executable has no symbols (it was stripped)
event 'E' of p: cannot be measured: no variable 'step' in this process: its executable has no symbols (it was stripped)
point 't' of p: cannot be tuned: 'vt' is a text: only numbers can be set
point 'element' of p: cannot be tuned: in 'vp->next->m[1][2]', a thing whose type is not known has no member 'next'
point 'member' of p: cannot be tuned: in 'vx.d', a thing whose type is not known has no member 'd'
