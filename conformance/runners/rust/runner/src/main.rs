//! Answers conformance requests, a line each, with the Rust code that `sdp gen`
//! made. It knows no schema: ../build writes the table of types beside it.
//! conformance/README.md describes the lines.

mod request;
mod stream;
mod table;
mod types;
mod value;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};

use request::{hex, Request};
use table::{Measured, Slot, Type};
use value::{Answer, Failure, Shown};

/// The values that `reuse` decodes into, again and again.
type Used = HashMap<*const Type, Slot>;

fn main() -> io::Result<()> {
    let mut used = Used::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let text = answer(&line, &mut used).unwrap_or_else(|failure| rejected(&failure));
        writeln!(out, "{text}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &str, used: &mut Used) -> Answer<String> {
    let mut request = Request::parse(line)?;
    if request.op == "exact" {
        request.options = request.options.with_exact(true);
    }
    let Request { data, options, .. } = &request;
    match request.op.as_str() {
        "dispatch" => {
            let (name, shown) = (request.messages()?.dispatch)(data, options)?;
            return Ok(accepted(&shown) + "\ttype=" + name);
        }
        "stream" => return Ok(stream::answer(request.messages()?, data, *options)),
        _ => {}
    }
    let found = request.found()?;
    match request.op.as_str() {
        "decode" | "exact" => Ok(cost(found, (found.decode)(data, options))),
        "alias" => Ok(cost(found, (found.borrow)(data, options))),
        "view" => Ok(cost(found, (found.view)(data, options))),
        "reuse" => {
            let slot = used.entry(std::ptr::from_ref(found)).or_default();
            Ok(cost(found, (found.reuse)(slot, data, options)))
        }
        "prefix" => {
            let (shown, used) = (found.prefix)(data, options)?;
            Ok(format!("{}\tused={used}", accepted(&shown)))
        }
        "message" => Ok(accepted(&(request.framed()?.decode)(data, options)?)),
        "json" => Ok(accepted(&value::shown(&*(found.from_json)(data)?)?)),
        "encode" => Ok(written(&(found.from_json)(data)?.encode_to_vec()?)),
        "encode_into" => {
            let mut buffer = vec![0xaa; request.size];
            let n = (found.from_json)(data)?.encode_to_slice(&mut buffer)?;
            Ok(written(&buffer[..n]))
        }
        "encode_message" => Ok(written(&(request.framed()?.encode)(data)?)),
        "layout" => Ok(format!(
            "accept\tlayout={}",
            hex((found.layout)().as_bytes())
        )),
        "fingerprints" => Ok(format!(
            "accept\tsegments={}\tcumulative={}",
            numbers(found.segments),
            numbers(found.cumulative)
        )),
        op => Err(Failure::Other(format!("no operation is called {op:?}"))),
    }
}

/// The answer of a decode, and the bytes that it allocated and may.
fn cost(found: &Type, (result, allocated): Measured) -> String {
    let answer = result.map_or_else(|failure| rejected(&failure), |shown| accepted(&shown));
    format!("{answer}\tallocated={allocated}\tfactor={}", found.factor)
}

fn rejected(failure: &Failure) -> String {
    match failure {
        Failure::Refused(error) => {
            let offset = error.offset.map_or("-1".into(), |n| n.to_string());
            format!(
                "reject\terror={}\toffset={offset}\tpath={}",
                error.kind, error.path
            )
        }
        Failure::Other(text) => format!("error\tmessage={text}"),
    }
}

/// The canonical JSON of a value and its encoding, each with the refusal in its
/// place where the value has none.
fn accepted(shown: &Shown) -> String {
    let mut answer = "accept".to_string();
    part(&mut answer, "json", shown.json.clone());
    part(&mut answer, "bytes", shown.bytes.clone().map(|b| hex(&b)));
    answer
}

fn part(answer: &mut String, key: &str, text: Result<String, sdp::Error>) {
    let written = match text {
        Ok(text) => write!(answer, "\t{key}={text}"),
        Err(error) => write!(answer, "\t{key}_refusal={} {}", error.kind, error.path),
    };
    written.expect("a String takes all text");
}

fn written(bytes: &[u8]) -> String {
    format!("accept\tbytes={}", hex(bytes))
}

fn numbers(list: &[u64]) -> String {
    let texts: Vec<String> = list.iter().map(|n| format!("{n:016x}")).collect();
    texts.join(",")
}
