fn main() -> Result<(), sdp_build::Error> {
    sdp_build::Config::new()
        .schema("../rack.sdp")
        .services(true)
        .compile()
}
