export type MediaKind = "image" | "video" | "audio" | "file";

/**
 * A picture, video, sound or file that travels with a run.
 *
 * Plain data: it is stored with the run as it is. Make one with `image`, `video`, `audio` or `file`,
 * which check the fields and give it an id.
 */
export interface Media {
  readonly kind: MediaKind;
  /** Two items with one id are the same item: it is kept once. */
  readonly id: string;
  readonly url?: string;
  /** Read by whoever sends the item to a model, not by the pipeline. */
  readonly filepath?: string;
  /** The bytes, in base64. */
  readonly content?: string;
  readonly mimeType?: string;
  /** As in `"png"` or `"mp3"`. */
  readonly format?: string;
  readonly name?: string;
}

/** The media of an input, a step or a run, by kind, in the order in which they appeared. */
export interface MediaSet {
  readonly images: readonly Media[];
  readonly videos: readonly Media[];
  readonly audio: readonly Media[];
  readonly files: readonly Media[];
}

/** What an image, video, sound or file is made of. */
export interface MediaFields {
  /** @default made from the url, path or content: the same for the same item, in every process. */
  readonly id?: string;
  /** Absolute; a `data:` URL too. */
  readonly url?: string;
  readonly filepath?: string;
  /** Bytes, or base64 text. */
  readonly content?: string | Uint8Array;
  readonly mimeType?: string;
  /** As in `"png"` or `"mp3"`. */
  readonly format?: string;
  readonly name?: string;
}
