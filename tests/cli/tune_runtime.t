## SPDX-License-Identifier: Apache-2.0
## needs: gcc
## tags: builds=release,debug timeout=180
## weft tune with the task runtime's counters and knobs: nothing is patched. Values are those of a program of known shape; knobs turn as decided.
$ cat >rounds.c <<'END'
> #include <starpu_top.h>
> #include <stdio.h>
> #include <unistd.h>
> static int go_on = 1;
> static void work(void *b[], void *a) { (void)b, (void)a; usleep(1000); }
> static struct starpu_codelet codelet = {.cpu_funcs = {work}, .name = "work"}, other = {.cpu_funcs = {work}, .name = "other"};
> int main(int argc, char **argv)
> {
> 	unsigned long most = argc > 1 ? (unsigned long)atoi(argv[1]) : 1000000;
> 	if (starpu_init(NULL))
> 		return 1;
> 	starpu_top_register_parameter_boolean("go_on", &go_on, NULL);
> 	for (unsigned long i = 0; i < most && __atomic_load_n(&go_on, __ATOMIC_RELAXED); i++) {
> 		starpu_iteration_push(100 + i);
> 		for (int k = 0; k < 10; k++)
> 			starpu_task_insert(k < 7 ? &codelet : &other, 0);
> 		starpu_task_wait_for_all();
> 		starpu_iteration_pop();
> 	}
> 	starpu_shutdown();
> 	return 3;
> }
> END
$ gcc rounds.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libstarpu-1.4.so" -Wl,-rpath,"$WEFT_BUILD" -o rounds
$ export WEFT_LIVE="$PWD/live" STARPU_NCPU=4 STARPU_NOPENCL=0 STARPU_SILENT=1; mkdir -m 700 live
$ v() { printf 'variable\n  id: %s\n  path: %s\n  comment: /* v */\n  source: asVarValue\n  type: %s\n  actorId: %s\nendvariable\n' "$@"; }; e() { printf 'event\n  id: %s\n  actorId: %s\n  controliter: %s\n  utility: always\n  method: %s\n  class: runtime\n  place: %s\n  iteration: %s\nATTRS\n' "$1" "$2" "$3" "$4" "$5" "$6"; shift 6; printf '  id: %s\n' "$@"; echo endevent; }; a() { printf '  id: %s\n  comment: /* a */\n  type: %s\n  inic: /# %s = 0; #/\n  depinic: none\n  value: /# %s #/\n  cum: false\n  dependency: %s\n' "$1" "$2" "$1" "$3" "${4:-none}"; }
$ spec() { printf 'TUNLET\nname: %s\ncomment: /* t */\ninclude: math.h\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n' "$1"; v n number int p; v nw number int w; v who worker int w; v sub starpu.task.g_total_submitted int p; v all starpu.task.w_total_executed int p; v own starpu.task.w_total_executed int w; v second "starpu.task.w_total_executed@1" int p; v on "${4:-enabled_workers}" int p; v seven "starpu.task.c_total_executed@work" int p; v three "starpu.task.c_total_executed@other" int p; v us starpu.task.c_cumul_execution_time double p; v ready ready int p; v alpha starpu.dmda.s_alpha_knob double p; echo EVENTS; e B p begin "$2" entry n n on; e E p end "$2" exit n n sub all second seven three us on ready; e W w no "$2" exit nw nw who own; printf 'ACTORS\nactor\n  id: p\n  min: 1\n  max: 1\n  completion: /# done > 0 #/\n  class: none\n  exe: any\nATTRS\n'; a done int 'p[0].done = 1;' E; echo endactor; printf 'actor\n  id: w\n  min: 1\n  max: 64\n  completion: /# done > 0 #/\n  class: runtime\n  exe: any\nATTRS\n'; a done int 'w[W.id].done = 1;' W;  a own double 'w[W.id].own = W.own;' W; a off int 'w[W.id].off = W.who - W.id;' W; echo endactor; echo ITERATION INFORMATION; for i in sub all second seven three us ready; do a $i double "iter.$i = E.$i;" E; done; a number int 'iter.number = B.n;' B; a ended int 'iter.ended = E.n;' E; a before int 'iter.before = B.on;' B; a after int 'iter.after = E.on;' E; echo MODEL PARAMETERS; a sum double '{ sum = 0; for (int i = 0; i < count(w); i++) sum = sum + w[i].own; }'; a off int '{ off = 0; for (int i = 0; i < count(w); i++) off = off + w[i].off; }'; a workers int 'workers = count(w);'; a rounds int 'rounds = rounds + 1;'; echo PERFORMANCE FUNCTIONS; echo TUNING POINTS; printf 'point\n  id: on\n  kind: SetVariableValue\n  class: runtime\n  value: /# %s #/\n  cond: /# rounds == 5 #/\nendpoint\nENDTUNLET\n' "$3"; }

