"""Which node types of which grammars define something, and how they are named: tables only."""

from __future__ import annotations

import re

KINDS: dict[str, str] = {
    # node type -> kind, where the pattern below does not see it
    "class": "class",
    "module": "module",
    "method": "function",
    "singleton_method": "function",
    "function": "function",
    "procedure": "function",
    "subroutine": "function",
    "defun": "function",
    "defProc": "function",
    "function_item": "function",
    "local_function_statement": "function",
    "function_statement": "function",
    "named_block": "function",
    "decl_def": "function",
    "let_binding": "function",
    "value_definition": "function",
    "constructor_declaration": "function",
    "constructor_definition": "function",
    "compact_constructor_declaration": "function",
    "secondary_constructor": "function",
    "init_declaration": "function",
    "deinit_declaration": "function",
    "destructor_declaration": "function",
    "method_elem": "function",
    "property_declaration": "property",
    "type_spec": "type",
    "type_alias": "type",
    "type_item": "type",
    "union_item": "type",
    "type_definition": "type",
    "type_declaration": "type",
    "type_alias_declaration": "type",
    "type_alias_statement": "type",
    "internal_module": "module",
    "mod_item": "module",
    "impl_item": "impl",
    "preproc_function_def": "macro",
    "rule_set": "rule",
    "rule": "rule",
    "media_statement": "rule",
    "supports_statement": "rule",
    "keyframes_statement": "rule",
    "at_rule": "rule",
    "mixin_statement": "rule",
    "message": "type",
    "enum": "type",
    "service": "type",
    "rpc": "function",
    "table": "toml_table",
    "table_array_element": "toml_table",
    "section": "section",
    "block": "block",
    "model_block": "block",
    "enum_block": "block",
    "key_value_block": "block",
    "block_mapping_pair": "key",
    "pair": "key",
    "attribute": "key",
    "call_expression": "call",
    "call": "call",
    "function_call": "call",
    "variable_declarator": "value",
    "assignment_expression": "value",
    "assignment_statement": "value",
    "public_field_definition": "value",
    "field_definition": "value",
    "assignment": "value",
    "binary_operator": "value",
    "var_spec": "value",
    "const_spec": "value",
    "const_item": "value",
    "static_item": "value",
    "init_declarator": "value",
}
DEFINES = re.compile(
    r"(?:^|_)(function|method|class|struct|structure|enum|interface|trait|module|namespace|protocol|object"
    r"|record|union|macro|procedure|subroutine|task|contract|service|extension|mixin|event|shape)"
    r"(?:_signature|_type)?"
    r"_(?:def|defn|definition|decl|declaration|item|specifier|statement|implementation|interface)$"
)
KIND_OF_WORD = {
    **dict.fromkeys(("function", "method", "procedure", "subroutine", "task"), "function"),
    **dict.fromkeys(("class", "object", "trait", "interface", "protocol", "contract", "mixin"), "class"),
    **dict.fromkeys(("struct", "structure", "enum", "record", "union", "shape", "service", "event"), "type"),
    **dict.fromkeys(("module", "namespace"), "module"),
    "macro": "macro",
    "extension": "impl",
}
CREATES = re.compile(
    r"create_(table|view|materialized_view|function|index|trigger|schema|type|sequence|procedure)$"
)
NEEDS_BODY = re.compile(r"(struct|class|enum|union)_specifier$")
NO_DEFINITION = frozenset(
    {
        "module_item",
        "object_declaration_list",
        "class_heritage",
        "module_statement",
        "namespace_use_declaration",
        "function_definition_header",
        "enum_member_declaration",
        "enum_case_definitions",
        "interface_statement",
        "nested_namespace_specifier",
        "function_statement_or_null",
    }
)
OPEN = frozenset(  # looked into even where they stand on one line
    {
        "export_statement",
        "expression_statement",
        "body_statement",
        "lexical_declaration",
        "variable_declaration",
        "decorated_definition",
        "template_declaration",
        "ambient_declaration",
        "type_declaration",
        "declaration",
        "statement",
        "type_definition",
    }
)
WRAPS = frozenset(  # the definition inside begins and ends with these
    {
        "export_statement",
        "decorated_definition",
        "template_declaration",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "type_declaration",
        "expression_statement",
        "declaration",
        "statement",
    }
)
ATTACHED = re.compile(r"comment|^attribute_item$|^inner_attribute_item$|^decorator$|^annotation$|^pragma")
BODIES = ("body", "block", "value", "consequence", "fields", "members", "content")
FUNCTION_VALUES = re.compile(
    r"^(arrow_function|function_expression|function|generator_function|class|func_literal"
    r"|function_definition|anonymous_function|lambda)$"
)
TEST_CALLS = frozenset(
    {
        "describe",
        "it",
        "test",
        "context",
        "suite",
        "specify",
        "feature",
        "scenario",
        "fdescribe",
        "fit",
        "xdescribe",
        "xit",
        "bench",
        "step",
    }
)
ELIXIR_DEFINES = {
    "def": "function",
    "defp": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defguard": "function",
    "defmodule": "module",
    "defprotocol": "class",
    "defimpl": "impl",
}
FIXED_NAMES = {
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "secondary_constructor": "constructor",
    "constructor_definition": "constructor",
}
NAME_TYPES = re.compile(
    r"(identifier|^name|_name|^constant|^word|object_reference|^targets|variable|atom|^symbol|^label)$"
)
