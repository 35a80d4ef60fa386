/**
 * The file in which a digest waits between two processes.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { Context, type ContextDict, WorkflowError } from "millrace";
import * as z from "zod";
import { UserError } from "./user-error.js";
import type { DigestFlow } from "./workflow.js";

const Question = z.object({
  promptId: z.string(),
  topics: z.array(z.object({ name: z.string(), sections: z.number(), files: z.number() })),
});
export interface Question extends z.output<typeof Question> {}

const PausedDigest = z.object({
  /** What it was started with. */
  paths: z.array(z.string()),
  /** Null when it was interrupted before it asked. */
  question: Question.nullable(),
  context: z.custom<ContextDict>((value) => typeof value === "object" && value !== null),
});
export interface PausedDigest extends z.output<typeof PausedDigest> {}

const wayOut = "Run again with --fresh to start over.";

/** @throws {UserError} when the file cannot be used, and says how to start over. */
export async function readPaused(file: string): Promise<PausedDigest | null> {
  if (!existsSync(file)) return null;
  const { data, error } = PausedDigest.safeParse(parseJson(file, await readFile(file, "utf8")));
  if (error)
    throw new UserError(
      `${file} is not a digest that waits (${error.issues[0]?.path.join(".") || "the whole"} does not fit). ${wayOut}`,
    );
  return data;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file} is damaged: it is not JSON. ${wayOut}`, { cause: error });
  }
}

/** @throws {UserError} when the snapshot is of another workflow, of another version of it, or damaged. */
export function restore(workflow: DigestFlow, file: string, paused: PausedDigest) {
  try {
    return Context.fromDict(workflow, paused.context);
  } catch (error) {
    if (WorkflowError.is(error))
      throw new UserError(`${file} cannot be continued: ${error.message} ${wayOut}`, { cause: error });
    throw error;
  }
}

/** Whole or not at all. */
export async function writePaused(file: string, paused: PausedDigest): Promise<void> {
  await writeFile(`${file}.tmp`, JSON.stringify(paused));
  await rename(`${file}.tmp`, file);
}

export async function forgetPaused(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** @throws {UserError} when it is about other files than those asked for now. */
export function assertSamePaths(file: string, paused: PausedDigest, paths: readonly string[]): void {
  if (paths.length === 0 || JSON.stringify(paths) === JSON.stringify(paused.paths)) return;
  throw new UserError(
    `${file} waits with a digest of ${paused.paths.join(", ")}, not of ${paths.join(", ")}. Finish it with --keep, or forget it with --fresh.`,
  );
}
