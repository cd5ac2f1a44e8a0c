//! Fetching a bearer token from the server a registry names.

use std::time::Duration;

use core_clock::Time;
use core_rules::credential::{Credential, Secret};
use http::StatusCode;
use io_http::outbound::{Request, Url};
use serde::Deserialize;

use crate::{Error, line::Line};

const MAX_BODY: u64 = 64 * 1024;
const TIME_LIMIT: Duration = Duration::from_mins(1);
/// What a token is worth that does not say, and the least that any is worth.
const LEAST_LIFE: Duration = Duration::from_mins(1);
/// A longer promise is not believed.
const LONGEST_LIFE: Duration = Duration::from_hours(12);
/// Given up this long before the end, so that it does not expire on the way.
const MARGIN: Duration = Duration::from_secs(15);
const CLIENT: &str = "kargo";

/// Where and for what to get a token.
#[derive(Clone, Debug)]
pub(super) struct TokenSource {
    pub(super) realm: Url,
    pub(super) service: Option<String>,
    pub(super) scopes: Vec<String>,
}

/// A token and when it is no longer used.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) value: Secret,
    pub(super) until: Time,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    access_token: Option<String>,
    #[serde(default)]
    expires_in: Option<u64>,
}

impl TokenSource {
    /// Asks the token server; some only know the OAuth2 way, which is tried when the first is not there.
    pub(super) async fn fetch(
        &self,
        line: &Line,
        credential: Option<&Credential>,
    ) -> Result<Token, Error> {
        let login = credential.and_then(name_and_password);
        let response = line.send(self.get_request(login)?).await?;
        let elsewhere =
            matches!(response.status(), StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED);
        let response = match login {
            Some(login) if elsewhere => line.send(self.oauth_request(login)?).await?,
            _ => response,
        };
        if !response.status().is_success() {
            return Err(self.refused(response.status(), login.is_some()));
        }
        let body = response.read_limited(MAX_BODY).await?;
        self.read(&body, line.now())
    }

    fn get_request(&self, login: Option<(&str, &str)>) -> Result<Request, Error> {
        let mut url = self.realm.clone();
        self.add_parameters(&mut url);
        let request = Request::get(url.as_str())?.within(TIME_LIMIT);
        Ok(match login {
            Some((name, password)) => request.basic(name, password)?,
            None => request,
        })
    }

    fn oauth_request(&self, (name, password): (&str, &str)) -> Result<Request, Error> {
        let mut form = self.realm.clone();
        form.set_query(None);
        form.query_pairs_mut()
            .append_pair("grant_type", "password")
            .append_pair("client_id", CLIENT)
            .append_pair("username", name)
            .append_pair("password", password);
        self.add_parameters(&mut form);
        let body = form.query().unwrap_or_default().to_owned();
        let content_type = "application/x-www-form-urlencoded";
        // A redirect would carry the password in the body along.
        let request = Request::post(self.realm.as_str(), content_type, body)?;
        Ok(request.redirects(0).within(TIME_LIMIT))
    }

    fn add_parameters(&self, url: &mut Url) {
        let mut query = url.query_pairs_mut();
        if let Some(service) = &self.service {
            query.append_pair("service", service);
        }
        for scope in &self.scopes {
            query.append_pair("scope", scope);
        }
    }

    fn read(&self, body: &[u8], now: Time) -> Result<Token, Error> {
        let malformed = |problem: &str| Error::Malformed {
            host: self.host(),
            what: "the token".to_owned(),
            problem: problem.to_owned(),
        };
        // The parser's message could quote the token.
        let answer: Answer =
            serde_json::from_slice(body).map_err(|_| malformed("it is not JSON"))?;
        let value = answer.token.filter(|token| !token.is_empty()).or(answer.access_token);
        let value =
            value.filter(|token| !token.is_empty()).ok_or_else(|| malformed("it is empty"))?;
        let life = answer.expires_in.map_or(LEAST_LIFE, Duration::from_secs);
        let life = life.clamp(LEAST_LIFE, LONGEST_LIFE);
        Ok(Token { value: Secret::new(value), until: now + life.saturating_sub(MARGIN) })
    }

    fn refused(&self, status: StatusCode, credential: bool) -> Error {
        let (host, status) = (self.host(), status.as_u16());
        let what = "a token".to_owned();
        match status {
            400..=403 => Error::Unauthorized { host, what, status, credential },
            _ => Error::Status { host, what, status },
        }
    }

    fn host(&self) -> String {
        self.realm.host_str().unwrap_or_default().to_owned()
    }
}

/// A name and a password, when there are both.
pub(super) fn name_and_password(credential: &Credential) -> Option<(&str, &str)> {
    match credential {
        Credential::Basic { username, password }
            if !username.is_empty() && !password.is_empty() =>
        {
            Some((username, password.expose()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> TokenSource {
        TokenSource {
            realm: Url::parse("https://auth.example/token?x=1").unwrap(),
            service: Some("registry".into()),
            scopes: vec!["repository:a/b:pull".into()],
        }
    }

    #[test]
    fn tokens_have_either_name_and_a_bounded_life() {
        let now = Time::from_seconds(1_000);
        let token = source().read(br#"{"token":"t","expires_in":300}"#, now).unwrap();
        assert_eq!((token.value.expose(), token.until), ("t", Time::from_seconds(1_285)));
        let token = source().read(br#"{"access_token":"a","token":""}"#, now).unwrap();
        assert_eq!((token.value.expose(), token.until), ("a", Time::from_seconds(1_045)));
        let token =
            source().read(br#"{"token":"t","expires_in":18446744073709551615}"#, now).unwrap();
        assert!(token.until < now + LONGEST_LIFE);
    }

    #[test]
    fn what_is_no_token_is_told_without_quoting_it() {
        for body in [r#"{"token":""}"#, "hunter2", r#"{"token":["hunter2"]}"#] {
            let error = source().read(body.as_bytes(), Time::default()).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
