/**
 * Converts the steps that a user lists to the tree of a pipeline. The same list may be used for several pipelines.
 *
 * @module
 */

import type { Executor } from "@millrace/executor";
import { retryPolicy, stop, wait } from "millrace";
import { refuseOptions } from "millrace/engine";
import type { ExecutorType } from "../data/metrics.types.js";
import type { AnyStepFunction } from "../data/step-function.types.js";
import { stepName } from "../human/option-rules.js";
import {
  Condition,
  type EndCondition,
  type Evaluator,
  Loop,
  Parallel,
  Router,
  type Selector,
  Steps,
} from "./containers.js";
import type { PipelineNode, StepNode } from "./node.types.js";
import { Step, type StepExecutor, type StepOptions, unrunnable } from "./step.js";

/** A step of a bare function or agent gets its name. */
function checked<Node extends PipelineNode>(node: Node): Node {
  refuseOptions(`The ${node.kind} "${String(node.name)}" cannot be made`, stepName(node.name, "name"));
  return node;
}

/**
 * The nodes of a list of steps.
 *
 * @param path Of the group that has them. @default the pipeline
 * @throws {WorkflowError} `OPTION_INVALID` for values that cannot run, and for invalid names of steps.
 */
export function nodesOf(steps: readonly unknown[], path: readonly number[] = []): readonly PipelineNode[] {
  refuseOptions("The pipeline cannot be made", steps.flatMap(strangerProblems));
  const nodes = steps.map((step, position) => checked(normalize(step, [...path, position])));
  return withDistinctContainers(nodes);
}

const kinds = [Step, Steps, Loop, Parallel, Condition, Router];

/** Checks bare values; nodes have checked themselves. */
function strangerProblems(given: unknown, position: number): string[] {
  const isKnown = Array.isArray(given) || kinds.some((kind) => given instanceof kind);
  const stranger = isKnown ? null : unrunnable(given);
  return stranger === null ? [] : [`step ${position + 1} is ${stranger}`];
}

/** Numbers groups without a name, so that each can be looked up. */
function withDistinctContainers(nodes: readonly PipelineNode[]): readonly PipelineNode[] {
  const seen = new Map<string, number>();
  return nodes.map((node) => {
    const count = (seen.get(node.name) ?? 0) + 1;
    seen.set(node.name, count);
    return count === 1 || node.kind === "step" ? node : { ...node, name: `${node.name} ${count}` };
  });
}

function normalize(given: unknown, path: readonly number[]): PipelineNode {
  if (Array.isArray(given)) {
    const position = path.at(-1) ?? 0;
    return normalize(new Steps({ name: `steps_group_${position}`, steps: given as never[] }), path);
  }
  if (given instanceof Step) return stepNode(given.options, path);
  if (given instanceof Steps)
    return { ...base(given, path), kind: "steps", children: nodesOf(given.options.steps, path) };
  if (given instanceof Loop) return loopNode(given, path);
  if (given instanceof Parallel) {
    const { steps, state = "shared", merge = null } = given.options;
    return { ...base(given, path), kind: "parallel", children: nodesOf(steps, path), state, merge };
  }
  if (given instanceof Condition) return conditionNode(given, path);
  if (given instanceof Router) return routerNode(given, path);
  return stepNode({ executor: given as StepExecutor }, path);
}

function loopNode(loop: Loop, path: readonly number[]): PipelineNode {
  const { steps, maxIterations = 3, endCondition = null, forwardIterationOutput = false } = loop.options;
  return {
    ...base(loop, path),
    kind: "loop",
    children: nodesOf(steps, path),
    maxIterations,
    endCondition: endCondition as EndCondition | null,
    forwards: forwardIterationOutput,
  };
}

function conditionNode(condition: Condition, path: readonly number[]): PipelineNode {
  const { steps, elseSteps = [], evaluator = true } = condition.options;
  const children = nodesOf([...steps, ...elseSteps], path);
  return {
    ...base(condition, path),
    kind: "condition",
    children,
    ifCount: steps.length,
    evaluator: evaluator as Evaluator,
  };
}

function routerNode(router: Router, path: readonly number[]): PipelineNode {
  const { choices, selector = null } = router.options;
  const children = nodesOf(choices, path);
  const facts = base(router, path);
  refuseOptions(`The router "${facts.name}" cannot be made`, sameNames(children));
  return { ...facts, kind: "router", children, givenAs: choices, selector: selector as Selector | null };
}

/** Names that repeat: a selector by name would only reach the first. */
function sameNames(choices: readonly PipelineNode[]): string[] {
  const names = choices.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...twice].map((name) => `two of its \`choices\` have the name "${name}"`);
}

export const groupNames = {
  steps: "Steps",
  loop: "Loop",
  parallel: "Parallel",
  condition: "Condition",
  router: "Router",
} as const;

function base(container: Steps | Loop | Parallel | Condition | Router, path: readonly number[]) {
  const { options, kind } = container;
  const { name = groupNames[kind], description = null, onError = "fail", humanReview = null } = options;
  return { id: path.join("."), path, name, description, onError, human: humanReview };
}

function stepNode(options: StepOptions<AnyStepFunction>, path: readonly number[]): StepNode {
  const {
    executor,
    description = null,
    onError = "fail",
    timeout = null,
    addWorkflowHistory,
    numHistoryRuns,
  } = options;
  const { humanReview = null } = options;
  const executorType = typeOf(executor);
  const executorName = nameOf(executor) || (options.name ?? "");
  return {
    kind: "step",
    id: path.join("."),
    path,
    name: options.name ?? (executorName === "" ? `step_${(path.at(-1) ?? 0) + 1}` : executorName),
    description: description ?? (executorType === "function" ? "user-defined callable step" : null),
    onError,
    human: humanReview,
    executor,
    executorType,
    executorName,
    retry:
      options.retry ?? retriesOf(options.maxRetries ?? (executorType === "agent" || executorType === "team" ? 3 : 0)),
    timeout,
    addHistory: addWorkflowHistory ?? null,
    numHistoryRuns: numHistoryRuns ?? null,
  };
}

function retriesOf(maxRetries: number) {
  if (maxRetries === 0) return null;
  return retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(maxRetries + 1) });
}

function typeOf(executor: StepExecutor): ExecutorType {
  if (typeof executor === "function") return "function";
  return "execute" in executor ? executor.kind : "workflow";
}

function nameOf(executor: StepExecutor): string {
  const { name } = executor as Executor;
  // An arrow function in the options of a step has the name of the option.
  return typeof name === "string" && !(typeof executor === "function" && name === "executor") ? name : "";
}
