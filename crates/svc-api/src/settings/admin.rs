//! The login of the administrator.

use std::time::Duration;

use core_clock::{SettingError, Variables};

const HASH: &str = "ADMIN_ACCOUNT_PASSWORD_HASH";
const KEY: &str = "ADMIN_ACCOUNT_TOKEN_SIGNING_KEY";
const DEFAULT_LIFETIME: Duration = Duration::from_hours(24);
/// As long as what the key signs with: a shorter one is easier to guess than to break.
const MIN_KEY_BYTES: usize = 32;

/// The administrator's password and how tokens of that login are made.
#[derive(Clone)]
pub struct AdminSettings {
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// What tokens are signed with.
    pub signing_key: Vec<u8>,
    /// Who issues them.
    pub issuer: String,
    /// Whom they are for.
    pub audience: String,
    /// How long they last.
    pub lifetime: Duration,
}

impl AdminSettings {
    pub(super) fn from_variables(variables: Variables<'_>) -> Result<Option<Self>, SettingError> {
        if !variables.flag("ADMIN_ACCOUNT_ENABLED", false)? {
            return Ok(None);
        }
        let password_hash = variables.required(HASH, "the bcrypt hash of a password")?;
        if !is_bcrypt(&password_hash) {
            // Not repeated: it may be the password itself.
            return Err(SettingError::refused(HASH, "***", "a bcrypt hash, such as $2a$10$…"));
        }
        let signing_key = variables.required(KEY, "a random text of 32 bytes or more")?;
        if signing_key.len() < MIN_KEY_BYTES {
            return Err(SettingError::refused(KEY, "***", "32 bytes or more"));
        }
        Ok(Some(Self {
            password_hash,
            signing_key: signing_key.into_bytes(),
            issuer: variables.required("ADMIN_ACCOUNT_TOKEN_ISSUER", "the URL of this server")?,
            audience: variables
                .required("ADMIN_ACCOUNT_TOKEN_AUDIENCE", "the host name of this server")?,
            lifetime: variables.interval("ADMIN_ACCOUNT_TOKEN_TTL", DEFAULT_LIFETIME)?,
        }))
    }
}

/// Whether the text has the form of a bcrypt hash: `$2b$10$` and 53 characters.
fn is_bcrypt(text: &str) -> bool {
    let Some((version, rest)) = text.split_at_checked(4) else { return false };
    let Some((cost, digits)) = rest.split_at_checked(3) else { return false };
    let is_cost = cost
        .strip_suffix('$')
        .is_some_and(|cost| cost.parse::<u32>().is_ok_and(|cost| (4..=31).contains(&cost)));
    matches!(version, "$2a$" | "$2b$" | "$2x$" | "$2y$")
        && is_cost
        && digits.len() == 53
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'))
}
