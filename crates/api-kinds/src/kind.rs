//! What makes a type one of our kinds: its names, its place in the API, and its JSON envelope.

use kube::Resource;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

/// The API group of all kinds.
pub const GROUP: &str = "kargo.akuity.io";
/// The only version of the API.
pub const VERSION: &str = "v1alpha1";
/// Group and version as objects carry them.
pub const API_VERSION: &str = "kargo.akuity.io/v1alpha1";

/// A top-level object of the API.
pub trait Kind:
    Resource<DynamicType = ()> + Clone + Default + JsonSchema + Serialize + DeserializeOwned
{
    /// How the API server is told about the kind.
    const DEFINITION: Definition;

    /// An object of this name with all else empty.
    fn named(name: impl Into<String>) -> Self {
        let mut object = Self::default();
        object.meta_mut().name = Some(name.into());
        object
    }
}

/// What a CustomResourceDefinition says apart from the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The kind, in camel case.
    pub kind: &'static str,
    /// The plural used in paths.
    pub plural: &'static str,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Abbreviations for the command line.
    pub short_names: &'static [&'static str],
    /// Whether the status is a subresource.
    pub status: bool,
    /// Columns of tables.
    pub columns: &'static [Column],
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One set of names for the whole cluster.
    Cluster,
    /// One set of names per namespace.
    Namespaced,
}

/// A column of the tables that clients print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// Where the value is found.
    pub json_path: &'static str,
    /// `string` or `date`.
    pub value_type: &'static str,
}

impl Column {
    /// Time since creation.
    pub const AGE: Self =
        Self { name: "Age", json_path: ".metadata.creationTimestamp", value_type: "date" };
    /// Status of the Ready condition.
    pub const READY: Self = Self::text("Ready", r#".status.conditions[?(@.type=="Ready")].status"#);
    /// Message of the Ready condition.
    pub const STATUS: Self =
        Self::text("Status", r#".status.conditions[?(@.type=="Ready")].message"#);

    /// A column of text.
    pub const fn text(name: &'static str, json_path: &'static str) -> Self {
        Self { name, json_path, value_type: "string" }
    }
}

/// Makes a struct with a `metadata` field an object of the Kubernetes API. Group and version are
/// constants of the module that is named last.
///
/// The struct derives its serde code with `remote = "Self"`, which yields functions instead of
/// trait impls; the impls made here wrap them, so that `apiVersion` and `kind` are written with
/// every object and need no fields.
#[macro_export]
macro_rules! object {
    (@scope Cluster) => {
        k8s_openapi::ClusterResourceScope
    };
    (@scope Namespaced) => {
        k8s_openapi::NamespaceResourceScope
    };
    ($name:ident, $scope:ident, $plural:literal, $home:ident) => {
        impl kube::Resource for $name {
            type DynamicType = ();
            type Scope = $crate::object!(@scope $scope);

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                stringify!($name).into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                $home::GROUP.into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $home::VERSION.into()
            }

            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                $plural.into()
            }

            fn meta(&self) -> &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &self.metadata
            }

            fn meta_mut(
                &mut self,
            ) -> &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &mut self.metadata
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                struct Body<'a>(&'a $name);

                impl serde::Serialize for Body<'_> {
                    fn serialize<S: serde::Serializer>(
                        &self,
                        serializer: S,
                    ) -> Result<S::Ok, S::Error> {
                        $name::serialize(self.0, serializer)
                    }
                }

                let kind = stringify!($name);
                $crate::kind::Envelope::new($home::API_VERSION, kind, Body(self))
                    .serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::deserialize(deserializer)
            }
        }
    };
}

/// Makes a struct with a `metadata` field a kind. The field has no schema: the API server knows it.
macro_rules! kind {
    ($name:ident, $scope:ident, {
        plural: $plural:literal,
        short_names: $short_names:expr,
        status: $status:literal,
        columns: $columns:expr,
    }) => {
        impl $crate::kind::Kind for $name {
            const DEFINITION: $crate::kind::Definition = $crate::kind::Definition {
                kind: stringify!($name),
                plural: $plural,
                scope: $crate::kind::Scope::$scope,
                short_names: &$short_names,
                status: $status,
                columns: &$columns,
            };
        }

        $crate::object!($name, $scope, $plural, crate);
    };
}

pub(crate) use kind;

/// An object with the two fields that say what it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<B> {
    api_version: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    body: B,
}

impl<B> Envelope<B> {
    /// Puts the two before the fields of `body`.
    pub const fn new(api_version: &'static str, kind: &'static str, body: B) -> Self {
        Self { api_version, kind, body }
    }
}
