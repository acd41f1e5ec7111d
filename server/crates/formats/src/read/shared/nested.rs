//! Trees in JSON whose nodes are nested: `{"id": 1, "children": [{"id": 2, "children": []}]}`. They are as deep
//! as stacks, deeper than a recursive decoder allows.

use crate::scan::{Scanned, Scanner};

/// Takes the nodes of a tree, callers before their callees.
pub(in crate::read) trait Nodes<'a> {
    /// Adds a node. `caller` is the number of that which contains it.
    fn begin(&mut self, caller: Option<usize>);

    /// Takes a member of a node other than `children`: its value, which begins at a byte of the file.
    fn member(&mut self, node: usize, key: &[u8], value: &'a [u8], at: usize) -> Scanned;
}

/// Consumes a node and everything below it.
pub(in crate::read) fn walk<'a>(scanner: &mut Scanner<'a>, nodes: &mut impl Nodes<'a>) -> Scanned {
    // The nodes whose members are being read, outermost first.
    let mut open: Vec<usize> = Vec::new();
    for node in 0.. {
        scanner.expect(b'{')?;
        nodes.begin(open.last().copied());
        open.push(node);
        // Until the next node begins.
        loop {
            match scanner.peek()? {
                b'}' => {
                    scanner.expect(b'}')?;
                    open.pop();
                    if open.is_empty() {
                        return Ok(());
                    }
                    if scanner.another(b']')? {
                        break;
                    }
                }
                b',' => scanner.expect(b',')?,
                _ => {
                    let key = scanner.string()?;
                    scanner.expect(b':')?;
                    if key == b"children" && scanner.is_array_of(b'{')? {
                        scanner.expect(b'[')?;
                        break;
                    }
                    scanner.peek()?;
                    let start = scanner.at();
                    scanner.skip()?;
                    if let Some(&node) = open.last() {
                        nodes.member(node, key, scanner.since(start), start)?;
                    }
                }
            }
        }
    }
    Ok(())
}
