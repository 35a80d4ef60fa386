// The engine in about 100 lines: a run is data, one function decides what happens to it, and a loop does what that says.
// Explained in docs/tiny.md. `pnpm --filter ./examples tiny`

export interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What is true of a run. JSON: this is the snapshot. */
export interface State {
  nextId: number;
  /** Work that is under way: one event, delivered to one step. */
  items: { [id: number]: Item };
  result: { value: unknown } | null;
}

interface Item {
  readonly id: number;
  readonly step: string;
  readonly event: Event;
  waitsFor: string | null;
  /** What its waits have received so far. */
  readonly answers: Event[];
}

/** What happened. */
export type Tick =
  | { readonly type: "event.received"; readonly event: Event }
  | { readonly type: "wait.opened"; readonly item: number; readonly eventType: string }
  | { readonly type: "step.completed"; readonly item: number; readonly output: readonly Event[] };

/** What to do about it. */
export type Command =
  | { readonly type: "step.start"; readonly item: number }
  | { readonly type: "wait.settle"; readonly item: number }
  | { readonly type: "run.finish"; readonly value: unknown };

type Wait = (eventType: string) => Promise<Event>;
export interface Step {
  readonly on: string;
  readonly run: (event: Event, wait: Wait) => Promise<Event | readonly Event[] | void>;
}
export type Steps = { readonly [name: string]: Step };

export const createState = (): State => ({ nextId: 1, items: {}, result: null });

/** Decides everything; touches nothing but the state. No clock, no I/O, no user code. */
export function reduce(steps: Steps, state: State, tick: Tick): Command[] {
  if (state.result !== null) return [];
  if (tick.type === "event.received") return deliver(steps, state, tick.event);
  const item = state.items[tick.item];
  if (item === undefined) return [];
  if (tick.type === "wait.opened") {
    item.waitsFor = tick.eventType;
    return [];
  }
  delete state.items[tick.item];
  return tick.output.flatMap((event) => deliver(steps, state, event));
}

function deliver(steps: Steps, state: State, event: Event): Command[] {
  if (state.result !== null) return [];
  if (event.type === "Stop") {
    state.result = { value: event["result"] };
    state.items = {};
    return [{ type: "run.finish", value: event["result"] }];
  }
  const waiting = Object.values(state.items).find((item) => item.waitsFor === event.type);
  if (waiting !== undefined) {
    waiting.waitsFor = null;
    waiting.answers.push(event);
    return [{ type: "wait.settle", item: waiting.id }];
  }
  const accepting = Object.keys(steps).filter((name) => steps[name]?.on === event.type);
  return accepting.map((step) => {
    const id = state.nextId++;
    state.items[id] = { id, step, event, waitsFor: null, answers: [] };
    return { type: "step.start", item: id };
  });
}

/** After a load: what is under way starts again from the top, and finds its recorded answers. */
export function resume(state: State): Command[] {
  return Object.values(state.items).map(({ id }) => ({ type: "step.start", item: id }));
}

export class Run {
  readonly state: State;
  readonly journal: Tick[] = [];
  readonly result: Promise<unknown>;
  readonly #steps: Steps;
  readonly #waits = new Map<number, (event: Event) => void>();
  #finish: (value: unknown) => void = () => {};

  constructor(steps: Steps, state: State = createState()) {
    this.#steps = steps;
    this.state = state;
    this.result = new Promise((resolve) => (this.#finish = resolve));
    for (const command of resume(state)) this.#perform(command);
  }

  send(event: Event): void {
    this.#happened({ type: "event.received", event });
  }

  #happened(tick: Tick): void {
    this.journal.push(tick); // a durable host stores it here, before anybody can see what it causes
    for (const command of reduce(this.#steps, this.state, tick)) this.#perform(command);
  }

  #perform(command: Command): void {
    if (command.type === "run.finish") return this.#finish(command.value);
    if (command.type === "step.start") return void this.#start(command.item);
    const answer = this.state.items[command.item]?.answers.at(-1);
    if (answer !== undefined) this.#waits.get(command.item)?.(answer);
  }

  async #start(id: number): Promise<void> {
    const item = this.state.items[id] as Item;
    let asked = 0;
    const output = await this.#steps[item.step]?.run(item.event, async (eventType) => {
      const remembered = item.answers[asked++];
      if (remembered !== undefined) return remembered;
      return new Promise<Event>((resolve) => {
        this.#waits.set(id, resolve);
        this.#happened({ type: "wait.opened", item: id, eventType });
      });
    });
    this.#happened({ type: "step.completed", item: id, output: [output ?? []].flat() });
  }
}

/** Asks twice, with a loop in between: enough to show waits, recorded answers and a kill at any tick. */
export const quiz: Steps = {
  begin: { on: "Start", run: async () => ({ type: "Round", round: 1, score: 0 }) },
  ask: {
    on: "Round",
    run: async ({ round, score }, wait) => {
      const { text } = await wait("Answer");
      const total = Number(score) + (text === "yes" ? 1 : 0);
      return round === 2 ? { type: "Stop", result: `${total} of 2` } : { type: "Round", round: 2, score: total };
    },
  },
};

if (import.meta.main) {
  const first = new Run(quiz);
  first.send({ type: "Start" });
  await new Promise((resolve) => setTimeout(resolve));
  first.send({ type: "Answer", text: "yes" });
  await new Promise((resolve) => setTimeout(resolve));

  const stored = JSON.stringify(first.state);
  console.log(stored);

  const second = new Run(quiz, JSON.parse(stored));
  second.send({ type: "Answer", text: "no" });
  console.log(await second.result);
}
