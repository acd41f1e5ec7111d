//! The events that the columns of costs count, and those that are computed from them.
//!
//! `events: Ir Dr` names the columns of a part. `event: S = Ir + 2 Dr : Sum` describes an event
//! that is not a column, and `event: Ir : Instructions` one that is. The title may state a unit of
//! time: `event: sysTime : sysTime (elapsed ns)`.

use crate::error::ReadError;
use crate::writer::Dialect;
use profile::{LineKnowledge, Metric, RowWeights, WarningCode, Warnings};

/// The largest number of events: each row has a weight for each.
const MAX_EVENTS: usize = 64;

#[derive(Default)]
pub(super) struct Events {
    /// The events of all parts.
    names: Vec<String>,
    /// The events of the columns of the current part, as indexes into `names`.
    part: Vec<usize>,
    described: Vec<Described>,
}

struct Described {
    name: String,
    formula: Option<String>,
    title: String,
}

impl Events {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The event that counts instructions.
    pub(super) fn instructions(&self) -> Option<usize> {
        self.names.iter().position(|name| name == "Ir")
    }

    /// The event of each column.
    pub(super) fn part(&self) -> &[usize] {
        &self.part
    }

    /// Handles the names after `events:`.
    pub(super) fn columns(&mut self, names: &str) -> Result<(), ReadError> {
        self.part.clear();
        for name in names.split_ascii_whitespace() {
            let event = self.names.iter().position(|other| other == name).unwrap_or_else(|| {
                self.names.push(name.to_owned());
                self.names.len() - 1
            });
            self.part.push(event);
            self.check()?;
        }
        Ok(())
    }

    /// Handles the text after `event:`.
    pub(super) fn describe(&mut self, text: &str) -> Result<(), ReadError> {
        let (head, title) = text.split_once(':').unwrap_or((text, ""));
        let (name, formula) = match head.split_once('=') {
            Some((name, formula)) => (name, Some(formula)),
            None => (head, None),
        };
        let name = name.trim();
        self.described.retain(|described| described.name != name);
        self.described.push(Described {
            name: name.to_owned(),
            formula: formula.map(str::to_owned),
            title: title.trim().to_owned(),
        });
        self.check()
    }

    fn check(&self) -> Result<(), ReadError> {
        if self.part.len().max(self.names.len() + self.described.len()) <= 2 * MAX_EVENTS
            && self.names.len() <= MAX_EVENTS
        {
            return Ok(());
        }
        Err(ReadError::too_large(format!(
            "there are more than {MAX_EVENTS} events; record fewer of them"
        )))
    }

    /// The dialect that only writes these events, for files that name no creator.
    pub(super) fn dialect(&self) -> Option<Dialect> {
        Some(match self.names.first()?.as_str() {
            "Ticks" => Dialect::Nytprof,
            "ns" => Dialect::Pyprof2calltree,
            "wall_time" | "process_time" | "allocations" | "memory" => Dialect::RubyProf,
            _ => return None,
        })
    }

    /// The metrics, and how to compute those that are not columns.
    pub(super) fn finish(
        &self,
        dialect: Option<Dialect>,
        lines: LineKnowledge,
        warnings: &mut Warnings,
    ) -> (Vec<Metric>, Derive) {
        let ours = dialect == Some(Dialect::Costline);
        let title = |name: &str| {
            self.described
                .iter()
                .find(|described| described.name == name)
                .map(|described| described.title.as_str())
        };
        let metric = |name: &str| {
            let title = title(name).unwrap_or_default();
            match (our_metric(title), time_unit(title).or(own_unit(dialect, name))) {
                (Some(metric), _) if ours => metric,
                (_, Some(unit)) => Metric::new(name, unit, None),
                _ => metric(name),
            }
        };
        let mut metrics: Vec<_> = self.names.iter().map(|name| metric(name)).collect();

        let mut terms: Vec<(&str, Vec<(f64, &str)>)> = Vec::new();
        for Described { name, formula, .. } in
            self.described.iter().filter(|described| !self.names.contains(&described.name))
        {
            let Some(formula) = formula else { continue };
            match self::terms(formula) {
                Some(formula) => terms.push((name, formula)),
                None => warnings.add(WarningCode::UnknownFormula, || {
                    format!("event {name}: expected a sum such as `Ir + 10 Bm`")
                }),
            }
        }
        // Formulas may use other formulas: resolve those that can be resolved until none can.
        let mut resolved: Vec<(&str, Vec<f64>)> = Vec::new();
        let unit = |event: usize| {
            (0..self.names.len()).map(|i| f64::from(u8::from(i == event))).collect::<Vec<_>>()
        };
        while let Some((i, factors)) = terms.iter().enumerate().find_map(|(i, (_, terms))| {
            let mut sums = vec![0.0; self.names.len()];
            for &(factor, name) in terms {
                let column = self.names.iter().position(|other| other == name).map(unit);
                let factors = column.or_else(|| {
                    Some(resolved.iter().find(|(other, _)| *other == name)?.1.clone())
                })?;
                sums.iter_mut().zip(factors).for_each(|(sum, one)| *sum += factor * one);
            }
            Some((i, sums))
        }) {
            resolved.push((terms.remove(i).0, factors));
        }
        for (name, _) in terms {
            warnings.add(WarningCode::UnknownFormula, || {
                format!("event {name} is computed from an unknown event or from itself")
            });
        }
        metrics.extend(resolved.iter().map(|(name, _)| metric(name)));
        let metrics = metrics.into_iter().map(|metric| metric.with_lines(lines)).collect();
        (
            metrics,
            Derive {
                n_columns: self.names.len(),
                factors: resolved.into_iter().map(|(_, factors)| factors).collect(),
            },
        )
    }
}

