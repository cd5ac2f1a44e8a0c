//! The expression language of templates: lexer, parser, checker, evaluator, and the taint of secret values.
