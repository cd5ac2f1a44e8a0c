//! The `format` keyword: which names are known, and what a string of a format looks like.
//!
//! Like kube-apiserver, an unknown name restricts nothing and draws a warning; dashes in names do not matter.

mod code;
mod network;
mod time;

use crate::node::{JsonType, Types};

pub(crate) use time::duration;

/// A known format with the text that messages show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) text: Box<str>,
    pub(crate) name: FormatName,
}

/// The formats that restrict a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatName {
    Int32,
    Int64,
    Float,
    Double,
    BsonObjectId,
    Uri,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    /// Any version, or the one given.
    Uuid(Option<char>),
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    SocialSecurityNumber,
    HexColor,
    RgbColor,
    Base64,
    Password,
    Date,
    DateTime,
    Duration,
    ShortName,
    LongName,
}

impl FormatName {
    /// The format `name` on a schema of these types; `None` if it is unknown there.
    pub(crate) fn parse(types: Types, name: &str) -> Option<Self> {
        match types {
            Types::One(JsonType::Integer) => match name {
                "int32" => Some(Self::Int32),
                "int64" => Some(Self::Int64),
                _ => None,
            },
            Types::One(JsonType::Number) => match name {
                "float" => Some(Self::Float),
                "double" => Some(Self::Double),
                _ => None,
            },
            Types::Any | Types::IntOrString | Types::One(JsonType::String) => Self::of_string(name),
            Types::One(JsonType::Object | JsonType::Array | JsonType::Boolean) => None,
        }
    }

    fn of_string(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").as_str() {
            "bsonobjectid" => Self::BsonObjectId,
            "uri" => Self::Uri,
            "email" => Self::Email,
            "hostname" => Self::Hostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "cidr" => Self::Cidr,
            "mac" => Self::Mac,
            "uuid" => Self::Uuid(None),
            "uuid3" => Self::Uuid(Some('3')),
            "uuid4" => Self::Uuid(Some('4')),
            "uuid5" => Self::Uuid(Some('5')),
            "isbn" => Self::Isbn,
            "isbn10" => Self::Isbn10,
            "isbn13" => Self::Isbn13,
            "creditcard" => Self::CreditCard,
            "ssn" => Self::SocialSecurityNumber,
            "hexcolor" => Self::HexColor,
            "rgbcolor" => Self::RgbColor,
            "byte" => Self::Base64,
            "password" => Self::Password,
            "date" => Self::Date,
            "datetime" => Self::DateTime,
            "duration" => Self::Duration,
            "k8sshortname" => Self::ShortName,
            "k8slongname" => Self::LongName,
            _ => return None,
        })
    }

    /// Whether `text` has this format; number formats say nothing about text.
    pub(crate) fn admits(self, text: &str) -> bool {
        match self {
            Self::Int32 | Self::Int64 | Self::Float | Self::Double | Self::Password => true,
            Self::BsonObjectId => {
                text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            Self::Uri => network::is_request_uri(text),
            Self::Email => network::is_email(text),
            Self::Hostname => network::is_hostname(text),
            Self::Ipv4 => text.contains('.') && network::is_address(text),
            Self::Ipv6 => text.contains(':') && network::is_address(text),
            Self::Cidr => network::is_cidr(text),
            Self::Mac => network::is_mac(text),
            Self::Uuid(version) => code::is_uuid(text, version),
            Self::Isbn => code::is_isbn10(text) || code::is_isbn13(text),
            Self::Isbn10 => code::is_isbn10(text),
            Self::Isbn13 => code::is_isbn13(text),
            Self::CreditCard => code::is_credit_card(text),
            Self::SocialSecurityNumber => code::is_social_security_number(text),
            Self::HexColor => code::is_hex_color(text),
            Self::RgbColor => code::is_rgb_color(text),
            Self::Base64 => code::is_base64(text),
            Self::Date => time::is_date(text),
            Self::DateTime => time::is_date_time(text),
            Self::Duration => duration(text).is_some(),
            Self::ShortName => network::is_short_name(text),
            Self::LongName => text.len() <= 253 && text.split('.').all(network::is_name_segment),
        }
    }
}

#[cfg(test)]
mod tests;
