/** Random pipelines, and what is known of them: which events they must show, and where each step is. */
import { setImmediate } from "node:timers/promises";
import {
  Condition,
  Loop,
  Parallel,
  Pipeline,
  type PipelineOptions,
  Router,
  Step,
  type StepLike,
  Steps,
} from "../../src/index.js";
import { fakeAgent } from "./fake-executor.js";
import { add } from "./pipelines.js";
import type { Random } from "./random.js";

export interface KnownNode {
  readonly kind: "function" | "agent" | "nested" | "steps" | "parallel" | "loop" | "condition" | "router";
  readonly name: string;
  /** From the root of the outermost pipeline. */
  readonly path: readonly number[];
  /** From the root of its own. */
  readonly stepIndex: readonly number[];
  readonly children: readonly KnownNode[];
  /** Of a loop. */
  readonly iterations: number;
  /** Of a nested pipeline. */
  readonly pipelineId: string;
}

export interface RandomPipeline {
  readonly steps: PipelineOptions["steps"];
  readonly nodes: readonly KnownNode[];
}

interface At {
  readonly path: readonly number[];
  readonly stepIndex: readonly number[];
  readonly depth: number;
}

const leaves = ["function", "agent"] as const;
const groups = ["steps", "parallel", "loop", "condition", "router", "nested"] as const;

/** Three levels of groups, each with two or three children; pipelines in pipelines among them. */
export function randomPipeline(random: Random): RandomPipeline {
  const tree = new RandomTree(random);
  const made = tree.list({ path: [], stepIndex: [], depth: 3 });
  return { steps: made.map(({ given }) => given), nodes: made.map(({ known }) => known) };
}

interface Made {
  readonly given: StepLike;
  readonly known: KnownNode;
}

class RandomTree {
  readonly #random: Random;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  list({ path, stepIndex, depth }: At): Made[] {
    return Array.from({ length: this.#random.between(2, 3) }, (_, position) =>
      this.#node({ path: [...path, position], stepIndex: [...stepIndex, position], depth }),
    );
  }

  #node(at: At): Made {
    const isLeaf = at.depth === 0 || this.#random.between(1, 4) === 1;
    const kind = this.#random.pick<KnownNode["kind"]>(isLeaf ? leaves : groups);
    const name = `${kind} ${++this.#names}`;
    const known = { kind, name, path: at.path, stepIndex: at.stepIndex, children: [], iterations: 0, pipelineId: "" };
    if (kind === "function") return { given: this.#function(name), known };
    if (kind === "agent") return { given: new Step({ name, executor: chatty(name) }), known };
    return this.#group(known, at);
  }

  #function(name: string): Step {
    const turns = this.#random.between(0, 3);
    return new Step({
      name,
      async executor(input, context) {
        for (let turn = 0; turn < turns; turn++) await setImmediate();
        context.emit("Progress", { turns });
        return add(name)(input, context);
      },
    });
  }

  #group(known: KnownNode, { path, stepIndex, depth }: At): Made {
    const { kind, name } = known;
    const isNested = kind === "nested";
    const made = this.list({ path, stepIndex: isNested ? [] : stepIndex, depth: depth - 1 });
    const steps = made.map(({ given }) => given);
    const children = made.map((one) => one.known);
    switch (kind) {
      case "steps":
        return { given: new Steps({ name, steps }), known: { ...known, children } };
      case "parallel":
        return { given: new Parallel({ name, steps }), known: { ...known, children } };
      case "loop": {
        const iterations = this.#random.between(1, 2);
        return {
          given: new Loop({ name, steps, maxIterations: iterations }),
          known: { ...known, children, iterations },
        };
      }
      case "condition": {
        const holds = this.#random.between(0, 1) === 1;
        const given = new Condition({
          name,
          steps: steps.slice(0, 1),
          elseSteps: steps.slice(1),
          evaluator: () => holds,
        });
        return { given, known: { ...known, children: holds ? children.slice(0, 1) : children.slice(1) } };
      }
      case "router": {
        const picked = this.#random.between(0, 1) === 1 ? children.toReversed() : children.slice(0, 1);
        const given = new Router({ name, choices: steps, selector: () => picked.map((one) => one.name) });
        return { given, known: { ...known, children: picked } };
      }
      default: {
        const id = name.replaceAll(" ", "-");
        const inner = new Pipeline({ name: id, id, steps });
        return { given: new Step({ name, executor: inner }), known: { ...known, children, pipelineId: id } };
      }
    }
  }
}

function chatty(name: string) {
  return fakeAgent(name, async ({ stream }) => {
    for (const event of ["RunStarted", "RunContent", "RunCompleted"]) {
      stream?.({ event, content: name } as never);
      await setImmediate();
    }
    return {};
  });
}
