//! The keys of validators and the genesis file that lists them all.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use eyre::{Result, WrapErr, ensure};
use malachitebft_core_types::VotingPower;
use rand::rngs::OsRng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::chain::{Address, PrivateKey, PublicKey, Validator, ValidatorSet};

/// The maximum number of validators of a network.
pub const MAX_VALIDATORS: usize = 1000;

/// The voting power of a validator by default.
pub const DEFAULT_POWER: VotingPower = 10;

/// The maximum voting power of a validator. It limits the turns that a validator computes at its start.
pub const MAX_POWER: VotingPower = 1000;

/// The file that all validators of a network share.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    validators: Vec<GenesisEntry>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GenesisEntry {
    address: String,
    public_key: PublicKey,
    /// Absent in the files of earlier versions.
    #[serde(default = "default_power")]
    power: VotingPower,
}

fn default_power() -> VotingPower {
    DEFAULT_POWER
}

/// The file with a validator's private key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    address: String,
    public_key: PublicKey,
    private_key: PrivateKey,
}

/// Generates the keys of validators with the given voting powers and their genesis file in the directory `out`:
/// `genesis.json` and `validators/<index>/priv_validator_key.json`. Fails instead of overwriting a file.
pub fn init(out: &Path, powers: &[VotingPower]) -> Result<()> {
    let count = powers.len();
    ensure!((1..=MAX_VALIDATORS).contains(&count), "--validators: {count} is out of range: 1 to {MAX_VALIDATORS}");
    let keys: Vec<KeyFile> = powers.iter().map(|_| KeyFile::generate()).collect();
    let genesis =
        Genesis { validators: keys.iter().zip(powers).map(|(key, power)| key.genesis_entry(*power)).collect() };
    for (index, key) in keys.iter().enumerate() {
        let folder = out.join("validators").join(index.to_string());
        fs::create_dir_all(&folder).wrap_err_with(|| format!("create the folder {}", folder.display()))?;
        create_json(&folder.join("priv_validator_key.json"), key, 0o600)?;
    }
    create_json(&out.join("genesis.json"), &genesis, 0o644)
}

impl KeyFile {
    fn generate() -> Self {
        let private_key = PrivateKey::generate(OsRng);
        let public_key = private_key.public_key();
        Self { address: Address::of(&public_key).to_string(), public_key, private_key }
    }

    fn genesis_entry(&self, power: VotingPower) -> GenesisEntry {
        GenesisEntry { address: self.address.clone(), public_key: self.public_key, power }
    }
}

/// Reads a validator's private key. Fails if the public key does not match.
pub fn read_key(path: &Path) -> Result<PrivateKey> {
    let file: KeyFile = read_json(path)?;
    ensure!(
        file.private_key.public_key() == file.public_key,
        "{}: public_key does not belong to private_key",
        path.display()
    );
    Ok(file.private_key)
}

/// Reads the validators of a genesis file, in the order of the file.
pub fn read_validators(path: &Path) -> Result<ValidatorSet> {
    let genesis: Genesis = read_json(path)?;
    let count = genesis.validators.len();
    ensure!(
        (1..=MAX_VALIDATORS).contains(&count),
        "{}: validators: {count} is out of range: 1 to {MAX_VALIDATORS}",
        path.display()
    );
    let mut validators: Vec<Validator> = Vec::with_capacity(count);
    for entry in genesis.validators {
        let validator = Validator::new(entry.public_key, entry.power);
        let expected = validator.address.to_string();
        ensure!(
            entry.address == expected,
            "{}: address {}: its public key has the address {expected}",
            path.display(),
            entry.address
        );
        ensure!(
            (1..=MAX_POWER).contains(&entry.power),
            "{}: address {expected}: power: {} is out of range: 1 to {MAX_POWER}",
            path.display(),
            entry.power
        );
        ensure!(
            validators.iter().all(|known| known.address != validator.address),
            "{}: address {expected}: listed twice",
            path.display()
        );
        validators.push(validator);
    }
    Ok(ValidatorSet::new(validators))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).wrap_err_with(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).wrap_err_with(|| format!("parse {}", path.display()))
}

fn create_json(path: &Path, content: &impl Serialize, mode: u32) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(content)?;
    text.push(b'\n');
    let write_new_file = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        file.write_all(&text)?;
        file.sync_all()
    };
    write_new_file().wrap_err_with(|| format!("write {}", path.display()))
}
