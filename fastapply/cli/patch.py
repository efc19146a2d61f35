"""`fastapply patch [EDIT|-]`: an edit that names its own files; all of them change, or none."""

from fastapply.cli import options as opt
from fastapply.cli.run import Asked, read_clipboard, read_input, request_from, run
from fastapply.jobs.request import configured, make_job
from fastapply.workspace.changes import Outcome
from fastapply.workspace.patches import change_files


def command(  # noqa: PLR0917 - one parameter an option
    edit: opt.EditInput = None,
    root: opt.Root = ".",
    dry_run: opt.DryRun = False,
    check: opt.Check = False,
    json: opt.AsJson = False,
    instructions: opt.Instructions = "",
    format_name: opt.Format = None,
    engine: opt.EngineName = None,
    endpoint: opt.Endpoint = None,
    model: opt.ModelName = None,
    full_file: opt.FullFile = False,
    conversation: opt.Conversation = None,
    gpu_layers: opt.GpuLayers = None,
    threads: opt.Threads = None,
    ctx_size: opt.CtxSize = None,
    model_timeout: opt.ModelTimeout = None,
    stage: opt.Stage = None,
    require_clean: opt.RequireClean = None,
    backup: opt.Backup = None,
    pick: opt.Pick = None,
    allow: opt.Allow = None,
    min_certainty: opt.MinCertainty = None,
    undo: opt.Undo = None,
    keep_log: opt.KeepLog = None,
    quiet: opt.Quiet = None,
    verbose: opt.Verbose = False,
    review: opt.Review = False,
    clipboard: opt.Clipboard = False,
    smooth: opt.Smooth = None,
) -> int:
    """Apply an edit that names its files. Either all of them change, or none.

    The edit can change, create, delete and move files below --root.
    """
    request = request_from(locals())

    request = configured(request, root)
    asked = Asked(root)

    def work() -> Outcome:
        job = make_job(request, root=root)
        if request.review:
            from fastapply.cli.review import with_review

            job = with_review(job, request, None if request.clipboard else edit or "-")
        data = asked.edit = read_clipboard(edit) if request.clipboard else read_input(edit, "fastapply patch")
        return change_files(root, data, job)

    return run(request, work, path=None, asked=asked)
