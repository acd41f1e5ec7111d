//! The events of a thread, in little memory.

use profile::{BuildError, FrameId};

/// One event of a thread. All times of a recording have the same unit, which can be any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Event {
    /// The time of the event.
    pub(crate) at: f64,
    /// The time of a second clock (the thread's processor time); NaN if there is none.
    pub(crate) cpu: f64,
    pub(crate) what: What,
}

/// The kind of event. Names are only compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    /// A call began.
    Begin { name: u32, frame: FrameId },
    /// A call ended: the innermost one, or the innermost one with that name. `frame` replaces the
    /// frame given at the beginning.
    End { name: Option<u32>, frame: Option<FrameId> },
    /// A whole call, with its end by both clocks, NaN if there is none by the second one.
    Complete { frame: FrameId, until: f64, cpu_until: f64 },
}

/// The events of a thread, in any order.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(super) list: Vec<StoredEvent>,
    /// Times by the second clock.
    cpu: Vec<f64>,
    /// Ends of whole calls by both clocks.
    ends: Vec<(f64, f64)>,
}

/// An [`Event`] of [`Events`]. There can be millions, so it is small.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredEvent {
    pub(super) at: f64,
    /// The index in [`Events::cpu`], or [`NONE`].
    cpu: u32,
    kind: Kind,
    /// The name, or [`NONE`]; of a whole call, the index in [`Events::ends`].
    name: u32,
    /// The frame, or [`NONE`].
    frame: u32,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Begin,
    End,
    Complete,
}

/// No index. Tables have fewer rows.
pub(super) const NONE: u32 = u32::MAX;

pub(super) fn some(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}

impl Events {
    /// Adds an event, unless its time is not finite.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn push(&mut self, event: Event) -> Result<(), BuildError> {
        let Event { at, cpu, what } = event;
        if !at.is_finite() {
            return Ok(());
        }
        if self.list.len() >= NONE as usize {
            return Err(BuildError::TooLarge("event"));
        }
        let (kind, name, frame) = match what {
            What::Begin { name, frame } => (Kind::Begin, name, frame.raw()),
            What::End { name, frame } => {
                (Kind::End, name.unwrap_or(NONE), frame.map_or(NONE, FrameId::raw))
            }
            What::Complete { frame, until, cpu_until } => {
                self.ends.push((until, cpu_until));
                (Kind::Complete, self.ends.len() as u32 - 1, frame.raw())
            }
        };
        let cpu = if cpu.is_nan() {
            NONE
        } else {
            self.cpu.push(cpu);
            self.cpu.len() as u32 - 1
        };
        self.list.push(StoredEvent { at, cpu, kind, name, frame });
        Ok(())
    }

    pub(super) fn event(&self, stored: &StoredEvent) -> Event {
        let &StoredEvent { at, cpu, kind, name, frame } = stored;
        let frame_id = FrameId::new(frame);
        let what = match kind {
            Kind::Begin => What::Begin { name, frame: frame_id },
            Kind::End => What::End { name: some(name), frame: some(frame).map(FrameId::new) },
            Kind::Complete => {
                let (until, cpu_until) = self.ends[name as usize];
                What::Complete { frame: frame_id, until, cpu_until }
            }
        };
        Event { at, cpu: some(cpu).map_or(f64::NAN, |cpu| self.cpu[cpu as usize]), what }
    }
}
