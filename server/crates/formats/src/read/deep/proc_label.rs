//! The identity of a procedure: a predicate or function with its mode, or code that the compiler
//! generated for a type.

use super::input::Input;
use crate::error::{At, ReadError};
use std::fmt;

/// A procedure, as the profiler identifies it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProcLabel {
    /// A predicate or function of a program.
    User {
        is_function: bool,
        /// The module that declares it.
        declared_in: String,
        /// The module that contains its code; another one if it was specialized there.
        defined_in: String,
        name: String,
        /// The number of arguments, as the file states it: some compilers include the result of a
        /// function.
        arity: u32,
        mode: u32,
    },
    /// Unification, comparison and the like, generated for a type.
    Special {
        type_name: String,
        type_module: String,
        defined_in: String,
        /// `__Unify__`, `__Compare__`, `__Index__`, `__CompareRep__`.
        name: String,
        type_arity: u32,
        mode: u32,
    },
}

impl ProcLabel {
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self, ReadError> {
        let start = input.at;
        let kind = input.byte()?;
        let mut text = || input.text().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match kind {
            0 | 1 => Ok(Self::User {
                is_function: kind == 1,
                declared_in: text()?,
                defined_in: text()?,
                name: text()?,
                arity: input.small("arity")?,
                mode: input.small("mode")?,
            }),
            2 => Ok(Self::Special {
                type_name: text()?,
                type_module: text()?,
                defined_in: text()?,
                name: text()?,
                type_arity: input.small("arity")?,
                mode: input.small("mode")?,
            }),
            _ => {
                let message = format!("a procedure is of kind {kind}; expected 0, 1 or 2");
                Err(ReadError::malformed(At::Byte(start as u64), message))
            }
        }
    }
}

impl ProcLabel {
    /// The module that declares it; for generated code, the module of the type.
    pub(super) fn module(&self) -> &str {
        match self {
            Self::User { declared_in, .. } => declared_in,
            Self::Special { type_module, .. } => type_module,
        }
    }
}

impl fmt::Display for ProcLabel {
    /// The name as Mercury's own tool shows it: `queens.safe/1-0`, with `+1` for functions, or
    /// `Unify for list.list/1`. Lambdas have the line where they are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { is_function, declared_in, name, arity, mode, .. } => {
                if let Some((kind, line)) = lambda(name) {
                    return write!(f, "{declared_in}.{kind} lambda line {line}");
                }
                let name = specialised(name);
                let result = if *is_function { "+1" } else { "" };
                write!(f, "{declared_in}.{name}/{arity}{result}-{mode}")
            }
            Self::Special { type_name, type_module, name, type_arity, .. } => {
                let operation = name.trim_matches('_');
                write!(f, "{operation} for {type_module}.{type_name}/{type_arity}")
            }
        }
    }
}

/// The kind and the line of a lambda expression.
fn lambda(name: &str) -> Option<(&str, &str)> {
    // `IntroducedFrom__pred__NAME__LINE__N` of compilers before 2014.
    if let Some(rest) = name.strip_prefix("IntroducedFrom__") {
        let (kind, rest) = rest.split_once("__")?;
        let (rest, _) = rest.rsplit_once("__")?;
        let (_, line) = rest.rsplit_once("__")?;
        return is_number(line).then_some((kind, line));
    }
    // `lambda_MODULE_m_LINE`, or `lambda_MODULE_m_LINE_N`.
    let (_, rest) = name.strip_prefix("lambda_")?.rsplit_once("_m_")?;
    let line = rest.split('_').next().unwrap_or(rest);
    is_number(line).then_some(("pred", line))
}

/// The name of the predicate that a specialized one was made from:
/// `TypeSpecOf__pred__NAME__[...]`.
fn specialised(name: &str) -> &str {
    let of = |prefix: &str| name.strip_prefix(prefix)?.split_once("__[").map(|(name, _)| name);
    ["TypeSpecOf__pred__", "TypeSpecOf__func__", "TypeSpecOf__pred_or_func__"]
        .into_iter()
        .find_map(of)
        .unwrap_or(name)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(is_function: bool, name: &str, arity: u32) -> String {
        let module = || "m".to_owned();
        let name = name.to_owned();
        let (declared_in, defined_in) = (module(), module());
        ProcLabel::User { is_function, declared_in, defined_in, name, arity, mode: 0 }.to_string()
    }

    #[test]
    fn procedures_have_the_names_of_the_original() {
        assert_eq!(user(false, "safe", 1), "m.safe/1-0");
        assert_eq!(user(true, "empty", 1), "m.empty/1+1-0");
        assert_eq!(user(false, "IntroducedFrom__pred__main__12__1", 2), "m.pred lambda line 12");
        assert_eq!(user(false, "lambda_m_m_34", 2), "m.pred lambda line 34");
        assert_eq!(user(false, "TypeSpecOf__pred__insert__[K = int]", 4), "m.insert/4-0");
        let special = ProcLabel::Special {
            type_name: "list".to_owned(),
            type_module: "list".to_owned(),
            defined_in: "list".to_owned(),
            name: "__Unify__".to_owned(),
            type_arity: 1,
            mode: 0,
        };
        assert_eq!(special.to_string(), "Unify for list.list/1");
    }
}
