//! Text fields with a known vocabulary.
//!
//! Mutating admission sees objects before their schema is checked, and statuses may have been
//! written by a newer version, so decoding must accept any text: values outside the vocabulary are
//! kept in `Other` and written back unchanged. `Unset` is the empty text, which optional fields
//! leave out.

/// Declares an enum over text. `listed` puts the vocabulary into the schema, `open` does not.
macro_rules! string_enum {
    (
        $(#[$meta:meta])*
        $schema:ident $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $value:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            /// No value: absent or the empty text.
            #[default]
            Unset,
            $( $(#[$variant_meta])* $variant, )+
            /// A value this version does not know; kept as it was read.
            Other(String),
        }

        impl $name {
            /// The text of the value on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    Self::Unset => "",
                    $( Self::$variant => $value, )+
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    "" => Self::Unset,
                    $( $value => Self::$variant, )+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text: String = serde::Deserialize::deserialize(deserializer)?;
                Ok(Self::from(text.as_str()))
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                string_enum!(@schema $schema $($value)+)
            }
        }
    };
    (@schema open $($value:literal)+) => {
        schemars::json_schema!({ "type": "string" })
    };
    (@schema listed $($value:literal)+) => {
        schemars::json_schema!({ "type": "string", "enum": [$($value),+] })
    };
}

pub(crate) use string_enum;

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro is made for types of the public API")]
mod tests {
    use serde_json::{Value, json};

    string_enum! {
        /// A vocabulary for the tests.
        listed Fruit {
            /// Round.
            Apple = "apple",
            /// Long.
            Banana = "banana",
        }
    }

    fn decode(value: Value) -> Fruit {
        serde_json::from_value(value).expect("any text decodes")
    }

    #[test]
    fn known_text_becomes_its_variant() {
        assert_eq!(decode(json!("banana")), Fruit::Banana);
        assert_eq!(Fruit::Banana.to_string(), "banana");
    }

    #[test]
    fn empty_text_is_unset() {
        assert_eq!(decode(json!("")), Fruit::Unset);
        assert_eq!(json!(Fruit::Unset), json!(""));
    }

    #[test]
    fn unknown_text_survives_a_round_trip() {
        let fruit = decode(json!("Apple"));
        assert_eq!(fruit, Fruit::Other("Apple".to_owned()));
        assert_eq!(json!(fruit), json!("Apple"));
    }

    #[test]
    fn anything_but_text_is_refused() {
        assert!(serde_json::from_value::<Fruit>(json!(1)).is_err());
    }
}
