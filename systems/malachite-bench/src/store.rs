//! The last decided blocks with their certificates, on disk.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::{Bytes, BytesMut};
use eyre::{Result, WrapErr, ensure};
use malachitebft_core_types::CommitCertificate;
use redb::{Database, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction};

use crate::chain::{Chain, Height};

/// Maps a height to size in bytes and certificate.
const HEADERS: TableDefinition<u64, (u64, &[u8])> = TableDefinition::new("headers");
/// Maps height and index to a piece of the block. Blocks are split, because the database rounds the size of a value
/// up to a power of two: a block of 1 MiB in one value would take 2 MiB.
const PIECES: TableDefinition<(u64, u32), &[u8]> = TableDefinition::new("pieces");
/// Slightly below 64 KiB, to leave space for the page's own fields.
const PIECE_SIZE: usize = (64 << 10) - 256;
/// Size of the database's page cache in bytes.
const CACHE_SIZE: usize = 16 << 20;

/// What to keep: the last `heights` blocks, of these as many as fit into `bytes`, and always the last one.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub heights: u64,
    pub bytes: u64,
}

/// A decided block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    pub certificate: CommitCertificate<Chain>,
    pub block: Bytes,
}

/// Clones share the store. Calls block on disk I/O.
#[derive(Clone)]
pub struct Store {
    database: Arc<Database>,
    limits: Limits,
    retained: Arc<Mutex<RetainedHeights>>,
}

/// Heights and sizes of the stored blocks, oldest first, without gaps.
#[derive(Debug, Default)]
struct RetainedHeights {
    blocks: VecDeque<(Height, u64)>,
    bytes: u64,
}

impl Store {
    /// Opens or creates the database file.
    pub fn open(path: &Path, limits: Limits) -> Result<Self> {
        let database = Database::builder()
            .set_cache_size(CACHE_SIZE)
            .create(path)
            .wrap_err_with(|| format!("open the block store {}", path.display()))?;
        let retained =
            RetainedHeights::load(&database).wrap_err_with(|| format!("read the block store {}", path.display()))?;
        Ok(Self { database: Arc::new(database), limits, retained: Arc::new(Mutex::new(retained)) })
    }

    /// Appends the block of the next height and drops the oldest blocks beyond the limits. The block is on disk on
    /// return.
    pub fn append(&self, decided: &Decided) -> Result<()> {
        let height = decided.certificate.height;
        let mut retained = self.lock_retained();
        if let Some((last, _)) = retained.blocks.back() {
            ensure!(height.0 == last.0 + 1, "block {height} cannot follow block {last} in the store");
        }
        let size = decided.block.len() as u64;
        let surplus = retained.surplus_count(size, self.limits);
        self.write_block(decided, &retained, surplus).wrap_err_with(|| format!("store block {height}"))?;
        retained.push(height, size);
        retained.drop_first(surplus);
        Ok(())
    }

    fn write_block(&self, decided: &Decided, retained: &RetainedHeights, surplus: usize) -> Result<()> {
        let transaction = self.database.begin_write()?;
        insert_block(&transaction, decided)?;
        for (height, size) in retained.blocks.iter().take(surplus) {
            remove_block(&transaction, *height, *size)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Returns the last stored height.
    pub fn last(&self) -> Option<Height> {
        self.lock_retained().blocks.back().map(|(height, _)| *height)
    }

    /// Returns the first stored height.
    pub fn first(&self) -> Option<Height> {
        self.lock_retained().blocks.front().map(|(height, _)| *height)
    }

    /// Returns the block of a height, if it is stored.
    pub fn get(&self, height: Height) -> Result<Option<Decided>> {
        self.read_block(height).wrap_err_with(|| format!("read block {height}"))
    }

    fn read_block(&self, height: Height) -> Result<Option<Decided>> {
        let transaction = self.database.begin_read()?;
        // The tables do not exist before the first block.
        let headers = match transaction.open_table(HEADERS) {
            Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
            opened => opened?,
        };
        let Some(header) = headers.get(height.0)? else {
            return Ok(None);
        };
        let (size, certificate) = header.value();
        let mut block = BytesMut::with_capacity(size as usize);
        for piece in transaction.open_table(PIECES)?.range((height.0, 0)..=(height.0, u32::MAX))? {
            block.extend_from_slice(piece?.1.value());
        }
        Ok(Some(Decided { certificate: borsh::from_slice(certificate)?, block: block.freeze() }))
    }

    fn lock_retained(&self) -> MutexGuard<'_, RetainedHeights> {
        self.retained.lock().expect("no holder of the lock panics")
    }
}

fn insert_block(transaction: &WriteTransaction, decided: &Decided) -> Result<()> {
    let height = decided.certificate.height.0;
    let certificate = borsh::to_vec(&decided.certificate)?;
    transaction.open_table(HEADERS)?.insert(height, (decided.block.len() as u64, certificate.as_slice()))?;
    let mut pieces: Table<_, _> = transaction.open_table(PIECES)?;
    for (piece, index) in decided.block.chunks(PIECE_SIZE).zip(0..) {
        pieces.insert((height, index), piece)?;
    }
    Ok(())
}

fn remove_block(transaction: &WriteTransaction, height: Height, size: u64) -> Result<()> {
    transaction.open_table(HEADERS)?.remove(height.0)?;
    let mut pieces = transaction.open_table(PIECES)?;
    for index in 0..size.div_ceil(PIECE_SIZE as u64) as u32 {
        pieces.remove((height.0, index))?;
    }
    Ok(())
}

impl RetainedHeights {
    fn load(database: &Database) -> Result<Self> {
        let mut retained = Self::default();
        let transaction = database.begin_write()?;
        {
            let headers = transaction.open_table(HEADERS)?;
            for entry in headers.iter()? {
                let (height, header) = entry?;
                retained.push(Height(height.value()), header.value().0);
            }
        }
        transaction.abort()?;
        Ok(retained)
    }

    /// Returns how many of the oldest blocks to drop so that one more of `size` bytes fits.
    fn surplus_count(&self, size: u64, limits: Limits) -> usize {
        let mut count = self.blocks.len() as u64 + 1;
        let mut bytes = self.bytes + size;
        let fits = |count: u64, bytes: u64| count <= limits.heights && bytes <= limits.bytes;
        let is_surplus = |(_, size): &&(Height, u64)| {
            let surplus = !fits(count, bytes);
            count -= 1;
            bytes -= size;
            surplus
        };
        self.blocks.iter().take_while(is_surplus).count()
    }

    fn push(&mut self, height: Height, size: u64) {
        self.blocks.push_back((height, size));
        self.bytes += size;
    }

    fn drop_first(&mut self, count: usize) {
        self.bytes -= self.blocks.drain(..count).map(|(_, size)| size).sum::<u64>();
    }
}
