import { emptyMedia, type Media, type MediaKind, type MediaSet, mergeMedia } from "@millrace/executor";
import type { FilePart, GeneratedFile, ModelMessage, UserModelMessage } from "ai";
import { WorkflowError } from "millrace";
import { newId } from "../system.js";
import { asJson } from "./plain.js";

/** Reads the bytes of a file. */
export type ReadFile = (path: string) => Promise<Uint8Array> | Uint8Array;

/** Converts media to a message part: from its url, its path or its content, in this order. */
async function mediaPart(media: Media, readFile: ReadFile | undefined): Promise<FilePart> {
  const named = media.name === undefined ? {} : { filename: media.name };
  return { type: "file", mediaType: mediaTypeOf(media), data: await dataOf(media, readFile), ...named };
}

async function dataOf(media: Media, readFile: ReadFile | undefined): Promise<FilePart["data"]> {
  if (media.url !== undefined) return { type: "url", url: new URL(media.url) };
  if (media.filepath !== undefined && readFile !== undefined) {
    return { type: "data", data: await readFile(media.filepath) };
  }
  if (media.content !== undefined) return { type: "data", data: media.content };
  throw unreadable(media);
}

function unreadable(media: Media): WorkflowError {
  const path = media.filepath;
  return new WorkflowError({
    code: "OPTION_INVALID",
    message:
      path === undefined
        ? `The ${media.kind} "${media.id}" has neither \`url\`, \`filepath\` nor \`content\`.`
        : `The ${media.kind} "${media.id}" is the file ${JSON.stringify(path)}, and the agent has no \`readFile\`.`,
    hint: path === undefined ? "Set one of them." : 'Set `readFile` of the agent, such as that of "node:fs/promises".',
    details: { mediaId: media.id, kind: media.kind },
  });
}

const formats: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  mov: "video/quicktime",
  pdf: "application/pdf",
  json: "application/json",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
};

/** Without a type or a format the result is only the kind (`"image"`); providers then look at the bytes. */
function mediaTypeOf({ kind, mimeType, format, name, filepath, url }: Media): string {
  if (mimeType !== undefined) return mimeType;
  const ending = (
    format ?? endingOf(name ?? filepath ?? (url === undefined ? "" : new URL(url).pathname))
  ).toLowerCase();
  const common = formats[ending];
  if (common !== undefined) return common;
  if (kind === "file") return "application/octet-stream";
  return ending === "" ? kind : `${kind}/${ending}`;
}

function endingOf(name: string): string {
  return /\.([a-z0-9]{2,5})$/i.exec(name)?.[1] ?? "";
}

/** Converts a file that a model has generated. */
export function generatedMedia(
  { base64, mediaType }: Pick<GeneratedFile, "base64" | "mediaType">,
  id: string = newId(),
): Media {
  const top = mediaType.split("/")[0];
  const kind: MediaKind = top === "image" || top === "video" || top === "audio" ? top : "file";
  return { kind, id, content: base64, mimeType: mediaType };
}

/** All media of a set, in one list. */
export function listOf({ images = [], videos = [], audio = [], files = [] }: Partial<MediaSet>): Media[] {
  return [...images, ...videos, ...audio, ...files];
}

/** Groups media by kind, without duplicate ids. */
export function mediaSet(media: readonly Media[]): MediaSet {
  const ofKind = (kind: MediaKind) => media.filter((item) => item.kind === kind);
  const lists = { images: ofKind("image"), videos: ofKind("video"), audio: ofKind("audio"), files: ofKind("file") };
  return mergeMedia(emptyMedia, lists);
}

/** @throws {WorkflowError} `OPTION_INVALID` when a medium cannot be read. */
export async function userMessage(
  text: string,
  media: readonly Media[],
  readFile: ReadFile | undefined,
): Promise<UserModelMessage> {
  if (media.length === 0) return { role: "user", content: text };
  const parts = await Promise.all(media.map((item) => mediaPart(item, readFile)));
  return { role: "user", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...parts] };
}

/** Converts messages for results and sessions: plain data, with files named instead of included. */
export function plainMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => asJson(withoutFiles(message)));
}

function withoutFiles(message: ModelMessage): ModelMessage {
  if (typeof message.content === "string") return message;
  const content = message.content.map((part) => (part.type === "file" ? { type: "text", text: label(part) } : part));
  return { ...message, content } as ModelMessage;
}

function label({ mediaType, filename }: FilePart): string {
  return filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]`;
}
