// The functions that the methods of a tensor call. They make tensors themselves, so `tensor.ts`
// does not import them: the door of the room puts them here.

import type { backward } from "../backward.ts";
import type * as functions from "../functions.ts";
import type * as inPlace from "../in-place.ts";

type Methods = typeof functions & typeof inPlace & { readonly backward: typeof backward };

export let methods: Methods;

export function fillMethods(table: Methods): void {
  methods = table;
}
