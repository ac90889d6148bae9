//! The keys of validators and the genesis file that lists them all.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use eyre::{Result, WrapErr, ensure};
use rand::rngs::OsRng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::chain::{Address, PrivateKey, PublicKey, Validator, ValidatorSet};

/// The maximum number of validators of a network.
pub const MAX_VALIDATORS: usize = 1000;

/// The file that all validators of a network share.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    validators: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    address: String,
    public_key: PublicKey,
}

/// The file with a validator's private key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    address: String,
    public_key: PublicKey,
    private_key: PrivateKey,
}

/// Generates the keys of `validators` validators and their genesis file in the directory `out`: `genesis.json` and
/// `validators/<index>/priv_validator_key.json`. Fails instead of overwriting a file.
pub fn init(out: &Path, validators: usize) -> Result<()> {
    ensure!(
        (1..=MAX_VALIDATORS).contains(&validators),
        "--validators: {validators} is out of range: 1 to {MAX_VALIDATORS}"
    );
    let keys: Vec<KeyFile> = (0..validators).map(|_| KeyFile::generate()).collect();
    let genesis = Genesis { validators: keys.iter().map(KeyFile::entry).collect() };
    for (index, key) in keys.iter().enumerate() {
        let folder = out.join("validators").join(index.to_string());
        fs::create_dir_all(&folder).wrap_err_with(|| format!("make the folder {}", folder.display()))?;
        write(&folder.join("priv_validator_key.json"), key, 0o600)?;
    }
    write(&out.join("genesis.json"), &genesis, 0o644)
}

impl KeyFile {
    fn generate() -> Self {
        let private_key = PrivateKey::generate(OsRng);
        let public_key = private_key.public_key();
        Self { address: Address::of(&public_key).to_string(), public_key, private_key }
    }

    fn entry(&self) -> Entry {
        Entry { address: self.address.clone(), public_key: self.public_key }
    }
}

/// Reads a validator's private key. Fails if the public key does not match.
pub fn read_key(path: &Path) -> Result<PrivateKey> {
    let file: KeyFile = read(path)?;
    ensure!(
        file.private_key.public_key() == file.public_key,
        "{}: public_key does not belong to private_key",
        path.display()
    );
    Ok(file.private_key)
}

/// Reads the validators of a genesis file, in the order of the file.
pub fn read_validators(path: &Path) -> Result<ValidatorSet> {
    let genesis: Genesis = read(path)?;
    let count = genesis.validators.len();
    ensure!(
        (1..=MAX_VALIDATORS).contains(&count),
        "{}: validators: {count} is out of range: 1 to {MAX_VALIDATORS}",
        path.display()
    );
    let mut validators: Vec<Validator> = Vec::with_capacity(count);
    for entry in genesis.validators {
        let validator = Validator::new(entry.public_key);
        let right = validator.address.to_string();
        ensure!(
            entry.address == right,
            "{}: address {}: its public key has the address {right}",
            path.display(),
            entry.address
        );
        ensure!(
            validators.iter().all(|known| known.address != validator.address),
            "{}: address {right}: named twice",
            path.display()
        );
        validators.push(validator);
    }
    Ok(ValidatorSet::new(validators))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).wrap_err_with(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).wrap_err_with(|| format!("parse {}", path.display()))
}

fn write(path: &Path, content: &impl Serialize, mode: u32) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(content)?;
    text.push(b'\n');
    let create = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        file.write_all(&text)?;
        file.sync_all()
    };
    create().wrap_err_with(|| format!("write {}", path.display()))
}
