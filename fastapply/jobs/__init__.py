"""What command line, batches and servers share: from a request to a job, from its outcome to JSON and text.

options ─ request ─▶ Request ─ configuration ─▶ Job ─ workspace ─▶ Outcome, or an error ─┬─ objects ─▶ JSON
└─ texts ─▶ lines
"""
