/**
 * A list after some changes, as pieces: what is of the list before, in its order, and what is new.
 *
 * @module
 */

/** `count` items: of the list before, beginning with the one at `from`; or new ones, where `from` is {@link NEW}. */
export interface Piece {
  readonly from: number;
  readonly count: number;
}

export const NEW = -1;

/** A list in more pieces is compared as a whole. */
const MANY = 64;

/** Takes `remove` items out at a place and puts `add` new ones there. False: too many pieces. */
export function insertPiece(
  pieces: Piece[],
  { at, remove, add }: { at: number; remove: number; add: number },
): boolean {
  const before = pieces.splice(0);
  const keep = (from: number, to: number): void => {
    let start = 0;
    for (const piece of before) {
      const skip = Math.max(0, from - start);
      const first = piece.from === NEW ? NEW : piece.from + skip;
      append(pieces, { from: first, count: Math.min(piece.count, to - start) - skip });
      start += piece.count;
    }
  };
  keep(0, at);
  append(pieces, { from: NEW, count: add });
  keep(at + remove, Infinity);
  return pieces.length <= MANY;
}

function append(pieces: Piece[], piece: Piece): void {
  if (piece.count <= 0) return;
  const last = pieces.at(-1);
  const isMore =
    last !== undefined &&
    (piece.from === NEW ? last.from === NEW : last.from !== NEW && last.from + last.count === piece.from);
  if (isMore) pieces[pieces.length - 1] = { from: last.from, count: last.count + piece.count };
  else pieces.push(piece);
}

/** Whether the item at a place is new. */
export function isNewAt(pieces: readonly Piece[], at: number): boolean {
  let end = 0;
  for (const { from, count } of pieces) {
    end += count;
    if (at < end) return from === NEW;
  }
  return true;
}
