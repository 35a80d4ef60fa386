/** What a run has decided, and how two runs differ in that. */
import type { WorkflowEvent } from "millrace";
import type { PathItem, PathRun, RunPath } from "../replay/run-path.js";
import { sortedText, toolCallsIn } from "./model-answers.js";
import { describeIn, keyOf, nameOf, toolOf } from "./same-call.js";
import type { Decision } from "./what-if.types.js";
import type { WhatIfWorld } from "./what-if-world.js";

interface Compared {
  readonly recorded: RunPath;
  readonly played: RunPath;
  readonly world: WhatIfWorld;
  /** The played run has ended, and was not stopped. */
  readonly isComplete: boolean;
}

/** All decisions of a run: of each item its calls and its branch, then the questions, then the end. */
export function decisionsOf(path: RunPath, world: WhatIfWorld): Decision[] {
  return [
    ...[...itemsOf(path.root)].flatMap((item) => [...callsOf(item, world), ...branchOf(item)]),
    ...path.prompts.map(({ type }): Decision => ({ kind: "question", step: null, name: type, value: "" })),
    resultOf(path),
  ];
}

/** The differences in words, in the order of the recorded run. A run that was stopped is compared as far as it came. */
export function decidedDifferently({ recorded, played, world, isComplete }: Compared): string[] {
  const playedOf = new Map<PathItem, PathItem>();
  const extra: PathItem[] = [];
  for (const runId of played.runs.all.keys())
    for (const item of played.run(runId).items) {
      const match = world.match(item, runId);
      if (match === null) extra.push(item);
      else playedOf.set(match, item);
    }
  const differences = [...itemsOf(recorded.root)].flatMap((item) =>
    ofItem(item, playedOf.get(item), { world, isComplete }),
  );
  for (const { step } of extra) differences.push(`Step "${step}" runs, where it did not in the recorded run.`);
  differences.push(...ofQuestions(recorded, played, isComplete));
  if (world.stop?.isOther && differences.length === 0) differences.push(world.stop.text);
  return isComplete ? [...differences, ...ofResults(recorded, played)] : differences;
}

interface Comparing {
  readonly world: WhatIfWorld;
  readonly isComplete: boolean;
}

function ofItem(item: PathItem, now: PathItem | undefined, { world, isComplete }: Comparing): string[] {
  const { step } = item;
  if (now === undefined) return isComplete ? [`Step "${step}" did not run.`] : [];
  const [before, made] = [callsOf(item, world), callsOf(now, world)];
  const more = without(made, before);
  const less = isComplete || now.emitted !== null ? without(before, made) : [];
  const isOtherBranch = item.emitted !== null && now.emitted !== null && item.emitted !== now.emitted;
  return [
    ...more.map((call) => {
      const instead = less.find(({ name }) => name === call.name) ?? without(before, made)[0];
      const index = instead === undefined ? -1 : less.indexOf(instead);
      if (index >= 0) less.splice(index, 1);
      return `Step "${step}" calls ${callText(call)}${instead === undefined ? ", which the recorded run did not" : `, not ${callText(instead)}`}.`;
    }),
    ...less.map((call) => `Step "${step}" did not call ${callText(call)}.`),
    ...(isOtherBranch ? [`Step "${step}" emits ${now.emitted}, not ${item.emitted}.`] : []),
  ];
}

function ofQuestions(recorded: RunPath, played: RunPath, isComplete: boolean): string[] {
  const [before, now] = [recorded, played].map(({ prompts }) => prompts.map(({ type }) => type)) as [
    string[],
    string[],
  ];
  return [
    ...without(now, before).map((type) => `${type} is asked, which the recorded run did not.`),
    ...(isComplete ? without(before, now).map((type) => `${type} was not asked.`) : []),
  ];
}

function ofResults(recorded: RunPath, played: RunPath): string[] {
  const [before, now] = [resultOf(recorded), resultOf(played)];
  if (before.name !== now.name) return [`The run is ${now.name}, not ${before.name}.`];
  const verb = now.name === "failed" ? "fails with" : "ends with";
  return before.value === now.value ? [] : [`The run ${verb} ${cut(now.value)}, not ${cut(before.value)}.`];
}

/** Without live calls, which are what is tried out, and without the parts of the call of a tool. */
function callsOf(item: PathItem, world: WhatIfWorld): Decision[] {
  const { step } = item;
  const tools = toolCallsIn(item).map(({ name, input }) => ({ name, value: sortedText(input) }));
  const others = [...item.calls].flatMap(([call, { label }]) => {
    const key = keyOf(call);
    if (world.isLiveCall(item, call) || toolOf(item, call) !== null) return [];
    return { name: nameOf({ key, label }), value: "" };
  });
  return [...tools, ...others].map(({ name, value }) => ({ kind: "call", step, name, value }));
}

function branchOf({ step, emitted }: PathItem): Decision[] {
  return emitted === null ? [] : [{ kind: "branch", step, name: emitted, value: "" }];
}

function resultOf(path: RunPath): Decision {
  const [root] = path.runs.all.values();
  const outcome = root?.state.outcome ?? null;
  const of = (name: string, value: string): Decision => ({ kind: "result", step: null, name, value });
  if (outcome?.status === "failed")
    return of("failed", String(outcome.failure.error.code ?? outcome.failure.error.name));
  if (outcome?.status !== "completed") return of(outcome?.status ?? "running", "");
  const event = outcome.event as WorkflowEvent & { readonly result?: unknown };
  return of("completed", describeIn(path, event.type === "StopEvent" ? event.result : event));
}

function* itemsOf(run: PathRun): Generator<PathItem, void> {
  for (const item of run.items) {
    yield item;
    for (const child of item.children.values()) yield* itemsOf(child);
  }
}

/** Those of the first list that the second one does not have, each as often as it is there. */
function without<Value>(all: readonly Value[], others: readonly Value[]): Value[] {
  const left = others.map((one) => JSON.stringify(one));
  return all.filter((one) => {
    const index = left.indexOf(JSON.stringify(one));
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function callText({ name, value }: Decision): string {
  return value === "" ? `"${name}"` : `"${name}" with ${cut(value)}`;
}

/** In one line. */
function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
