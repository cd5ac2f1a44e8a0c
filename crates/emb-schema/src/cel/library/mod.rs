//! Values of the libraries that Kubernetes adds to the language: addresses, networks, quantities, URLs and formats.

mod address;
mod named_format;
mod quantity;
mod signature;
#[cfg(test)]
mod tests;
mod url;

use std::{cmp::Ordering, net::IpAddr, rc::Rc};

use self::{
    address::{Network, is_link_local_multicast},
    quantity::Quantity,
    url::Url,
};
use super::{
    evaluate::Evaluated,
    function::Function as F,
    program::{EvalError, Meter},
    value::Val,
};

pub(super) use named_format::NamedFormat;
pub(super) use signature::{constructed, method};

/// Which library a value is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Address,
    Network,
    Quantity,
    Url,
    Format,
}

impl Library {
    /// The name of its type.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Address => "net.IP",
            Self::Network => "net.CIDR",
            Self::Quantity => "kubernetes.Quantity",
            Self::Url => "kubernetes.URL",
            Self::Format => "kubernetes.NamedFormat",
        }
    }
}

/// A value of a library.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Address(IpAddr),
    Network(Network),
    Quantity(Quantity),
    Url(Rc<Url>),
    Format(NamedFormat),
}

/// Makes a value from its text, or says whether that could be done.
pub(super) fn construct<'v>(function: F, text: &str) -> Evaluated<'v> {
    let tested = match function {
        F::IsIp => address::parse(text).is_ok(),
        F::IsCanonicalIp => address::parse(text).map_err(EvalError::failed)?.to_string() == text,
        F::IsCidr => Network::parse(text).is_ok(),
        F::IsQuantity => Quantity::parse(text).is_some(),
        F::IsUrl => Url::parse(text).is_some(),
        F::FormatNamed => {
            let found = NamedFormat::parse(text).map(|format| Val::Item(Item::Format(format)));
            return Ok(Val::Optional(found.map(Rc::new)));
        }
        _ => return make(function, text).map(Val::Item),
    };
    Ok(Val::Bool(tested))
}

fn make(function: F, text: &str) -> Result<Item, EvalError> {
    Ok(match function {
        F::Ip => Item::Address(address::parse(text).map_err(EvalError::failed)?),
        F::Cidr => Item::Network(Network::parse(text).map_err(EvalError::failed)?),
        F::ToQuantity => Item::Quantity(Quantity::parse(text).ok_or_else(|| {
            EvalError::failed("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
        })?),
        F::ToUrl => Item::Url(Rc::new(Url::parse(text).ok_or_else(|| {
            EvalError::failed("URL parse error during conversion from string: invalid URI for request")
        })?)),
        _ => return Err(EvalError::NoSuchOverload),
    })
}

impl Item {
    pub(super) fn library(&self) -> Library {
        match self {
            Self::Address(_) => Library::Address,
            Self::Network(_) => Library::Network,
            Self::Quantity(_) => Library::Quantity,
            Self::Url(_) => Library::Url,
            Self::Format(_) => Library::Format,
        }
    }

    /// The text that `string()` makes of it.
    pub(super) fn shown(&self) -> Option<String> {
        match self {
            Self::Address(address) => Some(address.to_string()),
            Self::Network(network) => Some(network.to_string()),
            Self::Quantity(_) | Self::Url(_) | Self::Format(_) => None,
        }
    }

    /// Calls a method.
    pub(super) fn call<'v>(
        &self,
        function: F,
        rest: &[Val<'v>],
        meter: &mut Meter,
    ) -> Evaluated<'v> {
        match self {
            Self::Address(address) if rest.is_empty() => call_address(function, *address),
            Self::Network(network) => call_network(function, network, rest),
            Self::Quantity(quantity) => call_quantity(function, *quantity, rest),
            Self::Url(url) if rest.is_empty() => call_url(function, url),
            Self::Format(format) => call_format(function, *format, rest, meter),
            Self::Address(_) | Self::Url(_) => Err(EvalError::NoSuchOverload),
        }
    }
}

