/** A host for the engine of docs/tiny.md that does one thing at a time, and waits in between. */
import {
  type Command,
  contextOf,
  createState,
  type Event,
  reduce,
  resume,
  type State,
  type Steps,
  type Tick,
} from "../../../examples/tiny.ts";

/** What comes next: something that has happened and was not reduced yet, or a command to perform. */
export type Entry = Tick | Command;

export class Stepper {
  readonly #steps: Steps;
  readonly #onQueued: () => void;
  state: State = createState();
  queue: Entry[] = [];
  journal: Tick[] = [];
  #waits = new Map<number, (answer: unknown) => void>();
  /** Steps that a kill has left behind still hold their promises; what they say counts no more. */
  #life = 0;

  /** @param onQueued Called when a step has finished, or waits: later than the `next` that started it. */
  constructor(steps: Steps, onQueued: () => void) {
    this.#steps = steps;
    this.#onQueued = onQueued;
    this.send({ type: "Start" });
  }

  send(event: Event): void {
    this.queue.push({ type: "event.received", event });
  }

  /** Reduces the next tick, or performs the next command. */
  next(): void {
    const entry = this.queue.shift();
    if (entry === undefined) return;
    if (isCommand(entry)) return this.#perform(entry);
    this.journal.push(entry);
    this.queue.push(...reduce(this.#steps, this.state, entry));
  }

  /** The process is gone, and another one has loaded the snapshot. */
  kill(): void {
    this.#life++;
    this.#waits = new Map();
    this.state = JSON.parse(JSON.stringify(this.state));
    this.queue = resume(this.state);
  }

  #perform(command: Command): void {
    if (command.type === "step.start") void this.#start(command.item);
    if (command.type !== "wait.settle") return;
    this.#waits.get(command.item)?.(this.state.items[command.item]?.answers.at(-1));
  }

  async #start(id: number): Promise<void> {
    const life = this.#life;
    const item = this.state.items[id];
    if (item === undefined) return;
    const happened = (tick: Tick): void => {
      if (life !== this.#life) return;
      this.queue.push(tick);
      this.#onQueued();
    };
    const ctx = contextOf(item, (tick, resolve) => {
      if (resolve !== undefined) this.#waits.set(id, resolve);
      happened(tick);
    });
    const output = await this.#steps[item.step]?.run(item.event, ctx);
    happened({ type: "step.completed", item: id, output: [output ?? []].flat() });
  }
}

export function isCommand(entry: Entry): entry is Command {
  return ["step.start", "wait.settle", "run.finish"].includes(entry.type);
}
