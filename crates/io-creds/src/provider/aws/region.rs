//! Regions of AWS, and what follows from their names.

/// A region of AWS, in the letters that can stand in a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region(String);

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

    /// The domain of services there.
    pub(crate) fn service_suffix(&self, dual_stack: bool) -> &'static str {
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