/// `validate`: what is wrong with a text, or nothing.
fn call_format<'v>(
    function: F,
    format: NamedFormat,
    rest: &[Val<'v>],
    meter: &mut Meter,
) -> Evaluated<'v> {
    let (F::Validate, [Val::Text(text)]) = (function, rest) else {
        return Err(EvalError::NoSuchOverload);
    };
    meter.charge_text(text.len())?;
    let problems: Vec<Val<'v>> = format.problems(text).into_iter().map(Val::text).collect();
    Ok(if problems.is_empty() { Val::Optional(None) } else { Val::some(Val::list(problems)) })
}

fn call_address<'v>(function: F, address: IpAddr) -> Evaluated<'v> {
    Ok(Val::Bool(match function {
        F::Family => return Ok(Val::Int(if address.is_ipv4() { 4 } else { 6 })),
        F::IsUnspecified => address.is_unspecified(),
        F::IsLoopback => address.is_loopback(),
        F::IsLinkLocalMulticast => is_link_local_multicast(address),
        F::IsLinkLocalUnicast => address::is_link_local_unicast(address),
        F::IsGlobalUnicast => address::is_global_unicast(address),
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn call_network<'v>(function: F, network: &Network, rest: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match (function, rest) {
        (F::Ip, []) => Val::Item(Item::Address(network.address)),
        (F::Masked, []) => Val::Item(Item::Network(network.masked())),
        (F::PrefixLength, []) => Val::Int(network.prefix.into()),
        (F::ContainsIp, [one]) => match argument(F::Ip, one)? {
            Item::Address(address) => Val::Bool(network.contains(address)),
            _ => return Err(EvalError::NoSuchOverload),
        },
        (F::ContainsCidr, [one]) => match argument(F::Cidr, one)? {
            Item::Network(other) => Val::Bool(network.contains_network(&other)),
            _ => return Err(EvalError::NoSuchOverload),
        },
        _ => return Err(EvalError::NoSuchOverload),
    })
}

/// An argument that is a value of a library, or the text of one.
fn argument(constructor: F, value: &Val<'_>) -> Result<Item, EvalError> {
    match value {
        Val::Item(item) => Ok(item.clone()),
        Val::Text(text) => make(constructor, text),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn call_quantity<'v>(function: F, quantity: Quantity, rest: &[Val<'v>]) -> Evaluated<'v> {
    let other = match rest {
        [] => None,
        [Val::Item(Item::Quantity(other))] => Some(*other),
        [Val::Int(whole)] if matches!(function, F::Add | F::Sub) => Some(Quantity::whole(*whole)),
        _ => return Err(EvalError::NoSuchOverload),
    };
    let sum = |quantity| Ok(Val::Item(Item::Quantity(quantity)));
    match (function, other) {
        (F::Sign, None) => Ok(Val::Int(quantity.sign())),
        (F::IsInteger, None) => Ok(Val::Bool(quantity.as_integer().is_some())),
        (F::AsInteger, None) => quantity
            .as_integer()
            .map(Val::Int)
            .ok_or_else(|| EvalError::failed("cannot convert value to integer")),
        (F::AsApproximateFloat, None) => Ok(Val::Double(quantity.as_float())),
        (F::Add, Some(other)) => sum(quantity.plus(other)),
        (F::Sub, Some(other)) => sum(quantity.minus(other)),
        (F::IsGreaterThan, Some(other)) => Ok(Val::Bool(quantity > other)),
        (F::IsLessThan, Some(other)) => Ok(Val::Bool(quantity < other)),
        (F::CompareTo, Some(other)) => Ok(Val::Int(match quantity.cmp(&other) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn call_url<'v>(function: F, url: &Url) -> Evaluated<'v> {
    Ok(match function {
        F::Scheme => Val::text(&*url.scheme),
        F::Host => Val::text(&*url.host),
        F::Hostname => Val::text(url.hostname()),
        F::Port => Val::text(url.port()),
        F::EscapedPath => Val::text(url.escaped_path()),
        F::Query => {
            let entries = url.query().into_iter().map(|(name, values)| {
                (Val::text(name), Val::list(values.into_iter().map(Val::text).collect()))
            });
            Val::Map(entries.collect())
        }
        _ => return Err(EvalError::NoSuchOverload),
    })
}
