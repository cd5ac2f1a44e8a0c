//! What makes a type a kind: its place in the API and its JSON envelope.

use serde::Serialize;

use crate::API_VERSION;

/// The type under which generic code finds the scope of a kind.
macro_rules! resource_scope {
    (Cluster) => {
        k8s_openapi::ClusterResourceScope
    };
    (Namespaced) => {
        k8s_openapi::NamespaceResourceScope
    };
}

/// Makes a struct with a `metadata` field a kind.
///
/// The struct derives its serde code with `remote = "Self"`, which yields functions instead of
/// trait impls; the impls made here wrap them, so that `apiVersion` and `kind` are written with
/// every object and need no fields.
macro_rules! kind {
    ($name:ident, $scope:ident, $plural:literal) => {
        impl kube::Resource for $name {
            type DynamicType = ();
            type Scope = $crate::kind::resource_scope!($scope);

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                stringify!($name).into()
            }

            fn group((): &()) -> std::borrow::Cow<'_, str> {
                $crate::GROUP.into()
            }

            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $crate::VERSION.into()
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

                $crate::kind::Envelope::new(stringify!($name), Body(self)).serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::deserialize(deserializer)
            }
        }
    };
}

pub(crate) use {kind, resource_scope};

/// An object with the two fields that say what it is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope<B> {
    api_version: &'static str,
    kind: &'static str,
    #[serde(flatten)]
    body: B,
}

impl<B> Envelope<B> {
    pub(crate) fn new(kind: &'static str, body: B) -> Self {
        Self { api_version: API_VERSION, kind, body }
    }
}
