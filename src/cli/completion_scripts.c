/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripts of shells. Each hands on the words up to the one that is being typed, and takes a line for each that it may be, with an
 * explanation behind a tab, and what the shell itself completes as a last line like ":files".
 */
#include "completion.h"

/* bash splits words at '=', too, and replaces only what stands behind it. */
static const char bash_script[] =
	"# bash completion of weft: made by 'weft completion bash'\n"
	"_weft()\n"
	"{\n"
	"\tlocal i word line typed glue= words=()\n"
	"\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $word == '=' && ${words[-1]-} == --* && ${words[-1]} != *=* ]]; then\n"
	"\t\t\twords[-1]+='='\n"
	"\t\t\tglue=yes\n"
	"\t\telif [[ $glue ]]; then\n"
	"\t\t\twords[-1]+=$word\n"
	"\t\t\tglue=\n"
	"\t\telse\n"
	"\t\t\twords+=(\"$word\")\n"
	"\t\tfi\n"
	"\tdone\n"
	"\ttyped=${words[-1]}\n"
	"\t[[ $typed != --*=* ]] || typed=${typed#*=}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase $line in\n"
	"\t\t:files) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$typed\");;\n"
	"\t\t:folders) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$typed\");;\n"
	"\t\t:commands) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -c -f -- \"$typed\");;\n"
	"\t\t*)\n"
	"\t\t\tline=${line%%$'\\t'*}\n"
	"\t\t\t[[ ${words[-1]} != --*=* ]] || line=${line#*=}\n"
	"\t\t\tCOMPREPLY+=(\"$line\");;\n"
	"\t\tesac\n"
	"\tdone < <(command weft completion words -- \"${words[@]}\" 2>/dev/null)\n"
	"}\n"
	"complete -o filenames -F _weft weft\n";

static const char zsh_script[] =
	"#compdef weft\n"
	"# zsh completion of weft: made by 'weft completion zsh'\n"
	"_weft()\n"
	"{\n"
	"\tlocal line rest=\n"
	"\tlocal -a offered\n"
	"\tfor line in \"${(@f)$(command weft completion words -- \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
	"\t\tcase $line in\n"
	"\t\t'') ;;\n"
	"\t\t:*) rest=$line;;\n"
	"\t\t*$'\\t'*) offered+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\");;\n"
	"\t\t*) offered+=(\"${line//:/\\\\:}\");;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t(( $#offered )) && _describe -V weft offered\n"
	"\t[[ $rest != :* || $PREFIX != --*=* ]] || compset -P '--*='\n"
	"\tcase $rest in\n"
	"\t:files) _files;;\n"
	"\t:folders) _files -/;;\n"
	"\t:commands) _command_names -e; _files;;\n"
	"\tesac\n"
	"}\n"
	"if [[ ${funcstack[1]-} == _weft ]]; then\n"
	"\t_weft \"$@\"\n"
	"else\n"
	"\tcompdef _weft weft\n"
	"fi\n";

static const char fish_script[] = "# fish completion of weft: made by 'weft completion fish'\n"
				  "function __weft_words\n"
				  "\tset -l before (commandline -opc)\n"
				  "\tset -l typed (commandline -ct)\n"
				  "\tset -e before[1]\n"
				  "\tset -l kept (string match -r -- '^--[^=]*=' $typed)\n"
				  "\tset -l path (string replace -r -- '^--[^=]*=' '' $typed)\n"
				  "\tfor line in (command weft completion words -- $before \"$typed\" 2>/dev/null)\n"
				  "\t\tswitch $line\n"
				  "\t\t\tcase :files\n"
				  "\t\t\t\tfor found in (__fish_complete_path \"$path\")\n"
				  "\t\t\t\t\techo -- \"$kept$found\"\n"
				  "\t\t\t\tend\n"
				  "\t\t\tcase :folders\n"
				  "\t\t\t\tfor found in (__fish_complete_directories \"$path\" '')\n"
				  "\t\t\t\t\techo -- \"$kept$found\"\n"
				  "\t\t\t\tend\n"
				  "\t\t\tcase :commands\n"
				  "\t\t\t\tcomplete -C \"$typed\"\n"
				  "\t\t\t\t__fish_complete_path \"$path\"\n"
				  "\t\t\tcase '*'\n"
				  "\t\t\t\techo -- $line\n"
				  "\t\tend\n"
				  "\tend\n"
				  "end\n"
				  "complete -c weft -f -k -a '(__weft_words)'\n";

const struct completion_shell completion_shells[] = {
	{"bash", bash_script},
	{"zsh", zsh_script},
	{"fish", fish_script},
	{NULL, NULL},
};
