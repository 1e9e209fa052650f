//! Writes the seeds of a target into a directory: `write_seeds TARGET DIRECTORY`.

use std::path::Path;
use std::{env, fs};

use arrowfeed_fuzz::Target;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, directory] = &arguments[..] else {
        return Err("expected a target and a directory".into());
    };
    fs::create_dir_all(directory)?;
    for (i, seed) in (Target::named(name)?.seeds)().into_iter().enumerate() {
        fs::write(Path::new(directory).join(format!("seed-{i}")), seed)?;
    }
    Ok(())
}
