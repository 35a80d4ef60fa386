/**
 * Checks the events of a run against the pipeline that it is of, as a parser that goes down with the tree:
 *
 *     run       := WorkflowStarted node* WorkflowCompleted
 *     function  := StepStarted (Progress | RunContent)* StepOutput StepCompleted
 *     agent     := StepStarted (RunStarted | RunContent | RunCompleted)* StepCompleted
 *     nested    := StepStarted run StepCompleted
 *     steps     := StepsExecutionStarted node* StepsExecutionCompleted
 *     parallel  := ParallelExecutionStarted interleave(node…) ParallelExecutionCompleted
 *     loop      := LoopExecutionStarted (LoopIterationStarted node* LoopIterationCompleted)* LoopExecutionCompleted
 *     condition := ConditionExecutionStarted node* ConditionExecutionCompleted
 *     router    := RouterExecutionStarted node* RouterExecutionCompleted
 *
 * @module
 */
import type { KnownNode } from "./random-tree.js";

/** Any event, with what all of them have. */
interface ToldEvent {
  readonly event: string;
  readonly runId: string;
  readonly pipelineRunId: string;
  readonly pipelineId: string;
  readonly [field: string]: unknown;
}

export interface KnownRun {
  readonly pipelineId: string;
  readonly nodes: readonly KnownNode[];
}

/** Throws at the first event that has no place. */
export function checkGrammar(events: readonly ToldEvent[], run: KnownRun): void {
  const runId = String(events[0]?.pipelineRunId);
  new Parser(events, placesOf(run), runId).run(run, { depth: 0, parentStepId: undefined });
}

/** Where each pipeline is: the path of the step that it is of. */
type Places = ReadonlyMap<string, readonly number[]>;

