//! Operations on files in random programs: what they are, how they look in C, and what they mean.
//!
//! All threads and processes share a few open files, each with one position, and a descriptor that appends to the same file. Beside them there are names: two in the
//! current folder, one in a folder that may be there or not. Every operation has a result, which is recorded.

use super::oracle::NOTHING;
use crate::generate::dice::Dice;

/// Names, and which of them is in the folder.
const NAMES: usize = 3;
const INSIDE: usize = 2;

/// One operation. Files and names are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Seek { file: usize, to: usize },
    Tell { file: usize },
    Read { file: usize },
    Write { file: usize, value: u8 },
    ReadAt { file: usize, at: usize },
    WriteAt { file: usize, at: usize, value: u8 },
    Append { file: usize, value: u8 },
    Size { file: usize },
    Truncate { file: usize, to: usize },
    Make { name: usize, exclusively: bool },
    Remove { name: usize },
    Look { name: usize },
    Rename { from: usize, to: usize },
    MakeFolder,
    RemoveFolder,
}

impl Action {
    /// Does it name only what is there?
    pub fn is_fine(self, n_files: usize) -> bool {
        use Action::*;
        match self {
            Seek { file, .. } | Tell { file } | Read { file } | Write { file, .. } => file < n_files,
            ReadAt { file, .. } | WriteAt { file, .. } | Append { file, .. } => file < n_files,
            Size { file } | Truncate { file, .. } => file < n_files,
            Make { name, .. } | Remove { name } | Look { name } => name < NAMES,
            Rename { from, to } => from < NAMES && to < NAMES,
            MakeFolder | RemoveFolder => true,
        }
    }

    pub fn draw(dice: &mut Dice, n_files: usize) -> Action {
        use Action::*;
        let (file, name, to) = (dice.index(n_files), dice.index(NAMES), dice.index(NAMES));
        let (at, value) = (dice.index(4), dice.between(1..=9) as u8);
        match dice.between(0..=21) {
            0..=2 => Seek { file, to: at },
            3 => Tell { file },
            4..=6 => Read { file },
            7..=8 => Write { file, value },
            9 => ReadAt { file, at },
            10 => WriteAt { file, at, value },
            11 => Append { file, value },
            12 => Size { file },
            13 => Truncate { file, to: at },
            14..=15 => Make { name, exclusively: true },
            16 => Make { name, exclusively: false },
            17 => Remove { name },
            18 => Look { name },
            19 => Rename { from: name, to },
            20 => MakeFolder,
            _ => RemoveFolder,
        }
    }

    /// An expression in C.
    pub fn call(self) -> String {
        use Action::*;
        match self {
            Seek { file, to } => format!("(int)lseek(s->file[{file}], {to}, SEEK_SET)"),
            Tell { file } => format!("(int)lseek(s->file[{file}], 0, SEEK_CUR)"),
            Read { file } => format!("read_file({file}, -1)"),
            ReadAt { file, at } => format!("read_file({file}, {at})"),
            Write { file, value } => format!("(int)write(s->file[{file}], &(char){{ {value} }}, 1)"),
            WriteAt { file, at, value } => {
                format!("(int)pwrite(s->file[{file}], &(char){{ {value} }}, 1, {at})")
            }
            Append { file, value } => format!("(int)write(s->end_of[{file}], &(char){{ {value} }}, 1)"),
            Size { file } => format!("size_of({file})"),
            Truncate { file, to } => format!("ftruncate(s->file[{file}], {to})"),
            Make { name, exclusively } => {
                format!("make(names[{name}], {})", if exclusively { "O_EXCL" } else { "0" })
            }
            Remove { name } => format!("unlink(names[{name}]) != 0"),
            Look { name } => format!("access(names[{name}], F_OK) != 0"),
            Rename { from, to } => format!("rename(names[{from}], names[{to}]) != 0"),
            MakeFolder => "mkdir(\"folder\", 0700) != 0".to_string(),
            RemoveFolder => "rmdir(\"folder\") != 0".to_string(),
        }
    }
}

