/**
 * Questions of agents to people, and to clients that run tools without `execute`. They are `ctx.ask`, so steps need not declare them.
 *
 * @module
 */
import type { Context, Duration } from "millrace";
import type { AgentQuestion } from "millrace/wire";
import * as z from "zod";
import type { ModelToolCall } from "../settings/loop-options.types.js";

/** What an agent asks about. */
export interface AskedAbout {
  readonly kind: AgentQuestion["kind"];
  readonly title: string;
  readonly call: ModelToolCall | null;
  /** The value that a guard has stopped. */
  readonly value?: unknown;
  readonly problem?: string | null;
  readonly timeout?: Duration | undefined;
  /** What counts when the time is over. */
  readonly otherwise?: "allow" | "refuse" | undefined;
}

export interface Reply {
  readonly approved: boolean;
  /** Reason, for the model to read. */
  readonly note: string | null;
  /** Arguments to call the tool with, in place of those of the model. */
  readonly input?: unknown;
  /** Result of a tool without `execute`. */
  readonly output?: unknown;
}

interface Place {
  readonly ctx: Context;
  readonly key: string;
}

interface Asker {
  readonly settings: { readonly name: string };
  readonly path: string;
}

const note = z.string().nullable().default(null);
const schemas = {
  permission: z.object({ approved: z.boolean(), note, input: z.unknown().optional() }),
  guard: z.object({ approved: z.boolean(), note }),
  result: z.object({ output: z.unknown().optional(), approved: z.boolean().default(true), note }),
};

/** Asks once, over restarts; with a deadline, what counts `otherwise` when it is over. */
export async function ask({ ctx, key }: Place, { settings, path }: Asker, about: AskedAbout): Promise<Reply> {
  const { kind, title, call, value, problem = null, timeout, otherwise = "refuse" } = about;
  const { toolCallId = null, toolName = null, input } = call ?? {};
  const id = `${path}${toolCallId ?? title}`;
  const facts = { kind, id, agent: settings.name, toolCallId, toolName, input: value ?? input ?? null, problem };
  const question = { key, title, details: facts satisfies AgentQuestion, schema: schemas[kind] };
  if (timeout === undefined) return ctx.ask(question);
  const first = await ctx.race({
    reply: (signal) => ctx.ask({ ...question, signal }),
    deadline: (signal) => ctx.sleep(timeout, { key: `${key}.deadline`, signal }),
  });
  if (first.winner === "reply") return first.value;
  return { approved: otherwise === "allow", note: "The question was not answered in time." };
}
