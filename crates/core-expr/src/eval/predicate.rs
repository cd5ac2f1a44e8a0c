//! Built-ins that evaluate a predicate for the elements of a list.

use std::sync::Arc;

use crate::ast::{Binary, NodeId};
use crate::builtin::{Builtin, Order, elements, merge_sort, wrong_type};
use crate::error::{Failure, Trouble};
use crate::eval::{Frame, Machine, operator};
use crate::limits::Budget;
use crate::text::Text;
use crate::value::{Data, List, ListKind, PairMap, Value, equal, less};

impl Machine<'_> {
    pub(super) fn predicate_builtin(
        &mut self,
        id: NodeId,
        builtin: Builtin,
        arguments: &[NodeId],
    ) -> Result<Value, Failure> {
        let (list, predicate, extra) = match arguments {
            [list] => (*list, None, None),
            [list, predicate] => (*list, Some(*predicate), None),
            [list, predicate, extra] => (*list, Some(*predicate), Some(*extra)),
            _ => return Err(self.fail(id, Trouble::from("wrong number of arguments"))),
        };
        let collection = self.evaluate(list)?;
        let rounds = rounds(&collection, self.budget);
        let (items, length) = self.located(list, rounds)?;
        let extra = extra.map(|extra| self.evaluate(extra)).transpose()?;
        self.frames.push(Frame { items, length, index: 0, accumulator: Value::NIL });
        let each = Each { id, predicate };
        let result = match builtin {
            Builtin::All => {
                self.first_index(each, false, false).map(|found| truth(found.is_none()))
            }
            Builtin::None => {
                self.first_index(each, true, false).map(|found| truth(found.is_none()))
            }
            Builtin::Any => self.first_index(each, true, false).map(|found| truth(found.is_some())),
            Builtin::One => self.count(each).map(|count| truth(count == 1)),
            Builtin::Count => {
                self.count(each).map(|count| Value::int(i64::try_from(count).unwrap_or(i64::MAX)))
            }
            Builtin::Find | Builtin::FindLast => {
                let found = self.first_index(each, true, builtin == Builtin::FindLast);
                found.and_then(|index| index.map_or(Ok(Value::NIL), |index| self.item(each, index)))
            }
            Builtin::FindIndex | Builtin::FindLastIndex => {
                let found = self.first_index(each, true, builtin == Builtin::FindLastIndex);
                let number = |index| i64::try_from(index).map_or(Value::NIL, Value::int);
                found.map(|index| index.map_or(Value::NIL, number))
            }
            Builtin::Filter => self.filter(each),
            Builtin::Map => self.map_list(each),
            Builtin::Sum => self.sum(each),
            Builtin::GroupBy => self.group(each),
            Builtin::SortBy => self.sort_by(each, extra),
            _ => self.reduce(each, extra),
        };
        self.frames.pop();
        let value = result?;
        self.collected(id, value)
    }

    fn len(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.length)
    }

    fn item(&self, each: Each, index: usize) -> Result<Value, Failure> {
        let item = self.frames.last().and_then(|frame| frame.items.items.get(index).cloned());
        item.ok_or_else(|| self.fail(each.id, Trouble::from("a map has no elements by index")))
    }

    /// The predicate for one element, or the element itself without one.
    fn given(&mut self, each: Each, index: usize) -> Result<Value, Failure> {
        if let Some(frame) = self.frames.last_mut() {
            frame.index = index;
        }
        if let Some(predicate) = each.predicate {
            return self.evaluate(predicate);
        }
        let step = self.budget.steps(1);
        self.located(each.id, step)?;
        self.item(each, index)
    }

    fn holds(&mut self, each: Each, index: usize) -> Result<bool, Failure> {
        let value = self.given(each, index)?;
        value.as_bool().ok_or_else(|| {
            let message = format!("predicate should return boolean (got {})", value.type_name());
            self.fail(each.id, Trouble::Invalid(message))
        })
    }

    /// The first element, from either end, for which the predicate is `wanted`.
    fn first_index(
        &mut self,
        each: Each,
        wanted: bool,
        backwards: bool,
    ) -> Result<Option<usize>, Failure> {
        let length = self.len();
        for step in 0..length {
            let index = if backwards { length - 1 - step } else { step };
            if self.holds(each, index)? == wanted {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn count(&mut self, each: Each) -> Result<usize, Failure> {
        let mut count = 0;
        for index in 0..self.len() {
            count += usize::from(self.holds(each, index)?);
        }
        Ok(count)
    }

    fn made(&mut self, each: Each, items: Vec<Value>) -> Result<Value, Failure> {
        let room = self.budget.elements(items.len());
        self.located(each.id, room)?;
        Ok(Value::list(items))
    }

    fn filter(&mut self, each: Each) -> Result<Value, Failure> {
        let mut kept = Vec::new();
        for index in 0..self.len() {
            if self.holds(each, index)? {
                kept.push(self.item(each, index)?);
            }
        }
        self.made(each, kept)
    }

    fn map_list(&mut self, each: Each) -> Result<Value, Failure> {
        let mut items = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            items.push(self.given(each, index)?);
        }
        self.made(each, items)
    }

    fn sum(&mut self, each: Each) -> Result<Value, Failure> {
        let mut sum = Value::int(0);
        for index in 0..self.len() {
            let item = self.given(each, index)?;
            let result = operator::apply(Binary::Add, &item, &sum, self.budget);
            sum = self.located(each.id, result)?;
        }
        Ok(sum)
    }

    fn group(&mut self, each: Each) -> Result<Value, Failure> {
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for index in 0..self.len() {
            let key = self.given(each, index)?;
            if matches!(key.data, Data::List(_) | Data::Map(_) | Data::Pairs(_) | Data::Bytes(_)) {
                let message = format!("cannot use {} as a key for groupBy", key.type_name());
                return Err(self.fail(each.id, Trouble::Invalid(message)));
            }
            let steps = self.budget.scan(key.weight().saturating_mul(groups.len()));
            self.located(each.id, steps)?;
            let item = self.item(each, index)?;
            match groups.iter_mut().find(|(known, _)| is_same_key(known, &key)) {
                Some((_, items)) => items.push(item),
                None => groups.push((key, vec![item])),
            }
        }
        let entries = groups.into_iter().map(|(key, items)| (key, Value::list(items))).collect();
        Ok(Data::Pairs(Arc::new(PairMap::new(entries, true))).into())
    }

    fn sort_by(&mut self, each: Each, order: Option<Value>) -> Result<Value, Failure> {
        let order = order.as_ref().map(Value::as_text);
        let order = match order {
            None => Ok(Order::Ascending),
            Some(name) => Order::named(name.map(Text::to_str).as_deref().unwrap_or_default()),
        };
        let order = self.located(each.id, order)?;
        let mut pairs = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let key = self.given(each, index)?;
            pairs.push((key, self.item(each, index)?));
        }
        let compare = |left: &(Value, Value), right: &(Value, Value)| order.less(&left.0, &right.0);
        let sorted = merge_sort(pairs, compare, self.budget);
        let sorted = self.located(each.id, sorted)?;
        self.made(each, sorted.into_iter().map(|(_, item)| item).collect())
    }

    fn reduce(&mut self, each: Each, initial: Option<Value>) -> Result<Value, Failure> {
        let (start, mut accumulator) = match initial {
            Some(initial) => (0, initial),
            None if self.len() > 0 => (1, self.item(each, 0)?),
            None => {
                let message = "reduce of empty array with no initial value";
                return Err(self.fail(each.id, Trouble::from(message)));
            }
        };
        for index in start..self.len() {
            if let Some(frame) = self.frames.last_mut() {
                frame.accumulator = accumulator;
            }
            accumulator = self.given(each, index)?;
        }
        Ok(accumulator)
    }
}

