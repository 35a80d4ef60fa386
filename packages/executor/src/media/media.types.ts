export type MediaKind = "image" | "video" | "audio" | "file";

/**
 * A picture, video, sound or file that travels with a run.
 *
 * Plain data, stored with the run. Create it with `image`, `video`, `audio` or `file`, which check the fields and
 * assign an id.
 */
export interface Media {
  readonly kind: MediaKind;
  /** Identifies the item: of items with equal ids, only the first is kept. */
  readonly id: string;
  readonly url?: string;
  /** Path that the executor reads when it sends the item to a model. The pipeline does not read it. */
  readonly filepath?: string;
  /** Base64 text of the bytes. */
  readonly content?: string;
  readonly mimeType?: string;
  /** Format without a dot: `"png"`, `"mp3"`. */
  readonly format?: string;
  readonly name?: string;
}

/** Media of an input, a step or a run, by kind, in order of appearance. */
export interface MediaSet {
  readonly images: readonly Media[];
  readonly videos: readonly Media[];
  readonly audio: readonly Media[];
  readonly files: readonly Media[];
}

/** Arguments of `image`, `video`, `audio` and `file`. */
export interface MediaFields {
  /** @default derived from the url, path or content: equal for equal items, in every process */
  readonly id?: string;
  /** Absolute URL; also a `data:` URL. */
  readonly url?: string;
  readonly filepath?: string;
  /** Bytes, or base64 text. */
  readonly content?: string | Uint8Array;
  readonly mimeType?: string;
  /** Format without a dot: `"png"`, `"mp3"`. */
  readonly format?: string;
  readonly name?: string;
}
