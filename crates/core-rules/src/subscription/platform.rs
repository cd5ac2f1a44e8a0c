//! The platform an image must be built for.

/// The constraint is not of the form `os/arch[/variant]`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid platform constraint {constraint:?}: must be of the form os/arch or os/arch/variant"
)]
pub struct PlatformError {
    constraint: String,
}

/// An operating system with an architecture and possibly a variant of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Such as `linux`.
    pub os: String,
    /// Such as `arm`.
    pub arch: String,
    /// Such as `v7`, or nothing.
    pub variant: String,
}

impl Platform {
    /// Reads a constraint; an empty one asks for nothing.
    pub fn parse_constraint(constraint: &str) -> Result<Option<Self>, PlatformError> {
        if constraint.is_empty() {
            return Ok(None);
        }
        let (os, rest) = constraint
            .split_once('/')
            .ok_or_else(|| PlatformError { constraint: constraint.to_owned() })?;
        let (arch, variant) = rest.split_once('/').unwrap_or((rest, ""));
        Ok(Some(Self { os: os.to_owned(), arch: arch.to_owned(), variant: variant.to_owned() }))
    }

    /// Whether something built for `offered` is what this constraint asks for. One that names no
    /// variant takes any.
    pub fn is_met_by(&self, offered: &Self) -> bool {
        self.os == offered.os
            && self.arch == offered.arch
            && (self.variant.is_empty() || self.variant == offered.variant)
    }
}

#[cfg(test)]
mod tests {
    use super::Platform;

    #[test]
    fn a_constraint_has_two_or_three_parts() {
        let parse = |constraint| Platform::parse_constraint(constraint);
        assert_eq!(parse(""), Ok(None));
        assert!(parse("linux").is_err());
        let platform = parse("linux/arm/v7").unwrap().unwrap();
        assert_eq!(
            (platform.os, platform.arch, platform.variant),
            ("linux".into(), "arm".into(), "v7".into())
        );
    }

    #[test]
    fn a_constraint_without_a_variant_takes_any() {
        let platform = |text| Platform::parse_constraint(text).unwrap().unwrap();
        for (asked, offered, is_met) in [
            ("linux/arm", "linux/arm/v7", true),
            ("linux/arm/v7", "linux/arm/v7", true),
            ("linux/arm/v7", "linux/arm/v6", false),
            ("linux/arm/v7", "linux/arm", false),
            ("linux/arm", "linux/arm64", false),
            ("windows/arm", "linux/arm", false),
        ] {
            assert_eq!(platform(asked).is_met_by(&platform(offered)), is_met, "{asked} {offered}");
        }
    }
}
