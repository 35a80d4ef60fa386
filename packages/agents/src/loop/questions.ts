/**
 * Questions of agents to people, and to whoever runs tools without `execute`.
 *
 * @module
 */
import { type Context, type Duration, HumanResponseEvent, InputRequiredEvent } from "millrace";
import * as z from "zod";

const question = {
  /** `permission`: may the call be made? `result`: what does the tool give? `guard`: may this pass? */
  kind: z.enum(["permission", "result", "guard"]),
  title: z.string(),
  /** Unique among the open questions of the run. */
  id: z.string(),
  agent: z.string(),
  toolCallId: z.string().nullable(),
  toolName: z.string().nullable(),
  /** Arguments of the call, or the value that a guard has stopped. */
  input: z.unknown(),
  /** Why the question comes again, or what was wrong before it. */
  problem: z.string().nullable(),
};

/** An agent asks. Answer it with `handler.answer(promptId, { approved: true })`. */
export class AgentQuestion extends InputRequiredEvent.define("AgentQuestion", question) {}

/** The answer to an {@link AgentQuestion}. */
export class AgentReply extends HumanResponseEvent.define("AgentReply", {
  approved: z.boolean().default(true),
  /** Reason, for the model to read. */
  note: z.string().nullable().default(null),
  /** Arguments to call the tool with, in place of those of the model. */
  input: z.unknown().optional(),
  /** Result of a tool without `execute`. */
  output: z.unknown().optional(),
}) {}

/** What a step declares that calls `agent.run(input, { ctx })`: `@step({ on, emits, ...agentEvents })`. */
export const agentEvents = { waits: [AgentReply], streams: [AgentQuestion] } as const;

/** What an agent asks about. */
export interface AskedAbout {
  readonly kind: "permission" | "result" | "guard";
  readonly title: string;
  readonly call: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown } | null;
  /** The value that a guard has stopped. */
  readonly value?: unknown;
  readonly problem?: string | null;
}

interface Asker {
  readonly settings: { readonly name: string };
  readonly path: string;
}

export function questionOf({ settings, path }: Asker, { call, value, problem = null, ...rest }: AskedAbout): Question {
  const { toolCallId = null, toolName = null, input } = call ?? {};
  const id = `${path}${toolCallId ?? rest.title}`;
  return { ...rest, id, agent: settings.name, toolCallId, toolName, input: value ?? input, problem };
}

export type Question = ConstructorParameters<typeof AgentQuestion>[0];

export interface Reply {
  readonly approved: boolean;
  readonly note: string | null;
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface Deadline {
  readonly timeout?: Duration | undefined;
  readonly otherwise?: "allow" | "refuse" | undefined;
}

/** Asks once, over restarts; with a deadline, what counts `otherwise` when it is over. */
export async function ask(
  ctx: Context,
  name: string,
  { question, timeout, otherwise = "refuse" }: { readonly question: Question } & Deadline,
): Promise<Reply> {
  const prompt = new AgentQuestion(question);
  if (timeout === undefined) return ctx.waitForEvent(AgentReply, { key: name, prompt });
  const first = await ctx.race({
    reply: (signal) => ctx.waitForEvent(AgentReply, { key: name, prompt, signal }),
    deadline: (signal) => ctx.sleep(timeout, { key: `${name}.deadline`, signal }),
  });
  if (first.winner === "reply") return first.value;
  return { approved: otherwise === "allow", note: "Nobody has answered in time." };
}
