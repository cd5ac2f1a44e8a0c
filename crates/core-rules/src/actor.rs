//! What those who act are called in events and annotations.

use serde_json::{Map, Value};

const ADMIN: &str = "admin";
const UNKNOWN: &str = "unknown actor";

/// What is known of a user of the API.
#[derive(Clone, Copy, Debug, Default)]
pub struct User<'a> {
    /// Whether this is the built-in administrator.
    pub is_admin: bool,
    /// The name Kubernetes gives, when Kubernetes authenticated the user.
    pub kubernetes_name: Option<&'a str>,
    /// The value of the claim that serves as user name.
    pub name: &'a str,
    /// The claim that serves as user name.
    pub name_claim: &'a str,
    /// All claims of the user's token.
    pub claims: Option<&'a Map<String, Value>>,
}

/// The actor that a user of the API is.
pub fn user_actor(user: &User<'_>) -> String {
    if user.is_admin {
        return ADMIN.to_owned();
    }
    if let Some(name) = user.kubernetes_name {
        return kubernetes_actor(name);
    }
    if !user.name.is_empty() {
        return format!("{}:{}", user.name_claim, user.name);
    }
    let claim = |name: &str| user.claims?.get(name)?.as_str();
    let email = claim("email").map(|email| format!("email:{email}"));
    let subject = || claim("sub").map(|subject| format!("subject:{subject}"));
    email.or_else(subject).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The actor that a user known to Kubernetes is.
pub fn kubernetes_actor(name: &str) -> String {
    format!("kubernetes:{name}")
}

/// The actor that a controller is.
pub fn controller_actor(component: &str) -> String {
    format!("controller:{component}")
}

/// The creator to show to people, from the annotation that holds the actor.
pub fn creator_of(actor: &str) -> &str {
    match actor.split_once(':') {
        Some((_, name)) => name,
        None if actor == UNKNOWN => "",
        None => actor,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::{User, creator_of, user_actor};

    #[test]
    fn the_best_known_name_wins() {
        let claims = Map::from_iter([("sub".to_owned(), Value::from("s"))]);
        let unnamed = User { claims: Some(&claims), ..User::default() };
        let named = User { name: "a@example.com", name_claim: "email", ..unnamed };
        let by_kubernetes = User { kubernetes_name: Some("bob"), ..named };
        let admin = User { is_admin: true, ..by_kubernetes };
        assert_eq!(user_actor(&User::default()), "unknown actor");
        assert_eq!(user_actor(&unnamed), "subject:s");
        assert_eq!(user_actor(&named), "email:a@example.com");
        assert_eq!(user_actor(&by_kubernetes), "kubernetes:bob");
        assert_eq!(user_actor(&admin), "admin");
    }

    #[test]
    fn creators_are_shown_without_their_kind() {
        assert_eq!(creator_of("kubernetes:system:serviceaccount:a:b"), "system:serviceaccount:a:b");
        assert_eq!(creator_of("admin"), "admin");
        assert_eq!(creator_of("unknown actor"), "");
    }
}
