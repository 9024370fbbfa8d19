// Structs and enums by reference: what a run does with a value whose structure only the run knows. Such a value is the list of its scalars
// in the order of its layout, with a reference of its own for every part that closes the cycle of its type.

import { showScalar } from "../../host/show.ts";
import type { Data, ElementType, Scalar } from "./types.ts";

/** `box` makes a reference of scalars, `part` is one of them, `same` compares two values, `show` is the text of one. */
export type DataFunction = "box" | "part" | "same" | "show";

/** What the scalars of a value stand for. */
export type Layout =
  | { readonly kind: "scalar"; readonly type: ElementType }
  | { readonly kind: "boxed"; readonly inside: () => Layout }
  | { readonly kind: "tuple"; readonly members: readonly Layout[] }
  | {
      readonly kind: "struct";
      readonly name: string;
      readonly fields: readonly { readonly name: string; readonly layout: Layout }[];
    }
  /** The tag stands first, then the payloads of all variants. */
  | {
      readonly kind: "enum";
      readonly name: string;
      readonly variants: readonly { readonly name: string; readonly payload: readonly Layout[] }[];
    };

const widths = new WeakMap<Layout, number>();

/** How many scalars a value takes. */
function widthOf(layout: Layout): number {
  let width = widths.get(layout);
  if (width === undefined) widths.set(layout, (width = measure(layout)));
  return width;
}

function measure(layout: Layout): number {
  const total = (parts: readonly Layout[]): number => parts.reduce((sum, part) => sum + widthOf(part), 0);
  switch (layout.kind) {
    case "scalar":
    case "boxed":
      return 1;
    case "tuple":
      return total(layout.members);
    case "struct":
      return total(layout.fields.map((field) => field.layout));
    case "enum":
      return 1 + total(layout.variants.flatMap((variant) => variant.payload));
    default:
      return layout satisfies never;
  }
}

/** The scalars from a position on, read as a layout. */
interface View {
  readonly layout: Layout;
  readonly data: Data;
  readonly at: number;
}

/** Layouts one after another. */
function inRow(layouts: readonly Layout[], data: Data, start: number): readonly View[] {
  let at = start;
  return layouts.map((layout) => {
    const view: View = { layout, data, at };
    at += widthOf(layout);
    return view;
  });
}

type EnumLayout = Extract<Layout, { kind: "enum" }>;

function payloadOf(layout: EnumLayout, { data, at }: View): readonly View[] {
  const tag = Number(data[at]);
  return inRow(layout.variants[tag]?.payload ?? [], data, at + startsOf(layout)[tag]!);
}

const starts = new WeakMap<EnumLayout, readonly number[]>();

/** Where the payload of each variant begins. */
function startsOf(layout: EnumLayout): readonly number[] {
  let known = starts.get(layout);
  if (!known) {
    let at = 1;
    known = layout.variants.map(({ payload }) => {
      const start = at;
      at += payload.reduce((sum, part) => sum + widthOf(part), 0);
      return start;
    });
    starts.set(layout, known);
  }
  return known;
}

/** The value as a program writes it. A long list is not a deep recursion: what is still to be shown waits in a list of its own. */
export function showData(layout: Layout, data: Data, typeOf: (declared: ElementType) => ElementType): string {
  const pieces: string[] = [];
  const waiting: (string | View)[] = [{ layout, data, at: 0 }];
  const listed = (open: string, views: readonly View[], close: string): void => {
    waiting.push(close);
    for (let k = views.length - 1; k >= 0; k--) waiting.push(views[k]!, k === 0 ? open : ", ");
    if (views.length === 0) waiting.push(open);
  };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") {
      pieces.push(next);
      continue;
    }
    const { layout: shown, data: from, at } = next;
    switch (shown.kind) {
      case "scalar":
        pieces.push(showScalar(typeOf(shown.type), from[at]!));
        break;
      case "boxed":
        waiting.push({ layout: shown.inside(), data: from[at] as Data, at: 0 });
        break;
      case "tuple":
        listed("(", inRow(shown.members, from, at), ")");
        break;
      case "struct": {
        const views = inRow(shown.fields.map((field) => field.layout), from, at); // prettier-ignore
        waiting.push(" }");
        for (let k = views.length - 1; k >= 0; k--)
          waiting.push(views[k]!, `${k === 0 ? "" : ", "}${shown.fields[k]!.name}: `);
        waiting.push(`${shown.name} { `);
        break;
      }
      case "enum": {
        const variant = shown.variants[Number(from[at])]!;
        const title = `${shown.name}::${variant.name}`;
        if (variant.payload.length === 0) pieces.push(title);
        else listed(`${title}(`, payloadOf(shown, next), ")");
        break;
      }
      default:
        shown satisfies never;
    }
  }
  return pieces.join("");
}

/** Whether two values are equal, part by part; payloads that a variant does not have are not looked at. */
export function sameData(layout: Layout, left: Data, right: Data): boolean {
  const waiting: (readonly [View, View])[] = [
    [
      { layout, data: left, at: 0 },
      { layout, data: right, at: 0 },
    ],
  ];
  const pair = (a: readonly View[], b: readonly View[]): void => a.forEach((view, k) => waiting.push([view, b[k]!]));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [a, b] = next;
    const { layout: compared } = a;
    const [x, y] = [a.data[a.at], b.data[b.at]];
    switch (compared.kind) {
      case "scalar":
        if (x !== y) return false;
        break;
      case "boxed": {
        const inside = compared.inside();
        waiting.push([
          { layout: inside, data: x as Data, at: 0 },
          { layout: inside, data: y as Data, at: 0 },
        ]);
        break;
      }
      case "tuple":
        pair(inRow(compared.members, a.data, a.at), inRow(compared.members, b.data, b.at));
        break;
      case "struct": {
        const layouts = compared.fields.map((field) => field.layout);
        pair(inRow(layouts, a.data, a.at), inRow(layouts, b.data, b.at));
        break;
      }
      case "enum":
        if (x !== y) return false;
        pair(payloadOf(compared, a), payloadOf(compared, b));
        break;
      default:
        compared satisfies never;
    }
  }
  return true;
}

/** What `same` and `show` do to references. */
export function dataFunction(
  name: "same" | "show",
  layout: Layout,
  typeOf: (declared: ElementType) => ElementType,
): (...given: readonly Scalar[]) => Scalar {
  // Asked for late: the layout of a type without end is made piece by piece.
  const inside = (): Layout => (layout.kind === "boxed" ? layout.inside() : layout);
  return name === "same"
    ? (left, right) => sameData(inside(), left as Data, right as Data)
    : (data) => showData(inside(), data as Data, typeOf);
}
