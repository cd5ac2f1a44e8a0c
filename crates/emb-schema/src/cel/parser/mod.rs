//! Tokens to a syntax tree, by recursive descent. Depth is bounded, so hostile sources cannot exhaust the stack.

mod primary;

use super::{
    ast::{Access, Call, Expr, Kind, Literal, Macro, MacroKind, Operator, Style},
    function::Function,
    lexer::{Token, TokenKind, tokenize},
    program::CompileError,
};

/// Brackets may be nested this deep.
const DEPTH_LIMIT: usize = 64;
/// The tree may be this deep: a long sum is a deep tree without any bracket.
const TREE_LIMIT: usize = 200;
/// Sources longer than this are refused.
const LENGTH_LIMIT: usize = 32 << 10;

pub(super) fn parse(source: &str) -> Result<Expr, CompileError> {
    if source.len() > LENGTH_LIMIT {
        return Err(CompileError { at: 0, problem: "expression is too long".to_owned() });
    }
    let mut parser = Parser { tokens: tokenize(source)?, next: 0, depth: 0 };
    let expr = parser.expression()?;
    match parser.peek() {
        TokenKind::End => Ok(expr),
        other => parser.unexpected(&other.clone()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

type Parsed<T = Expr> = Result<T, CompileError>;

/// A node of the tree, unless the tree gets too deep.
fn grown(at: usize, kind: Kind) -> Parsed {
    let expr = Expr::new(at, kind);
    if expr.depth > TREE_LIMIT {
        return error(at, "expression recursion limit exceeded");
    }
    Ok(expr)
}

fn error<T>(at: usize, problem: &str) -> Parsed<T> {
    Err(CompileError { at, problem: problem.to_owned() })
}

impl Parser {
    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.next).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |token| token.at)
    }

    fn advance(&mut self) -> TokenKind {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    /// Takes the mark if it comes next.
    fn take(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Mark(next) if *next == mark);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { self.unexpected(&self.peek().clone()) }
    }

    fn unexpected<T>(&self, token: &TokenKind) -> Parsed<T> {
        let shown = match token {
            TokenKind::Name(text)
            | TokenKind::Int(text)
            | TokenKind::Uint(text)
            | TokenKind::Double(text)
            | TokenKind::Text(text) => text.clone(),
            TokenKind::Bytes(_) => "bytes".to_owned(),
            TokenKind::Mark(mark) => (*mark).to_owned(),
            TokenKind::End => "<EOF>".to_owned(),
        };
        error(self.at(), &format!("Syntax error: mismatched input '{shown}'"))
    }

    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return error(self.at(), "expression recursion limit exceeded");
        }
        let condition = self.disjunction()?;
        let at = self.at();
        let expr = if self.take("?") {
            let then = self.disjunction()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let kind = Kind::Conditional {
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            };
            grown(at, kind)?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn disjunction(&mut self) -> Parsed {
        self.chain("||", Self::conjunction, Kind::Or)
    }

    fn conjunction(&mut self) -> Parsed {
        self.chain("&&", Self::relation, Kind::And)
    }

    /// Logical operators are flat, because rules chain many of them.
    fn chain(
        &mut self,
        mark: &str,
        operand: fn(&mut Self) -> Parsed,
        join: fn(Vec<Expr>) -> Kind,
    ) -> Parsed {
        let first = operand(self)?;
        let at = self.at();
        if !self.take(mark) {
            return Ok(first);
        }
        let mut operands = vec![first, operand(self)?];
        while self.take(mark) {
            operands.push(operand(self)?);
        }
        grown(at, join(operands))
    }

    fn relation(&mut self) -> Parsed {
        self.left_associative(Self::sum, |token| match token {
            TokenKind::Mark("==") => Some(Operator::Equal),
            TokenKind::Mark("!=") => Some(Operator::NotEqual),
            TokenKind::Mark("<") => Some(Operator::Less),
            TokenKind::Mark("<=") => Some(Operator::LessOrEqual),
            TokenKind::Mark(">") => Some(Operator::Greater),
            TokenKind::Mark(">=") => Some(Operator::GreaterOrEqual),
            TokenKind::Name(name) if name == "in" => Some(Operator::In),
            _ => None,
        })
    }

    fn sum(&mut self) -> Parsed {
        self.left_associative(Self::product, |token| match token {
            TokenKind::Mark("+") => Some(Operator::Add),
            TokenKind::Mark("-") => Some(Operator::Subtract),
            _ => None,
        })
    }

    fn product(&mut self) -> Parsed {
        self.left_associative(Self::unary, |token| match token {
            TokenKind::Mark("*") => Some(Operator::Multiply),
            TokenKind::Mark("/") => Some(Operator::Divide),
            TokenKind::Mark("%") => Some(Operator::Remainder),
            _ => None,
        })
    }

    fn left_associative(
        &mut self,
        operand: fn(&mut Self) -> Parsed,
        operator: fn(&TokenKind) -> Option<Operator>,
    ) -> Parsed {
        let mut left = operand(self)?;
        while let Some(operator) = operator(self.peek()) {
            let at = self.at();
            self.next += 1;
            let right = operand(self)?;
            let (left_side, right) = (Box::new(left), Box::new(right));
            left = grown(at, Kind::Binary { operator, left: left_side, right })?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let at = self.at();
        let mut nots = 0;
        while self.take("!") {
            nots += 1;
        }
        if nots > 0 {
            let operand = self.member()?;
            return if nots % 2 == 0 {
                Ok(operand)
            } else {
                grown(at, Kind::Not(Box::new(operand)))
            };
        }
        let mut minuses = 0;
        while self.take("-") {
            minuses += 1;
        }
        if minuses % 2 == 0 {
            return self.member();
        }
        if let TokenKind::Int(digits) = self.peek().clone() {
            let number = primary::integer(&format!("-{digits}"));
            return self.literal_then_members(at, number.map(Literal::Int));
        }
        let operand = self.member()?;
        grown(at, Kind::Negate(Box::new(operand)))
    }

    fn literal_then_members(&mut self, at: usize, literal: Option<Literal>) -> Parsed {
        let Some(literal) = literal else { return error(at, "invalid int literal") };
        self.next += 1;
        self.members(Expr::new(at, Kind::Literal(literal)))
    }

    fn member(&mut self) -> Parsed {
        let primary = self.primary()?;
        self.members(primary)
    }

    fn members(&mut self, mut operand: Expr) -> Parsed {
        loop {
            let at = self.at();
            let (optional_field, optional_index) = (self.take(".?"), self.take("[?"));
            if optional_field || self.take(".") {
                let access = if optional_field { Access::Optional } else { Access::Plain };
                operand = self.field_or_method(operand, at, access)?;
            } else if optional_index || self.take("[") {
                let index = Box::new(self.expression()?);
                self.expect("]")?;
                let access = if optional_index { Access::Optional } else { Access::Plain };
                let operand_side = Box::new(operand);
                operand = grown(at, Kind::Index { operand: operand_side, index, access })?;
            } else {
                return Ok(operand);
            }
        }
    }

    fn field_or_method(&mut self, operand: Expr, at: usize, access: Access) -> Parsed {
        let name = match self.advance() {
            TokenKind::Name(name) => name,
            other => return self.unexpected(&other),
        };
        let call_at = self.at();
        if access == Access::Plain && self.take("(") {
            if let Some(namespaced) = namespace_of(&operand, &name) {
                let name = format!("{namespaced}.{name}");
                let arguments = self.arguments(")")?;
                return Self::call(&name, Style::Global, arguments, call_at);
            }
            if let Some(kind) = MacroKind::parse(&name) {
                return self.comprehension(kind, operand, call_at);
            }
            let mut arguments = vec![operand];
            arguments.extend(self.arguments(")")?);
            return Self::call(&name, Style::Method, arguments, call_at);
        }
        grown(at, Kind::Select { operand: Box::new(operand), field: name.into(), access })
    }

    fn arguments(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.take(close) {
            if !arguments.is_empty() {
                self.expect(",")?;
                if self.take(close) {
                    break;
                }
            }
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    fn call(name: &str, style: Style, arguments: Vec<Expr>, at: usize) -> Parsed {
        if style == Style::Global && name == "has" {
            return Self::presence_test(arguments, at);
        }
        let Some(function) = Function::parse(name) else {
            return error(at, &format!("undeclared reference to '{name}' (in container '')"));
        };
        let call = Call { function, style, arguments, pattern: None };
        grown(at, Kind::Call(Box::new(call)))
    }

    fn presence_test(arguments: Vec<Expr>, at: usize) -> Parsed {
        let at_argument = arguments.first().map_or(at, |argument| argument.at);
        let mut arguments = arguments.into_iter();
        match (arguments.next(), arguments.next()) {
            (
                Some(Expr { kind: Kind::Select { operand, field, access: Access::Plain }, .. }),
                None,
            ) => grown(at, Kind::Select { operand, field, access: Access::Test }),
            _ => error(at_argument, "invalid argument to has() macro"),
        }
    }

    fn comprehension(&mut self, kind: MacroKind, range: Expr, at: usize) -> Parsed {
        let arguments = self.arguments(")")?;
        let three = kind == MacroKind::Map && arguments.len() == 3;
        if arguments.len() != 2 && !three {
            return error(at, "wrong number of arguments to macro");
        }
        let mut arguments = arguments.into_iter();
        let Some(Expr { kind: Kind::Name(variable), .. }) = arguments.next() else {
            return error(at, "argument must be a simple name");
        };
        let condition = if three { arguments.next() } else { None };
        let Some(body) = arguments.next() else {
            return error(at, "wrong number of arguments to macro");
        };
        let parts = Macro { kind, range, variable, condition, body };
        grown(at, Kind::Macro(Box::new(parts)))
    }
}

/// The name before the dot of a function that is called by both. A variable may be called `ip` or `format`, too.
fn namespace_of<'e>(operand: &'e Expr, function: &str) -> Option<&'e str> {
    match &operand.kind {
        Kind::Name(name) => match name.as_ref() {
            "optional" | "sets" | "lists" | "math" => Some(name),
            "ip" | "format" if Function::parse(&format!("{name}.{function}")).is_some() => {
                Some(name)
            }
            _ => None,
        },
        _ => None,
    }
}
