//! The types of a chunk, as its metadata describe them. Which fields a type has, and their order, differs
//! between versions.

use super::cursor::{Cursor, Text};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// How deep elements of the metadata, and values in values, may be nested.
const MAX_DEPTH: usize = 32;

/// The types of a chunk by their numbers.
#[derive(Debug, Default)]
pub(super) struct Types {
    types: FxHashMap<i64, Type>,
}

#[derive(Debug)]
struct Type {
    name: String,
    fields: Vec<Field>,
}

#[derive(Debug, Clone)]
struct Field {
    name: String,
    type_id: i64,
    /// Whether it is the number of a value in a pool.
    is_pooled: bool,
    is_array: bool,
    /// Whether it is a time in ticks of the chunk's clock.
    is_in_ticks: bool,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    /// There is no such field.
    Absent,
    /// A number, or the number of a value in a pool.
    Number(i64),
    /// A time in ticks.
    Ticks(i64),
    Text(Text<'a>),
    /// A list or another value, as its bytes.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// 0 if there is no such field, or if it is no number.
    pub(super) fn number(&self) -> i64 {
        match *self {
            Self::Number(number) | Self::Ticks(number) => number,
            Self::Absent | Self::Text(_) | Self::Bytes(_) => 0,
        }
    }
}

/// The fields of a type, and which of them are wanted.
#[derive(Debug)]
pub(super) struct Layout<'t, const N: usize> {
    types: &'t Types,
    /// Each with its place among the wanted ones.
    fields: Vec<(&'t Field, Option<usize>)>,
}

impl<const N: usize> Layout<'_, N> {
    /// The wanted fields of the next value.
    pub(super) fn read<'a>(&self, cursor: &mut Cursor<'a>) -> Option<[Value<'a>; N]> {
        let mut values = [const { Value::Absent }; N];
        for (field, wanted) in &self.fields {
            match wanted.and_then(|at| values.get_mut(at)) {
                Some(value) => *value = self.types.value(field, cursor)?,
                None => self.types.skip_field(field, cursor, 0)?,
            }
        }
        Some(values)
    }
}

impl Types {
    /// Reads the payload of the metadata event. `None` if it is malformed.
    pub(super) fn read(mut cursor: Cursor<'_>) -> Option<Self> {
        let _start = cursor.long()?;
        let _duration = cursor.long()?;
        let _id = cursor.long()?;
        let texts = (0..cursor.count()?).map(|_| match cursor.text()? {
            Text::Inline(text) => Some(text),
            Text::Pooled(_) => None,
        });
        let texts: Vec<Cow<'_, str>> = texts.collect::<Option<_>>()?;
        let mut types = Self::default();
        let root = Element::read(&mut cursor, &texts, 0)?;
        let metadata = root.children.iter().filter(|element| element.name == "metadata");
        for class in metadata.flat_map(|element| &element.children) {
            if class.name == "class" {
                types.add(class, &root)?;
            }
        }
        Some(types)
    }

    fn add(&mut self, class: &Element<'_>, root: &Element<'_>) -> Option<()> {
        let fields = class.children.iter().filter(|child| child.name == "field");
        let fields = fields.map(|field| {
            Some(Field {
                name: field.attribute("name")?.to_owned(),
                type_id: field.attribute("class")?.parse().ok()?,
                is_pooled: field.attribute("constantPool") == Some("true"),
                is_array: field.attribute("dimension").is_some_and(|it| it != "0"),
                is_in_ticks: field.is_in_ticks(root),
            })
        });
        let fields = fields.collect::<Option<_>>()?;
        let name = class.attribute("name")?.to_owned();
        self.types.insert(class.attribute("id")?.parse().ok()?, Type { name, fields });
        Some(())
    }

    /// The name of a type. Empty if the metadata do not have it.
    pub(super) fn name(&self, id: i64) -> &str {
        self.types.get(&id).map_or("", |known| &known.name)
    }