/// How events are computed from others.
pub(super) struct Derive {
    n_columns: usize,
    /// For each event that is not a column: the factor for each column.
    factors: Vec<Vec<f64>>,
}

impl Derive {
    pub(super) fn apply(&self, weights: &mut RowWeights) {
        weights.resize(self.n_columns, 0.0);
        for factors in &self.factors {
            let terms = weights.iter().zip(factors).map(|(weight, factor)| weight * factor);
            weights.push(terms.sum());
        }
    }
}

/// Parses `Ir + 10 Bm - 2*Dr`.
fn terms(formula: &str) -> Option<Vec<(f64, &str)>> {
    let mut terms = Vec::new();
    let mut rest = formula.trim_start();
    while !rest.is_empty() {
        let sign = if rest.starts_with('-') { -1.0 } else { 1.0 };
        rest = rest.strip_prefix(['+', '-']).unwrap_or(rest).trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (factor, after) = rest.split_at(digits);
        let factor = if digits == 0 { 1.0 } else { factor.parse().ok()? };
        let after = after.trim_start();
        let after = after.strip_prefix('*').unwrap_or(after).trim_start();
        let end = after
            .find(|c: char| c.is_whitespace() || matches!(c, '+' | '-' | '*'))
            .unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        if name.is_empty() {
            return None;
        }
        terms.push((sign * factor, name));
        rest = after.trim_start();
    }
    (!terms.is_empty()).then_some(terms)
}

/// The metric of an event. Xdebug puts the unit into the name: `Time_(10ns)`.
fn metric(name: &str) -> Metric {
    let unit = name.split_once('(').and_then(|(_, unit)| unit.strip_suffix(')')).unwrap_or(name);
    let digits = unit.bytes().take_while(u8::is_ascii_digit).count();
    let (count, each) = unit.split_at(digits);
    let mut metric = Metric::new(name, unit, None);
    if let Ok(count) = count.parse::<u32>() {
        metric.seconds_per_unit = Metric::new(name, each, None)
            .seconds_per_unit
            .map(|seconds| seconds * f64::from(count));
    }
    metric
}

/// The unit of time that ends a title, as valgrind writes it with `--collect-systime`:
/// `sysTime (elapsed ms)`, `sysCpuTime (system cpu ns)`.
fn time_unit(title: &str) -> Option<&str> {
    let (_, inner) = title.strip_suffix(')')?.rsplit_once('(')?;
    let unit = inner.rsplit(' ').next()?;
    matches!(unit, "ns" | "us" | "ms").then_some(unit)
}

/// The unit of times whose names and titles have none. Sources: `call_tree_printer.rb` of ruby-prof
/// 1.7 and nytprofcg of `Devel::NYTProf` 6.12, which multiply seconds by 1,000,000.
fn own_unit(dialect: Option<Dialect>, name: &str) -> Option<&'static str> {
    match (dialect?, name) {
        (Dialect::Nytprof, "Ticks") | (Dialect::RubyProf, "wall_time" | "process_time") => {
            Some("us")
        }
        _ => None,
    }
}

