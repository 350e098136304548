use std::borrow::Cow;

/// A struct that contains itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    pub value: u32,
    pub next: Option<Box<Node>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NodeRef {
    pub value: u32,
    pub next: Option<Box<NodeRef>>,
}

sdp::json::record! {
    Node, NodeRef: of_struct {
        value: required("value", "value"),
        next: optional("\"next\"", "next"),
    }
}

/// A struct of strings, lists, arrays and optionals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lists {
    pub name: String,
    pub data: Vec<u8>,
    pub floats: Vec<f32>,
    pub grid: Vec<Vec<u16>>,
    pub blobs: Vec<Vec<u8>>,
    pub quad: [u8; 4],
    pub pairs: [Vec<u8>; 2],
    pub maybe: Option<u32>,
    pub maybe_data: Option<Vec<u8>>,
    pub maybes: Vec<Option<bool>>,
    pub nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ListsRef<'a> {
    pub name: &'a str,
    pub data: &'a [u8],
    pub floats: Cow<'a, [f32]>,
    pub grid: Vec<Cow<'a, [u16]>>,
    pub blobs: Vec<&'a [u8]>,
    pub quad: [u8; 4],
    pub pairs: [&'a [u8]; 2],
    pub maybe: Option<u32>,
    pub maybe_data: Option<&'a [u8]>,
    pub maybes: Vec<Option<bool>>,
    pub nodes: Vec<NodeRef>,
}

sdp::json::record! {
    Lists, ListsRef<'_>: of_struct {
        name: required("name", "name"),
        data: required("data", "data"),
        floats: required("floats", "floats"),
        grid: required("grid", "grid"),
        blobs: required("blobs", "blobs"),
        quad: required("quad", "quad"),
        pairs: required("pairs", "pairs"),
        maybe: optional("maybe", "maybe"),
        maybe_data: optional("maybe_data", "maybe_data"),
        maybes: required("maybes", "maybes"),
        nodes: required("nodes", "nodes"),
    }
}

/// A struct without fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nothing {}

sdp::json::record! {
    Nothing: of_struct {}
}