    /// Which fields of a type are wanted.
    pub(super) fn layout<const N: usize>(&self, id: i64, wanted: [&str; N]) -> Layout<'_, N> {
        let fields = self.types.get(&id).map_or(&[][..], |known| &known.fields);
        let place = |field: &Field| wanted.iter().position(|name| *name == field.name);
        Layout { types: self, fields: fields.iter().map(|field| (field, place(field))).collect() }
    }

    /// The number of a type.
    pub(super) fn id(&self, name: &str) -> Option<i64> {
        self.types.iter().find(|(_, known)| known.name == name).map(|(&id, _)| id)
    }

    fn value<'a>(&self, field: &Field, cursor: &mut Cursor<'a>) -> Option<Value<'a>> {
        let start = *cursor;
        let name = self.name(field.type_id);
        Some(match name {
            _ if field.is_array => {
                self.skip_field(field, cursor, 0)?;
                Value::Bytes(start.until(*cursor))
            }
            _ if field.is_pooled => Value::Number(cursor.long()?),
            "boolean" | "byte" => Value::Number(i64::from(cursor.byte()?.cast_signed())),
            "short" | "char" => Value::Number(cursor.short()?),
            "int" => Value::Number(cursor.int()?.into()),
            "long" if field.is_in_ticks => Value::Ticks(cursor.long()?),
            "long" => Value::Number(cursor.long()?),
            "java.lang.String" => Value::Text(cursor.text()?),
            _ => {
                self.skip_field(field, cursor, 0)?;
                Value::Bytes(start.until(*cursor))
            }
        })
    }

    /// Skips a value of a type.
    fn skip(&self, id: i64, cursor: &mut Cursor<'_>, depth: usize) -> Option<()> {
        let known = self.types.get(&id).filter(|_| depth < MAX_DEPTH)?;
        match &*known.name {
            "boolean" | "byte" => cursor.byte().map(drop),
            "short" | "char" => cursor.short().map(drop),
            "int" => cursor.int().map(drop),
            "long" => cursor.long().map(drop),
            "float" => cursor.take(4).map(drop),
            "double" => cursor.take(8).map(drop),
            "java.lang.String" => cursor.text().map(drop),
            // So that each value has a byte, and an array is not longer than its bytes.
            _ if known.fields.is_empty() => None,
            _ => known.fields.iter().try_for_each(|field| self.skip_field(field, cursor, depth)),
        }
    }

    fn skip_field(&self, field: &Field, cursor: &mut Cursor<'_>, depth: usize) -> Option<()> {
        let count = if field.is_array { cursor.count()? } else { 1 };
        for _ in 0..count {
            if field.is_pooled {
                cursor.long()?;
            } else {
                self.skip(field.type_id, cursor, depth + 1)?;
            }
        }
        Some(())
    }
}

/// An element of the metadata.
#[derive(Debug)]
struct Element<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
    children: Vec<Element<'t>>,
}

impl<'t> Element<'t> {
    fn read(cursor: &mut Cursor<'_>, texts: &'t [Cow<'_, str>], depth: usize) -> Option<Self> {
        let text = |cursor: &mut Cursor<'_>| {
            texts.get(usize::try_from(cursor.int()?).ok()?).map(|text| &**text)
        };
        let name = text(cursor).filter(|_| depth < MAX_DEPTH)?;
        let attributes = (0..cursor.count()?).map(|_| Some((text(cursor)?, text(cursor)?)));
        let attributes = attributes.collect::<Option<_>>()?;
        let children = (0..cursor.count()?).map(|_| Self::read(cursor, texts, depth + 1));
        let children = children.collect::<Option<_>>()?;
        Some(Self { name, attributes, children })
    }

    fn attribute(&self, name: &str) -> Option<&'t str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Whether a field is annotated as a time in ticks.
    fn is_in_ticks(&self, root: &Element<'_>) -> bool {
        let is_time = |id: &str| {
            let classes = root.children.iter().flat_map(|element| &element.children);
            let mut same = classes.filter(|class| class.attribute("id") == Some(id));
            let name = same.next().and_then(|class| class.attribute("name"));
            matches!(name, Some("jdk.jfr.Timespan" | "jdk.jfr.Timestamp"))
        };
        let mut annotations = self.children.iter().filter(|child| child.name == "annotation");
        annotations.any(|it| {
            it.attribute("value") == Some("TICKS") && it.attribute("class").is_some_and(is_time)
        })
    }
}
