fn main() -> Result<(), sdp_build::Error> {
    sdp_build::Config::new()
        .schema("../audio.sdp")
        .services(true)
        .compile()
}
