//! Declarations of functions: file, line, column and plain name, from their entries (DIEs) in DWARF.
//!
//! The line table gives the file of an instruction, which macros and included text can move
//! elsewhere. Only the entry says where the function itself is.

use addr2line::gimli::{
    self, AttributeValue, DebugInfoOffset, DwoId, EndianSlice, RunTimeEndian, Unit, UnitOffset,
    UnitRef, UnitSectionOffset,
};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// Entries refer to other entries; a malformed file could do so in a circle.
const MAX_STEPS: usize = 16;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// The declaration of a function.
#[derive(Clone, Default)]
pub(crate) struct Declared {
    /// The file as debug info spells it, and the line (1-based).
    pub place: Option<(Arc<str>, u32)>,
    /// The column (1-based; 0 = unknown).
    pub column: u64,
    /// The plain name, without scope and parameters.
    pub name: Option<Arc<str>>,
}

/// An entry within its unit, and the unit within its file.
type Key = (Option<DwoId>, UnitSectionOffset, UnitOffset);

/// The declarations of one file, read on demand.
#[derive(Default)]
pub(crate) struct Declarations<'a> {
    cache: RefCell<FxHashMap<Key, Declared>>,
    /// All units, because with link-time optimization entries refer to other units.
    units: OnceCell<Vec<Unit<Slice<'a>>>>,
    /// The units of debug info that several files share.
    shared_units: OnceCell<Vec<Unit<Slice<'a>>>>,
}

impl<'a> Declarations<'a> {
    /// The declaration of the function of an entry.
    pub fn of(&self, unit: UnitRef<'_, Slice<'a>>, entry: UnitOffset) -> Declared {
        let key = (unit.dwo_id, unit.header.offset(), entry);
        if let Some(declared) = self.cache.borrow().get(&key) {
            return declared.clone();
        }
        let declared = self.read(unit, entry).unwrap_or_default();
        self.cache.borrow_mut().insert(key, declared.clone());
        declared
    }

    /// Attributes that an entry lacks are in the one it refers to: an instance refers to the
    /// function, a definition to its declaration.
    fn read(&self, unit: UnitRef<'_, Slice<'a>>, entry: UnitOffset) -> gimli::Result<Declared> {
        let (dwarf, unit, units) = (unit.dwarf, unit.unit, &self.units);
        let mut at = Entry { dwarf, unit, offset: entry, units };
        let (mut file, mut line, mut column, mut name) = (None, None, None, None);
        for _ in 0..MAX_STEPS {
            if line.is_none() {
                line = at.line()?;
            }
            if column.is_none() {
                column = at.column()?;
            }
            if file.is_none() {
                file = at.file()?;
            }
            if name.is_none() {
                name = at.name()?;
            }
            if file.is_some() && line.is_some() && name.is_some() {
                break;
            }
            let origin = match at.value(gimli::DW_AT_abstract_origin)? {
                None => at.value(gimli::DW_AT_specification)?,
                origin => origin,
            };
            let Some(next) = self.referred(at, origin) else { break };
            at = next;
        }
        if line.is_none() && name.as_deref() == Some("operator()") {
            (file, line) = self.closure(at)?;
        }
        let line = line.and_then(|line| u32::try_from(line).ok()).filter(|&line| line != 0);
        let place = file.zip(line).map(|(file, line)| (file.as_str().into(), line));
        let name = name.map(|name| name.as_str().into());
        Ok(Declared { place, column: column.unwrap_or(0), name })
    }

    /// The file and the line of the type that a method is called on. GCC does not say where the
    /// function of a lambda is, but where its type is, which is the same place.
    fn closure(&self, method: Entry<'_, 'a>) -> gimli::Result<(Option<String>, Option<u64>)> {
        let object = method.value(gimli::DW_AT_object_pointer)?;
        let mut next = self.referred(method, object);
        for _ in 0..MAX_STEPS {
            let Some(at) = next else { break };
            if let Some(line) = at.line()?.filter(|_| at.is_class()) {
                return Ok((at.file()?, Some(line)));
            }
            next = self.referred(at, at.value(gimli::DW_AT_type)?);
        }
        Ok((None, None))
    }

