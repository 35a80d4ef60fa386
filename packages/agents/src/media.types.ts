export type MediaKind = "image" | "video" | "audio" | "file";

/** A picture, video, sound or file. The same shape as in `@millrace/pipeline`. */
export interface Media {
  readonly kind: MediaKind;
  /** Two items with one id are the same item. */
  readonly id: string;
  readonly url?: string;
  /** Read with the agent's `readFile`. */
  readonly filepath?: string;
  /** The bytes, in base64. */
  readonly content?: string;
  readonly mimeType?: string;
  /** As in `"png"` or `"mp3"`. */
  readonly format?: string;
  readonly name?: string;
}

export interface MediaSet {
  readonly images: readonly Media[];
  readonly videos: readonly Media[];
  readonly audio: readonly Media[];
  readonly files: readonly Media[];
}
