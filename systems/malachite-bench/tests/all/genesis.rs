//! Keys and genesis.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use malachite_bench::genesis::{MAX_VALIDATORS, init, read_key, read_validators};
use malachitebft_core_types::{Validator, ValidatorSet};

use crate::folder::Folder;

fn key_file(folder: &Path, index: usize) -> std::path::PathBuf {
    folder.join(format!("validators/{index}/priv_validator_key.json"))
}

#[test]
fn init_generates_a_key_for_each_validator() {
    let folder = Folder::new();
    init(folder.path(), MAX_VALIDATORS).expect("init");
    let validators = read_validators(&folder.path().join("genesis.json")).expect("read");
    assert_eq!(validators.count(), MAX_VALIDATORS);
    for index in 0..MAX_VALIDATORS {
        let path = key_file(folder.path(), index);
        let mode = fs::metadata(&path).expect("the key is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let key = read_key(&path).expect("read").public_key();
        assert_eq!(*validators.get_by_index(index).expect("it is in the genesis").public_key(), key);
    }
}

#[test]
fn init_generates_new_keys_and_overwrites_none() {
    let (first, second) = (Folder::new(), Folder::new());
    init(first.path(), 1).expect("init");
    init(second.path(), 1).expect("init");
    let read = |folder: &Path| fs::read(key_file(folder, 0)).expect("read");
    let before = read(first.path());
    assert_ne!(before, read(second.path()));
    assert!(init(first.path(), 1).is_err());
    assert_eq!(before, read(first.path()));
}

#[test]
fn init_rejects_a_count_out_of_range() {
    let folder = Folder::new();
    for count in [0, 1001] {
        let error = init(folder.path(), count).expect_err("refused").to_string();
        assert_eq!(error, format!("--validators: {count} is out of range: 1 to 1000"));
    }
    assert!(fs::read_dir(folder.path()).expect("the folder is there").next().is_none(), "nothing was written");
}

#[test]
fn read_rejects_an_inconsistent_genesis() {
    let folder = Folder::new();
    init(folder.path(), 2).expect("init");
    let path = folder.path().join("genesis.json");
    let text = fs::read_to_string(&path).expect("read");
    let addresses: Vec<_> = text.split('"').filter(|word| word.len() == 40).collect();
    for (wrong, message) in [
        (text.replace(addresses[0], addresses[1]), "its public key has the address"),
        (text.replace("\"validators\"", "\"members\""), "unknown field `members`"),
        ("{\"validators\": []}".into(), "validators: 0 is out of range: 1 to 1000"),
    ] {
        fs::write(&path, wrong).expect("write");
        let error = format!("{:#}", read_validators(&path).expect_err("refused"));
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn read_rejects_a_duplicate_validator() {
    let folder = Folder::new();
    init(folder.path(), 1).expect("init");
    let path = folder.path().join("genesis.json");
    let mut genesis: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    let validators = genesis["validators"].as_array_mut().expect("a list");
    validators.push(validators[0].clone());
    fs::write(&path, genesis.to_string()).expect("write");
    assert!(read_validators(&path).expect_err("refused").to_string().contains("listed twice"));
}
