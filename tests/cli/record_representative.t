## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq
## tags: builds=release,debug timeout=120
## A recording that keeps only what is new. The program does one thing, then another, then the first again: two of each are kept.
$ cat >kinds.c <<'END'
> #include <weft/record.h>
> #include <pthread.h>
> #include <unistd.h>
> WEFT_REGION(all, "all", WEFT_STATE_RUNNING);
> WEFT_REGION(a, "a", WEFT_STATE_RUNNING);
> WEFT_REGION(b, "b", WEFT_STATE_RUNNING);
> WEFT_REGION(inner, "inner", WEFT_STATE_RUNNING);
> static weft_counter steps;
> static weft_flow arrow;
> static void part(int n, int is_b, int thread) {
>   static int done;
>   for (int i = 0; i < n; i++) {
>     if (is_b) weft_enter(b); else weft_enter(a);
>     for (int k = 0; k < (is_b ? 2 : 200); k++) { weft_enter(inner); weft_leave(inner); }
>     if (!thread) { weft_flow_out(arrow, i + 1000 * is_b); weft_flow_in(arrow, i + 1000 * is_b); weft_count(steps, ++done); }
>     usleep(4000);
>     if (is_b) weft_leave(b); else weft_leave(a);
>   }
> }
> static void *work(void *arg) { int t = arg != 0; weft_enter(all); part(300, 0, t); part(100, 1, t); part(300, 0, t); weft_leave(all); return 0; }
> int main(void) {
>   pthread_t t;
>   steps = weft_define_counter("steps", "", 0);
>   arrow = weft_define_flow("arrow", 0);
>  pthread_create(&t, 0, work, &t); work(0); pthread_join(t, 0); }
> END
$ cc kinds.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o kinds
$ weft record -q --off samples,io,threads,counters --representative --tolerance 0.4 -o new.weft -- ./kinds
$ weft record -q --off samples,io,threads,counters -o all.weft -- ./kinds
## Both kinds are there, some hundred of 1400 steps; the file is a fraction.
$ weft stat --csv new.weft | awk -F, '$1 == "a" || $1 == "b" {print $1, ($4 > 20 && $4 < 1000)}' | sort
a 1
b 1
$ test $(du -sb new.weft | cut -f1) -lt $(du -sb all.weft | cut -f1) && echo smaller
smaller
## What is left is sound: regions, arrows, the counter's last value.
$ weft check new.weft | tail -1 | sed 's/, .*//'
new.weft: sound; 2 streams
$ weft info --json new.weft | jq -c '[.dropped, .problems]'
[0,0]
$ weft dump new.weft | awk '$3 == "flow_out" {o++} $3 == "flow_in" {i++} $3 == "counter" {c = $NF} END {print o, i, c}'
700 700 700
$ weft stat new.weft | tail -1 | sed 's/[0-9.]* s in [0-9]*/N s in N/'
N s in N stretches were left out, which resemble kept ones (weft phases --left-out): this is of the rest.
## Each kind: kept at most twice; together as many stretches as there were time, but for the last.
$ weft phases --left-out new.weft --json | jq -c '[([.[] | .kept] | max), ([.[] | .left_out] | add > 5), ([.[] | (.kept + .left_out) / .kept - .weight | fabs] | max < 0.001), ([.[] | .left_out_ns == .left_out * 100000000] | all)]'
[2,true,true,true]
$ weft phases --left-out all.weft --csv
kind,kept,left_out,left_out_ns,weight
$ weft record --stretch 10ms -- true 2>&1 | head -1
weft record: error: --stretch and --tolerance need --representative
$ weft record --representative --ring 1M -- true 2>&1 | head -1
weft record: error: --representative excludes --ring
$ weft record --representative --stretch 10us -- true 2>&1 | head -1
weft record: error: option '--stretch': expected 1ms or more
$ weft record --representative --tolerance 2 -- true 2>&1 | head -1
weft record: error: option '--tolerance': expected a number from 0 to 1
$ weft phases --left-out --iterations new.weft 2>&1 | head -1
weft phases: error: option '--left-out' goes with none of --output, --iterations, --cut
