import { sameValue } from "../event/equal.js";
import { textOf, withText } from "../value/pieces.js";
import type { Piece } from "../value/pieces.types.js";

/** Adds it at the end: to the last piece, if both are text of the same kind. */
export function addPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last !== undefined && isMore(last, piece))
    pieces[pieces.length - 1] = withText(last, `${textOf(last)}${textOf(piece)}`);
  else pieces.push(piece);
}

function isMore(last: Piece, piece: Piece): boolean {
  if (typeof last === "string" || typeof piece === "string") return typeof last === typeof piece;
  return textOf(last) !== null && textOf(piece) !== null && sameValue(withText(last, ""), withText(piece, ""));
}
