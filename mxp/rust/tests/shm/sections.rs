//! Offers of handles that are none of a section, or of one whose bytes can be lost [MXP-18.21].

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::{blocking, Client, Options, Server};
use mxp::session::Status;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, PAGE_READONLY, PAGE_READWRITE, SEC_IMAGE, SEC_RESERVE,
};
use windows_sys::Win32::System::Threading::{
    CreateEventW, GetCurrentProcess, GetProcessHandleCount,
};

use crate::demo::{local, place, service, until, ECHO, SERVICE};
use crate::log::Log;
use crate::{shared, turn};

const RING: usize = 4096;
const SIZE: u32 = 4096 + 4096;

/// An event, which resets itself.
fn event() -> OwnedHandle {
    // SAFETY: no pointer is given, and the handle is nobody else's.
    unsafe { OwnedHandle::from_raw_handle(CreateEventW(null(), 0, 0, null())) }
}

/// A section of a file, or of the page file.
fn section(file: Option<&File>, kind: u32, size: u32) -> OwnedHandle {
    let file = file.map_or(INVALID_HANDLE_VALUE, AsRawHandle::as_raw_handle);
    // SAFETY: no pointer is given, and the handle is nobody else's.
    unsafe {
        let made = CreateFileMappingW(file, null(), kind, 0, size, null());
        assert!(!made.is_null(), "{}", std::io::Error::last_os_error());
        OwnedHandle::from_raw_handle(made)
    }
}

fn good() -> OwnedHandle {
    section(None, PAGE_READWRITE, SIZE)
}

/// An offer with its handles, and the name by which it is refused, if it is.
struct Case {
    what: &'static str,
    bytes: Vec<u8>,
    name: &'static str,
    /// The handles that stay open as long as this.
    #[allow(dead_code, reason = "they are but closed")]
    open: Vec<OwnedHandle>,
}

fn number(handle: &OwnedHandle) -> [u8; 4] {
    u32::try_from(handle.as_raw_handle() as usize)
        .unwrap()
        .to_le_bytes()
}

fn offer(handles: [[u8; 4]; 3]) -> Vec<u8> {
    let mut bytes = b"MXPS\x01\0\0\0".to_vec();
    bytes.extend((RING as u64).to_le_bytes());
    bytes.extend(handles.as_flattened());
    bytes.extend([0; 4]);
    bytes
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let (bytes, room) = (event(), event());
    let events = [number(&bytes), number(&room)];
    let mut add = |what, section: OwnedHandle, name| {
        cases.push(Case {
            what,
            bytes: offer([number(&section), events[0], events[1]]),
            name,
            open: vec![section],
        });
    };
    add("a section", good(), "");
    for (what, size) in [
        ("too small", SIZE - 4096),
        ("too large", SIZE + 1),
        ("much too large", 16 * SIZE),
    ] {
        add(what, section(None, PAGE_READWRITE, size), "shm_memory");
    }
    let reserved = section(None, PAGE_READWRITE | SEC_RESERVE, SIZE);
    add("not committed", reserved, "shm_memory");
    let path = std::env::temp_dir().join(format!("mxp-section-{}", std::process::id()));
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(true);
    let file = file.open(&path).unwrap();
    add(
        "of a file",
        section(Some(&file), PAGE_READWRITE, SIZE),
        "shm_memory",
    );
    let program = File::open(std::env::current_exe().unwrap()).unwrap();
    let image = section(Some(&program), PAGE_READONLY | SEC_IMAGE, 0);
    add("of a program", image, "shm_memory");
    add("an event", event(), "shm_memory");
    add("a file", file.into(), "shm_memory");
    let mut bad = |what, change: &dyn Fn(&mut [u8]), name| {
        let section = good();
        let mut bytes = offer([number(&section), events[0], events[1]]);
        change(&mut bytes);
        cases.push(Case {
            what,
            bytes,
            name,
            open: vec![section],
        });
    };
    for at in [16, 20, 24] {
        bad(
            "no handle",
            &|bytes| bytes[at..at + 4].fill(0),
            "shm_memory",
        );
        bad(
            "not open",
            &|bytes| bytes[at..at + 4].fill(0x70),
            "shm_memory",
        );
        bad(
            "this process",
            &|bytes| bytes[at..at + 4].fill(0xff),
            "shm_memory",
        );
    }
    bad("rest", &|bytes| bytes[28] = 1, "shm_handover");
    bad("rest", &|bytes| bytes[31] = 1, "shm_handover");
    for (case, event) in cases.iter_mut().zip([bytes, room]) {
        case.open.push(event);
    }
    cases
}

/// How many handles this program has open.
fn handles() -> u32 {
    let mut n = 0;
    // SAFETY: the number is written where it has room.
    let is_known = unsafe { GetProcessHandleCount(GetCurrentProcess(), &mut n) };
    assert_ne!(is_known, 0);
    n
}

