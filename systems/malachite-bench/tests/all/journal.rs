//! The journal of decided blocks.

use malachite_bench::journal::{Entry, Journal, MAX_ENTRIES};

fn new_entry(height: u64) -> Entry {
    Entry {
        height,
        time_millis: 1_763_704_800_123.456,
        interval_micros: (height > 2).then_some(100_250),
        consensus_micros: (height > 2).then_some(80_500),
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
fn read_starts_at_the_requested_height() {
    let journal = Journal::starting_after(0);
    (1..=5).for_each(|height| journal.push(new_entry(height)));
    assert_eq!(heights(&journal.read(3, 10)), [3, 4, 5]);
    assert_eq!(heights(&journal.read(0, 2)), [1, 2]);
    assert!(journal.read(6, 10).is_empty());
    assert_eq!(*journal.subscribe().borrow(), 5);
}

#[test]
fn oldest_entries_are_dropped() {
    let journal = Journal::starting_after(0);
    let last = MAX_ENTRIES as u64 + 10;
    (1..=last).for_each(|height| journal.push(new_entry(height)));
    assert_eq!(heights(&journal.read(1, 1)), [11]);
    assert_eq!(journal.read(1, usize::MAX).len(), MAX_ENTRIES);
}

#[test]
fn entry_has_the_documented_json_form() {
    let line = |height| serde_json::to_string(&new_entry(height)).expect("an entry has a JSON form");
    let expected =
        r#"{"height":1,"timeMillis":1763704800123.456,"bytes":1024,"transactions":0,"round":0,"proposer":"ab"}"#;
    assert_eq!(line(1), expected);
    assert!(
        line(3).contains(r#""timeMillis":1763704800123.456,"intervalMicros":100250,"consensusMicros":80500,"bytes""#)
    );
    assert!(line(2).ends_with(r#""proposer":"ab","synced":true}"#));
}
