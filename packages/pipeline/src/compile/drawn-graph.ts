/**
 * What a drawing of a pipeline shows of its core steps and events: which steps the user wrote and what does their work, which only
 * help them, the groups and branches that they are in, and what the events between them are for.
 *
 * @module
 */

import type { Executor, ExecutorMember } from "@millrace/executor";
import type { StepBranch, StepExecutor, StepGroup, StepNote } from "millrace";
import type { ContainerNode, PipelineNode, StepNode } from "../nodes/node.types.js";
import { type CoreNames, suffixes } from "../plan/core-names.js";
import type { Target } from "../plan/pipeline-tree.js";
import type { CompiledPlan } from "../steps/plan.types.js";

export function stepNotes({ tree }: CompiledPlan, names: CoreNames): Record<string, StepNote> {
  return Object.fromEntries(tree.all.flatMap((node) => [...notesOf(node, names.get(node.id) as string)]));
}

function* notesOf(node: PipelineNode, coreName: string): Generator<readonly [string, StepNote]> {
  for (const suffix of suffixes) {
    const label = `${node.name}${suffix}`;
    if (suffix !== "") yield [`${coreName}${suffix}`, { label, worksFor: coreName }];
    else yield [coreName, { label, ...(node.kind === "step" && executed(node)) }];
  }
}

function executed(node: StepNode): StepNote {
  return { executor: executorOf(node), ...(typeof node.executor === "function" && { run: node.executor }) };
}

function executorOf({ executor, executorType, executorName, name }: StepNode): StepExecutor {
  const kind = "isPipeline" in executor ? "pipeline" : executorType;
  const { members } = executor as Executor;
  return { kind, name: executorName || name, ...(Array.isArray(members) && { members: members.map(memberOf) }) };
}

function memberOf({ kind, name, members }: ExecutorMember): StepExecutor {
  return { kind, name, ...(Array.isArray(members) && { members: members.map(memberOf) }) };
}

/** The containers, and the steps whose work is more than a function: each with its own core steps and those of the steps in it. */
export function stepGroups({ tree, workflows }: CompiledPlan, names: CoreNames): StepGroup[] {
  return tree.all.filter(isDrawnAsGroup).map((node) => {
    const { id, kind } = node;
    const coreName = names.get(id) as string;
    const inside = kind === "step" ? [] : node.children.filter((child) => !isDrawnAsGroup(child));
    const group = {
      id,
      parent: tree.parentOf(node)?.id ?? null,
      steps: [id, ...inside.map((child) => child.id)].flatMap((of) => coreStepsOf(names.get(of) as string)),
    };
    if (kind !== "step")
      return { ...group, label: node.name, kind, enteredBy: coreName, branches: branchesOf(node, names) };
    const executor = executorOf(node);
    const runs = workflows.has(id) ? { enteredBy: coreName, child: id } : {};
    return { ...group, label: executor.name, kind: executor.kind, ...runs };
  });
}

function branchesOf(node: ContainerNode, names: CoreNames): StepBranch[] {
  const { kind, children } = node;
  const of = (role: string, inside: readonly PipelineNode[]): StepBranch => ({
    role,
    steps: inside.filter((child) => !isDrawnAsGroup(child)).flatMap(({ id }) => coreStepsOf(names.get(id) as string)),
    groups: inside.filter(isDrawnAsGroup).map(({ id }) => id),
  });
  if (kind === "condition") {
    const [then, otherwise] = [children.slice(0, node.ifCount), children.slice(node.ifCount)];
    return [of("then", then), ...(otherwise.length > 0 ? [of("else", otherwise)] : [])];
  }
  const role = { parallel: "branch", router: "choice", steps: null, loop: null }[kind];
  return role === null ? [] : children.map((child) => ({ ...of(role, [child]), name: child.name }));
}

function isDrawnAsGroup(node: PipelineNode): boolean {
  return node.kind !== "step" || node.executorType !== "function";
}

function coreStepsOf(coreName: string): string[] {
  return suffixes.map((suffix) => `${coreName}${suffix}`);
}

/** Labels of the events between core steps, in the author's terms. */
export function eventLabels({ tree, events }: CompiledPlan): Record<string, string> {
  const inside = tree.all.flatMap((node) =>
    Object.entries(waysTo).map(([to, words]) => [{ to, node: node.id } as Target, `${words} ${node.name}`] as const),
  );
  const around = [
    [{ to: "converse", node: "" }, "to the agent"],
    [{ to: "finish", node: "" }, "all is done"],
  ] as const;
  const places = [...inside, ...around].map(([target, label]) => [events.typeOf(target), label] as const);
  return { ...Object.fromEntries(places), ...ownLabels };
}

const waysTo: Readonly<Partial<Record<Target["to"], string>>> = {
  enter: "to",
  ask: "question about",
  again: "turn of",
  gather: "branch of",
};

const ownLabels: Readonly<Record<string, string>> = {
  "pipeline.start": "start",
  "pipeline.shown": "event for readers",
  "pipeline.question": "question",
  "pipeline.answer": "answer",
  "pipeline.cancel": "cancel",
};
