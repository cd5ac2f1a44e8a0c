//! Which arguments the functions of the libraries take, and the types of their results.

use super::Library;
use crate::cel::{function::Function as F, types::Type as T};

/// The type of what a function makes of a text.
pub(in crate::cel) fn constructed<'n>(function: F) -> Option<T<'n>> {
    Some(match function {
        F::IsIp | F::IsCanonicalIp | F::IsCidr | F::IsQuantity | F::IsUrl => T::Bool,
        F::Ip => T::Item(Library::Address),
        F::Cidr => T::Item(Library::Network),
        F::ToQuantity => T::Item(Library::Quantity),
        F::ToUrl => T::Item(Library::Url),
        F::FormatNamed => T::Optional(Box::new(T::Item(Library::Format))),
        _ => return None,
    })
}

/// The type of a method of a value of a library.
pub(in crate::cel) fn method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let (receiver, rest) = arguments.split_first()?;
    let library = match receiver {
        T::Item(library) => Some(*library),
        T::Dyn => None,
        _ => return None,
    };
    let is = |wanted: Library| library.is_none_or(|library| library == wanted);
    let found = match rest {
        [] => without_argument(function),
        [one] => with_argument(function, one),
        _ => None,
    };
    found.filter(|(wanted, _)| is(*wanted)).map(|(_, result)| result)
}

fn without_argument<'n>(function: F) -> Option<(Library, T<'n>)> {
    Some(match function {
        F::Family => (Library::Address, T::Int),
        F::IsUnspecified
        | F::IsLoopback
        | F::IsLinkLocalMulticast
        | F::IsLinkLocalUnicast
        | F::IsGlobalUnicast => (Library::Address, T::Bool),
        F::Ip => (Library::Network, T::Item(Library::Address)),
        F::Masked => (Library::Network, T::Item(Library::Network)),
        F::PrefixLength => (Library::Network, T::Int),
        F::AsInteger => (Library::Quantity, T::Int),
        F::IsInteger => (Library::Quantity, T::Bool),
        F::AsApproximateFloat => (Library::Quantity, T::Double),
        F::Scheme | F::Host | F::Hostname | F::Port | F::EscapedPath => (Library::Url, T::Text),
        F::Query => (Library::Url, T::Map(Box::new(T::Text), Box::new(T::List(Box::new(T::Text))))),
        _ => return None,
    })
}

fn with_argument<'n>(function: F, argument: &T<'n>) -> Option<(Library, T<'n>)> {
    let (library, result) = match function {
        F::ContainsIp | F::ContainsCidr => (Library::Network, T::Bool),
        F::Add | F::Sub => (Library::Quantity, T::Item(Library::Quantity)),
        F::IsGreaterThan | F::IsLessThan => (Library::Quantity, T::Bool),
        F::CompareTo => (Library::Quantity, T::Int),
        F::Validate => (Library::Format, T::Optional(Box::new(T::List(Box::new(T::Text))))),
        _ => return None,
    };
    let fits = match argument {
        T::Dyn => true,
        T::Item(Library::Address) => function == F::ContainsIp,
        T::Item(Library::Network) => function == F::ContainsCidr,
        T::Text => matches!(library, Library::Network | Library::Format),
        T::Item(Library::Quantity) => library == Library::Quantity,
        T::Int => matches!(function, F::Add | F::Sub),
        _ => false,
    };
    fits.then_some((library, result))
}