/// Offers something to a server, and returns the verdict.
fn offered(address: &str, bytes: &[u8]) -> Vec<u8> {
    let path = format!(r"\\.\pipe\{}", place(address));
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true);
    let mut pipe = loop {
        if let Ok(pipe) = options.open(&path) {
            break pipe;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    pipe.write_all(bytes).unwrap();
    let mut answer = vec![0; 32];
    pipe.read_exact(&mut answer).unwrap();
    answer
}

#[tokio::test]
async fn a_server_refuses_handles_that_are_no_memory() {
    let _turn = turn().await;
    let (log, _guard) = Log::of_this_thread();
    let server = Server::new().service(service(&Arc::default()));
    let server = server.listen(&shared(&local())).await.unwrap();
    let address = server.address().to_string();
    let client = Client::connect(&address).unwrap();
    client.ready().await.unwrap();
    let cases = cases();
    let mut before = None;
    for round in 0..3 {
        for case in &cases {
            let (address, bytes) = (address.clone(), case.bytes.clone());
            let answer = tokio::task::spawn_blocking(move || offered(&address, &bytes));
            let answer = answer.await.unwrap();
            let verdict = if case.name.is_empty() { 0 } else { 2 };
            assert_eq!(
                (&answer[..5], answer[5]),
                (&b"MXPS\x01"[..], verdict),
                "{}",
                case.what
            );
            assert_eq!(answer[16..].iter().all(|byte| *byte == 0), verdict == 2);
            let options = Options::new();
            let reply = client.call(SERVICE, ECHO, vec![7; 100], &options).await;
            assert_eq!(reply.unwrap().value[..], [7; 100], "{}", case.what);
        }
        until("all are gone", || server.connections() == 1).await;
        let refused = |name| cases.iter().filter(move |case| case.name == name);
        for name in ["shm_handover", "shm_memory"] {
            assert_eq!(
                log.count(name),
                (round + 1) * refused(name).count(),
                "{name}"
            );
        }
        // Nothing of any of them stays open: what the runtime keeps it has made by the first round.
        let has = handles();
        let most = *before.get_or_insert(has);
        assert!(
            has <= most + 2,
            "round {round}: {has} handles, and {most} before"
        );
    }
}

/// An instance of a pipe whose owner clients trust: the administrators.
fn instance(path: &str, is_first: bool) -> NamedPipeServer {
    let list: Vec<u16> = "O:BAD:(A;;GA;;;WD)\0".encode_utf16().collect();
    let mut made = null_mut();
    // SAFETY: the text ends with 0, and the list is written where it has room; it stays for ever.
    let is_made = unsafe {
        let (text, revision) = (list.as_ptr(), SDDL_REVISION_1);
        ConvertStringSecurityDescriptorToSecurityDescriptorW(text, revision, &mut made, null_mut())
    };
    assert_ne!(is_made, 0);
    let mut attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap(),
        lpSecurityDescriptor: made,
        bInheritHandle: 0,
    };
    let mut options = ServerOptions::new();
    options.first_pipe_instance(is_first);
    // SAFETY: the attributes are there as long as the call.
    let made = unsafe {
        let attributes = std::ptr::from_mut(&mut attributes).cast();
        options.create_with_security_attributes_raw(path, attributes)
    };
    made.unwrap()
}

#[tokio::test]
async fn a_client_refuses_handles_that_are_no_memory() {
    let _turn = turn().await;
    for case in cases().iter().filter(|case| case.name == "shm_memory") {
        let address = shared(&local());
        let path = format!(r"\\.\pipe\{}", place(&address));
        let bytes = case.bytes.clone();
        let serve = |is_first| instance(&path, is_first);
        let first = serve(true);
        let serving = async {
            let mut next = first;
            loop {
                let mut pipe = next;
                pipe.connect().await.unwrap();
                next = serve(false);
                let mut offer = [0; 32];
                if pipe.read_exact(&mut offer).await.is_ok() {
                    assert!(offer[16..28].iter().any(|byte| *byte != 0));
                    let _ = pipe.write_all(&bytes).await;
                    // The answer is read before the pipe ends.
                    let _ = pipe.read(&mut offer).await;
                }
            }
        };
        let asking = async {
            let client = Client::connect(&address).unwrap();
            let failure = client.ready().await.unwrap_err();
            drop(client);
            let at = address.clone();
            let other = tokio::task::spawn_blocking(move || blocking::Client::connect(&at));
            (failure, other.await.unwrap().unwrap_err())
        };
        let (failure, other) = tokio::select! {
            () = serving => unreachable!("a server ends"),
            failures = asking => failures,
        };
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert_eq!(failure.name, case.name, "{}: {failure}", case.what);
        assert!(
            other.to_string().contains(case.name),
            "{}: {other}",
            case.what
        );
    }
}
