//! Tells the library its version of the interpreter, since objects lie in memory as that version has them.

fn main() {
    let minor = pyo3_build_config::get().version().minor;
    println!("cargo:rustc-env=PYTHON_MINOR={minor}");
}
