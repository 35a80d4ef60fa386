/**
 * The loop of an agent: asks the model, makes the requested calls, and asks again, until the model has answered.
 *
 * Every model call, tool call, rule and guard is a durable call, and every question to a person a wait. So when the step runs again, the
 * loop goes the same way from its records to where it stood.
 *
 * @module
 */
import type { ModelMessage, ToolModelMessage, UserModelMessage } from "ai";
import { Limiter, systemClock } from "millrace/engine";
import { answerCut, refusedBy, stoppedEarly, unfitOutput } from "../run/failure.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { settingsOf } from "../settings/known-settings.js";
import type { RunContext } from "../settings/run-context.types.js";
import { type Guarding, passing } from "./guards.js";
import type { LoopAnswer, LoopRun } from "./loop-run.types.js";
import { askModel } from "./model-call.js";
import { type Parsed, readOutput } from "./parsed.js";
import { ask } from "./questions.js";
import { type AnsweredCall, answerCall } from "./tool-call.js";
import { type LoopTools, toolsOf } from "./tools.js";
import { type Turn, textOf } from "./turn.js";

/** Runs one agent to its answer. */
export async function runLoop(run: LoopRun): Promise<LoopAnswer> {
  const { settings, said, turns } = run;
  const tools = await toolsOf(settings, run.pageTools);
  const limiter = new Limiter("maxParallelTools", { concurrent: settings.maxParallelTools }, systemClock);
  if (turns.length === 0) await checkInput(run); // otherwise another agent has led the conversation so far
  let repairs = 0;
  for (let number = 0; ; number++) {
    if (turns.length >= settings.maxSteps) throw stoppedEarly(settings);
    const turn = await askModel(run, tools, number);
    turns.push(turn);
    run.ledger.media.push(...turn.files);
    const cut = answerCut(settings, turn);
    if (cut !== null) throw cut;
    if (turn.toolCalls.length > 0 || turn.questions.length > 0) {
      const target = await answerCalls(run, { turn, tools, limiter, number });
      if (target !== null) return handOver(run, target, number);
      if (await isStopped(run))
        return { content: lastText(run), agent: settings.name, finishReason: turn.finishReason };
      continue;
    }
    said.push(...turn.messages);
    const read = await readAnswer(run, turn);
    if ("value" in read) return checkOutput(run, read.value, turn);
    if (repairs++ >= settings.outputRepairs) throw unfitOutput(settings, { text: turn.text, problem: read.problem });
    said.push({ role: "user", content: `Your answer does not fit: ${read.problem}. Answer again, with JSON only.` });
  }
}

interface Round {
  readonly turn: Turn;
  readonly tools: LoopTools;
  readonly limiter: Limiter;
  readonly number: number;
}

/** Answers all calls of one turn. Returns the agent that takes over; `null`: none does. */
async function answerCalls(run: LoopRun, { turn, tools, limiter, number }: Round): Promise<ExecutorSettings | null> {
  const { toolCalls, problems } = turn;
  const handsTo = toolCalls.find(({ toolName }) => tools.get(toolName)?.kind === "handoff")?.toolCallId ?? null;
  const answering = toolCalls.map((call, index) => {
    const ctx = run.ctx.scope(`m${number}.c${index}`);
    const place = `${run.place}_m${number}_c${index}`;
    const problem = Object.hasOwn(problems, call.toolCallId) ? (problems[call.toolCallId] ?? null) : null;
    return answerCall(run, { call, problem, ctx, place, tools, limiter, handsTo });
  });
  const [answered, replies] = await Promise.all([Promise.all(answering), providerReplies(run, turn, number)]);
  run.said.push(...withInputs(turn, answered), {
    role: "tool",
    content: [...answered.map(({ part }) => part), ...replies],
  });
  const call = toolCalls.find(({ toolCallId }) => toolCallId === handsTo);
  const tool = call === undefined ? undefined : tools.get(call.toolName);
  return tool?.kind === "handoff" ? settingsOf(tool.target) : null;
}

