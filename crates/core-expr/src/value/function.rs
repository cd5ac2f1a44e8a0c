//! Functions that a caller puts among the variables, such as `request.header`.

use std::fmt;
use std::sync::Arc;

use crate::value::Value;

type Body = dyn Fn(&[Value]) -> Result<Value, String> + Send + Sync;

/// A function from outside the language. Its errors become errors of the expression.
#[derive(Clone)]
pub struct Function {
    parameters: usize,
    body: Arc<Body>,
}

impl Function {
    /// A function that takes exactly `parameters` arguments.
    pub fn new(
        parameters: usize,
        body: impl Fn(&[Value]) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        Self { parameters, body: Arc::new(body) }
    }

    pub(crate) fn call(&self, arguments: &[Value]) -> Result<Value, String> {
        if arguments.len() != self.parameters {
            return Err(format!(
                "invalid number of arguments: expected {}, got {}",
                self.parameters,
                arguments.len()
            ));
        }
        let tainted = arguments.iter().any(Value::is_tainted);
        (self.body)(arguments).map(|value| value.deeply_tainted_if(tainted))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function of {} parameters", self.parameters)
    }
}
