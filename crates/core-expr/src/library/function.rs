//! The functions, their parameters and results.

use crate::builtin::Arguments;
use crate::check::{Gives, Param};
use crate::error::Trouble;
use crate::eval::Machine;
use crate::library::object::{
    ARTIFACT, CHART, COMMIT, DISCOVERED_CHART, DISCOVERED_COMMIT, DISCOVERED_IMAGE, IMAGE, ORIGIN,
};
use crate::library::{Library, data, discovered, freight, quoting, semver, status};
use crate::value::Value;

/// A function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostFunction {
    Quote,
    UnsafeQuote,
    AsYaml,
    AsJson,
    Str,
    Secret,
    SharedSecret,
    ConfigMap,
    SharedConfigMap,
    FreightMetadata,
    FreightStatus,
    StageMetadata,
    Warehouse,
    CommitFrom,
    ImageFrom,
    ChartFrom,
    ArtifactFrom,
    DiscoveredCommit,
    DiscoveredImage,
    DiscoveredChart,
    DiscoveredArtifact,
    SemverDiff,
    SemverParse,
    Always,
    Failure,
    Success,
    Status,
}

/// One way to call a function.
#[derive(Debug)]
pub(crate) struct Overload {
    pub(crate) parameters: &'static [Param],
    pub(crate) gives: Gives,
}

const fn overload(parameters: &'static [Param], gives: Gives) -> Overload {
    Overload { parameters, gives }
}

impl HostFunction {
    /// The function of this name in a library.
    pub(super) fn named(name: &str, library: Library) -> Option<Self> {
        let (function, home) = match name {
            "quote" => (Self::Quote, Library::QUOTING),
            "unsafeQuote" => (Self::UnsafeQuote, Library::QUOTING),
            "asYAML" => (Self::AsYaml, Library::QUOTING),
            "asJSON" => (Self::AsJson, Library::QUOTING),
            "str" => (Self::Str, Library::QUOTING),
            "secret" => (Self::Secret, Library::DATA),
            "sharedSecret" => (Self::SharedSecret, Library::DATA),
            "configMap" => (Self::ConfigMap, Library::DATA),
            "sharedConfigMap" => (Self::SharedConfigMap, Library::DATA),
            "stageMetadata" => (Self::StageMetadata, Library::DATA),
            "freightMetadata" => (Self::FreightMetadata, Library::DATA.and(Library::FREIGHT)),
            "freightStatus" => (Self::FreightStatus, Library::DATA.and(Library::FREIGHT)),
            "warehouse" => (Self::Warehouse, Library::FREIGHT),
            "semverDiff" => (Self::SemverDiff, Library::UTILITY),
            "semverParse" => (Self::SemverParse, Library::UTILITY),
            "always" => (Self::Always, Library::STATUS),
            "failure" => (Self::Failure, Library::STATUS),
            "success" => (Self::Success, Library::STATUS),
            "status" => (Self::Status, Library::STATUS),
            _ => return Self::artifact(name, library),
        };
        library.contains(home).then_some(function)
    }

    /// The functions about artifacts, which exist in two variants.
    fn artifact(name: &str, library: Library) -> Option<Self> {
        let (of_freight, discovered) = match name {
            "commitFrom" => (Self::CommitFrom, Self::DiscoveredCommit),
            "imageFrom" => (Self::ImageFrom, Self::DiscoveredImage),
            "chartFrom" => (Self::ChartFrom, Self::DiscoveredChart),
            "artifactFrom" => (Self::ArtifactFrom, Self::DiscoveredArtifact),
            _ => return None,
        };
        if library.contains(Library::FREIGHT) {
            return Some(of_freight);
        }
        library.contains(Library::DISCOVERED).then_some(discovered)
    }

