/**
 * The public surface of `millrace/wire`: what the two ends of the HTTP API share. It stands on no other entry, and a page that imports it
 * gets nothing of the engine.
 *
 * @module
 */

export { formsWith, type LeafReaders, type ReadJson, readersWith } from "../value/forms.js";
// ---- options
export { formatValue } from "../value/kind.js";
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
export type { Piece, WrittenPieces } from "../value/pieces.js";
// ---- pieces of calls
export { PieceReader, piecesType } from "../value/pieces.js";
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
// ---- requests and answers
export { endTypes, type FromWire, fromWire, outsideId, refusalCodes, type ToWire, toWire } from "../wire/names.js";
export { redacted } from "../wire/redact.js";
export type * from "../wire/request.types.js";
// ---- agents
export type * from "../wire/run.types.js";
export type * from "../wire/server.types.js";
