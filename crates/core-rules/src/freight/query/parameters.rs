//! What a query says, and what is wrong with it.

use crate::fault::{Class, Fault};

/// The parameters of a query as they were sent; absent ones are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters<'a> {
    /// The one group to show.
    pub group: &'a str,
    /// What to group by.
    pub group_by: &'a str,
    /// What to sort by.
    pub order_by: &'a str,
    /// Whether the last comes first.
    pub reverse: bool,
}

/// What puts Freight into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// One group, without a name.
    None,
    /// By the repositories of images.
    ImageRepository,
    /// By Git repositories.
    GitRepository,
    /// By charts: their repository and name.
    Chart,
}

/// What Freight is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By when it was first seen.
    FirstSeen,
    /// By tag: versions by precedence, after those that are none, which go by their text.
    Tag,
    /// By version; what has none comes first, by when it was first seen.
    Version,
}

/// How to arrange Freight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(super) grouping: Grouping,
    pub(super) group: Option<String>,
    pub(super) order: Order,
    pub(super) is_reversed: bool,
}

/// A query that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There are no groups to choose from.
    #[error("cannot filter by group without group by")]
    GroupWithoutGrouping,
    /// The word for groups is unknown.
    #[error("invalid group by: {0}")]
    Grouping(String),
    /// Tags are compared within a repository of images or charts.
    #[error("tag ordering only valid when grouping by: image_repo, chart_repo")]
    TagOutsideGroups,
    /// The word for the order is unknown.
    #[error("invalid order by: {0}")]
    Order(String),
}

impl Fault for QueryError {
    fn class(&self) -> Class {
        Class::BadRequest
    }
}

impl Query {
    /// Reads the parameters.
    pub fn parse(parameters: &Parameters<'_>) -> Result<Self, QueryError> {
        if !parameters.group.is_empty() && parameters.group_by.is_empty() {
            return Err(QueryError::GroupWithoutGrouping);
        }
        let grouping = match parameters.group_by {
            "" => Grouping::None,
            "image_repo" => Grouping::ImageRepository,
            "git_repo" => Grouping::GitRepository,
            "chart_repo" => Grouping::Chart,
            unknown => return Err(QueryError::Grouping(unknown.to_owned())),
        };
        let order = match parameters.order_by {
            "" | "first_seen" => Order::FirstSeen,
            "tag" => Order::Tag,
            "semver" => Order::Version,
            unknown => return Err(QueryError::Order(unknown.to_owned())),
        };
        let has_tags = matches!(grouping, Grouping::ImageRepository | Grouping::Chart);
        if order != Order::FirstSeen && !has_tags {
            return Err(QueryError::TagOutsideGroups);
        }
        let group = Some(parameters.group.to_owned()).filter(|group| !group.is_empty());
        Ok(Self { grouping, group, order, is_reversed: parameters.reverse })
    }
}
