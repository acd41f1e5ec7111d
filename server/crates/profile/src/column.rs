//! A column of a table whose last rows often have the same value. These take no memory.

/// The values of a column, by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Column<T> {
    /// The values of the first rows.
    first: Vec<T>,
    /// The value of all others.
    rest: T,
}

impl<T: Copy + PartialEq> Column<T> {
    /// A column with the value `rest` in all rows.
    pub(crate) const fn new(rest: T) -> Self {
        Self { first: Vec::new(), rest }
    }

    /// The value of a row.
    pub(crate) fn get(&self, row: usize) -> T {
        self.first.get(row).copied().unwrap_or(self.rest)
    }

    /// Sets the value of a row.
    pub(crate) fn set(&mut self, row: usize, value: T) {
        if self.get(row) == value {
            return;
        }
        if let Some(known) = self.first.get_mut(row) {
            *known = value;
        } else {
            self.first.resize(row, self.rest);
            self.first.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_not_set_have_the_value_of_the_rest() {
        let mut column = Column::new(9);
        let values = |column: &Column<i32>| [0, 1, 2, 3].map(|row| column.get(row));
        assert_eq!(values(&column), [9; 4]);
        column.set(2, 9);
        assert_eq!(column.first.len(), 0);
        column.set(2, 5);
        column.set(0, 4);
        assert_eq!(values(&column), [4, 9, 5, 9]);
        column.set(2, 9);
        assert_eq!(values(&column), [4, 9, 9, 9]);
    }
}
