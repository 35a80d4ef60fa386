/**
 * Pictures, videos, sounds and files as plain data.
 *
 * @module
 */
import { WorkflowError } from "millrace";
import { digest } from "millrace/engine";
import type { Media, MediaFields, MediaKind, MediaSet } from "./media.types.js";
import { mediaProblems } from "./media-problems.js";

/** Media by kind. The arguments of `image`, `video`, `audio` and `file` are accepted like their results. */
export type MediaLists = {
  readonly [Kind in keyof MediaSet]?: readonly (Media | MediaFields)[] | undefined;
};

/**
 * Creates an image, for the input of a run or the output of a step.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem, unless exactly one of `url`, `filepath`, `content` is
 * given.
 */
export function image(fields: MediaFields): Media {
  return createMedia("image", fields);
}

/** Creates a video. @see {@link image} */
export function video(fields: MediaFields): Media {
  return createMedia("video", fields);
}

/** Creates a sound. @see {@link image} */
export function audio(fields: MediaFields): Media {
  return createMedia("audio", fields);
}

/**
 * Creates a document from at least one of `id` (of a file that the model's provider holds), `url`, `filepath` and
 * `content`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem, including a `mimeType` that no model accepts as a
 * file.
 */
export function file(fields: MediaFields): Media {
  return createMedia("file", fields);
}

function createMedia(kind: MediaKind, fields: MediaFields): Media {
  const problems = itemProblems(kind, fields);
  if (problems.length > 0) throw invalid([`A media item of the kind "${kind}" is invalid. ${problems.join(" ")}`]);
  return toMedia(kind, fields);
}

function toMedia(kind: MediaKind, { id, content, ...rest }: MediaFields): Media {
  const text = content instanceof Uint8Array ? toBase64(content) : content;
  return Object.freeze({
    kind,
    id: id ?? `${kind}-${digest(JSON.stringify([rest.url, rest.filepath, text]))}`,
    ...given({ url: rest.url, filepath: rest.filepath, content: text }),
    ...given({ mimeType: rest.mimeType, format: rest.format, name: rest.name }),
  });
}

function given(fields: Readonly<Record<string, string | undefined>>): Partial<Media> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

function invalid(problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: problems.join("\n"),
    hint: "Make media with `image`, `video`, `audio` and `file`, each from one url, path or content.",
    details: { problems },
  });
}

// ---- sets

const kinds = { images: "image", videos: "video", audio: "audio", files: "file" } as const;
const lists = Object.keys(kinds) as (keyof MediaSet)[];

/** A set without media. */
export const emptyMedia: MediaSet = Object.freeze(mediaSet(() => Object.freeze([])));

function mediaSet(listOf: (list: keyof MediaSet) => readonly Media[]): MediaSet {
  return Object.fromEntries(lists.map((list) => [list, listOf(list)])) as unknown as MediaSet;
}

/**
 * Media of both sets, those of the first one first, without repeated ids. Changes neither set; returns `first` when
 * there is no second.
 */
export function mergeMedia(first: MediaSet, second: MediaSet): MediaSet {
  // The usual case: media are rare, and every step merges those of earlier steps.
  if (lists.every((list) => second[list].length === 0)) return first;
  return mediaSet((list) => unique([...first[list], ...second[list]]));
}

function unique(items: readonly Media[]): readonly Media[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/**
 * Reads the four lists of media from any object. Copies the lists, which the caller may change later.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming every invalid item with its position.
 */
export function toMediaSet(given: MediaLists): MediaSet {
  const problems = lists.flatMap((list) => listProblems(list, given[list]));
  if (problems.length > 0) throw invalid(problems);
  return mediaSet((list) => unique((given[list] ?? []).map((item) => toMedia(kinds[list], item))));
}

function listProblems(list: keyof MediaSet, items: unknown): string[] {
  if (items === undefined || items === null) return [];
  if (!Array.isArray(items)) return [`\`${list}\` must be a list.`];
  return items.flatMap((item, index) =>
    itemProblems(kinds[list], item).map((problem) => `\`${list}[${index}]\`: ${problem}`),
  );
}

function itemProblems(kind: MediaKind, item: unknown): string[] {
  if (typeof item !== "object" || item === null) return ["It must be an object."];
  const found = (item as Media).kind;
  if (found !== undefined && found !== kind) return [`It is of the kind ${JSON.stringify(found)}, not "${kind}".`];
  return mediaProblems(kind, item as MediaFields);
}

/** The media of all of them, each once, in order. */
export function mediaOf(sets: readonly MediaSet[]): MediaSet {
  return sets.reduce<MediaSet>(mergeMedia, emptyMedia);
}