    /// The name in expressions.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::UnsafeQuote => "unsafeQuote",
            Self::AsYaml => "asYAML",
            Self::AsJson => "asJSON",
            Self::Str => "str",
            Self::Secret => "secret",
            Self::SharedSecret => "sharedSecret",
            Self::ConfigMap => "configMap",
            Self::SharedConfigMap => "sharedConfigMap",
            Self::FreightMetadata => "freightMetadata",
            Self::FreightStatus => "freightStatus",
            Self::StageMetadata => "stageMetadata",
            Self::Warehouse => "warehouse",
            Self::CommitFrom | Self::DiscoveredCommit => "commitFrom",
            Self::ImageFrom | Self::DiscoveredImage => "imageFrom",
            Self::ChartFrom | Self::DiscoveredChart => "chartFrom",
            Self::ArtifactFrom | Self::DiscoveredArtifact => "artifactFrom",
            Self::SemverDiff => "semverDiff",
            Self::SemverParse => "semverParse",
            Self::Always => "always",
            Self::Failure => "failure",
            Self::Success => "success",
            Self::Status => "status",
        }
    }

    /// The ways to call the function.
    pub(crate) fn overloads(self) -> &'static [Overload] {
        use Param::{Any, Origin, Text};
        match self {
            Self::Quote | Self::UnsafeQuote | Self::AsYaml | Self::AsJson | Self::Str => {
                const { &[overload(&[Any], Gives::Text)] }
            }
            Self::Secret | Self::SharedSecret | Self::ConfigMap | Self::SharedConfigMap => {
                const { &[overload(&[Text], Gives::TextMap)] }
            }
            Self::FreightMetadata | Self::FreightStatus | Self::StageMetadata => {
                const { &[overload(&[Text], Gives::Map)] }
            }
            Self::Warehouse => const { &[overload(&[Text], Gives::Object(&ORIGIN))] },
            Self::CommitFrom => {
                const {
                    &[
                        overload(&[Text, Origin], Gives::Object(&COMMIT)),
                        overload(&[Text], Gives::Object(&COMMIT)),
                    ]
                }
            }
            Self::ImageFrom => {
                const {
                    &[
                        overload(&[Text, Origin], Gives::Object(&IMAGE)),
                        overload(&[Text], Gives::Object(&IMAGE)),
                    ]
                }
            }
            Self::ChartFrom => {
                const {
                    &[
                        overload(&[Text, Text, Origin], Gives::Object(&CHART)),
                        overload(&[Text, Text], Gives::Object(&CHART)),
                        overload(&[Text, Origin], Gives::Object(&CHART)),
                        overload(&[Text], Gives::Object(&CHART)),
                    ]
                }
            }
            Self::ArtifactFrom => {
                const {
                    &[
                        overload(&[Text, Origin], Gives::Object(&ARTIFACT)),
                        overload(&[Text], Gives::Object(&ARTIFACT)),
                    ]
                }
            }
            Self::DiscoveredCommit => {
                const { &[overload(&[Text], Gives::Object(&DISCOVERED_COMMIT))] }
            }
            Self::DiscoveredImage => {
                const { &[overload(&[Text], Gives::Object(&DISCOVERED_IMAGE))] }
            }
            Self::DiscoveredChart => {
                const {
                    &[
                        overload(&[Text, Text], Gives::Object(&DISCOVERED_CHART)),
                        overload(&[Text], Gives::Object(&DISCOVERED_CHART)),
                    ]
                }
            }
            Self::DiscoveredArtifact => const { &[overload(&[Text], Gives::Object(&ARTIFACT))] },
            Self::SemverDiff => const { &[overload(&[Text, Text], Gives::Text)] },
            Self::SemverParse => const { &[overload(&[Text], Gives::Version)] },
            Self::Always | Self::Failure | Self::Success => const { &[overload(&[], Gives::Bool)] },
            Self::Status => const { &[overload(&[Text], Gives::Text)] },
        }
    }

    /// Calls the function.
    pub(crate) fn call(
        self,
        arguments: &[Value],
        machine: &mut Machine<'_>,
    ) -> Result<Value, Trouble> {
        let tainted = arguments.iter().any(Value::is_tainted);
        let result = self.dispatch(&Arguments(arguments), machine);
        if !tainted {
            return result;
        }
        let value = result.map_err(|trouble| trouble.without_content(self.name()))?;
        Ok(value.deeply_tainted())
    }

    fn dispatch(
        self,
        arguments: &Arguments<'_>,
        machine: &mut Machine<'_>,
    ) -> Result<Value, Trouble> {
        let host = machine.scope.host;
        Ok(match self {
            Self::Quote | Self::UnsafeQuote | Self::AsYaml | Self::AsJson | Self::Str => {
                quoting::call(self, arguments.value(0)?, machine.budget)?
            }
            Self::Secret
            | Self::SharedSecret
            | Self::ConfigMap
            | Self::SharedConfigMap
            | Self::FreightMetadata
            | Self::FreightStatus
            | Self::StageMetadata => data::call(self, arguments.text(0)?, host)?,
            Self::Warehouse => freight::warehouse(arguments.text(0)?)?,
            Self::CommitFrom | Self::ImageFrom | Self::ChartFrom | Self::ArtifactFrom => {
                freight::call(self, arguments, host)?
            }
            Self::DiscoveredCommit
            | Self::DiscoveredImage
            | Self::DiscoveredChart
            | Self::DiscoveredArtifact => discovered::call(self, arguments, host)?,
            Self::SemverDiff => semver::difference(arguments.text(0)?, arguments.text(1)?),
            Self::SemverParse => semver::parse(arguments.text(0)?)?,
            Self::Always | Self::Failure | Self::Success => status::call(self, host),
            Self::Status => status::of_step(arguments.text(0)?, host)?,
        })
    }
}
