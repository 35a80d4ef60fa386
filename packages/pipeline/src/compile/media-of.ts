import { emptyMedia, mergeMedia } from "../data/media.js";
import type { MediaSet } from "../data/media.types.js";

/** The media of all of them, each once, in order. */
export function mediaOf(sets: readonly MediaSet[]): MediaSet {
  return sets.reduce<MediaSet>(mergeMedia, emptyMedia);
}
