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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[
        json::Field::required("value", "value"),
        json::Field::optional("\"next\"", "next"),
    ]);

    impl json::ToJson for Node {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(&MEMBERS, &[&self.value, &self.next])
        }
    }

    impl json::ToJson for NodeRef {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(&MEMBERS, &[&self.value, &self.next])
        }
    }

    impl json::FromJson for Node {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "value" => value.read_into(&mut v.value),
                "\"next\"" => value.read_into(&mut v.next),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};

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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[
        json::Field::required("name", "name"),
        json::Field::required("data", "data"),
        json::Field::required("floats", "floats"),
        json::Field::required("grid", "grid"),
        json::Field::required("blobs", "blobs"),
        json::Field::required("quad", "quad"),
        json::Field::required("pairs", "pairs"),
        json::Field::optional("maybe", "maybe"),
        json::Field::optional("maybe_data", "maybe_data"),
        json::Field::required("maybes", "maybes"),
        json::Field::required("nodes", "nodes"),
    ]);

    impl json::ToJson for Lists {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(
                &MEMBERS,
                &[
                    &self.name,
                    &self.data,
                    &self.floats,
                    &self.grid,
                    &self.blobs,
                    &self.quad,
                    &self.pairs,
                    &self.maybe,
                    &self.maybe_data,
                    &self.maybes,
                    &self.nodes,
                ],
            )
        }
    }

    impl json::ToJson for ListsRef<'_> {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(
                &MEMBERS,
                &[
                    &self.name,
                    &self.data,
                    &self.floats,
                    &self.grid,
                    &self.blobs,
                    &self.quad,
                    &self.pairs,
                    &self.maybe,
                    &self.maybe_data,
                    &self.maybes,
                    &self.nodes,
                ],
            )
        }
    }

    impl json::FromJson for Lists {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "name" => value.read_into(&mut v.name),
                "data" => value.read_into(&mut v.data),
                "floats" => value.read_into(&mut v.floats),
                "grid" => value.read_into(&mut v.grid),
                "blobs" => value.read_into(&mut v.blobs),
                "quad" => value.read_into(&mut v.quad),
                "pairs" => value.read_into(&mut v.pairs),
                "maybe" => value.read_into(&mut v.maybe),
                "maybe_data" => value.read_into(&mut v.maybe_data),
                "maybes" => value.read_into(&mut v.maybes),
                "nodes" => value.read_into(&mut v.nodes),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};

/// A struct without fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Nothing {}

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[]);

    impl json::ToJson for Nothing {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(&MEMBERS, &[])
        }
    }

    impl json::FromJson for Nothing {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            value.object(&MEMBERS, |_, _| Ok(()))?;
            Ok(Self::default())
        }
    }
};
