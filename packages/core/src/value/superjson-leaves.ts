/** Single values as superjson reads them. */
import type { SuperJSON } from "superjson";
// Past its entry, which exports all of superjson as one class. Bundled with ours: separate modules take longer to import. Its licence: THIRD-PARTY.md.
import { untransformValue } from "../../node_modules/superjson/dist/transformer.js";
import type { LeafReaders } from "./read-forms.js";

/** superjson asks these for what a program has registered with it: nothing, `ValueType` is our own way. */
const nothing = { getIdentifier: () => undefined, findApplicable: () => undefined };
const registered = {
  classRegistry: nothing,
  symbolRegistry: nothing,
  customTransformerRegistry: nothing,
} as unknown as SuperJSON;

export const superjsonLeaves: LeafReaders = {
  number: (text) => untransformValue(text, "number", registered),
  Date: (text) => untransformValue(text, "Date", registered) as Date,
  URL: (text) => untransformValue(text, "URL", registered),
};
