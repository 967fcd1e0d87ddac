//! Global variables and their types, from DWARF: which member of which element an address is.

use std::borrow::Cow;
use std::path::Path;

use gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianArcSlice, Operation, RunTimeEndian, Unit,
    UnitOffset,
};
use object::{Object, ObjectSection};

type Bytes = EndianArcSlice<RunTimeEndian>;
type Entry<'e> = DebuggingInformationEntry<'e, 'e, Bytes>;

/// The variables of a file.
#[derive(Default)]
pub struct Variables {
    dwarf: Option<Dwarf<Bytes>>,
    units: Vec<Unit<Bytes>>,
    variables: Vec<Variable>,
}

struct Variable {
    address: u64,
    size: u64,
    name: String,
    unit: usize,
    type_of: UnitOffset,
}

impl Variables {
    /// What the debug information says; nothing if there is none, or if it is unusual.
    pub fn read(path: &Path) -> Variables {
        Variables::try_read(path).unwrap_or_default()
    }

    fn try_read(path: &Path) -> Option<Variables> {
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            Ok(EndianArcSlice::new(data.unwrap_or(Cow::Borrowed(&[])).into(), endian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let mut variables = Variables::default();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let unit = dwarf.unit(header).ok()?;
            variables.units.push(unit);
        }
        variables.dwarf = Some(dwarf);
        for unit in 0..variables.units.len() {
            let found = variables.of_unit(unit).unwrap_or_default();
            variables.variables.extend(found);
        }
        Some(variables)
    }

    fn of_unit(&self, number: usize) -> Result<Vec<Variable>, gimli::Error> {
        let unit = &self.units[number];
        let mut found = Vec::new();
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_variable {
                continue;
            }
            let Some(address) = address_of(unit, entry) else { continue };
            // The definition of a class member or of an `extern` variable refers to its declaration.
            let declaration = match entry.attr_value(gimli::DW_AT_specification)? {
                Some(AttributeValue::UnitRef(offset)) => Some(unit.entry(offset)?),
                _ => None,
            };
            let declaration = declaration.as_ref();
            let name = self.name(unit, entry).or_else(|| self.name(unit, declaration?));
            let type_of = type_of(entry).or_else(|| type_of(declaration?));
            if let (Some(name), Some(type_of)) = (name, type_of)
                && let Some(size) = self.size(unit, type_of)
            {
                found.push(Variable { address, size, name, unit: number, type_of });
            }
        }
        Ok(found)
    }

    /// The variable at an address and which part of it.
    pub fn part_at(&self, address: u64) -> Option<String> {
        let is_at =
            |variable: &&Variable| (variable.address..variable.address + variable.size).contains(&address);
        let variable = self.variables.iter().find(is_at)?;
        let unit = &self.units[variable.unit];
        let mut name = variable.name.clone();
        self.part(&mut name, unit, variable.type_of, address - variable.address, 0);
        Some(name)
    }

    /// Adds to the name which part of this type begins at the offset.
    fn part(
        &self,
        name: &mut String,
        unit: &Unit<Bytes>,
        type_of: UnitOffset,
        offset: u64,
        depth: usize,
    ) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let entry = unit.entry(type_of).ok()?;
        match entry.tag() {
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
                let next = self::type_of(&entry)?;
                let is_opaque = self
                    .name(unit, &entry)
                    .is_some_and(|name| name.starts_with("pthread_") || name == "sem_t");
                if !is_opaque {
                    return self.part(name, unit, next, offset, depth + 1);
                }
            }
            gimli::DW_TAG_array_type => {
                let element = self::type_of(&entry)?;
                let size = self.size(unit, element).filter(|size| *size > 0)?;
                name.push_str(&format!("[{}]", offset / size));
                return self.part(name, unit, element, offset % size, depth + 1);
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                if let Some((member, start, next)) = self.member(unit, type_of, offset) {
                    name.push_str(&format!(".{member}"));
                    return self.part(name, unit, next, offset - start, depth + 1);
                }
            }
            _ => {}
        }
        if offset > 0 {
            name.push_str(&format!("+{offset:#x}"));
        }
        Some(())
    }

    /// The member that has this offset, unless its name is one that only an implementation may use.
    fn member(
        &self,
        unit: &Unit<Bytes>,
        type_of: UnitOffset,
        offset: u64,
    ) -> Option<(String, u64, UnitOffset)> {
        let mut tree = unit.entries_tree(Some(type_of)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if entry.tag() != gimli::DW_TAG_member {
                continue;
            }
            let start = entry.attr_value(gimli::DW_AT_data_member_location).ok()??.udata_value()?;
            let next = self::type_of(entry)?;
            if (start..start + self.size(unit, next)?).contains(&offset) {
                let name = self.name(unit, entry)?;
                return (!name.starts_with('_')).then_some((name, start, next));
            }
        }
        None
    }

    fn size(&self, unit: &Unit<Bytes>, type_of: UnitOffset) -> Option<u64> {
        let entry = unit.entry(type_of).ok()?;
        if let Some(size) = entry.attr_value(gimli::DW_AT_byte_size).ok()? {
            return size.udata_value();
        }
        match entry.tag() {
            gimli::DW_TAG_array_type => {
                Some(self.n_elements(unit, type_of)? * self.size(unit, self::type_of(&entry)?)?)
            }
            _ => self.size(unit, self::type_of(&entry)?),
        }
    }

    /// Of all dimensions together.
    fn n_elements(&self, unit: &Unit<Bytes>, array: UnitOffset) -> Option<u64> {
        let mut tree = unit.entries_tree(Some(array)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut count = 1;
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            let number = |name| entry.attr_value(name).ok().flatten().and_then(|value| value.udata_value());
            let length = number(gimli::DW_AT_count).or_else(|| Some(number(gimli::DW_AT_upper_bound)? + 1));
            count *= length.unwrap_or(0);
        }
        Some(count)
    }

    fn name(&self, unit: &Unit<Bytes>, entry: &Entry) -> Option<String> {
        let value = entry.attr_value(gimli::DW_AT_name).ok()??;
        let text = self.dwarf.as_ref()?.attr_string(unit, value).ok()?;
        Some(String::from_utf8_lossy(text.bytes()).into_owned())
    }
}

/// Types inside of types, at most.
const DEEPEST: usize = 32;

fn type_of(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type).ok()?? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// Where a variable is, if that is always the same place.
fn address_of(unit: &Unit<Bytes>, entry: &Entry) -> Option<u64> {
    let AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location).ok()?? else {
        return None;
    };
    let mut operations = expression.operations(unit.encoding());
    let Some(Operation::Address { address }) = operations.next().ok()? else { return None };
    operations.next().ok()?.is_none().then_some(address)
}
