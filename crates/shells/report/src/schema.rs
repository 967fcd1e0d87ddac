//! The published JSON schemas, generated from the types so that they cannot disagree.

use schemars::{JsonSchema, generate::SchemaSettings};

/// File name and text of each schema, as checked in under `doc/schema/`.
pub fn all() -> [(&'static str, String); 6] {
    [
        ("result-1.json", of::<crate::result::ResultDocument>()),
        ("events-1.json", of::<crate::events::EventDocument>()),
        ("trail-1.json", of::<crate::trail::TrailDocument>()),
        ("explore-1.json", of::<crate::explore::AnswerDocument>()),
        ("schedule-1.json", of::<crate::schedule::ScheduleDocument>()),
        ("property-1.json", of::<crate::property::PropertyDocument>()),
    ]
}

fn of<T: JsonSchema>() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    crate::to_json(&generator.into_root_schema_for::<T>()) + "\n"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// `UPDATE_SCHEMA=1 cargo test -p allways-report` writes them anew.
    #[test]
    fn published_schemas_are_current() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../doc/schema");
        for (name, text) in super::all() {
            let path = folder.join(name);
            if std::env::var_os("UPDATE_SCHEMA").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let published = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(
                published, text,
                "{name} is out of date; run UPDATE_SCHEMA=1 cargo test -p allways-report"
            );
        }
    }
}