/// What the calls need. The folder of the program is empty when it begins.
pub const HELPERS: &str = "
static const char *names[] = { \"one\", \"two\", \"folder/three\" };

static inline int read_file(int file, int at)
{
    char value = 0;
    int length = at < 0 ? read(s->file[file], &value, 1) : pread(s->file[file], &value, 1, at);
    return length == 1 ? value : NOTHING;
}

static inline int size_of(int file)
{
    struct stat status;
    must(fstat(s->file[file], &status));
    return (int)status.st_size;
}

static inline int make(const char *name, int flags)
{
    int file = open(name, O_CREAT | O_WRONLY | flags, 0600);
    return file < 0 || close(file) != 0;
}

static inline void open_files(int n_files)
{
    for (int i = 0; i < n_files; i++) {
        char name[20];
        snprintf(name, sizeof name, \"data-%d\", i);
        s->file[i] = open(name, O_CREAT | O_RDWR, 0600);
        s->end_of[i] = open(name, O_WRONLY | O_APPEND);
        must(pwrite(s->file[i], \"\\1\\2\", 2, 0) != 2);
    }
    must(make(names[0], 0));
}

static inline unsigned state_of_files(int n_files)
{
    unsigned state = 0;
    for (int i = 0; i < n_files; i++) {
        state = state * 31 + (unsigned)lseek(s->file[i], 0, SEEK_CUR);
        for (int at = 0; at < size_of(i); at++)
            state = state * 31 + (unsigned)read_file(i, at) + 1;
    }
    for (int i = 0; i < 3; i++)
        state = state * 2 + (access(names[i], F_OK) == 0);
    return state * 2 + (access(\"folder\", F_OK) == 0);
}
";

/// What is in the files and folders.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Files {
    /// Bytes and position of each file.
    open: Vec<(Vec<u8>, usize)>,
    names: [bool; NAMES],
    has_folder: bool,
}

impl Files {
    pub fn new(n_files: usize) -> Files {
        let open = vec![(vec![1, 2], 0); n_files];
        Files { open, names: [true, false, false], has_folder: false }
    }

    /// Does an operation; its result.
    pub fn perform(&mut self, action: Action) -> u32 {
        use Action::*;
        match action {
            Seek { file, to } => {
                self.open[file].1 = to;
                to as u32
            }
            Tell { file } => self.open[file].1 as u32,
            Read { file } => {
                let (bytes, position) = &mut self.open[file];
                let byte = bytes.get(*position).copied();
                *position += usize::from(byte.is_some());
                byte.map_or(NOTHING, u32::from)
            }
            ReadAt { file, at } => self.open[file].0.get(at).map_or(NOTHING, |byte| u32::from(*byte)),
            Write { file, value } => {
                let at = self.open[file].1;
                self.open[file].1 += 1;
                self.put(file, at, value)
            }
            WriteAt { file, at, value } => self.put(file, at, value),
            Append { file, value } => self.put(file, self.open[file].0.len(), value),
            Size { file } => self.open[file].0.len() as u32,
            Truncate { file, to } => {
                self.open[file].0.resize(to, 0);
                0
            }
            Make { name, exclusively } => {
                let is_possible = self.has_place(name) && !(exclusively && self.names[name]);
                self.names[name] |= is_possible;
                u32::from(!is_possible)
            }
            Remove { name } => u32::from(!std::mem::replace(&mut self.names[name], false)),
            Look { name } => u32::from(!self.names[name]),
            Rename { from, to } => {
                let is_possible = self.names[from] && self.has_place(to);
                if is_possible {
                    self.names[from] = false;
                    self.names[to] = true;
                }
                u32::from(!is_possible)
            }
            MakeFolder => u32::from(std::mem::replace(&mut self.has_folder, true)),
            RemoveFolder => {
                let is_possible = self.has_folder && !self.names[INSIDE];
                self.has_folder &= !is_possible;
                u32::from(!is_possible)
            }
        }
    }

    fn has_place(&self, name: usize) -> bool {
        name != INSIDE || self.has_folder
    }

    /// Writes a byte; what is missing before it is 0.
    fn put(&mut self, file: usize, at: usize, value: u8) -> u32 {
        let bytes = &mut self.open[file].0;
        bytes.resize(bytes.len().max(at + 1), 0);
        bytes[at] = value;
        1
    }

    /// The number that the printed program makes of it at its end.
    pub fn state(&self) -> u32 {
        let mut state = 0_u32;
        for (bytes, position) in &self.open {
            state = state.wrapping_mul(31).wrapping_add(*position as u32);
            for byte in bytes {
                state = state.wrapping_mul(31).wrapping_add(u32::from(*byte) + 1);
            }
        }
        for is_there in self.names.iter().chain([&self.has_folder]) {
            state = state.wrapping_mul(2).wrapping_add(u32::from(*is_there));
        }
        state
    }
}
