//! The header is what the library exports, and changes of the interface are noticed.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int};
use std::fs;
use std::path::Path;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrowfeed::tensor::dlpack::{RawTensor, VersionedTensor};
use arrowfeed_c::*;

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The constants and the functions of the header, each on a line, in order.
fn declarations() -> Vec<String> {
    let header = file("include/arrowfeed.h");
    let mut code = String::new();
    let mut rest = header.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").unwrap().1;
    }
    code.push_str(rest);
    let constants =
        code.lines().filter(|line| line.starts_with("#define ARROWFEED_") && line.matches(' ').count() > 1);
    let constants: Vec<String> = constants.map(|line| line.trim().to_owned()).collect();
    let plain: Vec<&str> = code.lines().filter(|line| !line.starts_with('#')).collect();
    let statements = plain.join(" ");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let functions = statements
        .split(';')
        .map(words)
        .filter(|text| text.contains(" arrowfeed_") || text.contains("*arrowfeed_"));
    constants.into_iter().chain(functions.filter(|text| !text.starts_with("typedef"))).collect()
}

/// The name of a Rust type in C.
fn c_type(rust: &str) -> String {
    let pointer = |target: &str| {
        let target = c_type(target);
        if target.ends_with('*') { format!("{target}*") } else { format!("{target} *") }
    };
    if let Some(target) = rust.strip_prefix("*mut ") {
        return pointer(target);
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        return format!("const {}", pointer(target));
    }
    let name = match rust {
        "c_char" => "char",
        "c_int" => "int",
        "usize" => "size_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "Dataset" => "arrowfeed_dataset",
        "Error" => "arrowfeed_error",
        "Cancel" => "arrowfeed_cancel_handle",
        "TensorStream" => "arrowfeed_tensor_stream",
        "TensorBatch" => "arrowfeed_tensor_batch",
        "FFI_ArrowSchema" => "struct ArrowSchema",
        "FFI_ArrowArrayStream" => "struct ArrowArrayStream",
        "VersionedTensor" => "struct DLManagedTensorVersioned",
        other => panic!("{other} has no name in C"),
    };
    name.to_owned()
}

fn declared(c_type: &str, name: &str) -> String {
    if c_type.ends_with('*') { format!("{c_type}{name}") } else { format!("{c_type} {name}") }
}

/// The functions that the library exports, as the header should declare them.
fn exported() -> BTreeSet<String> {
    let sources = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let mut found = BTreeSet::new();
    for path in sources.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let source = fs::read_to_string(path).unwrap();
        for function in source.split("#[unsafe(no_mangle)]").skip(1) {
            let (head, _) = function.split_once('{').unwrap();
            let head = head.split_whitespace().collect::<Vec<_>>().join(" ");
            let (_, head) = head.split_once("extern \"C\" fn ").unwrap();
            let (name, rest) = head.split_once('(').unwrap();
            let (arguments, result) = rest.split_once(')').unwrap();
            let arguments = arguments.split(',').map(str::trim).filter(|text| !text.is_empty());
            let arguments: Vec<String> = arguments
                .map(|argument| argument.split_once(": ").unwrap())
                .map(|(name, rust)| declared(&c_type(rust), name))
                .collect();
            let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
            let result = result.trim().strip_prefix("-> ").map_or("void".to_owned(), c_type);
            found.insert(format!("{}({arguments})", declared(&result, name)));
        }
    }
    found
}

#[test]
fn the_header_declares_exactly_the_exported_functions() {
    let declared: BTreeSet<String> =
        declarations().into_iter().filter(|line| !line.starts_with('#')).collect();
    let exported = exported();
    assert!(exported.len() > 30, "{exported:?}");
    let difference: Vec<_> = declared.symmetric_difference(&exported).collect();
    assert!(difference.is_empty(), "in the header or in the library only: {difference:#?}");
}

#[test]
fn the_constants_are_those_of_the_library() {
    let constant = |name: &str| {
        let lines = declarations();
        let prefix = format!("#define {name} ");
        let value = lines.iter().find_map(|line| line.strip_prefix(prefix.as_str()));
        value.unwrap_or_else(|| panic!("no {name}")).parse::<i64>().unwrap()
    };
    for kind in ErrorKind::ALL {
        // SAFETY: the names are constant texts.
        let name = unsafe { CStr::from_ptr(arrowfeed_error_kind_name(kind as c_int)) }.to_str().unwrap();
        let name = format!("ARROWFEED_ERROR_{}", name.to_uppercase().replace(' ', "_"));
        assert_eq!(constant(&name), i64::from(kind as c_int));
    }
    assert_eq!(
        declarations().iter().filter(|line| line.starts_with("#define ARROWFEED_ERROR_")).count(),
        ErrorKind::ALL.len()
    );
    for (name, value) in [
        ("ARROWFEED_TENSOR_DENSE", tensor_kind::DENSE),
        ("ARROWFEED_TENSOR_SPARSE", tensor_kind::SPARSE),
        ("ARROWFEED_TENSOR_RAGGED", tensor_kind::RAGGED),
        ("ARROWFEED_PART_VALUES", tensor_part::VALUES),
        ("ARROWFEED_PART_OFFSETS", tensor_part::OFFSETS),
        ("ARROWFEED_PART_INDICES", tensor_part::INDICES),
        ("ARROWFEED_PART_DENSE_SHAPE", tensor_part::DENSE_SHAPE),
        ("ARROWFEED_PART_ROW_SPLITS", tensor_part::ROW_SPLITS),
    ] {
        assert_eq!(constant(name), i64::from(value));
    }
    assert_eq!(constant("ARROWFEED_ABI_VERSION"), i64::from(arrowfeed_abi_version()));
    // SAFETY: the version is a constant text.
    let version = unsafe { CStr::from_ptr(arrowfeed_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}

/// `tests/c/layout.c` has the same sizes, for the structs of the header.
#[test]
#[cfg(target_pointer_width = "64")]
fn structs_have_the_sizes_of_the_header() {
    let sizes = [
        size_of::<FFI_ArrowSchema>(),
        size_of::<FFI_ArrowArray>(),
        size_of::<FFI_ArrowArrayStream>(),
        size_of::<RawTensor>(),
        size_of::<VersionedTensor>(),
    ];
    assert_eq!(sizes, [72, 80, 40, 48, 80]);
}

const ADVICE: &str = "The interface has changed. If declarations were only added, increase ARROWFEED_ABI_VERSION in the header and \
                      ABI_VERSION in src/version.rs by 1, and run the test again with ARROWFEED_ABI=update, which writes \
                      abi/arrowfeed.txt. A declaration that changes or goes away breaks programs that were compiled before: keep \
                      it, and add another one.";

#[test]
fn the_interface_is_the_committed_one() {
    let (found, path) = (declarations(), "abi/arrowfeed.txt");
    let text = found.join("\n") + "\n";
    let committed = file(path);
    if text == committed {
        return;
    }
    let lost: Vec<&str> = committed.lines().filter(|line| !found.iter().any(|found| found == line)).collect();
    let version_grew = lost == [format!("#define ARROWFEED_ABI_VERSION {}", ABI_VERSION - 1)];
    if std::env::var_os("ARROWFEED_ABI").is_some_and(|value| value == "update") && version_grew {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), text).unwrap();
        return;
    }
    let added: Vec<&String> =
        found.iter().filter(|line| !committed.lines().any(|known| known == *line)).collect();
    panic!("{ADVICE}\nadded: {added:#?}\nchanged or removed: {lost:#?}");
}
