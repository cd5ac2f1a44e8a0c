//! Paths and addresses, taken apart and put together.

use std::collections::BTreeMap;
use std::sync::Arc;

use core_pattern::slash_path;
use gotmpl::Value;

use super::{Call, Table};
use crate::value;

pub(super) const TABLE: Table = &[
    ("base", |call| Ok(base(&call.text(0)?).into())),
    ("dir", |call| Ok(directory(&call.text(0)?).into())),
    ("clean", |call| Ok(slash_path::clean(&call.text(0)?).into())),
    ("ext", |call| Ok(extension(&call.text(0)?).into())),
    ("isAbs", |call| Ok(Value::Bool(call.text(0)?.starts_with('/')))),
    ("osBase", |call| Ok(base(&call.text(0)?).into())),
    ("osDir", |call| Ok(directory(&call.text(0)?).into())),
    ("osClean", |call| Ok(slash_path::clean(&call.text(0)?).into())),
    ("osExt", |call| Ok(extension(&call.text(0)?).into())),
    ("osIsAbs", |call| Ok(Value::Bool(call.text(0)?.starts_with('/')))),
    ("urlParse", parse_url),
    ("urlJoin", join_url),
];

fn base(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".".to_owned(),
        "" => "/".to_owned(),
        path => path.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

fn directory(path: &str) -> String {
    slash_path::clean(path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or_default())
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rfind('.').and_then(|start| name.get(start..)).unwrap_or_default()
}

/// The parts of an address, by name.
fn parse_url(call: &Call<'_>) -> Result<Value, String> {
    let text = call.text(0)?;
    let (rest, fragment) = text.split_once('#').unwrap_or((&text, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (scheme, rest),
        _ => ("", rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or((rest, ""), |end| rest.split_at(end)),
        None => ("", rest),
    };
    let is_opaque = !scheme.is_empty() && authority.is_empty() && !path.starts_with('/');
    let (opaque, path) = if is_opaque { (path, "") } else { ("", path) };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let parts = [
        ("scheme", scheme.to_lowercase()),
        ("userinfo", user.to_owned()),
        ("host", host.to_owned()),
        ("hostname", host_name(host).to_owned()),
        ("path", path.to_owned()),
        ("query", query.to_owned()),
        ("opaque", opaque.to_owned()),
        ("fragment", fragment.to_owned()),
    ];
    let parts = parts.into_iter().map(|(name, part)| (Arc::from(name), Value::from(part)));
    Ok(parts.collect::<BTreeMap<Arc<str>, Value>>().into())
}

fn is_scheme(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    text.starts_with(|letter: char| letter.is_ascii_alphabetic()) && text.bytes().all(is_inner)
}

/// The host without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

fn join_url(call: &Call<'_>) -> Result<Value, String> {
    let parts = call.map(0)?;
    let part = |name: &str| parts.get(name).map(value::text).unwrap_or_default();
    let marked = |before: &str, text: String, after: &str| match text.as_str() {
        "" => String::new(),
        text => format!("{before}{text}{after}"),
    };
    let opaque = part("opaque");
    let body = if opaque.is_empty() {
        let user = marked("", part("userinfo"), "@");
        let authority = marked("//", format!("{user}{}", part("host")), "");
        let path = part("path");
        let separator =
            if authority.is_empty() || path.is_empty() || path.starts_with('/') { "" } else { "/" };
        format!("{authority}{separator}{path}")
    } else {
        opaque
    };
    let (scheme, query) = (marked("", part("scheme"), ":"), marked("?", part("query"), ""));
    Ok(format!("{scheme}{body}{query}{}", marked("#", part("fragment"), "")).into())
}
