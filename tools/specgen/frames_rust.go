package main

import (
	"bytes"
	"fmt"
	"strings"
)

// rustTypes renders the types and flags of Rust's frames.
func rustTypes(s *spec, _ output) ([]byte, error) {
	var b bytes.Buffer
	all := s.Frames.byNumber()
	fmt.Fprintf(&b, "// %s\n\nuse crate::frame::Flags;\n\n", fromFrames)
	b.WriteString("/// The type of a frame [MXP-1.3].\n#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\npub enum Type {\n")
	for _, t := range all {
		comment(&b, "    ///", markdown(t.Meaning))
		fmt.Fprintf(&b, "    %s = 0x%02x,\n", t.Name, t.Number)
	}
	fmt.Fprintf(&b, "}\n\nimpl Type {\n    /// All types, by number.\n    pub const ALL: [Self; %d] = [\n", len(all))
	for _, t := range all {
		fmt.Fprintf(&b, "        Self::%s,\n", t.Name)
	}
	b.WriteString(`    ];

    /// The type that has this number.
    #[must_use]
    #[inline]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
`)
	for _, t := range all {
		fmt.Fprintf(&b, "            0x%02x => Self::%s,\n", t.Number, t.Name)
	}
	b.WriteString(`            _ => return None,
        })
    }

    /// The type's number.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The type's name, for instance ` + "`StreamOpen`" + `.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
`)
	for _, t := range all {
		fmt.Fprintf(&b, "            Self::%s => %q,\n", t.Name, t.Name)
	}
	b.WriteString(`        }
    }

    /// The type's place among all.
    #[inline]
    pub(crate) const fn place(self) -> usize {
        match self {
`)
	for i, t := range all {
		fmt.Fprintf(&b, "            Self::%s => %d,\n", t.Name, i)
	}
	b.WriteString("        }\n    }\n}\n\nimpl Flags {\n    /// No flag.\n    pub const NONE: Self = Self(0);\n")
	for _, flag := range s.Frames.Flags {
		comment(&b, "    ///", markdown(flag.Meaning))
		fmt.Fprintf(&b, "    pub const %s: Self = Self(%d);\n", strings.ToUpper(flag.Name), flag.Number)
	}
	flags := s.Frames.Flags
	fmt.Fprintf(&b, "\n    /// Every flag that is defined.\n    pub(super) const ALL: u8 = 0x%02x;\n", 1<<len(flags)-1)
	fmt.Fprintf(&b, "\n    /// The names of the flags.\n    pub(super) const NAMES: [(Self, &'static str); %d] = [\n", len(flags))
	for _, flag := range flags {
		fmt.Fprintf(&b, "        (Self::%[1]s, %[1]q),\n", strings.ToUpper(flag.Name))
	}
	b.WriteString("    ];\n}\n")
	return b.Bytes(), nil
}

// rustRules renders the rules of Rust's sessions.
func rustRules(s *spec, _ output) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\nuse crate::frame::{Flags, Type};\n\n", fromFrames)
	b.WriteString("/// The rule for the id of a frame.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub(crate) enum IdRule {\n")
	for _, id := range idRules {
		comment(&b, "    ///", id.meaning)
		fmt.Fprintf(&b, "    %s,\n", pascal(id.name))
	}
	b.WriteString("}\n\n/// The states in which a frame may come, as bits.\npub(crate) mod state {\n")
	for i, state := range states {
		fmt.Fprintf(&b, "    pub(crate) const %s: u8 = %d;\n", strings.ToUpper(state), 1<<i)
	}
	b.WriteString(`}

/// The rule for frames of a type [MXP-5.3], [MXP-5.6].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) flags: Flags,
    /// Whether the payload is the protocol's own.
    pub(crate) is_own: bool,
    /// Whether the payload ends in records.
    pub(crate) is_batch: bool,
    pub(crate) id: IdRule,
    /// The states in which they may come.
    pub(crate) states: u8,
}

/// The rule for frames of a type.
pub(crate) const fn rule(frame_type: Type) -> Rule {
    RULES[frame_type.number() as usize]
}

/// The rules by the numbers of types.
const RULES: [Rule; 256] = {
    let mut all = [Rule {
        flags: Flags::NONE,
        is_own: true,
        is_batch: false,
        id: IdRule::Zero,
        states: 0,
    }; 256];
`)
	for _, t := range s.Frames.Types {
		fmt.Fprintf(&b, "    all[Type::%s as usize] = Rule {\n        flags: %s,\n        is_own: %t,\n        is_batch: %t,\n        id: IdRule::%s,\n        states: %s,\n    };\n",
			t.Name, rustFlags(t.Flags), t.isOwn(), t.Records, pascal(t.idRule()), rustStates(t.states()))
	}
	b.WriteString("    all\n};\n")
	return b.Bytes(), nil
}

// rustFlags is the union of flags, as a constant.
func rustFlags(names []string) string {
	if len(names) == 0 {
		return "Flags::NONE"
	}
	union := "Flags::" + strings.ToUpper(names[0])
	for _, name := range names[1:] {
		union += ".or(Flags::" + strings.ToUpper(name) + ")"
	}
	return union
}

func rustStates(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "state::"+strings.ToUpper(name))
	}
	return strings.Join(all, " | ")
}
