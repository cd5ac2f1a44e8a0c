//! `kargo grant` and `kargo revoke`: who has a role, and what it may do.

use cli_client::{Claim, Object, RoleChange, Scope};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

/// Give users or permissions to a role, or take them
#[derive(clap::Args, Debug)]
pub struct GrantArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Users of whom this is claimed, as name=value; several values with commas
    #[arg(long = "claim", value_name = "NAME=VALUE")]
    claims: Vec<String>,
    /// Type of objects, such as stages
    #[arg(long, value_name = "TYPE")]
    resource_type: Option<String>,
    /// One object of the type, instead of all
    #[arg(long, value_name = "NAME")]
    resource_name: Option<String>,
    /// What may be done with them
    #[arg(long = "verb", value_name = "VERB", value_delimiter = ',')]
    verbs: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn grant(env: &Env, args: &GrantArgs) -> CliResult {
    let (session, project, role) = prepared(env, args).await?;
    let change = change(args)?;
    session.client.grant(&project, role, &change).await.context("grant")?;
    show(env, args, role_of(&session, &project, role).await?)
}

pub(super) async fn revoke(env: &Env, args: &GrantArgs) -> CliResult {
    let (session, project, role) = prepared(env, args).await?;
    let change = change(args)?;
    session.client.revoke(&project, role, &change).await.context("revoke")?;
    show(env, args, role_of(&session, &project, role).await?)
}

async fn prepared<'a>(env: &Env, args: &'a GrantArgs) -> CliResult<(Session, String, &'a str)> {
    let has_claims = !args.claims.is_empty();
    let (has_type, has_verbs) = (args.resource_type.is_some(), !args.verbs.is_empty());
    let has_name = args.resource_name.is_some();
    cobra::required(&[("role", args.role.is_some())])?;
    cobra::one_required(&[("claim", has_claims), ("resource-type", has_type)])?;
    cobra::exclusive(&[("claim", has_claims), ("resource-type", has_type)])?;
    cobra::exclusive(&[("claim", has_claims), ("verb", has_verbs)])?;
    cobra::exclusive(&[("claim", has_claims), ("resource-name", has_name)])?;
    cobra::together(&[("resource-type", has_type), ("verb", has_verbs)])?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    Ok((session, project, args.role.as_deref().unwrap_or_default()))
}

fn change(args: &GrantArgs) -> CliResult<RoleChange> {
    let Some(resource_type) = &args.resource_type else {
        return Ok(RoleChange::Users(claims(&args.claims)?));
    };
    Ok(RoleChange::Permissions {
        resource_type: plural(resource_type),
        resource_name: args.resource_name.clone().unwrap_or_default(),
        verbs: args.verbs.clone(),
    })
}

/// The server answers with the role, but read anew it is as others see it.
async fn role_of(session: &Session, project: &str, role: &str) -> CliResult<Object> {
    let roles = session.client.roles(&Scope::Project(project.to_owned()));
    roles.get(role).await.context(format!("get role {role}"))
}

fn show(env: &Env, args: &GrantArgs, role: Object) -> CliResult {
    env.show_done(&args.print, &role, "updated")
}

/// Claims as `name=value`, with several values after commas. A part with an `=` of its own begins the next claim.
pub(super) fn claims(texts: &[String]) -> CliResult<Vec<Claim>> {
    let wrong = |given: &str| {
        let form = "claim should be in the format <claim-name>=<claim-value>";
        Failure::usage(format!("{form}, and {given:?} is not"))
    };
    let mut claims: Vec<Claim> = Vec::new();
    for text in texts {
        let mut is_first = true;
        for part in text.split(',') {
            match part.split('=').collect::<Vec<_>>().as_slice() {
                [name, value] if !name.is_empty() && !value.is_empty() => {
                    add(&mut claims, name, value);
                }
                [value] if !is_first && !value.is_empty() => {
                    let last = claims.last_mut().ok_or_else(|| wrong(text))?;
                    last.values.push((*value).to_owned());
                }
                _ => return Err(wrong(text)),
            }
            is_first = false;
        }
    }
    Ok(claims)
}

fn add(claims: &mut Vec<Claim>, name: &str, value: &str) {
    let at = claims.iter().position(|claim| claim.name == name);
    // The one that is added to stands last, so that values without a name go to it.
    let mut claim = match at {
        Some(at) => claims.remove(at),
        None => Claim { name: name.to_owned(), values: Vec::new() },
    };
    claim.values.push(value.to_owned());
    claims.push(claim);
}

/// The server knows types by their plural; people do not always.
fn plural(resource_type: &str) -> String {
    let (base, rest) = match resource_type.split_once('/') {
        Some((base, rest)) => (base, format!("/{rest}")),
        None => (resource_type, String::new()),
    };
    let base = match base {
        "freight" => "freights".to_owned(),
        "" | "*" => base.to_owned(),
        base if base.ends_with('s') => base.to_owned(),
        base => format!("{base}s"),
    };
    base + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(texts: &[&str]) -> Result<Vec<(String, Vec<String>)>, String> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let claims = claims(&texts).map_err(|failure| failure.message)?;
        Ok(claims.into_iter().map(|claim| (claim.name, claim.values)).collect())
    }

    #[test]
    fn claims_keep_their_lists() {
        let one = |name: &str, values: &[&str]| {
            (name.to_owned(), values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(parsed(&["groups=a,b"]).unwrap(), [one("groups", &["a", "b"])]);
        assert_eq!(
            parsed(&["email=x@y,groups=a", "groups=b"]).unwrap(),
            [one("email", &["x@y"]), one("groups", &["a", "b"])]
        );
        for wrong in ["", "a", "=b", "a=", "a=b=c", "a=b,"] {
            assert!(parsed(&[wrong]).unwrap_err().contains("should be in the format"), "{wrong}");
        }
    }

    #[test]
    fn types_become_plural() {
        let cases = [
            ("stage", "stages"),
            ("stages", "stages"),
            ("freight/status", "freights/status"),
            ("*", "*"),
        ];
        for (given, meant) in cases {
            assert_eq!(plural(given), meant);
        }
    }
}
