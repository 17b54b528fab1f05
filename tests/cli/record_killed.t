## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## weft record with programs that are compiled here: saving on a signal, and a kill.
## A signal to weft record saves the flight recorders of all processes.
$ cat >wait.c <<'END'
> #include <weft/record.h>
> #include <fcntl.h>
> #include <unistd.h>
> WEFT_REGION(work, "work", WEFT_STATE_RUNNING);
> int main(void) { for (int i = 0; i < 6000 && access("enough", 0); i++) { weft_enter(work); usleep(10000); weft_leave(work); close(creat("ready", 0666)); } return 0; }
> END
$ cc wait.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o wait 2>&1 | head -3
$ weft record -q --ring 1M --save-on USR1 -o wait.weft -- ./wait & until [ -e ready ]; do sleep 0.02; done
$ kill -USR1 $!; for i in $(seq 3000); do ls -d wait-*.weft >/dev/null 2>&1 && break; sleep 0.02; done
$ touch enough; wait $!; ls -d wait*.weft
wait-save1.weft
wait.weft

## Nor is a trace replaced that a process still records into, though weft record is gone.
$ rm -f enough ready; weft record -q -o orphan.weft -- ./wait & until [ -e ready ]; do sleep 0.02; done; kill -KILL $!; { wait $!; } 2>/dev/null; weft record -q --force -o orphan.weft -- true
weft record: error: 'orphan.weft' is being recorded by process [..]
? 2
$ touch enough; for i in $(seq 3000); do weft record -q --force -o orphan.weft -- true 2>/dev/null && break; sleep 0.02; done; ls -d orphan*
orphan.weft

## Nothing is lost when a process is killed.
$ cat >killed.c <<'END'
> #include <weft/record.h>
> #include <signal.h>
> WEFT_REGION(work, "work", WEFT_STATE_RUNNING);
> int main(void) { for (int i = 0; i < 100000; i++) { weft_enter(work); weft_leave(work); } raise(SIGKILL); }
> END
$ cc killed.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o killed 2>&1 | head -3
$ weft record -q -- ./killed
? 137

$ weft stat --csv killed.weft | cut -d, -f1-4
region,state,threads,calls
work,running,1,100000

## A trace that is being written can be read, and what changes meanwhile is no damage.
$ cat >busy.c <<'END'
> #include <weft/record.h>
> #include <fcntl.h>
> #include <unistd.h>
> WEFT_REGION(work, "work", WEFT_STATE_RUNNING);
> int main(void)
> {
> 	for (int i = 0; i < 3000 && access("done", 0); i++) {
> 		for (int k = 0; k < 5000; k++) { weft_enter(work); weft_leave(work); }
> 		usleep(10000);
> 		if (i == 20) close(creat("going", 0666));
> 	}
> 	return 0;
> }
> END
$ cc busy.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o busy 2>&1 | head -3
$ weft record -q -o busy.weft -- ./busy & until [ -e going ]; do sleep 0.02; done
$ weft check busy.weft >said; echo "$?" $(grep -c '^error' said) $(grep -o ': sound so far, and still being recorded' said)
0 0 : sound so far, and still being recorded
$ for i in 1 2 3; do weft stat busy.weft 2>&1 | awk '/changed while they were read/ { n++ } END { print (n > 1 ? "several lines" : "one line or none") }'; done
one line or none
one line or none
one line or none
$ weft check --json busy.weft | jq '.streams_live > 0 and .errors == 0'
true
$ touch done; wait $!; weft check busy.weft
busy.weft: sound; 2 streams[..]
