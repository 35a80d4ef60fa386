/** Where code was written, by the source map of the running script. */
import { findSourceMap, type SourceMap } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CompiledPlace } from "./compiled-place.js";

/** Whole lines of a file. */
export interface WrittenPlace {
  readonly file: string;
  /** From 0, as `last`. */
  readonly first: number;
  readonly last: number;
  /** Text of the file, if the source map has it. */
  readonly content: string | null;
}

/** `null` if the map has no entry, or the code is in no file. */
export function writtenPlace(place: CompiledPlace): WrittenPlace | null {
  const script = isAbsolute(place.script) ? pathToFileURL(place.script).href : place.script;
  if (!script.startsWith("file:")) return null;
  const map = findSourceMap(place.script) ?? findSourceMap(script);
  if (map === undefined) {
    const [first, last] = [place.start, place.end - 1].map((offset) => positionAt(place.text, offset).line);
    return { file: fileURLToPath(script), first: first as number, last: last as number, content: null };
  }
  const [first, last] = [firstEntry(map, place), entryAt(map, place, place.end - 1)];
  if (first === null || last === null || first.source !== last.source) return null;
  const source = isAbsolute(first.source) ? pathToFileURL(first.source) : new URL(first.source, script);
  if (source.protocol !== "file:") return null;
  const { sources, sourcesContent } = map.payload as SourceMap["payload"] & { readonly sourcesContent?: string[] };
  const content = sourcesContent?.[sources.indexOf(first.source)] ?? null;
  return { file: fileURLToPath(source), first: first.line, last: last.line, content };
}

interface Entry {
  readonly source: string;
  readonly line: number;
}

/** The place of the first token with an entry in the map: `async` before a method has none. */
function firstEntry(map: SourceMap, place: CompiledPlace): Entry | null {
  for (let offset = place.start; offset < place.end; offset += 1) {
    const entry = entryAt(map, place, offset);
    if (entry !== null) return entry;
  }
  return null;
}

/** The last one up to there, if it is of this code. */
function entryAt(map: SourceMap, { text, start }: CompiledPlace, offset: number): Entry | null {
  const { line, column } = positionAt(text, offset);
  const entry = map.findEntry(line, column);
  if (!("originalSource" in entry)) return null;
  const begin = positionAt(text, start);
  const isWithin =
    entry.generatedLine > begin.line || (entry.generatedLine === begin.line && entry.generatedColumn >= begin.column);
  return isWithin ? { source: entry.originalSource, line: entry.originalLine } : null;
}

/** Both from 0. */
function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length - 1, column: offset - (before.lastIndexOf("\n") + 1) };
}
