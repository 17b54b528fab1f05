## SPDX-License-Identifier: Apache-2.0
## weft bound and starpu_lp2paje: what solvers print becomes a schedule; what is none is said.
$ ln -s "$WEFT_BUILD/weft" starpu_lp2paje; PATH=.:$PATH
$ cat >solution.txt <<'END'
> 
> Value of objective function: 6.25000000
> 
> Actual values of the variables:
> tmax                         6.25
> c0                           2.25
> s0                              0
> x0_0                            1
> x0_1                            0
> c1                           6.25
> s1                        2.24999
> x1_0                            1
> x1_1                     1e-11
> c2                            3.5
> s2                            0.5
> x2_0                            0
> x2_1                            1
> s3                              1
> c3                              1
> y0_1                            1
> 
> Actual values of the constraints:
> r0                              0
> 
> Dual values with upper and lower limits:
> s1                           1000
> END
$ weft bound solution.txt | grep -v '^%'
0 P 0 "Program"
0 W P "Worker"
1 S W "Task"
2 0 p P 0 "program"
2 0 w0 W p "worker 0"
2 0 w1 W p "worker 1"
4 0.000000000 S w0 "task 0"
4 0.000500000 S w1 "task 2"
5 0.002250000 S w0
4 0.002250000 S w0 "task 1"
5 0.003500000 S w1
5 0.006250000 S w0
3 0.006250000 w0 W
3 0.006250000 w1 W
3 0.006250000 p P
$ weft bound solution.txt | diff - <(starpu_lp2paje <solution.txt) && weft bound - <solution.txt | diff - <(starpu_lp2paje solution.txt) && weft bound solution.txt -o best.paje && weft bound solution.txt | diff - best.paje
$ weft stat -q best.paje --csv | cut -d, -f1,3 | sort
region,threads
task 0,1
task 1,1
task 2,1

## cbc's and glpsol's tables.
$ printf 'Optimal - objective value 2.00000000\n      0 tmax                   2                       0\n      2 c0                     2                       0\n      3 x0_3                   1                       0\n' | weft bound - | grep '^[45]'
4 0.000000000 S w3 "task 0"
5 0.002000000 S w3
$ printf '   No. Column name       Activity     Lower bound   Upper bound\n------ ------------    ------------- ------------- -------------\n     1 tmax                        2             0               \n     2 s0                          1             0               \n     3 c0                          2             0               \n     4 x0_0         *              1             0             1 \n' | weft bound - | grep '^[45]'
4 0.001000000 S w0 "task 0"
5 0.002000000 S w0

## What is no schedule.
$ weft bound none.txt
weft bound: error: cannot open 'none.txt': no such file or directory
? 2
$ sed 's/^x0_0 .*/x0_0 0.5/; s/^x0_1 .*/x0_1 0.5/' solution.txt | weft bound -
weft bound: error: '-': task 0 runs on several workers: solve it with whole numbers
? 2
$ sed 's/^s1 .*/s1 2/' solution.txt | weft bound -
weft bound: error: '-': tasks 0 and 1 are both on worker 0 at 2 ms
? 2
$ sed 's/^c2 .*/c2 0.25/' solution.txt | weft bound -
weft bound: error: '-': task 2 begins at 0.5 ms and ends at 0.25 ms
? 2
$ echo 'This problem is infeasible' | weft bound -
weft bound: error: '-' has no schedule: the solver says 'This problem is infeasible'
? 2
$ printf 'tmax 3\nn0_0 2\n' | weft bound -
weft bound: error: '-' says how many tasks, not when: begin the bound with dependencies (starpu_bound_start(1, 0))
? 2
$ echo nothing | weft bound -
weft bound: error: '-' is not what a solver prints of a bound: there is neither 'tmax' nor a task
? 2
$ printf 's0 1\ns99999999999 1\n' | weft bound -; echo 'x0_99999 1' | weft bound -; echo 'c0 soon' | weft bound -; echo 'c0 inf' | weft bound -
weft bound: error: -:2: a task of too high a number
weft bound: error: -:1: a worker of too high a number
weft bound: error: -:1: no value behind a variable's name
weft bound: error: -:1: no value behind a variable's name
? 2
$ printf 'a\0b' | weft bound -
weft bound: error: '-' is no text
? 2
$ weft bound
weft bound: error: expected SOLUTION
Try 'weft bound --help'.
? 2
$ echo nothing | starpu_lp2paje
starpu_lp2paje: error: '-' is not what a solver prints of a bound: there is neither 'tmax' nor a task
? 1
$ starpu_lp2paje --wrong 2>&1 | head -1; starpu_lp2paje -v | grep -o '^starpu_lp2paje (StarPU 1.4'
usage: lp_solve tasks.lp | starpu_lp2paje [FILE] >paje.trace
starpu_lp2paje (StarPU 1.4

## A full disk.
$ weft bound solution.txt >/dev/full
weft bound: error: cannot write 'standard output': no space left on device
? 2
