//! Files that take the place of what was there only when they are complete.
//!
//! What is written goes to a new file in the same directory, which is renamed when it is flushed: a full disk then leaves what was there
//! as it was, and nothing half-written beside it. What cannot be renamed is written in place: a FIFO, a device, `/dev/stdout`, and a
//! file in a directory in which nothing can be created.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file to be written.
pub struct NewFile {
    /// Nothing is opened before there is something to write.
    opened: Option<Opened>,
    path: PathBuf,
}

/// A file under way.
struct Opened {
    file: File,
    /// Where it is until it is complete, and the name it gets then; none if it is written in place.
    pending: Option<(PathBuf, PathBuf)>,
}

/// The temporary files that there are, to be removed should the program end at once.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// So that names differ.
static NUMBER: AtomicU32 = AtomicU32::new(0);

impl NewFile {
    /// Makes sure that the file could be written, and leaves everything as it is.
    pub fn new(path: &Path) -> io::Result<NewFile> {
        if is_special(path) {
            // To open a FIFO is to wait for its reader, so it is opened once.
            return Ok(NewFile { opened: Some(Opened::new(path)?), path: path.to_path_buf() });
        }
        // Dropped: that removes what was created.
        Opened::new(path)?;
        Ok(NewFile { opened: None, path: path.to_path_buf() })
    }

    /// The same, without a look at the file before something is written.
    pub fn unchecked(path: &Path) -> NewFile {
        NewFile { opened: None, path: path.to_path_buf() }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let opened = match &mut self.opened {
            Some(opened) => opened,
            none => none.insert(Opened::new(&self.path)?),
        };
        opened.write(bytes)
    }

    /// What was written until now is in the file from now on, under its name.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.opened {
            Some(opened) => opened.complete(),
            None => Ok(()),
        }
    }
}

impl Opened {
    fn new(path: &Path) -> io::Result<Opened> {
        let in_place = || {
            let file = File::options().write(true).create(true).truncate(false).open(path)?;
            Ok(Opened { file, pending: None })
        };
        if is_special(path) {
            return in_place();
        }
        let target = target_of(path)?;
        let existing = match fs::metadata(&target) {
            // A file that must not be written must not be replaced either.
            Ok(metadata) => File::options().write(true).open(&target).map(|_| Some(metadata))?,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match Opened::beside(target, existing.as_ref()) {
            Err(_) if existing.is_some() => in_place(),
            result => result,
        }
    }

    /// A temporary file beside the one that it is to replace.
    fn beside(target: PathBuf, existing: Option<&Metadata>) -> io::Result<Opened> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".allways-{}-{number}.tmp", std::process::id());
        let temporary = target.with_file_name(name);
        let file = File::options().write(true).create_new(true).open(&temporary)?;
        list().push(temporary.clone());
        let opened = Opened { file, pending: Some((temporary, target)) };
        if let Some(metadata) = existing {
            opened.file.set_permissions(metadata.permissions())?;
        }
        Ok(opened)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn complete(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, target)) = &self.pending {
            fs::rename(temporary, target)?;
            list().retain(|path| path != temporary);
            self.pending = None;
        }
        Ok(())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.pending {
            let _ = fs::remove_file(temporary);
            list().retain(|path| path != temporary);
        }
    }
}

/// Removes what is not complete, because the program ends at once.
pub fn abandon() {
    // A thread that has the list is about to end its work on it; one that panicked has left it as it was.
    if let Ok(list) = PENDING.try_lock() {
        list.iter().for_each(|path| drop(fs::remove_file(path)));
    }
}

fn list() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a path is to be written in place: no file, or a name of something that is open already.
fn is_special(path: &Path) -> bool {
    let is_name_of_open_file = |path: &Path| path.starts_with("/dev") || path.starts_with("/proc");
    let is_file = fs::metadata(path).map_or(true, |metadata| metadata.is_file());
    !is_file || is_name_of_open_file(path) || links(path).iter().any(|path| is_name_of_open_file(path))
}

/// The file that a path leads to, through links.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let links = links(path);
    if links.len() == MAX_LINKS {
        return Err(io::Error::other("too many symbolic links"));
    }
    Ok(links.into_iter().next_back().unwrap_or_else(|| path.to_path_buf()))
}

/// As many links are followed.
const MAX_LINKS: usize = 40;

/// What the links lead to, one after the other.
fn links(path: &Path) -> Vec<PathBuf> {
    let mut links = Vec::new();
    let mut path = path.to_path_buf();
    while links.len() < MAX_LINKS
        && let Ok(next) = fs::read_link(&path)
    {
        // An absolute path takes the place of the directory.
        path = path.parent().unwrap_or(Path::new("")).join(next);
        links.push(path.clone());
    }
    links
}

/// Whether two paths name the same file, which need not exist.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let name = |path: &Path| {
        let target = target_of(path).ok()?;
        target.canonicalize().ok().or_else(|| {
            let directory = match target.parent()? {
                parent if parent.as_os_str().is_empty() => Path::new("."),
                parent => parent,
            };
            Some(directory.canonicalize().ok()?.join(target.file_name()?))
        })
    };
    one == other || name(one).is_some_and(|one| name(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("allways-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir(&place).expect("a directory");
        place
    }

    fn names(place: &Path) -> Vec<String> {
        let entries = fs::read_dir(place).expect("a directory").map(|entry| entry.expect("an entry"));
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn l1_what_is_not_complete_replaces_nothing() {
        let place = place("incomplete");
        let path = place.join("a.json");
        fs::write(&path, "before").unwrap();
        let mut file = NewFile::new(&path).unwrap();
        assert_eq!(names(&place), ["a.json"]);
        file.write_all(b"after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        drop(file);
        assert_eq!(
            (names(&place), fs::read_to_string(&path).unwrap()),
            (vec!["a.json".into()], "before".into())
        );
        let mut file = NewFile::new(&path).unwrap();
        file.write_all(b"after").unwrap();
        file.flush().unwrap();
        file.write_all(b", and more").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "after, and more");
        assert_eq!(names(&place), ["a.json"]);
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn l1_links_stay_links() {
        let place = place("links");
        fs::create_dir(place.join("d")).unwrap();
        for (link, target) in [("old", "d/old.json"), ("new", "d/new.json")] {
            std::os::unix::fs::symlink(target, place.join(link)).unwrap();
        }
        fs::write(place.join("d/old.json"), "before").unwrap();
        for link in ["old", "new"] {
            let mut file = NewFile::new(&place.join(link)).unwrap();
            file.write_all(b"after").unwrap();
            file.flush().unwrap();
            assert!(fs::symlink_metadata(place.join(link)).unwrap().is_symlink());
        }
        assert_eq!(names(&place.join("d")), ["new.json", "old.json"]);
        assert_eq!(fs::read_to_string(place.join("d/new.json")).unwrap(), "after");
        assert_eq!(fs::read_to_string(place.join("d/old.json")).unwrap(), "after");
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn l1_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let place = place("permissions");
        let path = place.join("a.json");
        fs::write(&path, "before").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut file = NewFile::new(&path).unwrap();
        file.write_all(b"after").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn l2_one_file_has_many_names() {
        let place = place("names");
        let path = place.join("a.json");
        assert!(is_same(&path, &place.join("./a.json")));
        assert!(!is_same(&path, &place.join("b.json")));
        std::os::unix::fs::symlink("a.json", place.join("b.json")).unwrap();
        assert!(is_same(&path, &place.join("b.json")));
        fs::write(&path, "").unwrap();
        assert!(is_same(&path, &place.join("b.json")));
        fs::remove_dir_all(place).unwrap();
    }
}