## Ten tasks an iteration, seven of one codelet: so each iteration's end says, of the whole, of the codelets, and the workers together.
$ spec rounds iteration 2 >rounds.tsl; weft tune check ./rounds rounds.tsl | grep -v predicted
event 'B' of p: ok
event 'E' of p: ok
event 'W' of w: ok
point 'on' of p: ok
$ weft tune -q -t rounds.tsl --report report -- ./rounds 60; echo $?; grep -oE 'SetVariableValue on = 2, was [0-9]+' report
3
SetVariableValue on = 2, was 4
$ value() { sed -nE "s/.* $1=(-?[0-9.e+]+).*/\1/p" report; }; steps() { value $1 | awk 'NR > 1 { print $1 - last } { last = $1 }' | sort | uniq -c | awk '{ print $2 }'; }; for i in iter.sub iter.all sum iter.seven iter.three iter.number iter.ended; do echo $i $(steps $i); done; [ $(value sum | wc -l) -ge 40 ] && value workers | sort -u; value off | sort -u
iter.sub 10
iter.all 10
sum 10
iter.seven 7
iter.three 3
iter.number 1
iter.ended 1
4
0
$ paste <(value iter.sub) <(value iter.all) <(value sum) <(value iter.seven) <(value iter.three) | awk '$1 != $2 || $2 != $3 || $1 != $4 + $5 { print }'; paste <(value iter.all) <(value iter.us) | awk '$2 < $1 * 1000 { print }'
$ value iter.before | uniq; value iter.after | uniq; value rounds | tail -n 1 | awk '{ print ($1 >= 40) }'
4
2
4
2
1

## The worker that is off has nothing more to do: what it executed stays.
$ spec one iteration 1 >one.tsl; weft tune -q -t one.tsl --report report -- ./rounds 60; value iter.second | tail -n 45 | uniq | wc -l
1

## Time and counters bound iterations, too; a program that says none has none.
$ spec time 'every 10ms' 2 >time.tsl; weft tune -q -t time.tsl --report report -- ./rounds 60; steps iter.number; value sum | awk '$1 < last { print } { last = $1 }'; value sum | awk '{ s = $1 } END { print (s > 300) }'
1
1
$ spec count 'every 50 starpu.task.w_total_executed' 2 >count.tsl; weft tune -q -t count.tsl --report report -- ./rounds 60; steps iter.number; value sum | awk 'NR > 1 && $1 - last < 50 { print } { last = $1 }' | wc -l
1
0

## What the runtime refuses is said, and nothing changes; what it does not know stops everything beforehand.
$ spec many iteration 9 >many.tsl; weft tune -t many.tsl --report report -- ./rounds 40 2>&1 | grep -o "on = 9 cannot.*"; value iter.after | sort -u
on = 9 cannot be done: 1 to 4 workers can be on, not 9
4
$ spec wrong iteration 1 enabeld_workers >wrong.tsl; weft tune -t wrong.tsl -- touch ran; echo $?; ls ran
wrong.tsl:66:9: error: the runtime has no counter, knob or figure 'enabeld_workers': did you mean 'enabled_workers'? [runtime]
    66 |   path: enabeld_workers
       |         ^~~~~~~~~~~~~~~
weft tune: error: 'wrong.tsl' has errors: it cannot run
2
ls: cannot access 'ran': No such file or directory
? 2
$ spec wrong 'every now and then' 1 starpu.task.w_total_executed >wrong.tsl; weft tunlet check wrong.tsl | grep -o 'error: .*' | sort | uniq -c | sed 's/^ *//'
3 error: 'every now and then' is neither a time from 1ms on nor a number and a counter [runtime]
1 error: this can be read, and not be set [runtime]
$ spec wrong iteration 1 starpu.worker.w_enable_worker_knob@x >wrong.tsl; weft tunlet check wrong.tsl | grep -o 'error: .*' | sort -u
error: 'x' is not whose 'starpu.worker.w_enable_worker_knob' can be [runtime]
$ weft tune check sleep rounds.tsl | grep -o "'on'.*\|'B'.*"
'B' of p: cannot be measured: the program is not linked with the task runtime (libstarpu-1.4)
'on' of p: cannot be tuned: the program is not linked with the task runtime (libstarpu-1.4)
$ weft tune -t rounds.tsl -- sh -c 'exit 4' 2>&1 | grep -o "'B' cannot.*" | sort -u; WEFT_LIVE=off weft tune -t rounds.tsl -- ./rounds 3 2>&1 | grep -o "'B' cannot.*" | sort -u
'B' cannot be measured: the process has never begun the task runtime
'B' cannot be measured: live channels are switched off (WEFT_LIVE=off)

