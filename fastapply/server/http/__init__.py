"""`fastapply serve`: HTTP for clients of apply services.

========================= ====================================================================
POST /v1/chat/completions OpenAI's form, with one user message as Morph's and Relace's clients
                          send it (see `bodies`), or with the file as ``prediction``
POST /v1/code/apply       Relace's form: ``initial_code``, ``edit_snippet``, ``instruction``
GET  /v1/models           OpenAI's list
GET  /healthz             ``{"status": "ok"}``
GET  /metrics             Prometheus text
========================= ====================================================================

Texts come in and go out; no path of the server's disk is read or written. Errors have OpenAI's form:
``{"error": {"message", "type", "param", "code", ...}}``. A refusal is a 422, its ``code`` the reason,
with ``hint``, ``candidates``, ``always`` and ``findings`` as under `--json`.
"""