/** Arguments that were changed before a call was made are what the model sees afterwards. */
function withInputs({ messages }: Turn, answered: readonly AnsweredCall[]): ModelMessage[] {
  const inputs = new Map(
    answered.flatMap(({ part, input }) => (input === undefined ? [] : [[part.toolCallId, input]])),
  );
  if (inputs.size === 0) return [...messages];
  return messages.map((message) => {
    if (typeof message.content === "string") return message;
    const content = message.content.map((part) =>
      part.type === "tool-call" && inputs.has(part.toolCallId) ? { ...part, input: inputs.get(part.toolCallId) } : part,
    );
    return { ...message, content };
  });
}

/** Calls that the provider makes itself, and asks about. */
function providerReplies(run: LoopRun, { questions }: Turn, number: number): Promise<ToolModelMessage["content"]> {
  const replies = questions.map(async ({ approvalId, call }, index) => {
    const about = { kind: "permission" as const, title: `May ${call.toolName} run?`, call };
    const { approved, note } = await ask({ ctx: run.ctx, key: `m${number}.p${index}` }, run, about);
    const reason = note === null ? {} : { reason: note };
    return { type: "tool-approval-response" as const, approvalId, approved, ...reason, providerExecuted: true };
  });
  return Promise.all(replies);
}

/** The agent that takes over sees the whole conversation, and works on the same session. */
async function handOver(run: LoopRun, settings: ExecutorSettings, number: number): Promise<LoopAnswer> {
  const ctx = run.ctx.scope(`m${number}.to.${settings.id}`);
  const { instructions: _own, ...rest } = run;
  const session = run.session.as(settings);
  return run.lead({ ...rest, settings, ctx, session, place: `${run.place}_m${number}`, asked: {}, override: null });
}

async function isStopped({ settings, turns }: LoopRun): Promise<boolean> {
  for (const isOver of settings.stopWhen) if (await isOver({ steps: turns })) return true;
  return false;
}

/** The last text of this run: some models end with an empty answer after the real one. */
function lastText({ turns }: LoopRun): string {
  return turns.findLast(({ text }) => text.trim() !== "")?.text ?? "";
}

async function readAnswer(run: LoopRun, turn: Turn): Promise<Parsed> {
  const { outputSchema } = run.settings;
  return outputSchema === undefined ? { value: lastText(run) } : readOutput(outputSchema, turn.text);
}

async function checkInput(run: LoopRun): Promise<void> {
  const { settings, said } = run;
  const { input } = settings.guards;
  if (input === undefined) return;
  const at = said.findLastIndex(({ role }) => role === "user");
  const text = textOf(said[at]?.content ?? "");
  const value = await passed(run, "input", { value: text, guard: (context) => input(text, context) });
  if (value !== text && at >= 0) said[at] = withText(said[at] as UserModelMessage, String(value));
}

/** Files stay. */
function withText({ content }: UserModelMessage, text: string): UserModelMessage {
  if (typeof content === "string") return { role: "user", content: text };
  return { role: "user", content: [{ type: "text", text }, ...content.filter(({ type }) => type !== "text")] };
}

async function checkOutput(run: LoopRun, value: unknown, { finishReason }: Turn): Promise<LoopAnswer> {
  const { settings } = run;
  const { output } = settings.guards;
  const guard = output && ((context: RunContext) => output(value, context));
  return { content: await passed(run, "output", { value, guard }), agent: settings.name, finishReason };
}

/** @throws {WorkflowError} `AGENT_REFUSED` */
async function passed(
  run: LoopRun,
  which: "input" | "output",
  checking: Pick<Guarding, "value" | "guard">,
): Promise<unknown> {
  const guarding = { ...checking, ctx: run.ctx, name: `${which}-guard` };
  const given = await passing(run, guarding, { key: `${which}-question`, call: null });
  if ("refuse" in given) throw refusedBy(run.settings, which, given.refuse);
  return given.value;
}
