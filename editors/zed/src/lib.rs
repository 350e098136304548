//! Starts the language server of `sdp` for Zed.

use zed_extension_api as zed;

struct Sdp;

impl zed::Extension for Sdp {
    fn new() -> Self {
        Self
    }

    /// The program is what the settings say (`lsp.sdp.binary.path`), or `sdp` in `PATH`.
    fn language_server_command(
        &mut self,
        server: &zed::LanguageServerId,
        worktree: &zed::Worktree,
    ) -> zed::Result<zed::Command> {
        let settings = zed::settings::LspSettings::for_worktree(server.as_ref(), worktree)?;
        let binary = settings.binary;
        let command = binary
            .as_ref()
            .and_then(|binary| binary.path.clone())
            .or_else(|| worktree.which("sdp"))
            .ok_or("the program `sdp` is not in PATH: install it, or say in lsp.sdp.binary.path where it is")?;
        let args = binary
            .and_then(|binary| binary.arguments)
            .unwrap_or_else(|| vec!["lsp".into()]);
        Ok(zed::Command {
            command,
            args,
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Sdp);
