//! Compiles the schemas before the program.

fn main() -> Result<(), sdp_build::Error> {
    sdp_build::Config::new()
        .schema("schemas")
        .include("shared")
        .compile()
}
