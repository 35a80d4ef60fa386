/** What calls write while they work. */

/** Text, or an object. Texts that follow each other are one, also in objects whose other fields are equal: `{ id: "1", text }`. */
export type Piece = string | { readonly [field: string]: unknown };

/** What a call has written, from a position on. The fields of a `PiecesEvent`. */
export interface WrittenPieces {
  /** The call that has written them. */
  readonly call: string;
  /** Grows each time the function of the call begins again: what it had written before does not count. */
  readonly attempt: number;
  /** Position of the first of these pieces: see {@link Piece}. */
  readonly at: number;
  readonly pieces: readonly Piece[];
  /** `true`: the call is recorded, and these are all. */
  readonly isAll?: true;
}
