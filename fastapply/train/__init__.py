"""Making apply models: a tokenizer, a decoder from scratch, fine-tuning a public base, export to GGUF.

Needs the extra ``fastapply[train]``, and nothing of `fastapply apply` imports it. Checkpoints are folders in
the layout of Hugging Face (``config.json``, ``model.safetensors``, ``tokenizer.json``).
"""
