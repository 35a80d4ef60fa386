/** How the played run differs from the recorded one, in the order of the recorded one. */
import { describeDifference } from "../proof/describe-value.js";
import type { RecordedWorld } from "./recorded-world.js";
import type { PathItem, PathRun, RunPath } from "./run-path.js";

export interface Difference {
  readonly kind: "call" | "step" | "answer" | "end";
  /** The step that differs; `null` for the end of the run. */
  readonly step: string | null;
  /** One or more lines, for people. */
  readonly text: string;
}

interface Compared {
  readonly recorded: RunPath;
  readonly played: RunPath;
  readonly world: RecordedWorld;
}

export function differencesOf({ recorded, played, world }: Compared): Difference[] {
  const playedOf = new Map<PathItem, PathItem>();
  const extra: PathItem[] = [];
  for (const { runId, item } of itemsOf(played)) {
    const match = world.match(item, runId);
    if (match === null) extra.push(item);
    else playedOf.set(match, item);
  }
  return [
    ...[...pathItems(recorded.root)].flatMap((item) => ofItem(item, playedOf.get(item), world)),
    ...extra.flatMap((item) => [...unknownCalls(item, null, world), surplus(item)]),
    ...world.unused.map(({ prompt }) => unanswered(prompt.type)),
  ];
}

function ofItem(item: PathItem, now: PathItem | undefined, world: RecordedWorld): Difference[] {
  const { step } = item;
  const name = `Step "${step}"`;
  if (now === undefined) return [{ kind: "step", step, text: `${name} did not run for\n${indented(item.input)}` }];
  const asked = world.asked.get(now) ?? new Set();
  const left = [...item.calls.keys()].filter((call) => !asked.has(call));
  return [
    ...(now.input === item.input
      ? []
      : [
          {
            kind: "step",
            step,
            text: `${name} got another input:\n${describeDifference(item.input, now.input)}`,
          } as const,
        ]),
    ...unknownCalls(now, item, world),
    ...left.map((call) => ({ kind: "call", step, text: `${name} did not call "${nameOf(call)}".` }) as const),
    ...(item.output === null || item.output === now.output
      ? []
      : [
          {
            kind: "step",
            step,
            text: `${name} came to another result:\n${describeDifference(item.output, now.output ?? "nothing: it did not end")}`,
          } as const,
        ]),
  ];
}

function unknownCalls(now: PathItem, item: PathItem | null, world: RecordedWorld): Difference[] {
  const had = [...(item?.calls.keys() ?? [])].map((call) => `"${nameOf(call)}"`).join(", ");
  return (world.unknown.get(now) ?? []).map((call) => ({
    kind: "call",
    step: now.step,
    text: `Step "${now.step}" calls "${nameOf(call)}", which the recorded run did not. It called ${had || "nothing"}.`,
  }));
}

function surplus({ step, input }: PathItem): Difference {
  return { kind: "step", step, text: `Step "${step}" ran once more, for\n${indented(input)}` };
}

function unanswered(type: string): Difference {
  return { kind: "answer", step: null, text: `${type} was not asked; in the recorded run it was answered.` };
}

/** Without the scopes' mark and the kind of the call. */
function nameOf(call: string): string {
  return call
    .replace(/^run=/, "")
    .replace(/\/@/g, "/")
    .replace(/\/run=/g, "/");
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}

function* pathItems(run: PathRun): Generator<PathItem, void> {
  for (const item of run.items) {
    yield item;
    for (const child of item.children.values()) yield* pathItems(child);
  }
}

interface PlayedItem {
  readonly runId: string;
  readonly item: PathItem;
}

/** Parents before their children, whose records are those of their parents. */
function* itemsOf(played: RunPath): Generator<PlayedItem, void> {
  for (const runId of played.runs.all.keys()) for (const item of played.run(runId).items) yield { runId, item };
}
