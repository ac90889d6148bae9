//! The content of blocks.

use malachite_bench::block::Content;
use malachite_bench::chain::Height;

use crate::address;

#[test]
fn blocks_have_the_requested_size_and_are_reproducible() {
    for content in [Content::Random, Content::Repeated] {
        for size in [1, 7, 1024, 100_003] {
            let block = content.generate(size, address(1), Height(5), 0);
            assert_eq!(block.len(), size);
            assert_eq!(block, content.generate(size, address(1), Height(5), 0));
        }
    }
}

#[test]
fn blocks_differ_by_proposer_height_and_round() {
    for content in [Content::Random, Content::Repeated] {
        let block = content.generate(1024, address(1), Height(5), 0);
        assert_ne!(block, content.generate(1024, address(2), Height(5), 0));
        assert_ne!(block, content.generate(1024, address(1), Height(6), 0));
        assert_ne!(block, content.generate(1024, address(1), Height(5), 1));
    }
}

/// Counts the distinct bytes: an incompressible block has all of them.
#[test]
fn random_content_has_all_byte_values_and_repeated_content_few() {
    let count_distinct = |content: Content| {
        let block = content.generate(1 << 16, address(1), Height(1), 0);
        block.iter().collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(count_distinct(Content::Random), 256);
    assert!(count_distinct(Content::Repeated) < 20);
}
