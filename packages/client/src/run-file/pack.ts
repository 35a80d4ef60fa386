/**
 * The bytes of a run file: its JSON, compressed with gzip.
 *
 * @module
 */
import { shape } from "millrace/wire";
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
  const text = await textOf(new Blob([bytes]).stream(), { isPacked, maxBytes });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid("it is no JSON", cause);
  }
  const problems = runFile(json);
  if (problems !== null) throw invalid(problems.map(({ path, what }) => `\`${path || "it"}\` ${what}`).join("; "));
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

const { anyObject, count, list, nullable, object, oneOf, text } = shape;

/** What the page relies on. All other fields are read as those of any server are. */
const runFile = object({
  format: oneOf("millrace.run"),
  version: oneOf(1),
  saved_at: text,
  redacted: list(text),
  handler: object({ handler_id: text, workflow_name: text, status: text, started_at: text }),
  workflows: list(object({ name: text })),
  entries: list(object({ number: count, run_id: text, at: text, tick: object({ type: text }) })),
  attempts: list(object({ run_id: text, step: text, item: count, started_tick: count })),
  moments: list(object({ run_id: text, number: count, fields: anyObject })),
  inputs: list(object({ run_id: text, item: count, input: anyObject })),
  snapshot: nullable(anyObject),
} satisfies shape.ShapesOf<RunFile>);

function invalid(why: string, cause?: unknown): ClientError {
  return new ClientError({
    code: "RUN_FILE_INVALID",
    message: `This is not a run file: ${why}.`,
    hint: "`millrace export <run> -o <file>` writes one.",
    cause,
  });
}
