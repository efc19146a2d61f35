#!/bin/sh
# Let a coding model change FILE, and send it every refusal until its edit fits.
#
#     AGENT='llm -m some-model' agent-loop.sh FILE 'what to do'
#
# AGENT is any command that reads a prompt on standard input and writes its reply on standard
# output. Status 0: the file is changed; 1: no edit fitted in three attempts; others as fastapply's.
set -u
file=$1
task=$2

prompt=$(mktemp)
reply=$(mktemp)
refusal=$(mktemp)
trap 'rm -f "$prompt" "$reply" "$refusal"' EXIT

{
    fastapply prompt
    printf '\nThe file `%s` is:\n\n' "$file"
    cat "$file"
    printf '\nYour task: %s\n' "$task"
} >"$prompt"

for attempt in 1 2 3; do
    sh -c "$AGENT" <"$prompt" >"$reply" || exit 1
    fastapply apply "$file" - --instructions "$task" <"$reply" 2>"$refusal"
    status=$?
    cat "$refusal" >&2
    if [ "$status" -ne 1 ]; then
        exit "$status"
    fi
    {
        printf '\nYour edit number %s was:\n\n' "$attempt"
        cat "$reply"
        printf '\nIt was refused:\n\n'
        cat "$refusal"
        printf '\nSend a better edit.\n'
    } >>"$prompt"
done
exit 1