/// Parses a metric as Costline writes it: `cpu (ns)`.
fn our_metric(title: &str) -> Option<Metric> {
    let (name, unit) = title.strip_suffix(')')?.rsplit_once(" (")?;
    Some(Metric::new(name, unit, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_sums() {
        assert_eq!(terms("Ir + 10 Bm"), Some(vec![(1.0, "Ir"), (10.0, "Bm")]));
        assert_eq!(
            terms(" -Ir+2*Dr - 3 * Dw "),
            Some(vec![(-1.0, "Ir"), (2.0, "Dr"), (-3.0, "Dw")])
        );
        assert_eq!(terms("Ir Dr"), Some(vec![(1.0, "Ir"), (1.0, "Dr")]));
        assert_eq!((terms(""), terms("Ir + "), terms("Ir ** 2")), (None, None, None));
    }

    #[test]
    fn formulas_may_use_each_other_but_not_themselves() {
        let mut events = Events::default();
        events.columns("Ir Dr").unwrap();
        for text in [
            "T = 2 S - Ir : twice",
            "S = Ir + 2 Dr",
            "A = B",
            "B = A",
            "C = nothing",
            "Ir : Instructions",
            "D = * 1",
        ] {
            events.describe(text).unwrap();
        }
        let mut warnings = Warnings::default();
        let (metrics, derive) = events.finish(None, LineKnowledge::SelfAndTotal, &mut warnings);
        let names: Vec<_> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["Ir", "Dr", "S", "T"]);
        let mut weights = RowWeights::from([10.0, 3.0]);
        derive.apply(&mut weights);
        assert_eq!(weights[..], [10.0, 3.0, 16.0, 22.0]);
        assert_eq!(warnings.as_slice()[0].count, 4);
        let many: Vec<String> = (0..=MAX_EVENTS).map(|i| format!("e{i}")).collect();
        assert!(Events::default().columns(&many.join(" ")).is_err());
    }

    #[test]
    fn titles_state_units_of_time() {
        let mut events = Events::default();
        events.columns("Ir sysCount sysTime sysCpuTime").unwrap();
        for text in [
            "sysTime : sysTime (elapsed ms)",
            "sysCpuTime : sysCpuTime (system cpu ns)",
            "Ir : Instructions (in terms of vex)",
        ] {
            events.describe(text).unwrap();
        }
        let lines = LineKnowledge::SelfAndTotal;
        let (metrics, _) = events.finish(None, lines, &mut Warnings::default());
        let units = metrics.iter().map(|metric| (&*metric.name, &*metric.unit));
        assert_eq!(
            units.collect::<Vec<_>>(),
            [("Ir", "Ir"), ("sysCount", "sysCount"), ("sysTime", "ms"), ("sysCpuTime", "ns")]
        );
        assert_eq!(metrics[2].seconds_per_unit, Some(1e-3));
    }

    #[test]
    fn ruby_prof_and_nytprof_count_microseconds() {
        for (dialect, name, expected) in [
            (Dialect::RubyProf, "wall_time", ("us", Some(1e-6))),
            (Dialect::RubyProf, "process_time", ("us", Some(1e-6))),
            (Dialect::RubyProf, "allocations", ("allocations", None)),
            (Dialect::Nytprof, "Ticks", ("us", Some(1e-6))),
            (Dialect::Xdebug, "Ticks", ("Ticks", None)),
        ] {
            let mut events = Events::default();
            events.columns(name).unwrap();
            let lines = LineKnowledge::SelfAndTotal;
            let (metrics, _) = events.finish(Some(dialect), lines, &mut Warnings::default());
            assert_eq!((&*metrics[0].unit, metrics[0].seconds_per_unit), expected, "{name}");
        }
    }

    #[test]
    fn units_are_in_names_or_are_names() {
        let seconds = |name| {
            (
                metric(name).unit,
                metric(name).seconds_per_unit.map(|seconds| (seconds * 1e9).round()),
            )
        };
        assert_eq!(seconds("Time_(10ns)"), ("10ns".to_owned(), Some(10.0)));
        assert_eq!(seconds("Memory_(bytes)"), ("bytes".to_owned(), None));
        assert_eq!(seconds("ns"), ("ns".to_owned(), Some(1.0)));
        assert_eq!(seconds("Ir"), ("Ir".to_owned(), None));
        assert_eq!(
            our_metric("cpu (ns)").map(|metric| (metric.name, metric.unit)),
            Some(("cpu".to_owned(), "ns".to_owned()))
        );
    }
}
