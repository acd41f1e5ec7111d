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
