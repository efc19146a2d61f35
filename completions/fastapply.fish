# Completion of fastapply for fish, written by "fastapply completion fish"
function __fastapply_answers
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (env _FASTAPPLY_COMPLETE=words fastapply $before[2..-1] "$current" 2>/dev/null)
    switch "$answer[1]"
        case words
            printf '%s\n' $answer[2..-1]
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
end
complete --command fastapply --no-files --keep-order --arguments '(__fastapply_answers)'
