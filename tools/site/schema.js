// Colours schemas, which highlight.js does not know. Their blocks are marked so that mdBook leaves them alone.
"use strict";

(() => {
  const { hljs } = window;
  if (!hljs) return;
  hljs.registerLanguage("sdp", (h) => ({
    name: "SDP",
    keywords: {
      keyword: "package import as struct message union enum service call stream event type const reserved",
      built_in: "bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 str string bytes timestamp duration uuid map Option Box",
      literal: "true false",
    },
    contains: [h.C_LINE_COMMENT_MODE, h.C_BLOCK_COMMENT_MODE, h.QUOTE_STRING_MODE, h.C_NUMBER_MODE, { className: "meta", begin: /@[\w.]+/ }],
  }));
  for (const code of document.querySelectorAll("code.sdp")) {
    code.className = "language-sdp";
    hljs.highlightBlock(code);
  }
})();
