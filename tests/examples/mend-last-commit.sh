#!/bin/sh
# Let a coding model mend what the last commit did to FILE, and stage its edit for the next one.
#
#     AGENT='llm -m some-model' mend-last-commit.sh FILE 'what to mend'
#
# AGENT is any command that reads a prompt on standard input and writes its reply on standard output.
# The exit status is that of fastapply: 0 the edit is staged, 1 it was refused and FILE is as it was.
set -u
file=$1
task=$2

{
    fastapply prompt
    printf '\nThe last commit:\n\n'
    git show --no-color --no-ext-diff HEAD -- "$file"
    printf '\nThe file `%s` is now:\n\n' "$file"
    cat "$file"
    printf '\nYour task: %s\n' "$task"
} | sh -c "$AGENT" | fastapply apply --require-clean --stage "$file" -
