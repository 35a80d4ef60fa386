/**
 * What calls write: texts, and other pieces, in one list that grows at its end. A position in it counts characters of text, and one
 * for any other piece.
 *
 * @module
 */
import { sameValue } from "../event/equal.js";
import type { Piece } from "../event/pieces.types.js";

export function sizeOf(piece: Piece): number {
  return textOf(piece)?.length ?? 1;
}

export function sizeOfAll(pieces: readonly Piece[]): number {
  let size = 0;
  for (const piece of pieces) size += sizeOf(piece);
  return size;
}

/** Adds it at the end: to the last piece, if both are text of the same kind. */
export function addPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last !== undefined && isMore(last, piece))
    pieces[pieces.length - 1] = withText(last, `${textOf(last)}${textOf(piece)}`);
  else pieces.push(piece);
}

/** What follows a position. */
export function piecesAfter(pieces: readonly Piece[], position: number): Piece[] {
  const rest: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const skipped = position - at;
    at += sizeOf(piece);
    if (at <= position) continue;
    rest.push(skipped > 0 ? withText(piece, (textOf(piece) as string).slice(skipped)) : piece);
  }
  return rest;
}

export function textOf(piece: Piece): string | null {
  if (typeof piece === "string") return piece;
  const text = piece["text"];
  return typeof text === "string" ? text : null;
}

export function withText(piece: Piece, text: string): Piece {
  return typeof piece === "string" ? text : { ...piece, text };
}

function isMore(last: Piece, piece: Piece): boolean {
  if (typeof last === "string" || typeof piece === "string") return typeof last === typeof piece;
  return textOf(last) !== null && textOf(piece) !== null && sameValue(withText(last, ""), withText(piece, ""));
}
