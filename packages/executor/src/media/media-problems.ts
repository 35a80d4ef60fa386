import type { MediaFields, MediaKind } from "./media.types.js";

/** Lists all problems of the fields, one sentence each. */
export function mediaProblems(kind: MediaKind, fields: MediaFields): string[] {
  return [
    ...sourceProblems(kind, fields),
    ...textProblems(fields),
    ...urlProblems(fields.url),
    ...contentProblems(fields.content),
    ...mimeProblems(kind, fields.mimeType),
  ];
}

const sources = ["url", "filepath", "content"] as const;

function sourceProblems(kind: MediaKind, fields: MediaFields): string[] {
  const given = sources.filter((source) => fields[source] !== undefined);
  if (kind === "file") {
    return given.length > 0 || fields.id !== undefined
      ? []
      : ["It needs at least one of `id`, `url`, `filepath` and `content`."];
  }
  if (given.length === 1) return [];
  const found = given.length === 0 ? "none" : given.map((source) => `\`${source}\``).join(" and ");
  return [`It needs exactly one of \`url\`, \`filepath\` and \`content\`, and has ${found}.`];
}

function textProblems(fields: MediaFields): string[] {
  const names = ["id", "url", "filepath", "mimeType", "format", "name"] as const;
  return names
    .filter((name) => fields[name] !== undefined && (typeof fields[name] !== "string" || fields[name] === ""))
    .map((name) => `\`${name}\` must be text that is not empty.`);
}

function urlProblems(url: unknown): string[] {
  if (typeof url !== "string" || url === "" || URL.canParse(url)) return [];
  return [`\`url\` is ${JSON.stringify(url.slice(0, 80))}, which is no absolute URL.`];
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

function contentProblems(content: unknown): string[] {
  if (content === undefined) return [];
  if (content instanceof Uint8Array) return content.length > 0 ? [] : ["`content` is empty."];
  if (typeof content !== "string") return ["`content` must be a Uint8Array or base64 text."];
  if (content === "") return ["`content` is empty."];
  return content.length % 4 === 0 && base64.test(content) ? [] : ["`content` is text, but no base64."];
}

const mimeSyntax = /^[a-z0-9][\w.+-]*\/[\w.+-]+$/i;

function mimeProblems(kind: MediaKind, mimeType: unknown): string[] {
  if (typeof mimeType !== "string" || mimeType === "") return [];
  const type = (mimeType.split(";", 1)[0] as string).trim().toLowerCase();
  if (!mimeSyntax.test(type)) return [`\`mimeType\` is ${JSON.stringify(mimeType)}, which is not a media type.`];
  if (kind !== "file" || type.startsWith("text/") || fileTypes.has(type)) return [];
  return [`\`mimeType\` is ${JSON.stringify(mimeType)}; files are PDF, office documents, text, JSON or code.`];
}

/** Types that models accept as a file, besides `text/*`. */
const fileTypes: ReadonlySet<string> = new Set(
  [
    "pdf",
    "json",
    "xml",
    "rtf",
    "yaml",
    "x-yaml",
    "sql",
    "x-sh",
    "javascript",
    "x-javascript",
    "typescript",
    "x-typescript",
    "x-python",
    "x-ipynb+json",
    "msword",
    "vnd.ms-excel",
    "vnd.ms-powerpoint",
    "vnd.openxmlformats-officedocument.wordprocessingml.document",
    "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "vnd.openxmlformats-officedocument.presentationml.presentation",
    "vnd.oasis.opendocument.text",
    "vnd.oasis.opendocument.spreadsheet",
    "vnd.oasis.opendocument.presentation",
  ].map((name) => `application/${name}`),
);
