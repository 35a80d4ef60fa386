/** What a model has written, read with a schema: the arguments of calls, and typed answers. */
import { messageOf } from "@millrace/executor";
import type { SchemaIssue } from "millrace";
import type { z } from "zod";

export type Parsed = { readonly value: unknown } | { readonly problem: string };

export async function parseWith(schema: z.ZodType, given: unknown): Promise<Parsed> {
  const read = await schema.safeParseAsync(given);
  return read.success ? { value: read.data } : { problem: read.error.issues.map(issueText).join("; ") };
}

function issueText({ path = [], message }: SchemaIssue): string {
  const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === "" ? message : `${at}: ${message}`;
}

/** Reads an answer as JSON. A fence of Markdown around it is no part of it. */
export async function readOutput(schema: z.ZodType, text: string): Promise<Parsed> {
  try {
    return await parseWith(schema, JSON.parse(withoutFence(text)));
  } catch (error) {
    return { problem: text.trim() === "" ? "it is empty" : messageOf(error) };
  }
}

function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}
