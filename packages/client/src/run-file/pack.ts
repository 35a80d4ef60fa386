/**
 * The bytes of a run file: its JSON, compressed with gzip.
 *
 * @module
 */
import { type Rule, type Rules, valueRule } from "millrace/wire";
import { ClientError } from "../client-error.js";
import type { RunFile } from "./run-file.types.js";

export interface ReadRunFileOptions {
  /** The largest JSON that is read, in bytes: files come from strangers. @default 268435456 (256 MiB) */
  readonly maxBytes?: number;
}

export async function packRunFile(file: RunFile): Promise<Uint8Array<ArrayBuffer>> {
  const json = new Blob([JSON.stringify(file)]).stream();
  return new Uint8Array(await new Response(json.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/**
 * Reads the bytes of a run file, or its JSON without compression.
 *
 * @throws {ClientError} `RUN_FILE_INVALID` naming the problem.
 */
export async function readRunFile(
  bytes: Uint8Array<ArrayBuffer>,
  { maxBytes = 256 * 1024 * 1024 }: ReadRunFileOptions = {},
): Promise<RunFile> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const content = await textOf(new Blob([bytes]).stream(), { isPacked, maxBytes });
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (cause) {
    throw invalid("it is no JSON", cause);
  }
  const [problem] = problemsOf(json);
  if (problem !== undefined) throw invalid(problem);
  return json as RunFile;
}

interface Packed {
  readonly isPacked: boolean;
  readonly maxBytes: number;
}

async function textOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>, { isPacked, maxBytes }: Packed): Promise<string> {
  const utf8 = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  try {
    const stream = isPacked ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > maxBytes) throw invalid(`it has more than ${maxBytes} bytes of JSON`);
      parts.push(utf8.decode(part.value, { stream: true }));
    }
  } catch (cause) {
    throw cause instanceof ClientError ? cause : invalid("its compressed data is damaged", cause);
  }
  return parts.join("") + utf8.decode();
}

/** What the page relies on. All other fields are read as those of any server are. */
const rules: Rules<RunFile> = {
  format: valueRule((format) => format === "millrace.run", '"millrace.run"'),
  version: valueRule((version) => version === 1, "1, the version that is read"),
  saved_at: valueRule(isText, "a time"),
  redacted: listOf(isText, "names"),
  handler: valueRule(hasTexts("handler_id", "workflow_name", "status", "started_at"), "a run"),
  workflows: listOf(hasTexts("name"), "workflows"),
  entries: listOf((one) => hasTexts("run_id", "at")(one) && isCount(one, "number") && isRecord(one["tick"]), "ticks"),
  attempts: listOf((one) => hasTexts("run_id", "step")(one) && isCount(one, "item", "started_tick"), "attempts"),
  moments: listOf((one) => hasTexts("run_id")(one) && isCount(one, "number") && isRecord(one["fields"]), "moments"),
  inputs: listOf((one) => hasTexts("run_id")(one) && isCount(one, "item") && isRecord(one["input"]), "inputs"),
  snapshot: valueRule((snapshot) => snapshot === null || isRecord(snapshot), "a snapshot or null"),
};

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isCount(value: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => Number.isSafeInteger(value[name]) && (value[name] as number) >= 0);
}

function hasTexts(...names: readonly string[]): (value: unknown) => value is Fields {
  return (value): value is Fields => isRecord(value) && names.every((name) => isText(value[name]));
}

function listOf(fits: (item: Fields) => boolean, items: string): Rule {
  return valueRule((value) => Array.isArray(value) && value.every(fits), `a list of ${items}`);
}

function problemsOf(json: unknown): readonly string[] {
  if (!isRecord(json)) return ["it is not an object"];
  const problems = Object.entries<Rule>(rules).flatMap(([name, rule]) => [...rule(json[name] ?? null, name)]);
  return problems.slice(0, 1); // a file of another format breaks every rule
}

function invalid(why: string, cause?: unknown): ClientError {
  return new ClientError({
    code: "RUN_FILE_INVALID",
    message: `This is not a run file: ${why}.`,
    hint: "`millrace export <run> -o <file>` writes one.",
    cause,
  });
}
