//! Functions beside the built-ins: quoting, data, Freight, versions, and the state of steps.

mod data;
mod discovered;
mod freight;
mod function;
mod object;
mod quoting;
mod semver;
mod status;

pub(crate) use function::HostFunction;
pub(crate) use object::{ORIGIN, step_record};
pub(crate) use semver::increment;

/// A set of functions. Which ones an expression may call depends on where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library(u8);

impl Library {
    /// No functions but the built-ins.
    pub const PLAIN: Self = Self(0);
    /// `quote`, `unsafeQuote`, `asYAML`, `asJSON`, `str`: all templates have them.
    pub const QUOTING: Self = Self(1);
    /// `secret`, `sharedSecret`, `configMap`, `sharedConfigMap`, `freightMetadata`,
    /// `freightStatus`, `stageMetadata`.
    pub const DATA: Self = Self(1 << 1);
    /// `warehouse`, `commitFrom`, `imageFrom`, `chartFrom`, `artifactFrom` for Freight, and
    /// `freightMetadata`, `freightStatus`.
    pub const FREIGHT: Self = Self(1 << 2);
    /// `semverDiff`, `semverParse`.
    pub const UTILITY: Self = Self(1 << 3);
    /// `always`, `success`, `failure`, `status`.
    pub const STATUS: Self = Self(1 << 4);
    /// `commitFrom`, `imageFrom`, `chartFrom`, `artifactFrom` for what a Warehouse found.
    pub const DISCOVERED: Self = Self(1 << 5);

    /// What Promotion variables, step variables and verification arguments have.
    pub const VARIABLES: Self = Self::DATA.and(Self::FREIGHT).and(Self::UTILITY);
    /// What `if` and `config` of steps have.
    pub const STEP: Self = Self::VARIABLES.and(Self::STATUS);
    /// What Freight creation criteria of Warehouses have.
    pub const CRITERIA: Self = Self::DISCOVERED.and(Self::UTILITY);

    /// All functions of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn function(self, name: &str) -> Option<HostFunction> {
        HostFunction::named(name, self)
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

#[cfg(test)]
mod tests;
