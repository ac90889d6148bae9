//! The store of decided blocks.

use bytes::Bytes;
use malachite_bench::chain::Height;
use malachite_bench::store::{Decided, Limits, Store};

use crate::certificate;
use crate::folder::Folder;

const UNLIMITED: Limits = Limits { heights: u64::MAX, bytes: u64::MAX };

async fn decided(height: u64, size: usize) -> Decided {
    let block: Bytes = (0..size).map(|at| (at as u64 * 31 + height) as u8).collect();
    Decided { certificate: certificate(height, &block).await, block }
}

fn open(folder: &Folder, limits: Limits) -> Store {
    Store::open(&folder.path().join("blocks"), limits).expect("open")
}

async fn append(store: &Store, heights: std::ops::RangeInclusive<u64>, size: usize) {
    for height in heights {
        store.append(&decided(height, size).await).expect("append");
    }
}

/// Returns the first and the last stored height.
fn span(store: &Store) -> (u64, u64) {
    (store.first().expect("there are blocks").0, store.last().expect("there are blocks").0)
}

#[tokio::test]
async fn blocks_of_all_sizes_come_back_also_after_reopening() {
    let folder = Folder::new();
    let sizes = [1, 65_279, 65_280, 65_281, 2_100_000];
    let store = open(&folder, UNLIMITED);
    assert_eq!((store.first(), store.last()), (None, None));
    assert_eq!(store.get(Height(1)).expect("read"), None);
    for (size, height) in sizes.into_iter().zip(1..) {
        store.append(&decided(height, size).await).expect("append");
    }
    drop(store);
    let store = open(&folder, UNLIMITED);
    assert_eq!(span(&store), (1, 5));
    for (size, height) in sizes.into_iter().zip(1..) {
        assert_eq!(store.get(Height(height)).expect("read"), Some(decided(height, size).await));
    }
}

#[tokio::test]
async fn the_last_heights_are_kept() {
    let folder = Folder::new();
    let store = open(&folder, Limits { heights: 3, bytes: u64::MAX });
    append(&store, 1..=10, 100_000).await;
    assert_eq!(span(&store), (8, 10));
    assert_eq!(store.get(Height(7)).expect("read"), None);
    assert!(store.get(Height(8)).expect("read").is_some());
}

#[tokio::test]
async fn as_many_as_have_the_bytes_are_kept_and_always_the_last() {
    let folder = Folder::new();
    let store = open(&folder, Limits { heights: u64::MAX, bytes: 2500 });
    append(&store, 1..=10, 1000).await;
    assert_eq!(span(&store), (9, 10));
    append(&store, 11..=11, 5000).await;
    assert_eq!(span(&store), (11, 11));
    drop(store);
    let store = open(&folder, Limits { heights: u64::MAX, bytes: 5500 });
    append(&store, 12..=12, 400).await;
    assert_eq!(span(&store), (11, 12), "what is stored counts after reopening");
}

/// The file of a store that keeps two blocks stays small, because it reuses the space of dropped blocks.
#[tokio::test]
async fn the_file_does_not_grow_for_ever() {
    let folder = Folder::new();
    let store = open(&folder, Limits { heights: 2, bytes: u64::MAX });
    append(&store, 1..=60, 500_000).await;
    let size = std::fs::metadata(folder.path().join("blocks")).expect("the file is there").len();
    assert!(size < 10_000_000, "60 blocks of 500 kB, of which 2 are kept, take {size} bytes");
}

#[tokio::test]
async fn a_gap_is_refused() {
    let folder = Folder::new();
    let store = open(&folder, UNLIMITED);
    append(&store, 5..=5, 10).await;
    let error = store.append(&decided(7, 10).await).expect_err("refused").to_string();
    assert_eq!(error, "block 7 cannot follow block 5 in the store");
    assert_eq!(span(&store), (5, 5));
}
