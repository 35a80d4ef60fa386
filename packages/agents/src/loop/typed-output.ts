import type { z } from "zod";
import { issueText } from "../run/failure.js";
import { messageOf } from "../run/run-events.js";

export type Read = { readonly value: unknown } | { readonly problem: string };

/** Reads an answer as JSON of a schema. A fence of Markdown around it is no part of it. */
export async function readOutput(schema: z.ZodType, text: string): Promise<Read> {
  try {
    const read = await schema.safeParseAsync(JSON.parse(withoutFence(text)));
    return read.success ? { value: read.data } : { problem: read.error.issues.map(issueText).join("; ") };
  } catch (error) {
    return { problem: text.trim() === "" ? "it is empty" : messageOf(error) };
  }
}

function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}
