//! Encodes JSON profiles as JSON slabs with an independent encoder: the crate `json-slabs`, which
//! samply uses.

use json_slabs::{Builder, SlabPlaceholder};
use serde_json::Value;

/// What the Firefox Profiler moves out of the root, so that no JSON string grows too long.
const SPLIT: [&str; 4] = ["threads", "frameTable", "funcTable", "stringArray"];

/// The profile with every column of numbers in a slab, with the smallest type that fits.
pub fn encode(profile: &Value) -> Vec<u8> {
    let mut builder = Builder::new();
    let root = split(&mut builder, profile).to_string();
    builder.finish(root.as_bytes())
}

fn split(builder: &mut Builder<'_>, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let split_member = |(key, value): (&String, &Value)| {
                let value = split(builder, value);
                if !SPLIT.contains(&key.as_str()) {
                    return (key.clone(), value);
                }
                (key.clone(), reference(builder.add_json_slab(value.to_string().into_bytes())))
            };
            Value::Object(members.iter().map(split_member).collect())
        }
        Value::Array(cells)
            if !cells.is_empty() && cells.iter().all(|cell| cell.is_number() || cell.is_null()) =>
        {
            reference(column(builder, cells))
        }
        Value::Array(elements) => {
            Value::Array(elements.iter().map(|element| split(builder, element)).collect())
        }
        other => other.clone(),
    }
}

/// Whole numbers, with -1 for `null`; or any numbers, with NaN for `null`.
fn column(builder: &mut Builder<'_>, cells: &[Value]) -> SlabPlaceholder {
    macro_rules! smallest {
        ($($cell:ty)*) => {
            $(if let Some(cells) = cells.iter().map(whole::<$cell>).collect() {
                return builder.add_slab_from_vec::<$cell>(cells);
            })*
        };
    }
    smallest!(u8 i8 u16 i16 u32 i32);
    builder.add_slab_from_vec::<f64>(
        cells.iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN)).collect(),
    )
}

fn whole<T: TryFrom<i64>>(cell: &Value) -> Option<T> {
    T::try_from(if cell.is_null() { -1 } else { cell.as_i64()? }).ok()
}

fn reference(slab: SlabPlaceholder) -> Value {
    serde_json::from_str(&format!("{slab:#}")).unwrap()
}
