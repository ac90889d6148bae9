//! The journal of decided blocks.

use malachite_bench::journal::{CAPACITY, Entry, Journal};

fn entry(height: u64) -> Entry {
    Entry {
        height,
        time_millis: 1_763_704_800_123.456,
        bytes: 1024,
        transactions: 0,
        round: 0,
        proposer: "ab".into(),
        synced: height == 2,
    }
}

fn heights(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.height).collect()
}

#[test]
fn reading_begins_at_the_height_asked_for() {
    let journal = Journal::after(0);
    (1..=5).for_each(|height| journal.push(entry(height)));
    assert_eq!(heights(&journal.read(3, 10)), [3, 4, 5]);
    assert_eq!(heights(&journal.read(0, 2)), [1, 2]);
    assert!(journal.read(6, 10).is_empty());
    assert_eq!(*journal.last().borrow(), 5);
}

#[test]
fn the_oldest_blocks_are_forgotten() {
    let journal = Journal::after(0);
    let last = CAPACITY as u64 + 10;
    (1..=last).for_each(|height| journal.push(entry(height)));
    assert_eq!(heights(&journal.read(1, 1)), [11]);
    assert_eq!(journal.read(1, usize::MAX).len(), CAPACITY);
}

#[test]
fn an_entry_is_written_as_the_contract_says() {
    let line = |height| serde_json::to_string(&entry(height)).expect("an entry has a JSON form");
    let expected =
        r#"{"height":1,"timeMillis":1763704800123.456,"bytes":1024,"transactions":0,"round":0,"proposer":"ab"}"#;
    assert_eq!(line(1), expected);
    assert!(line(2).ends_with(r#""proposer":"ab","synced":true}"#));
}
