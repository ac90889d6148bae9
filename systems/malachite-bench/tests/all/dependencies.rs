//! The list of dependencies in the documentation.

use toml::Table;

#[test]
fn every_dependency_is_documented() {
    let documented = include_str!("../../../../docs/dependencies.md");
    let manifest: Table = include_str!("../../Cargo.toml").parse().expect("the manifest is TOML");
    for table in ["dependencies", "dev-dependencies"] {
        for (name, dependency) in manifest[table].as_table().expect("a table") {
            let package = dependency.get("package").map_or(name.as_str(), |package| package.as_str().expect("text"));
            assert!(documented.contains(&format!("`{package}`")), "docs/dependencies.md lacks `{package}`");
        }
    }
}
