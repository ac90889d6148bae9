//! Temporary directories of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty temporary directory, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // A killed process with the same PID may have left it.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("make a folder");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A directory that cannot be removed stays in the cache and is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}
