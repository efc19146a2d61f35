# Completion of fastapply for bash, written by "fastapply completion bash"
_fastapply_completion() {
    local kind= word
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS=$'\t' read -r word _; do
            COMPREPLY+=("$word")
        done
    } < <(_FASTAPPLY_COMPLETE=words "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case $kind in
        files) ;;
        folders) compopt +o default -o dirnames 2>/dev/null ;;
        *) compopt +o default 2>/dev/null ;;
    esac
}
complete -o default -F _fastapply_completion fastapply
