//! Regular expressions that the schemas put on text fields.
//!
//! The dialect is RE2: `\w` and `\d` are ASCII only. Whoever compiles them with another engine has
//! to ask for ASCII classes.

/// A DNS subdomain: the form of object names.
pub const NAME: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// The name of a variable in an expression.
pub const VARIABLE: &str = r"^[a-zA-Z_]\w*$";

/// A duration in hours, minutes and seconds only: no sign, no smaller unit, no bare zero.
pub const DURATION: &str = r"^([0-9]+(\.[0-9]+)?(s|m|h))+$";

/// The tag of a container image.
pub const TAG: &str = r"^[\w.\-\_]+$";

/// The digest of a container image, `algorithm:hex`.
pub const DIGEST: &str = r"^[a-z0-9]+:[a-f0-9]+$";

/// The URL of a Git repository over HTTP(S), SSH, or in scp form.
pub const GIT_URL: &str = r"(?:^(ssh|https?)://(?:([\w-]+)(:(.+))?@)?([\w-]+(?:\.[\w-]+)*)(?::(\d{1,5}))?(/.*)$)|(?:^([\w-]+)@([\w+]+(?:\.[\w-]+)*):(/?.*))";

/// The type of a condition, with an optional DNS prefix.
pub const CONDITION_TYPE: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

/// The reason of a condition.
pub const CONDITION_REASON: &str = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
