//! Host names of ECR, and those of the services that belong to them.

/// A private registry of ECR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registry {
    /// The account that owns it, twelve digits.
    pub(crate) account: String,
    /// Where it is.
    pub(crate) region: Region,
    reach: Reach,
}

/// A region of AWS, in the letters that can stand in a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region(String);

/// The endpoints that a host name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    fips: bool,
    dual_stack: bool,
}

/// Host suffixes with the infixes before the region, and what they ask for.
const FORMS: [(&str, &str, Reach); 8] = [
    (".amazonaws.com", ".dkr.ecr.", Reach { fips: false, dual_stack: false }),
    (".amazonaws.com", ".dkr.ecr-fips.", Reach { fips: true, dual_stack: false }),
    (".amazonaws.com.cn", ".dkr.ecr.", Reach { fips: false, dual_stack: false }),
    (".amazonaws.com.cn", ".dkr.ecr-fips.", Reach { fips: true, dual_stack: false }),
    (".on.aws", ".dkr-ecr.", Reach { fips: false, dual_stack: true }),
    (".on.aws", ".dkr-ecr-fips.", Reach { fips: true, dual_stack: true }),
    (".on.amazonwebservices.com.cn", ".dkr-ecr.", Reach { fips: false, dual_stack: true }),
    (".on.amazonwebservices.com.cn", ".dkr-ecr-fips.", Reach { fips: true, dual_stack: true }),
];

impl Registry {
    /// Reads the normal form of an image or chart repository; `None` when it is not in ECR.
    pub(crate) fn of(repository: &str) -> Option<Self> {
        let (host, _) = repository.split_once('/')?;
        FORMS.into_iter().find_map(|(suffix, infix, reach)| {
            let (account, region) = host.strip_suffix(suffix)?.split_once(infix)?;
            let is_account = account.len() == 12 && account.bytes().all(|b| b.is_ascii_digit());
            let region = Region::parse(region)?;
            is_account.then(|| Self { account: account.to_owned(), region, reach })
        })
    }

    /// Where passwords for registries like this one are given out, in `region`.
    pub(crate) fn endpoint(&self, region: &Region) -> String {
        let fips = if self.reach.fips { "-fips" } else { "" };
        let service = match self.reach {
            Reach { fips: false, dual_stack: false } => "api.ecr".to_owned(),
            _ => format!("ecr{fips}"),
        };
        let suffix = region.service_suffix(self.reach.dual_stack);
        format!("https://{service}.{}.{suffix}", region.0)
    }
}

impl Region {
    /// Reads a region. Nothing else may come into a host name that we sign requests for.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_region = (4..=32).contains(&text.len()) && text.bytes().all(is_name);
        is_region.then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of AWS that the region is in, as resource names spell it.
    pub(crate) fn partition(&self) -> &'static str {
        if self.is_china() {
            "aws-cn"
        } else if self.0.starts_with("us-gov-") {
            "aws-us-gov"
        } else {
            "aws"
        }
    }

    /// Where identities are asked for.
    pub(crate) fn sts_endpoint(&self) -> String {
        format!("https://sts.{}.{}", self.0, self.service_suffix(false))
    }

    fn service_suffix(&self, dual_stack: bool) -> &'static str {
        match (self.is_china(), dual_stack) {
            (false, false) => "amazonaws.com",
            (false, true) => "api.aws",
            (true, false) => "amazonaws.com.cn",
            (true, true) => "api.amazonwebservices.com.cn",
        }
    }

    fn is_china(&self) -> bool {
        self.0.starts_with("cn-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_host_name_is_known_with_its_endpoint() {
        let table = [
            ("dkr.ecr.us-east-1.amazonaws.com", "https://api.ecr.us-east-1.amazonaws.com"),
            ("dkr.ecr-fips.us-east-1.amazonaws.com", "https://ecr-fips.us-east-1.amazonaws.com"),
            ("dkr.ecr.cn-north-1.amazonaws.com.cn", "https://api.ecr.cn-north-1.amazonaws.com.cn"),
            ("dkr.ecr.us-gov-west-1.amazonaws.com", "https://api.ecr.us-gov-west-1.amazonaws.com"),
            ("dkr-ecr.eu-west-1.on.aws", "https://ecr.eu-west-1.api.aws"),
            ("dkr-ecr-fips.us-west-2.on.aws", "https://ecr-fips.us-west-2.api.aws"),
            (
                "dkr-ecr.cn-north-1.on.amazonwebservices.com.cn",
                "https://ecr.cn-north-1.api.amazonwebservices.com.cn",
            ),
        ];
        for (host, endpoint) in table {
            let registry = Registry::of(&format!("123456789012.{host}/team/app")).unwrap();
            assert_eq!(registry.account, "123456789012");
            assert_eq!(registry.endpoint(&registry.region), endpoint);
        }
    }

    #[test]
    fn other_hosts_are_not_ecr() {
        for repository in [
            "123456789012.dkr.ecr.us-east-1.amazonaws.com",
            "12345678901.dkr.ecr.us-east-1.amazonaws.com/a",
            "a23456789012.dkr.ecr.us-east-1.amazonaws.com/a",
            "123456789012.dkr.ecr.us-east-1.amazonaws.com.evil.example/a",
            "123456789012.dkr.ecr.evil.example/x.amazonaws.com/a",
            "123456789012.dkr.ecr.us.east.1.amazonaws.com/a",
            "123456789012.dkr.ecr..amazonaws.com/a",
            "public.ecr.aws/nginx/nginx",
            "ghcr.io/a",
            "",
        ] {
            assert_eq!(Registry::of(repository), None, "{repository}");
        }
    }

    #[test]
    fn a_region_decides_the_partition_and_where_sts_is() {
        let table = [
            ("us-east-1", "aws", "https://sts.us-east-1.amazonaws.com"),
            ("us-gov-east-1", "aws-us-gov", "https://sts.us-gov-east-1.amazonaws.com"),
            ("cn-northwest-1", "aws-cn", "https://sts.cn-northwest-1.amazonaws.com.cn"),
        ];
        for (region, partition, sts) in table {
            let region = Region::parse(region).unwrap();
            assert_eq!((region.partition(), region.sts_endpoint().as_str()), (partition, sts));
        }
        for wrong in ["", "us", "us-east-1.evil.example", "us-east-1/", "US-EAST-1", "a b c d"] {
            assert_eq!(Region::parse(wrong), None, "{wrong}");
        }
    }
}
