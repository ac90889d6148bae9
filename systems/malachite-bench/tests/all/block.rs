//! The content of blocks.

use malachite_bench::block::Content;
use malachite_bench::chain::Height;

use crate::address;

#[test]
fn a_block_is_as_long_as_asked_and_the_same_each_time() {
    for content in [Content::Random, Content::Repeated] {
        for size in [1, 7, 1024, 100_003] {
            let block = content.block(size, address(1), Height(5), 0);
            assert_eq!(block.len(), size);
            assert_eq!(block, content.block(size, address(1), Height(5), 0));
        }
    }
}

#[test]
fn blocks_of_other_turns_differ() {
    for content in [Content::Random, Content::Repeated] {
        let block = content.block(1024, address(1), Height(5), 0);
        assert_ne!(block, content.block(1024, address(2), Height(5), 0));
        assert_ne!(block, content.block(1024, address(1), Height(6), 0));
        assert_ne!(block, content.block(1024, address(1), Height(5), 1));
    }
}

/// Counts the distinct bytes: an incompressible block has all of them.
#[test]
fn random_content_has_all_bytes_and_repeated_content_few() {
    let different = |content: Content| {
        let block = content.block(1 << 16, address(1), Height(1), 0);
        block.iter().collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(different(Content::Random), 256);
    assert!(different(Content::Repeated) < 20);
}