    /// The entry that an attribute of another one refers to.
    fn referred<'d>(
        &'d self,
        from: Entry<'d, 'a>,
        reference: Option<AttributeValue<Slice<'a>>>,
    ) -> Option<Entry<'d, 'a>> {
        let Entry { dwarf, unit, units, .. } = from;
        match reference? {
            AttributeValue::UnitRef(offset) => Some(Entry { offset, ..from }),
            AttributeValue::DebugInfoRef(offset) if unit.dwo_id.is_none() => {
                let (unit, offset) = unit_at(units, dwarf, offset)?;
                Some(Entry { unit, offset, ..from })
            }
            AttributeValue::DebugInfoRefSup(offset) => {
                let (dwarf, units) = (dwarf.sup()?, &self.shared_units);
                let (unit, offset) = unit_at(units, dwarf, offset)?;
                Some(Entry { dwarf, unit, offset, units })
            }
            _ => None,
        }
    }
}

/// An entry.
#[derive(Clone, Copy)]
struct Entry<'d, 'a> {
    dwarf: &'d gimli::Dwarf<Slice<'a>>,
    unit: &'d Unit<Slice<'a>>,
    offset: UnitOffset,
    /// The units of `dwarf`, read on first use.
    units: &'d OnceCell<Vec<Unit<Slice<'a>>>>,
}

impl<'a> Entry<'_, 'a> {
    fn value(&self, name: gimli::DwAt) -> gimli::Result<Option<AttributeValue<Slice<'a>>>> {
        self.unit.entry(self.offset)?.attr_value(name)
    }

    fn line(&self) -> gimli::Result<Option<u64>> {
        Ok(self.value(gimli::DW_AT_decl_line)?.and_then(|line| line.udata_value()))
    }

    fn column(&self) -> gimli::Result<Option<u64>> {
        Ok(self.value(gimli::DW_AT_decl_column)?.and_then(|column| column.udata_value()))
    }

    fn file(&self) -> gimli::Result<Option<String>> {
        match self.value(gimli::DW_AT_decl_file)? {
            Some(AttributeValue::FileIndex(index)) => {
                file_name(self.unit.unit_ref(self.dwarf), index)
            }
            _ => Ok(None),
        }
    }

    fn name(&self) -> gimli::Result<Option<String>> {
        let Some(value) = self.value(gimli::DW_AT_name)? else { return Ok(None) };
        let name = self.unit.unit_ref(self.dwarf).attr_string(value)?;
        Ok(Some(name.to_string_lossy().into_owned()))
    }

    /// Whether it is a class: neither a parameter nor a pointer to one.
    fn is_class(&self) -> bool {
        let tag = self.unit.entry(self.offset).map(|entry| entry.tag());
        matches!(tag, Ok(gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type))
    }
}

/// The unit of an entry and the offset of the entry in it. `units` are the units of `dwarf`, read
/// on first use.
fn unit_at<'u, 'a>(
    units: &'u OnceCell<Vec<Unit<Slice<'a>>>>,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    entry: DebugInfoOffset,
) -> Option<(&'u Unit<Slice<'a>>, UnitOffset)> {
    let units = units.get_or_init(|| {
        let mut headers = dwarf.units();
        let mut units = Vec::new();
        while let Ok(Some(header)) = headers.next() {
            units.extend(dwarf.unit(header).ok());
        }
        units
    });
    let start = |unit: &Unit<Slice<'a>>| unit.header.offset().as_debug_info_offset();
    let next = units.partition_point(|unit| start(unit).is_some_and(|start| start <= entry));
    let unit = units.get(next.checked_sub(1)?)?;
    Some((unit, entry.to_unit_offset(&unit.header)?))
}

/// The path of a unit's file, spelled like the files of its lines.
pub(crate) fn file_name(unit: UnitRef<'_, Slice<'_>>, index: u64) -> gimli::Result<Option<String>> {
    let Some(program) = &unit.line_program else { return Ok(None) };
    let header = program.header();
    let Some(file) = header.file(index) else { return Ok(None) };
    let mut path =
        unit.comp_dir.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    if file.directory_index() != 0
        && let Some(folder) = file.directory(header)
    {
        push_path(&mut path, &unit.attr_string(folder)?.to_string_lossy());
    }
    push_path(&mut path, &unit.attr_string(file.path_name())?.to_string_lossy());
    Ok(Some(path))
}

/// Appends to a path of any system; an absolute path replaces it.
fn push_path(path: &mut String, rest: &str) {
    let has_drive = |path: &str| path.starts_with('\\') || path.get(1..3) == Some(":\\");
    let separator = if has_drive(path) { '\\' } else { '/' };
    if rest.starts_with('/') || has_drive(rest) {
        path.clear();
    } else if !path.is_empty() && !path.ends_with(separator) {
        path.push(separator);
    }
    path.push_str(rest);
}
