//! The store of decided blocks.

use bytes::Bytes;
use malachite_bench::chain::Height;
use malachite_bench::store::{Decided, Limits, Store};

use crate::certificate;
use crate::folder::Folder;

const UNLIMITED: Limits = Limits { heights: u64::MAX, bytes: u64::MAX };

async fn decided_block(height: u64, size: usize) -> Decided {
    let block: Bytes = (0..size).map(|at| (at as u64 * 31 + height) as u8).collect();
    Decided { certificate: certificate(height, &block).await, block }
}

fn open_store(folder: &Folder, limits: Limits) -> Store {
    Store::open(&folder.path().join("blocks"), limits).expect("open")
}

async fn append_blocks(store: &Store, heights: std::ops::RangeInclusive<u64>, size: usize) {
    for height in heights {
        store.append(&decided_block(height, size).await).expect("append");
    }
}

/// Returns the first and the last stored height.
fn stored_heights(store: &Store) -> (u64, u64) {
    (store.first().expect("there are blocks").0, store.last().expect("there are blocks").0)
}

#[tokio::test]
async fn blocks_of_all_sizes_survive_reopening() {
    let folder = Folder::new();
    let sizes = [1, 65_279, 65_280, 65_281, 2_100_000];
    let store = open_store(&folder, UNLIMITED);
    assert_eq!((store.first(), store.last()), (None, None));
    assert_eq!(store.get(Height(1)).expect("read"), None);
    for (size, height) in sizes.into_iter().zip(1..) {
        store.append(&decided_block(height, size).await).expect("append");
    }
    drop(store);
    let store = open_store(&folder, UNLIMITED);
    assert_eq!(stored_heights(&store), (1, 5));
    for (size, height) in sizes.into_iter().zip(1..) {
        assert_eq!(store.get(Height(height)).expect("read"), Some(decided_block(height, size).await));
    }
}

#[tokio::test]
async fn height_limit_keeps_the_last_heights() {
    let folder = Folder::new();
    let store = open_store(&folder, Limits { heights: 3, bytes: u64::MAX });
    append_blocks(&store, 1..=10, 100_000).await;
    assert_eq!(stored_heights(&store), (8, 10));
    assert_eq!(store.get(Height(7)).expect("read"), None);
    assert!(store.get(Height(8)).expect("read").is_some());
}

#[tokio::test]
async fn byte_limit_keeps_at_least_the_last_block() {
    let folder = Folder::new();
    let store = open_store(&folder, Limits { heights: u64::MAX, bytes: 2500 });
    append_blocks(&store, 1..=10, 1000).await;
    assert_eq!(stored_heights(&store), (9, 10));
    append_blocks(&store, 11..=11, 5000).await;
    assert_eq!(stored_heights(&store), (11, 11));
    drop(store);
    let store = open_store(&folder, Limits { heights: u64::MAX, bytes: 5500 });
    append_blocks(&store, 12..=12, 400).await;
    assert_eq!(stored_heights(&store), (11, 12), "the stored blocks count after reopening");
}

/// The file of a store that keeps two blocks stays small, because it reuses the space of dropped blocks.
#[tokio::test]
async fn file_size_is_bounded() {
    let folder = Folder::new();
    let store = open_store(&folder, Limits { heights: 2, bytes: u64::MAX });
    append_blocks(&store, 1..=60, 500_000).await;
    let size = std::fs::metadata(folder.path().join("blocks")).expect("the file is there").len();
    assert!(size < 10_000_000, "60 blocks of 500 kB, two of them kept, take {size} bytes");
}

#[tokio::test]
async fn append_rejects_a_gap() {
    let folder = Folder::new();
    let store = open_store(&folder, UNLIMITED);
    append_blocks(&store, 5..=5, 10).await;
    let error = store.append(&decided_block(7, 10).await).expect_err("refused").to_string();
    assert_eq!(error, "block 7 cannot follow block 5 in the store");
    assert_eq!(stored_heights(&store), (5, 5));
}
