//! Amounts such as `100m`, `1.5Gi` or `3e6`.

/// The smallest part that is told apart.
const UNIT: i128 = 1_000_000_000;
/// Amounts are cut to this many units.
const LIMIT: i128 = i64::MAX as i128 * UNIT;

/// An amount in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cel) struct Quantity {
    parts: i128,
    /// Whether it was larger than what can be told.
    cut: bool,
}

impl Quantity {
    pub(super) fn whole(number: i64) -> Self {
        Self { parts: i128::from(number) * UNIT, cut: false }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, suffix) = rest.split_at(end.unwrap_or(rest.len()));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return None;
        }
        let scale = Scale::parse(suffix)?;
        let digits = format!("{whole}{fraction}");
        let places = i64::try_from(fraction.len()).ok()?;
        let magnitude = scale.apply(digits.trim_start_matches('0'), places);
        let cut = magnitude.is_none_or(|parts| parts > LIMIT);
        let parts = magnitude.unwrap_or(LIMIT).min(LIMIT);
        Some(Self { parts: if negative { -parts } else { parts }, cut })
    }

    pub(super) fn sign(self) -> i64 {
        i64::try_from(self.parts.signum()).unwrap_or_default()
    }

    /// The number, if it is a whole one.
    pub(super) fn as_integer(self) -> Option<i64> {
        let whole = !self.cut && self.parts % UNIT == 0;
        i64::try_from(self.parts / UNIT).ok().filter(|_| whole)
    }

    #[expect(clippy::cast_precision_loss, reason = "it is approximate by its name")]
    pub(super) fn as_float(self) -> f64 {
        self.parts as f64 / UNIT as f64
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { parts: self.parts.saturating_add(other.parts), cut: self.cut || other.cut }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(Self { parts: -other.parts, ..other })
    }
}

/// What a number is multiplied with.
enum Scale {
    /// A power of ten.
    Ten(i64),
    /// A power of 1024.
    Binary(u32),
}

impl Scale {
    fn parse(suffix: &str) -> Option<Self> {
        if let Some(power) = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter().position(|s| *s == suffix)
        {
            return u32::try_from(power + 1).ok().map(Self::Binary);
        }
        let thousands = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        if let Some(power) = thousands.iter().position(|known| *known == suffix) {
            return i64::try_from(power).ok().map(|power| Self::Ten((power - 3) * 3));
        }
        let exponent = suffix.strip_prefix(['e', 'E'])?;
        exponent.parse::<i32>().ok().map(|power| Self::Ten(power.into()))
    }

    /// Billionths of a number without leading zeros whose last `places` digits are a fraction; none if there are too many.
    /// What is smaller counts as one.
    fn apply(&self, digits: &str, places: i64) -> Option<i128> {
        if digits.is_empty() {
            return Some(0);
        }
        let (power, factor) = match self {
            Self::Ten(power) => (power + 9 - places, 1),
            Self::Binary(power) => (9 - places, 1024_i128.checked_pow(*power)?),
        };
        let number = digits.parse::<i128>().ok()?.checked_mul(factor)?;
        let ten = |power: i64| 10_i128.checked_pow(u32::try_from(power).ok()?);
        if power >= 0 {
            return number.checked_mul(ten(power)?);
        }
        Some(ten(-power).map_or(1, |divisor| (number + divisor - 1) / divisor))
    }
}