function placesOf({ pipelineId, nodes }: KnownRun): Places {
  const places = new Map<string, readonly number[]>([[pipelineId, []]]);
  const visit = (node: KnownNode): void => {
    if (node.kind === "nested") places.set(node.pipelineId, node.path);
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  return places;
}

interface Scope {
  readonly runId: string;
  readonly depth: number;
  readonly pipelineId: string;
  readonly parentStepId: string | undefined;
}

const groupEvents = {
  steps: "StepsExecution",
  parallel: "ParallelExecution",
  condition: "ConditionExecution",
  router: "RouterExecution",
} as const;

class Parser {
  #rest: readonly ToldEvent[];
  readonly #places: Places;
  readonly #rootRunId: string;

  constructor(events: readonly ToldEvent[], places: Places, rootRunId: string) {
    this.#rest = events;
    this.#places = places;
    this.#rootRunId = rootRunId;
  }

  run({ pipelineId, nodes }: KnownRun, { depth, parentStepId }: Pick<Scope, "depth" | "parentStepId">): void {
    const started = this.#take("WorkflowStarted");
    if (depth === 0 && started.runId !== this.#rootRunId) throw new Error("the first event is of another run");
    if (depth > 0 && started.runId === this.#rootRunId) throw new Error(`${pipelineId} has no run of its own`);
    const scope = { runId: started.runId, depth, pipelineId, parentStepId };
    this.#checkScope(started, scope);
    this.#inOrder(nodes, scope);
    this.#checkScope(this.#take("WorkflowCompleted"), scope);
    this.#end();
  }

  #inOrder(nodes: readonly KnownNode[], scope: Scope): void {
    for (const node of nodes) this.#part(node, this.#whileInside(node)).node(node, scope);
  }

  node(node: KnownNode, scope: Scope): void {
    switch (node.kind) {
      case "function":
        this.#own("StepStarted", node, scope);
        while (this.#is("Progress", "RunContent")) this.#own(this.#next.event, node, scope);
        this.#own("StepOutput", node, scope);
        this.#own("StepCompleted", node, scope);
        break;
      case "agent":
        this.#own("StepStarted", node, scope);
        while (this.#is("RunStarted", "RunContent", "RunCompleted")) this.#own(this.#next.event, node, scope);
        this.#own("StepCompleted", node, scope);
        break;
      case "nested":
        this.#own("StepStarted", node, scope);
        this.#part(node, this.#until("StepCompleted", node, scope)).run(
          { pipelineId: node.pipelineId, nodes: node.children },
          { depth: scope.depth + 1, parentStepId: node.stepIndex.join(".") },
        );
        this.#own("StepCompleted", node, scope);
        break;
      case "loop":
        this.#loop(node, scope);
        break;
      default:
        this.#own(`${groupEvents[node.kind]}Started`, node, scope);
        if (node.kind === "parallel") this.#interleaved(node, scope);
        else this.#inOrder(node.children, inside(node, scope));
        this.#own(`${groupEvents[node.kind]}Completed`, node, scope);
    }
    this.#end();
  }

  #loop(node: KnownNode, scope: Scope): void {
    this.#own("LoopExecutionStarted", node, scope);
    for (let iteration = 1; iteration <= node.iterations; iteration++) {
      const started = this.#own("LoopIterationStarted", node, scope);
      this.#inOrder(node.children, inside(node, scope));
      const completed = this.#own("LoopIterationCompleted", node, scope);
      const goesOn = iteration < node.iterations;
      if (started["iteration"] !== iteration || completed["iteration"] !== iteration)
        throw new Error(`iteration ${iteration} of ${node.name} has another number`);
      if (completed["shouldContinue"] !== goesOn) throw new Error(`${node.name} says wrongly whether it goes on`);
    }
    this.#own("LoopExecutionCompleted", node, scope);
  }

  #interleaved(node: KnownNode, scope: Scope): void {
    const events = this.#while((event) => startsWith(this.#pathOf(event), node.path) && !this.#isOf(event, node));
    for (const child of node.children) {
      const own = events.filter((event) => startsWith(this.#pathOf(event), child.path));
      this.#part(child, own).node(child, inside(node, scope));
    }
    const strange = events.find((event) => !node.children.some((child) => startsWith(this.#pathOf(event), child.path)));
    if (strange !== undefined) throw new Error(`${node.name} has no branch for ${strange.event}`);
  }

  /** An event of the node itself. */
  #own(name: string, node: KnownNode, scope: Scope): ToldEvent {
    const event = this.#take(name);
    const stepId = node.stepIndex.join(".");
    const expected = { stepId, stepName: node.name, stepIndex: node.stepIndex };
    for (const [field, value] of Object.entries(expected))
      if (JSON.stringify(event[field]) !== JSON.stringify(value))
        throw new Error(`${name} of ${node.name}: ${field} is ${JSON.stringify(event[field])}`);
    this.#checkScope(event, scope);
    return event;
  }

  #checkScope(event: ToldEvent, { runId, depth, pipelineId, parentStepId }: Scope): void {
    const expected = { pipelineRunId: this.#rootRunId, runId, nestedDepth: depth, pipelineId, parentStepId };
    for (const [field, value] of Object.entries(expected))
      if (event[field] !== value) throw new Error(`${event.event}: ${field} is ${String(event[field])}, not ${value}`);
  }

  #part(node: KnownNode, events: readonly ToldEvent[]): Parser {
    if (events.length === 0) throw new Error(`nothing is told of ${node.name} where ${this.#rest[0]?.event} comes`);
    return new Parser(events, this.#places, this.#rootRunId);
  }

  #whileInside(node: KnownNode): readonly ToldEvent[] {
    return this.#while((event) => startsWith(this.#pathOf(event), node.path));
  }

  #until(name: string, node: KnownNode, { runId }: Scope): readonly ToldEvent[] {
    return this.#while((event) => !(event.event === name && event.runId === runId && this.#isOf(event, node)));
  }

  #while(holds: (event: ToldEvent) => boolean): readonly ToldEvent[] {
    const end = this.#rest.findIndex((event) => !holds(event));
    const taken = end < 0 ? this.#rest : this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(taken.length);
    return taken;
  }

  #isOf(event: ToldEvent, { path }: KnownNode): boolean {
    return this.#pathOf(event).length === path.length;
  }

  #pathOf({ pipelineId, stepIndex = [] }: ToldEvent): readonly number[] {
    const around = this.#places.get(pipelineId);
    if (around === undefined) throw new Error(`nobody knows a pipeline ${pipelineId}`);
    return [...around, ...(stepIndex as number[])];
  }

  get #next(): ToldEvent {
    const [next] = this.#rest;
    if (next === undefined) throw new Error("the events end too early");
    return next;
  }

  #is(...names: readonly string[]): boolean {
    return this.#rest[0] !== undefined && names.includes(this.#rest[0].event);
  }

  #take(name: string): ToldEvent {
    const next = this.#next;
    if (next.event !== name) throw new Error(`${next.event} of ${String(next["stepName"])} comes where ${name} must`);
    this.#rest = this.#rest.slice(1);
    return next;
  }

  #end(): void {
    if (this.#rest[0] !== undefined) throw new Error(`${this.#rest[0].event} comes after the end`);
  }
}

function inside({ stepIndex }: KnownNode, scope: Scope): Scope {
  return { ...scope, parentStepId: stepIndex.join(".") };
}

function startsWith(path: readonly number[], start: readonly number[]): boolean {
  return start.every((position, at) => path[at] === position);
}
