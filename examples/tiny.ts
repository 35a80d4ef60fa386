// The engine in about 130 lines: a run is data, one function decides what happens to it, and a loop does what that says.
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

export interface Item {
  readonly id: number;
  readonly step: string;
  readonly event: Event;
  waitsFor: string | null;
  /** What its calls have answered so far, in order: a wait with its event, a durable call with its result. */
  readonly answers: unknown[];
}

/** What happened. */
export type Tick =
  | { readonly type: "event.received"; readonly event: Event }
  | { readonly type: "wait.opened"; readonly item: number; readonly eventType: string }
  | { readonly type: "call.ended"; readonly item: number; readonly value: unknown }
  | { readonly type: "step.completed"; readonly item: number; readonly output: readonly Event[] };

/** What to do about it. */
export type Command =
  | { readonly type: "step.start"; readonly item: number }
  | { readonly type: "wait.settle"; readonly item: number }
  | { readonly type: "run.finish"; readonly value: unknown };

/** What a step can ask of its run. Each answer is recorded, so a step that runs again gets the same ones. */
export interface Context {
  wait(eventType: string): Promise<Event>;
  /** A durable call: its function runs until it has returned once. */
  call<Value>(work: () => Promise<Value>): Promise<Value>;
}

export interface Step {
  readonly on: string;
  readonly run: (event: Event, ctx: Context) => Promise<Event | readonly Event[] | void>;
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
  if (tick.type === "call.ended") {
    item.answers.push(tick.value);
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

type Happened = (tick: Tick, resolve?: (answer: unknown) => void) => void;

/** A call returns its recorded answer. Without one it opens: a wait until its event comes, a durable call for its function. */
export function contextOf({ id, answers }: Item, happened: Happened): Context {
  let asked = 0;
  const answered = async <Value>(open: () => Promise<Value>): Promise<Value> => {
    const place = asked++;
    return place < answers.length ? (answers[place] as Value) : open();
  };
  return {
    wait: (eventType) =>
      answered(() => {
        const tick: Tick = { type: "wait.opened", item: id, eventType };
        return new Promise((resolve) => happened(tick, (answer) => resolve(answer as Event)));
      }),
    call: (work) =>
      answered(async () => {
        const value = await work();
        happened({ type: "call.ended", item: id, value });
        return value;
      }),
  };
}

export class Run {
  readonly state: State;
  readonly journal: Tick[] = [];
  readonly result: Promise<unknown>;
  readonly #steps: Steps;
  readonly #waits = new Map<number, (answer: unknown) => void>();
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
    this.#waits.get(command.item)?.(this.state.items[command.item]?.answers.at(-1));
  }

  async #start(id: number): Promise<void> {
    const item = this.state.items[id] as Item;
    const ctx = contextOf(item, (tick, resolve) => {
      if (resolve !== undefined) this.#waits.set(id, resolve);
      this.#happened(tick);
    });
    const output = await this.#steps[item.step]?.run(item.event, ctx);
    this.#happened({ type: "step.completed", item: id, output: [output ?? []].flat() });
  }
}

/** In place of a model, which costs something each time that it is asked. */
export const grader = {
  calls: 0,
  async grade(text: unknown): Promise<number> {
    this.calls++;
    return text === "yes" ? 1 : 0;
  },
};

/** Asks twice, with a loop in between: enough to show waits, durable calls and a kill at any tick. */
export const quiz: Steps = {
  begin: { on: "Start", run: async () => ({ type: "Round", round: 1, score: 0 }) },
  ask: {
    on: "Round",
    run: async ({ round, score }, { wait, call }) => {
      const { text } = await wait("Answer");
      const total = Number(score) + (await call(() => grader.grade(text)));
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
