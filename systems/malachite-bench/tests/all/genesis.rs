//! Keys and genesis.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use malachite_bench::genesis::{DEFAULT_POWER, MAX_POWER, MAX_VALIDATORS, init, read_key, read_validators};
use malachitebft_core_types::{Validator, ValidatorSet};

use crate::folder::Folder;

fn key_file(folder: &Path, index: usize) -> std::path::PathBuf {
    folder.join(format!("validators/{index}/priv_validator_key.json"))
}

#[test]
fn init_generates_a_key_for_each_validator() {
    let folder = Folder::new();
    let powers: Vec<_> = (1..=MAX_VALIDATORS as u64).collect();
    init(folder.path(), &powers).expect("init");
    let validators = read_validators(&folder.path().join("genesis.json")).expect("read");
    assert_eq!(validators.count(), MAX_VALIDATORS);
    for (index, power) in powers.into_iter().enumerate() {
        let path = key_file(folder.path(), index);
        let mode = fs::metadata(&path).expect("the key is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let key = read_key(&path).expect("read").public_key();
        let validator = validators.get_by_index(index).expect("it is in the genesis");
        assert_eq!((validator.public_key(), validator.voting_power()), (&key, power));
    }
}

#[test]
fn init_generates_new_keys_and_overwrites_none() {
    let (first, second) = (Folder::new(), Folder::new());
    init(first.path(), &[DEFAULT_POWER]).expect("init");
    init(second.path(), &[DEFAULT_POWER]).expect("init");
    let read = |folder: &Path| fs::read(key_file(folder, 0)).expect("read");
    let before = read(first.path());
    assert_ne!(before, read(second.path()));
    assert!(init(first.path(), &[DEFAULT_POWER]).is_err());
    assert_eq!(before, read(first.path()));
}

#[test]
fn init_rejects_a_count_out_of_range() {
    let folder = Folder::new();
    for count in [0, 1001] {
        let error = init(folder.path(), &vec![DEFAULT_POWER; count]).expect_err("refused").to_string();
        assert_eq!(error, format!("--validators: {count} is out of range: 1 to 1000"));
    }
    assert!(fs::read_dir(folder.path()).expect("the folder is there").next().is_none(), "nothing was written");
}

#[test]
fn read_rejects_an_inconsistent_genesis() {
    let folder = Folder::new();
    init(folder.path(), &[DEFAULT_POWER, MAX_POWER]).expect("init");
    let path = folder.path().join("genesis.json");
    let text = fs::read_to_string(&path).expect("read");
    let addresses: Vec<_> = text.split('"').filter(|word| word.len() == 40).collect();
    for (wrong, message) in [
        (text.replace(addresses[0], addresses[1]), "its public key has the address"),
        (text.replace("\"validators\"", "\"members\""), "unknown field `members`"),
        (text.replace("\"power\": 1000", "\"power\": 1001"), "power: 1001 is out of range: 1 to 1000"),
        (text.replace("\"power\": 1000", "\"power\": 0"), "power: 0 is out of range: 1 to 1000"),
        ("{\"validators\": []}".into(), "validators: 0 is out of range: 1 to 1000"),
    ] {
        fs::write(&path, wrong).expect("write");
        let error = format!("{:#}", read_validators(&path).expect_err("refused"));
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn read_accepts_a_genesis_without_powers() {
    let folder = Folder::new();
    init(folder.path(), &[DEFAULT_POWER; 2]).expect("init");
    let path = folder.path().join("genesis.json");
    let with_powers = read_validators(&path).expect("read");
    let mut genesis: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    for validator in genesis["validators"].as_array_mut().expect("a list") {
        assert_eq!(validator.as_object_mut().expect("an object").remove("power"), Some(DEFAULT_POWER.into()));
    }
    fs::write(&path, genesis.to_string()).expect("write");
    assert_eq!(read_validators(&path).expect("read"), with_powers);
}

#[test]
fn read_rejects_a_duplicate_validator() {
    let folder = Folder::new();
    init(folder.path(), &[DEFAULT_POWER]).expect("init");
    let path = folder.path().join("genesis.json");
    let mut genesis: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    let validators = genesis["validators"].as_array_mut().expect("a list");
    validators.push(validators[0].clone());
    fs::write(&path, genesis.to_string()).expect("write");
    assert!(read_validators(&path).expect_err("refused").to_string().contains("listed twice"));
}
