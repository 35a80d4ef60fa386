/** What a work item was started with: the server knows it at the tick where the item began. */
import type { ItemInput as Given, PendingPrompt, RunAttempt } from "@millrace/client";
import { client } from "../api/client.js";
import { fieldsOf } from "../api/plain-json.js";
import { type PipelineInput, pipelineInputOf } from "../model/pipeline-input.js";
import { type Datum, datumOf } from "../model/run-data.js";

export interface InputSection {
  readonly title: string;
  readonly datum: Datum;
}

/** @param first The first attempt of the item. @returns Nothing where it is no longer kept. */
export async function readItemInput(
  rootId: string,
  { runId, item, startedTick }: RunAttempt,
  signal: AbortSignal,
): Promise<readonly InputSection[]> {
  const ofChild = runId === rootId ? {} : { childId: runId };
  const { input, state } = await client.at(rootId, startedTick, { ...ofChild, item, signal });
  return input === null ? [] : sectionsOf(input, { state, runId });
}

/** What the step that asks was given: the thing that the question is about. */
export async function readAsked(
  rootId: string,
  { runId, step }: PendingPrompt,
  signal: AbortSignal,
): Promise<readonly InputSection[]> {
  if (step === null) return [];
  let asking: RunAttempt | null = null;
  const firsts = new Map<number, RunAttempt>();
  for await (const attempt of client.attempts(rootId, { signal })) {
    if (attempt.runId !== runId || attempt.step !== step) continue;
    if (!firsts.has(attempt.item)) firsts.set(attempt.item, attempt);
    if (attempt.status === "waiting" || attempt.status === "running") asking = attempt;
  }
  const first = asking === null ? undefined : firsts.get(asking.item);
  return first === undefined ? [] : readItemInput(rootId, first, signal);
}

function sectionsOf(
  { events, slots }: Given,
  { state, runId }: { readonly state: unknown; readonly runId: string },
): InputSection[] {
  const [event] = events;
  if (slots !== null) {
    const fields = slots.map((slot, index) => [slot, events[index] === undefined ? null : fieldsOf(events[index])]);
    return [{ title: "Input", datum: { type: null, value: Object.fromEntries(fields) } }];
  }
  if (event !== undefined && /^pipeline\.\w+ /.test(event.type)) {
    const { frame, at } = event as { readonly frame?: unknown; readonly at?: unknown };
    const input = pipelineInputOf(state, { runId, frame: String(frame), at: Number(at) });
    return input === null ? [] : sectionsOfPipeline(input);
  }
  const stored = events.map((one) => ({ type: one.type, data: fieldsOf(one) }));
  const datum = datumOf(stored.length === 1 ? stored[0] : stored);
  return datum === null ? [] : [{ title: "Input", datum }];
}

function sectionsOfPipeline({ input, previous, people }: PipelineInput): InputSection[] {
  const plain = (title: string, value: Datum["value"]): InputSection => ({ title, datum: { type: null, value } });
  return [
    ...(previous === undefined
      ? [plain("Input", input)]
      : [plain("Input", previous), plain("Input of the run", input)]),
    ...(people === null ? [] : [plain("Answer of a person", people)]),
  ];
}