/// The elements over which a predicate goes, and how many rounds there are. Texts are bytes.
fn rounds(collection: &Value, budget: &mut Budget) -> Result<(Arc<List>, usize), Trouble> {
    let entries = match &collection.data {
        Data::List(list) => return Ok((Arc::clone(list), list.items.len())),
        Data::Map(map) => map.entries.len(),
        Data::Pairs(pairs) => pairs.entries.len(),
        Data::Text(text) | Data::Bytes(text) => {
            budget.elements(text.len())?;
            let bytes = Value::from(Data::Bytes(text.clone())).with_taint(collection.is_tainted());
            let items = elements(&bytes)?.into_owned();
            return Ok((Arc::new(List::new(items, ListKind::Any)), text.len()));
        }
        _ => return Err(wrong_type(collection, "array")),
    };
    Ok((Arc::new(List::new(Vec::new(), ListKind::Any)), entries))
}

/// The predicate of a call.
#[derive(Clone, Copy)]
struct Each {
    id: NodeId,
    predicate: Option<NodeId>,
}

fn truth(truth: bool) -> Value {
    Data::Bool(truth).into()
}

/// Keys are the same only if their types are.
fn is_same_key(left: &Value, right: &Value) -> bool {
    std::mem::discriminant(&left.data) == std::mem::discriminant(&right.data) && equal(left, right)
}

impl Order {
    /// Whether `left` comes first in this order.
    fn less(self, left: &Value, right: &Value) -> Result<bool, Trouble> {
        match self {
            Self::Ascending => less(left, right),
            Self::Descending => less(right, left),
        }
    }
}
