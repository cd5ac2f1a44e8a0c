//! The list of Projects, as clients ask for it.

use std::borrow::Borrow;

use api_kinds::Project;

use crate::access::candidate::AccountsByNamespace;
use crate::admission::metadata::name;

/// What a client wants to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectQuery {
    /// Only Projects that the caller has a role in.
    pub mine: bool,
    /// A part of the name, in any case.
    pub filter: String,
    /// The uids of the Projects; all when empty.
    pub uids: Vec<String>,
    /// How many at once; all when zero.
    pub page_size: usize,
    /// Which of the pages, counted from zero.
    pub page: usize,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPage<'a, P> {
    /// The Projects of the page, by name.
    pub items: Vec<&'a P>,
    /// How many there are on all pages.
    pub total: usize,
}

/// Selects, sorts and cuts. `accounts` are the ServiceAccounts that the caller's claims lead to;
/// who is known by other means than claims has none, and no Project is theirs.
pub fn select<'a, P: Borrow<Project>>(
    query: &ProjectQuery,
    projects: impl IntoIterator<Item = &'a P>,
    accounts: Option<&AccountsByNamespace>,
) -> ProjectPage<'a, P> {
    let filter = query.filter.to_lowercase();
    let is_mine = |project: &str| accounts.is_some_and(|accounts| accounts.contains_key(project));
    let mut items: Vec<&P> = projects.into_iter().collect();
    items.retain(|project| {
        let metadata = &(*project).borrow().metadata;
        let project_name = name(metadata);
        let uid = metadata.uid.as_deref().unwrap_or_default();
        (!query.mine || is_mine(project_name))
            && project_name.to_lowercase().contains(&filter)
            && (query.uids.is_empty() || query.uids.iter().any(|wanted| wanted == uid))
    });
    items.sort_by_key(|project| name(&(*project).borrow().metadata));
    let total = items.len();
    if query.page_size > 0 {
        let start = query.page.saturating_mul(query.page_size);
        items = items.into_iter().skip(start).take(query.page_size).collect();
    }
    ProjectPage { items, total }
}

/// A number in a query; what is none counts as zero.
pub fn number(text: &str) -> usize {
    text.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn projects() -> Vec<Project> {
        let project = |name: &str| {
            serde_json::from_value(json!({"metadata": {"name": name, "uid": format!("u-{name}")}}))
        };
        ["delta", "alpha", "Beta", "gamma"].map(|name| project(name).unwrap()).to_vec()
    }

    fn selected(query: ProjectQuery, accounts: Option<&AccountsByNamespace>) -> (String, usize) {
        let projects = projects();
        let page = select(&query, &projects, accounts);
        let names: Vec<&str> = page.items.iter().map(|project| name(&project.metadata)).collect();
        (names.join(" "), page.total)
    }

    #[test]
    fn projects_are_selected_by_name_and_uid_and_sorted() {
        let all = ProjectQuery::default();
        assert_eq!(selected(all.clone(), None), ("Beta alpha delta gamma".to_owned(), 4));
        let filter = "ET".to_owned();
        assert_eq!(selected(ProjectQuery { filter, ..all.clone() }, None).0, "Beta");
        let uids = vec!["u-gamma".to_owned(), "u-alpha".to_owned(), "x".to_owned()];
        assert_eq!(selected(ProjectQuery { uids, ..all }, None).0, "alpha gamma");
    }

    #[test]
    fn mine_are_those_that_claims_lead_to() {
        let query = ProjectQuery { mine: true, ..ProjectQuery::default() };
        assert_eq!(selected(query.clone(), None), (String::new(), 0));
        let account = || BTreeSet::from(["x".to_owned()]);
        let accounts = [("alpha".to_owned(), account()), ("kargo".to_owned(), account())];
        let accounts = AccountsByNamespace::from(accounts);
        assert_eq!(selected(query, Some(&accounts)).0, "alpha");
    }

    #[test]
    fn a_page_past_the_end_is_empty_and_keeps_the_total() {
        let page = |page_size, page| {
            selected(ProjectQuery { page_size, page, ..ProjectQuery::default() }, None)
        };
        assert_eq!(page(3, 0), ("Beta alpha delta".to_owned(), 4));
        assert_eq!(page(3, 1), ("gamma".to_owned(), 4));
        assert_eq!(page(3, 2), (String::new(), 4));
        assert_eq!(page(usize::MAX, usize::MAX), (String::new(), 4));
        assert_eq!(page(0, 5).1, 4);
        assert_eq!((number("7"), number("-1"), number("x")), (7, 0, 0));
    }
}
