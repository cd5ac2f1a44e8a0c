//! Host names of ECR, and those of the services that belong to them.

use crate::provider::aws::Region;

/// A private registry of ECR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registry {
    /// The account that owns it, twelve digits.
    pub(crate) account: String,
    /// Where it is.
    pub(crate) region: Region,
    reach: Reach,
}

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
        format!("https://{service}.{}.{suffix}", region.as_str())
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
}
