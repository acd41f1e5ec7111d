//! What something costs.

/// The inclusive cost of a line, function or edge, as well as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Total {
    /// Exactly this weight.
    Exact(f64),
    /// Between the two, both included: all that a recursive call graph tells about a line.
    Bounded {
        /// At least this.
        min: f64,
        /// At most this.
        max: f64,
    },
    /// A guess that must be marked as one wherever it is shown.
    Estimated(f64),
    /// The format cannot tell.
    Unknown,
}

impl Total {
    /// The weight, where it is exact.
    pub fn exact(self) -> Option<f64> {
        match self {
            Self::Exact(weight) => Some(weight),
            _ => None,
        }
    }

    /// The total of two things that have nothing in common, such as two threads.
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
    /// Weight of the samples whose leaf is here.
    pub self_: f64,
    /// Weight of the samples that pass here at least once.
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