## A program that runs already: undone at the end where that is asked for; when weft tune is killed, knobs stay, counting ends, and the program runs on.
$ enabled() { weft top --once --json $subject | jq -c '[(.knobs[] | select(.name == "starpu.worker.w_enable_worker_knob").values), (.counters | length)]'; }
$ spec later 'every 20ms' 1 >later.tsl; ./rounds & subject=$!; until weft top --list | grep -q rounds; do :; done; weft tune -t later.tsl --undo --attach $subject 2>talk & tuner=$!; until grep -q 'on = 1, was 4' talk; do :; done; enabled; kill -INT $tuner; wait $tuner; enabled
[[1,0,0,0],4]
[[1,1,1,1],0]
$ weft tune -t later.tsl --attach $subject 2>talk & tuner=$!; until grep -q 'on = 1, was 4' talk; do :; done; kill -KILL $tuner; wait $tuner 2>/dev/null; until [ "$(enabled)" = '[[1,0,0,0],0]' ]; do :; done; weft top --set go_on=0 $subject; wait $subject; echo $?
3

## The knob itself, of one worker and of all.
$ spec knob iteration 0 starpu.worker.w_enable_worker_knob@2 >knob.tsl; weft tune -q -t knob.tsl --report report -- ./rounds 40; grep -oE 'on = 0, was [0-9]' report; value iter.after | uniq
on = 0, was 1
1
0

## The language knows all that the runtime has.
$ cat >names.c <<'END'
> #include <starpu.h>
> #include <starpu_perf_steering.h>
> #include <stdio.h>
> int main(void)
> {
> 	static const char *const scopes[] = {"global", "per_worker", "per_codelet", "per_scheduler"};
> 	if (starpu_init(NULL))
> 		return 1;
> 	for (int s = 0; s < 4; s++) {
> 		int counters = s < 3 ? starpu_perf_counter_scope_name_to_id(scopes[s]) : 0, knobs = s != 2 ? starpu_perf_knob_scope_name_to_id(scopes[s]) : 0;
> 		for (int i = 0; s < 3 && i < starpu_perf_counter_nb((enum starpu_perf_counter_scope)counters); i++)
> 			printf("counter %s\n", starpu_perf_counter_id_to_name(starpu_perf_counter_nth_to_id((enum starpu_perf_counter_scope)counters, i)));
> 		for (int i = 0; s != 2 && i < starpu_perf_knob_nb((enum starpu_perf_knob_scope)knobs); i++)
> 			printf("knob %s\n", starpu_perf_knob_id_to_name(starpu_perf_knob_nth_to_id((enum starpu_perf_knob_scope)knobs, i)));
> 	}
> 	starpu_shutdown();
> 	return 0;
> }
> END
$ gcc names.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libstarpu-1.4.so" -Wl,-rpath,"$WEFT_BUILD" -o names; ./names >names.txt; grep -c counter names.txt; grep -c knob names.txt; while read -r kind name; do spec wrong iteration 1 $name >wrong.tsl; weft tunlet check wrong.tsl | grep -o 'error: .*' | sort -u | sed "s/^/$kind /"; done <names.txt | sort | uniq -c | sed 's/^ *//'
10
10
10 counter error: this can be read, and not be set [runtime]

## The tunlets that come with Weft, on the examples of docs/tunlets.md. The first decisions follow from the model: half of the workers; the greatest ratio.
$ ln -s "$WEFT_BUILD"/examples/starpu/changing_{load,bus} .; weft tune check ./changing_load workers | grep -v predicted; weft tune check ./changing_bus dmda | grep -v predicted
event 'Begins' of program: ok
event 'Ends' of program: ok
point 'enabled' of program: ok
event 'Begins' of program: ok
event 'Ends' of program: ok
point 'alpha' of program: ok
point 'beta' of program: ok
$ STARPU_NCPU=8 weft tune -q -t workers --report report -- ./changing_load 0 2 500 | grep -c 'apart.*together'; grep -oE 'enabled = [0-9]+, was [0-9]+' report | head -n 1
1
enabled = 4, was 8
$ STARPU_HOME="$PWD" weft tune -q -t dmda --report report -- ./changing_bus 1 1 12 | grep -c 'idle bus'; grep -oE '(alpha|beta) = [0-9.]+, was [0-9.]+' report | head -n 2 | sort
1
alpha = 1, was 1
beta = 256, was 1
