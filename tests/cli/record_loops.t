## SPDX-License-Identifier: Apache-2.0
## needs: gcc clang
## tags: builds=release,debug
## A loop that goes back to a function's first instruction is no entry: what is counted is right, or refused.
$ cat >loops.c <<'END'
> #include <stdio.h>
> __attribute__((noinline)) unsigned halves(unsigned n)
> {
> 	unsigned k = 0;
> 	while (n >>= 1)
> 		k++;
> 	return k;
> }
> extern unsigned down(unsigned n, unsigned m), turns(unsigned n);
> __asm__(".text\n.globl down, turns\n.type down, @function\n.type turns, @function\n"
>         "down: dec %edi\n jnz down\n mov %esi, %eax\n add $1, %eax\n ret\n.size down, .-down\n"
>         "turns: endbr64\n1: dec %edi\n jnz 1b\n mov %edi, %eax\n add $1, %eax\n ret\n.size turns, .-turns\n");
> int main(void)
> {
> 	unsigned all = 0;
> 	for (unsigned k = 1; k <= 2000; k++)
> 		all += halves(k) + down(k, 1) + turns(k);
> 	printf("%u\n", all);
> 	return 0;
> }
> END

$ for how in 'gcc -O0' 'gcc -O2' 'gcc -O3 -no-pie' 'clang -O1' 'clang -O2 -no-pie'; do
>   $how -o loops loops.c
>   weft record -q --force -o h.weft --probe halves -- ./loops
>   weft dump h.weft | grep -c ' enter  *halves'
> done
23964
2000
23964
2000
23964
2000
23964
2000
23964
2000

$ weft record -q -o d.weft --probe down --probe turns -- ./loops
23964
weft record: warning: nothing was watched by --probe 'down': cannot instrument 'down': a loop in it goes back to its first instruction, so that each turn would count as an entry
weft record: warning: nothing was watched by --probe 'turns': cannot instrument 'turns': a loop in it goes back to its first instruction, so that each turn would count as an entry
