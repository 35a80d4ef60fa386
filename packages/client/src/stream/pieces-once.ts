/** What calls write, each piece once, over all connections of one stream. */
import type { Piece, WrittenPieces } from "millrace";
import type { SomeEvent } from "../inferred.types.js";
import type { StreamedEnvelope } from "../wire/contract.types.js";

type PiecesEvent = SomeEvent & WrittenPieces;

/**
 * A server repeats pieces: those that were shown live come again when they are stored, after a lost connection, and with the record of
 * their call. The same rules as those of `PieceReader`, which a page would load with the engine around it.
 */
export class PiecesOnce {
  readonly #known: Map<string, { readonly attempt: number; readonly at: number }> = new Map();

  /** What of the event is new: the event itself, its fields from a later position on, or `null` for nothing. */
  take(event: SomeEvent, { type, origin, writer = "" }: StreamedEnvelope): SomeEvent | WrittenPieces | null {
    if (!isPieces(type)) return event;
    const { call, attempt, at, pieces, isAll } = event as PiecesEvent;
    const place = `${origin ?? ""} ${writer} ${call}`;
    const known = this.#known.get(place);
    if (known !== undefined && known.attempt > attempt) return null;
    const isSame = known?.attempt === attempt;
    const from = isSame ? Math.max(known.at, at) : at;
    const end = at + sizeOf(pieces);
    if (end <= from && (isSame || pieces.length > 0)) return null;
    this.#known.set(place, { attempt, at: end });
    if (from === at) return event;
    return { call, attempt, at: from, pieces: after(pieces, from - at), ...(isAll && { isAll }) };
  }
}

/** Live pieces have the number of the event before them, so that a number does not tell whether they are new. */
export function isPieces(type: string): boolean {
  return type === "millrace.pieces";
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((size, piece) => size + (textOf(piece)?.length ?? 1), 0);
}

/** A position counts characters of text, and one for any other piece. */
function after(pieces: readonly Piece[], position: number): Piece[] {
  let left = position;
  return pieces.flatMap((piece) => {
    const text = textOf(piece);
    const skipped = Math.min(left, text?.length ?? 1);
    left -= skipped;
    if (skipped === 0) return [piece];
    const rest = text?.slice(skipped);
    if (!rest) return [];
    return [typeof piece === "string" ? rest : { ...piece, text: rest }];
  });
}

function textOf(piece: Piece): string | null {
  const text = typeof piece === "string" ? piece : piece["text"];
  return typeof text === "string" ? text : null;
}
