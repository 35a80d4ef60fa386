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
  let index = 0;
  let start = 0;
  while (index < pieces.length && start + (pieces[index] as Piece).count < at)
    start += (pieces[index++] as Piece).count;
  const first = index;
  const put: Piece[] = [];
  let left = remove;
  let isIn = add === 0;
  for (let skip = at - start; index < pieces.length && (left > 0 || !isIn || skip > 0); index++) {
    const piece = pieces[index] as Piece;
    const before = Math.min(skip, piece.count);
    append(put, part(piece, 0, before));
    skip -= before;
    if (skip > 0) continue;
    const gone = Math.min(left, piece.count - before);
    left -= gone;
    if (!isIn && left === 0) {
      append(put, { from: NEW, count: add });
      isIn = true;
    }
    append(put, part(piece, before + gone, piece.count - before - gone));
  }
  if (!isIn) append(put, { from: NEW, count: add });
  // With its neighbours, so that what belongs together is one piece again.
  const from = Math.max(0, first - 1);
  const around: Piece[] = [];
  for (const piece of [...pieces.slice(from, first), ...put, ...pieces.slice(index, index + 1)]) append(around, piece);
  pieces.splice(from, index + 1 - from, ...around);
  return pieces.length <= MANY;
}

function part({ from, count: _ }: Piece, skip: number, count: number): Piece {
  return { from: from === NEW ? NEW : from + skip, count };
}

function append(pieces: Piece[], piece: Piece): void {
  if (piece.count === 0) return;
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
