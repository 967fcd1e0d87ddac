//! A folder that each execution finds as the first one did.

use std::io;
use std::path::{Path, PathBuf};

/// A folder of our own in which the program runs.
pub struct Scratch {
    folder: PathBuf,
    /// What it contains when an execution begins; nothing if there is none.
    from: Option<PathBuf>,
}

impl Scratch {
    /// Makes the folder.
    pub fn new(folder: PathBuf, from: Option<PathBuf>) -> io::Result<Scratch> {
        std::fs::create_dir(&folder)?;
        let scratch = Scratch { folder, from };
        scratch.renew()?;
        Ok(scratch)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Undoes what an execution left in it.
    pub fn renew(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                std::fs::remove_dir_all(entry.path())?;
            } else {
                std::fs::remove_file(entry.path())?;
            }
        }
        self.from.as_deref().map_or(Ok(()), |from| copy(from, &self.folder))
    }
}

/// Files, folders and symbolic links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            std::fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_execution_leaves_is_undone() {
        let folder = std::env::temp_dir().join(format!("allways-scratch-test-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("a folder");
        let from = folder.join("from");
        std::fs::create_dir_all(from.join("inner")).expect("a folder");
        std::fs::write(from.join("inner/file"), "as it was").expect("a file");
        let scratch = Scratch::new(folder.join("scratch"), Some(from)).expect("a scratch folder");
        let file = scratch.folder().join("inner/file");
        std::fs::write(&file, "changed").expect("a file");
        std::fs::write(scratch.folder().join("new"), "").expect("a file");
        scratch.renew().expect("it can be renewed");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), "as it was");
        assert!(!scratch.folder().join("new").exists());
        std::fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
