## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## needs: gcc
## weft top: a program that waits to be started, is looked at in every form, has its knobs and parameters turned, and ends.
$ cat >subject.c <<'END'
> #include <starpu_top.h>
> #include <unistd.h>
> static int go_on = 1, level = 3;
> static void work(void *b[], void *a) { (void)b, (void)a; usleep(200); }
> static struct starpu_codelet codelet = {.cpu_funcs = {work}, .name = "work"};
> int main(void)
> {
> 	if (starpu_init(NULL))
> 		return 1;
> 	starpu_top_register_parameter_boolean("go_on", &go_on, NULL);
> 	starpu_top_register_parameter_integer("level", &level, 0, 10, NULL);
> 	struct starpu_top_data *d = starpu_top_add_data_integer("shown", 0, 100, 1);
> 	starpu_top_init_and_wait("a subject");
> 	while (__atomic_load_n(&go_on, __ATOMIC_RELAXED)) {
> 		starpu_top_update_data_integer(d, 10 * __atomic_load_n(&level, __ATOMIC_RELAXED));
> 		starpu_task_insert(&codelet, 0);
> 		starpu_task_wait_for_all();
> 	}
> 	starpu_shutdown();
> 	return 7;
> }
> END
$ gcc subject.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libstarpu-1.4.so" -Wl,-rpath,"$WEFT_BUILD" -o subject
$ export WEFT_LIVE="$PWD/live" STARPU_NCPU=2 STARPU_NOPENCL=0 STARPU_SILENT=1; mkdir -m 700 live
$ weft top --list; weft top
pid  program  kind
weft top: error: no program can be looked at: it needs Weft's runtime or records, and its user must be you
? 1
$ ./subject & subject=$!; until weft top --once --json subject 2>/dev/null | grep -q '"waits_for_start":"a subject"'; do :; done; weft top --list | sed "s/$subject/PID/;s/  */ /g;s/^ //"
pid program kind
PID subject runtime

## It is started once. Samples in each form.
$ weft top --start subject; weft top --start $subject
weft top: error: the program does not wait to be started
? 1
$ weft top --json --count 3 --rate 100 subject | jq -c '[.sample, (.pid > 0), .program, (.workers | length), (.tasks | keys), .data[0].name, .parameters[1].name]'
[0,true,"subject",2,["executed","ready","submitted"],"shown","level"]
[1,true,"subject",2,["executed","ready","submitted"],"shown","level"]
[2,true,"subject",2,["executed","ready","submitted"],"shown","level"]
$ weft top --json --count 2 --rate 20 subject | jq -r 'def keys_in: if type == "object" then (keys_unsorted[], (.[] | keys_in)) elif type == "array" then .[] | keys_in else empty end; keys_in' | sort -u >keys; mandoc -Tascii "$WEFT_SOURCE/docs/man/weft-top.1" | sed "s/.$(printf '\b')//g" | tr -cs 'A-Za-z0-9_' '\n' | sort -u | comm -13 - keys
$ weft top --csv --count 2 --rate 50 subject >csv; head -n 1 csv; grep -c weft_tasks_executed_total csv; grep -o 'weft_data.*' csv | head -n 1; grep -o 'weft_knob,"knob=starpu.worker.w_enable.*' csv | head -n 2
time_s,metric,labels,value
2
weft_data,"name=shown",30
weft_knob,"knob=starpu.worker.w_enable_worker_knob worker=0",1
weft_knob,"knob=starpu.worker.w_enable_worker_knob worker=1",1
$ weft top --count 2 --rate 50 subject | grep -c -e '^subject' -e 'CPU [01]' -e 'the program.s values' -e 'to turn'
10

## Parameters and knobs; what cannot be.
$ weft top --set level=8 --knob starpu.worker.w_enable_worker_knob=0@1 --count 20 --rate 100 --json subject | tail -n 1 | jq -c '[.data[0].value, (.knobs[] | select(.name == "starpu.worker.w_enable_worker_knob").values)]'
[80,[1,0]]
$ weft top --set level=11 subject
weft top: error: 'level' is from 0 to 10, not '11'
? 1
$ weft top --set none=1 subject
weft top: error: there is no parameter 'none'
? 1
$ weft top --set level subject
weft top: error: 'level' is not NAME=VALUE
? 2
$ weft top --knob starpu.worker.w_enable_worker_knob=0@9 subject
weft top: error: 'starpu.worker.w_enable_worker_knob' is a worker's: 0 to 1
? 1
$ weft top --rate 0 subject
weft top: error: --rate is more than 0 and at most 1000
Try 'weft top --help'.
? 2
$ weft top nobody
weft top: error: no program 'nobody' can be looked at ('weft top --list' lists those that can)
? 1
$ weft top --export 1.2.3:x subject
weft top: error: --export wants PORT or ADDRESS:PORT, not '1.2.3:x'
? 2

## Over another machine's shell; for Prometheus; under the old name.
$ printf '#!/bin/sh\nshift\nexec "$@"\n' >there; chmod +x there; weft top --on there --ssh ./there --json --once subject | jq .program
"subject"
$ weft top --on -x --ssh ./there subject
weft top: error: '-x' is no host
? 2
$ : >where; weft top --export 0 subject 2>where & exporter=$!; until port=$(sed -n 's,.*127.0.0.1:\([0-9]*\)/metrics,\1,p' where) && [ -n "$port" ]; do :; done; until exec 9<>/dev/tcp/127.0.0.1/$port && printf 'GET /metrics HTTP/1.1\r\n\r\n' >&9 && cat <&9 >page && grep -q executing page; do :; done; kill $exporter; tr -d '\r' <page | sed -n '1p;/^# TYPE weft_tasks/p;s/^\(weft_data{.*}\).*/\1/p'
HTTP/1.1 200 OK
# TYPE weft_tasks_submitted gauge
# TYPE weft_tasks_ready gauge
# TYPE weft_tasks_executed_total counter
weft_data{name="shown"}
$ ln -s "$(command -v weft)" starpu_top; ./starpu_top --list | wc -l
2

## Who looks when the program ends is told so; nothing is left.
$ (sleep 0.2; weft top --set go_on=false subject) & weft top --json --rate 20 subject | tail -n 1 | jq .program; wait $subject; echo $?; ls live
"subject"
7
