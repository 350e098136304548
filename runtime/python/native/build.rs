//! Tells the library its version of the interpreter, since objects lie in memory as that version has them, and the linker of macOS
//! that the interpreter has the rest.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
    let minor = pyo3_build_config::get().version().minor;
    println!("cargo:rustc-env=PYTHON_MINOR={minor}");
}
