//! Check that the committed code matches the `.proto` files.

use std::fs;
use std::path::{Path, PathBuf};

use prost_build::Module;

const FILES: [&str; 3] = ["path", "representation", "schema"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto")
}

fn generated() -> String {
    let files = FILES.map(|name| root().join(format!("arrowfeed/metadata/v0/{name}.proto")));
    let mut descriptors = protox::compile(files, [root()]).expect("the files are valid");
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    let modules = prost_build::Config::new()
        .btree_map(["."])
        .generate(
            descriptors
                .file
                .into_iter()
                .map(|file| (Module::from_protobuf_package_name(file.package()), file))
                .collect(),
        )
        .expect("code can be made");
    let code: String = modules.into_values().collect();
    format!("// Made from proto/arrowfeed/metadata/v0 by tests/it/proto.rs: do not edit.\n{code}")
}

#[test]
fn the_code_is_made_from_the_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/proto/arrowfeed.metadata.v0.rs");
    let expected = generated();
    if std::env::var_os("ARROWFEED_WRITE_PROTO").is_some() {
        fs::write(&path, &expected).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).expect("the file is there");
    assert!(
        found == expected,
        "make it again: ARROWFEED_WRITE_PROTO=1 cargo test -p arrowfeed-tensor --test it proto"
    );
}
