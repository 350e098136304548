use flatbuffers::WIPOffset;

use super::generated::arrays::arrays as fb;
use super::{HasTable, Tables};
use crate::dataset::{Frame, Sum};

impl HasTable for Frame {
    type Table = fb::Frame<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let fields = fb::FrameArgs {
            samples: Some(tables.create_vector_direct(&self.samples)),
            indices: Some(tables.create_vector_direct(&self.indices)),
        };
        fb::Frame::create(tables, &fields)
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for sample in table.samples().safe_slice() {
            sum.float(*sample);
        }
        for index in table.indices().safe_slice() {
            sum.uint(*index);
        }
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            samples: table.samples().safe_slice().to_vec(),
            indices: table.indices().safe_slice().to_vec(),
        }
    }
}
