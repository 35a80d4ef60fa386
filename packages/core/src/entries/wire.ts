/**
 * The public surface of `millrace/wire`: what the two ends of the HTTP API share. It stands on no other entry, and a page that imports it
 * gets nothing of the engine.
 *
 * @module
 */

// ---- options
export { formatValue } from "../value/format-value.js";
export { formsWith, type LeafReaders, type ReadJson, readersWith } from "../value/forms.js";
export {
  callable,
  flag,
  list,
  object,
  optionProblems,
  type Rule,
  type Rules,
  ruleOf,
  valueRule,
} from "../value/option-rules.js";
// ---- pieces of calls
export { PieceReader, piecesType } from "../value/pieces.js";
export type { Piece, WrittenPieces } from "../value/pieces.types.js";
// ---- values
export {
  decodeTree,
  type EncodedValue,
  type Encoder,
  encodeTree,
  type Form,
  type FormOf,
  type FormTag,
  type Parts,
  pathOf,
  type ReadForm,
  type Tree,
  type Walk,
} from "../value/tree.js";
// ---- agents
export type * from "../wire/agent.types.js";
// ---- requests and answers
export { endTypes, refusalCodes } from "../wire/events.js";
export type * from "../wire/http.types.js";
export { outsideId } from "../wire/limits.js";
export { type FromWire, fromWire, type ToWire, toWire } from "../wire/names.js";
export type * from "../wire/operate.types.js";
export { redacted } from "../wire/redact.js";
export type * from "../wire/request.types.js";
export type * from "../wire/run.types.js";
export type * from "../wire/server.types.js";
export type * from "../wire/statistics.types.js";
