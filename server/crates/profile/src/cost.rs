//! Self and inclusive costs.

/// The inclusive cost of a line, function or edge, and how exact it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Total {
    /// The exact weight.
    Exact(f64),
    /// Between two weights, inclusive. This is all that a recursive call graph says about a line.
    Bounded {
        /// At least this.
        min: f64,
        /// At most this.
        max: f64,
    },
    /// An estimate. It must be marked as such wherever it is shown.
    Estimated(f64),
    /// Not known from this format.
    Unknown,
}

impl Total {
    /// The weight, if it is exact.
    pub fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(weight) => Some(weight),
            _ => None,
        }
    }

    /// The total in other units.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Self {
        match self {
            Self::Exact(weight) => Self::Exact(weight * scale),
            Self::Estimated(weight) => Self::Estimated(weight * scale),
            Self::Bounded { min, max } => Self::Bounded { min: min * scale, max: max * scale },
            Self::Unknown => Self::Unknown,
        }
    }

    /// The sum of two totals that do not overlap, such as the totals of two threads.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let ends = |total| match total {
            Self::Exact(weight) | Self::Estimated(weight) => Some((weight, weight)),
            Self::Bounded { min, max } => Some((min, max)),
            Self::Unknown => None,
        };
        let (Some((min, max)), Some((other_min, other_max))) = (ends(self), ends(other)) else {
            return Self::Unknown;
        };
        let (min, max) = (min + other_min, max + other_max);
        match (self, other) {
            (Self::Exact(_), Self::Exact(_)) => Self::Exact(max),
            (Self::Estimated(_), _) | (_, Self::Estimated(_)) => Self::Estimated(max),
            _ => Self::Bounded { min, max },
        }
    }
}

/// Self and inclusive cost in raw weights of one metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The weight of the samples whose leaf is here.
    pub self_: f64,
    /// The weight of the samples whose stack passes here at least once.
    pub total: Total,
}

impl Cost {
    /// The weight to rank and to filter by: the greater of |self| and |total|.
    pub fn magnitude(self) -> f64 {
        let total = match self.total {
            Total::Exact(weight) | Total::Estimated(weight) => weight.abs(),
            Total::Bounded { min, max } => min.abs().max(max.abs()),
            Total::Unknown => 0.0,
        };
        total.max(self.self_.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_in_other_units_keep_what_is_known_of_them() {
        let bounded = |min, max| Total::Bounded { min, max };
        assert_eq!(Total::Exact(3.0).scaled(5.0).exact(), Some(15.0));
        assert_eq!(Total::Estimated(3.0).exact(), None);
        assert_eq!(Total::Estimated(3.0).scaled(5.0), Total::Estimated(15.0));
        assert_eq!(bounded(3.0, 4.0).scaled(5.0), bounded(15.0, 20.0));
        assert_eq!(Total::Unknown.scaled(5.0), Total::Unknown);
    }

    #[test]
    fn sums_are_as_certain_as_their_least_certain_part() {
        let (exact, estimated) = (Total::Exact(3.0), Total::Estimated(4.0));
        let bounded = Total::Bounded { min: 1.0, max: 2.0 };
        assert_eq!(exact.plus(exact), Total::Exact(6.0));
        assert_eq!(exact.plus(bounded), Total::Bounded { min: 4.0, max: 5.0 });
        assert_eq!(exact.plus(estimated), Total::Estimated(7.0));
        assert_eq!(bounded.plus(estimated), Total::Estimated(6.0));
        assert_eq!(exact.plus(Total::Unknown), Total::Unknown);
    }

    #[test]
    fn magnitudes_are_the_greater_of_self_and_total() {
        let magnitude = |self_, total| Cost { self_, total }.magnitude();
        assert_eq!(magnitude(-5.0, Total::Exact(3.0)), 5.0);
        assert_eq!(magnitude(1.0, Total::Bounded { min: -7.0, max: 2.0 }), 7.0);
        assert_eq!(magnitude(1.0, Total::Unknown), 1.0);
    }
}
