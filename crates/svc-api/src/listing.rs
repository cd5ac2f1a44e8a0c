//! Lists in portions, of chosen objects, shown as far as somebody looks.

use api_kinds::Promotion;
use bytes::Bytes;
use core_clock::Time;
use core_rules::{
    listing::{FieldSelector, LabelSelector, Page, Portion, View},
    promotion::PromotionFilter,
};
use serde_json::Value;

use crate::{
    api_error::{ApiError, ApiResult},
    document::Document,
    mirror::{Mirror, Object, Snapshot},
    query::Query,
    watch::Filter,
};

/// What a query says about a list, beside what is special to a kind.
pub(crate) struct Listing {
    labels: LabelSelector,
    fields: FieldSelector,
    page: Page,
    view: View,
}

impl Listing {
    /// Reads the parameters that all lists have.
    pub(crate) fn read(query: &Query) -> ApiResult<Self> {
        Ok(Self {
            labels: LabelSelector::parse(query.text("labelSelector")).map_err(ApiError::refused)?,
            fields: FieldSelector::parse(query.text("fieldSelector")).map_err(ApiError::refused)?,
            page: Page::parse(query.text("limit"), query.text("continue"))
                .map_err(ApiError::refused)?,
            view: View::parse(query.text("fields")).map_err(ApiError::refused)?,
        })
    }

    /// Whether everything is wanted, as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.selects_all() && self.page.is_everything() && self.view == View::Whole
    }

    /// Those of `filter` that the selectors select, shown as they are wanted.
    pub(crate) fn filter(&self, filter: Filter) -> Filter {
        let shown = filter.shown_as(self.view.clone());
        if self.selects_all() {
            return shown;
        }
        let (labels, fields) = (self.labels.clone(), self.fields.clone());
        shown.and(move |object| is_selected(&labels, &fields, object))
    }

    /// The objects that `filter` lets through, as a list.
    pub(crate) fn document(
        &self,
        mirror: &Mirror,
        snapshot: Snapshot,
        filter: &Filter,
    ) -> Document {
        let Snapshot { version, objects } = snapshot;
        let selected: Vec<_> =
            objects.into_iter().filter(|object| filter.matches(object)).collect();
        let portion = self.portion(&selected, |object| &object.name);
        let items = selected.get(portion.start..portion.end).unwrap_or_default();
        let more = items.last().and_then(|last| portion.token(&last.name));
        let bodies = items.iter().map(|object| self.show(object));
        mirror.list_of(version, more.as_deref().map(|more| (more, portion.remaining())), bodies)
    }

    /// The portion of a list that is wanted.
    pub(crate) fn portion<T>(&self, items: &[T], name: impl Fn(&T) -> &str) -> Portion {
        self.page.portion(items, name)
    }

    /// Whether the selectors select an object.
    pub(crate) fn selects(&self, object: &Object) -> bool {
        self.selects_all() || is_selected(&self.labels, &self.fields, object)
    }

    /// The JSON of an object, as far as it is wanted.
    pub(crate) fn show(&self, object: &Object) -> Bytes {
        object.shown_as(&self.view)
    }

    fn selects_all(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}

fn is_selected(labels: &LabelSelector, fields: &FieldSelector, object: &Object) -> bool {
    let value = object.value();
    let of_object = value.pointer("/metadata/labels");
    let label = |name: &str| of_object.and_then(|all| all.get(name)).and_then(Value::as_str);
    labels.matches(label) && fields.matches(&value)
}

/// Which Promotions a query asks for; `None` when all.
pub(crate) fn promotions(query: &Query) -> ApiResult<Option<Filter>> {
    let filter = PromotionFilter {
        phases: query.many("phase").map(str::to_owned).collect(),
        freight: query.text("freight").to_owned(),
        actor: query.text("actor").to_owned(),
        since: since(query)?,
    };
    if filter.is_empty() {
        return Ok(None);
    }
    let matches = move |object: &Object| {
        object.typed::<Promotion>().is_some_and(|promotion| filter.matches(&promotion))
    };
    Ok(Some(Filter::new(matches)))
}

/// The time of `since`.
pub(crate) fn since(query: &Query) -> ApiResult<Option<Time>> {
    let text = query.text("since");
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |_| ApiError::bad_request(format!("since: {text:?} is no time of RFC 3339"));
    text.parse().map(Some).map_err(wrong)
}
