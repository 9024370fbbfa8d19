// Parses `use` and `mod`.

import type { Mod, Name, Use, UseTree } from "../tree/ast.ts";
import {
  advance,
  bracketed,
  closeBracket,
  eat,
  expected,
  expectName,
  gap,
  nested,
  openBrace,
  spanFrom,
  type Cursor,
} from "./cursor.ts";
import type { Lead } from "./marks.ts";
import { endStatement } from "./statement-end.ts";

export function parseUse(p: Cursor, lead: Lead, opener: number): Use {
  advance(p);
  const tree = parseUseTree(p);
  if (p.kind === ".")
    expected(p, "`::`", "the parts of a path are joined by `::`, as in `std::math`");
  endStatement(p, opener);
  return {
    kind: "use",
    allow: lead.allow,
    public: lead.public,
    tree,
    span: spanFrom(p, lead.start),
  };
}

function parseUseTree(p: Cursor): UseTree {
  return nested(
    p,
    () => readUseTree(p),
    () => ({ kind: "name", path: [], span: gap(p) }),
  );
}

/** In a group, `*` alone imports everything of the module before the group: `use a::{*, b::c}`. */
function parseUseMember(p: Cursor): UseTree {
  const { start } = p.token;
  return eat(p, "*") ? { kind: "all", path: [], span: spanFrom(p, start) } : parseUseTree(p);
}

function readUseTree(p: Cursor): UseTree {
  const first = expectName(p, "the name of a module");
  const { start } = first.span;
  const path: Name[] = [first];
  while (eat(p, "::")) {
    if (eat(p, "*")) return { kind: "all", path, span: spanFrom(p, start) };
    if (p.kind === "{") {
      return {
        kind: "group",
        path,
        members: bracketed(p, "}", parseUseMember),
        span: spanFrom(p, start),
      };
    }
    path.push(expectName(p, "a name, `*` or `{…}` after `::`"));
  }
  const as = eat(p, "as") ? expectName(p, "the new name") : undefined;
  return { kind: "name", path, ...(as ? { as } : {}), span: spanFrom(p, start) };
}

export function parseMod(p: Cursor, lead: Lead, opener: number): Mod {
  advance(p);
  const name = expectName(
    p,
    "the name of the module",
    "`mod m;` reads the file `m.ein` or `m/mod.ein` beside this one; " +
      "a module of `m` is named in that file",
  );
  const { allow, public: exported } = lead;
  // Without a brace the statement is `mod m;`, unless a closing brace without a partner shows that
  // a `{` is missing.
  if (p.kind === ";" || (p.kind !== "{" && p.brackets.orphanBraces === p.sparedBraces)) {
    endStatement(p, opener);
    return { kind: "mod", allow, public: exported, name, span: spanFrom(p, lead.start) };
  }
  const brace = openBrace(p, "and the contents of the module");
  const statements = nested(
    p,
    () => {
      if (brace === undefined) return [];
      const inner = p.forms.statements(p, brace);
      closeBracket(p, brace, "}");
      return inner;
    },
    () => [],
  );
  return { kind: "mod", allow, public: exported, name, statements, span: spanFrom(p, lead.start) };
}
