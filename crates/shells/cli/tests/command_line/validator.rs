//! Checks a document against a published schema. Knows the keywords that our schemas use and refuses any other.

use serde_json::Value;

/// The schema of this name in `doc/schema`, or one of its parts.
#[track_caller]
pub fn assert_valid(document: &Value, schema: &str, part: Option<&str>) {
    let path = format!("{}/../../../doc/schema/{schema}", env!("CARGO_MANIFEST_DIR"));
    let root: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let schema = part.map_or(&root, |part| &root["$defs"][part]);
    assert!(!schema.is_null());
    if let Err(why) = validate(document, schema, &root) {
        panic!("{why}\n{document:#}");
    }
}

fn validate(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "additionalProperties" => assert_eq!(rule, false, "the validator knows no other rule"),
            _ => check(value, keyword, rule, root).map_err(|why| format!("{keyword}: {why}"))?,
        }
    }
    if schema.get("additionalProperties").is_some() {
        let is_known = |name: &String| schema["properties"].get(name).is_some();
        let unknown = value.as_object().and_then(|fields| fields.keys().find(|name| !is_known(name)));
        return unknown.map_or(Ok(()), |name| Err(format!("{name} is not permitted")));
    }
    Ok(())
}

fn check(value: &Value, keyword: &str, rule: &Value, root: &Value) -> Result<(), String> {
    let alternatives =
        || rule.as_array().unwrap().iter().filter(|rule| validate(value, rule, root).is_ok()).count();
    let agree = |agrees: bool| if agrees { Ok(()) } else { Err(format!("{value} is not {rule}")) };
    match keyword {
        "$schema" | "$defs" | "title" | "description" | "format" | "default" => Ok(()),
        "$ref" => validate(value, root.pointer(&rule.as_str().unwrap()[1..]).expect("a known part"), root),
        "type" => agree(match rule {
            Value::Array(types) => types.iter().any(|rule| has_type(value, rule)),
            rule => has_type(value, rule),
        }),
        "const" => agree(value == rule),
        "enum" => agree(rule.as_array().unwrap().contains(value)),
        "minimum" => agree(value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap())),
        "anyOf" => agree(alternatives() > 0),
        "oneOf" => agree(alternatives() == 1),
        "items" => value.as_array().into_iter().flatten().try_for_each(|item| validate(item, rule, root)),
        "prefixItems" => value
            .as_array()
            .into_iter()
            .flatten()
            .zip(rule.as_array().unwrap())
            .try_for_each(|(item, rule)| validate(item, rule, root)),
        "minItems" => {
            agree(value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()))
        }
        "maxItems" => {
            agree(value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()))
        }
        "required" => {
            let missing =
                rule.as_array().unwrap().iter().find(|name| value.get(name.as_str().unwrap()).is_none());
            missing.map_or(Ok(()), |name| Err(format!("{name} is missing")))
        }
        "properties" => rule.as_object().unwrap().iter().try_for_each(|(name, rule)| match value.get(name) {
            Some(value) => validate(value, rule, root).map_err(|why| format!("{name}: {why}")),
            None => Ok(()),
        }),
        other => panic!("the validator does not know `{other}`"),
    }
}

fn has_type(value: &Value, rule: &Value) -> bool {
    match rule.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}
