import { describe, expect, it } from "vitest";
import type { SnapshotData } from "../src/entries/state.js";
import type { Api } from "./support/packages.js";
import { here, there } from "./support/packages.js";
import { differs, events, same, shown, tick } from "./support/same.js";

/** A program that asks a person, and its events. */
function asking(api: Api, log: unknown[] = []) {
  const { A, B, C, D } = events(api);
  const { withState } = api.createStatefulMiddleware((input: { count: number }) => ({ ...input }));
  const workflow = withState(api.createWorkflow());
  workflow.handle([A], async (context) => {
    context.state.count++;
    await tick();
    context.sendEvent(D.with("note"));
    return C.with("who?");
  });
  workflow.handle([B], (context, { data }) => {
    log.push([data, context.state.count]);
    return D.with(`hello ${data}`);
  });
  return { A, B, C, D, workflow, log };
}

describe("state", () => {
  same("is that of the run, in handlers too", (api) => {
    const { A, B, workflow, log } = asking(api);
    const one = workflow.createContext({ count: 1 });
    const other = workflow.createContext({ count: 10 });
    one.sendEvent(A.with(0), B.with("x"));
    other.sendEvent(B.with("y"));
    one.state.count += 5;
    one.sendEvent(B.with("z"));
    return [log, one.state, other.state, Object.keys(workflow)];
  });

  same("none without an init function", (api) => {
    const { A } = events(api);
    const workflow = api.createStatefulMiddleware().withState(api.createWorkflow());
    const found: unknown[] = [];
    workflow.handle([A], (context) => void found.push(context.state, typeof context.snapshot));
    workflow.createContext().sendEvent(A.with(1));
    return found;
  });
});

describe("snapshots", () => {
  const dataOf = ({ version: _, ...rest }: SnapshotData) => rest;
  type Snapshot = ReturnType<typeof dataOf>;

  same("wait for async handlers, keep the state, and what no handler takes", async (api) => {
    const { A, workflow } = asking(api);
    const { sendEvent, snapshot } = workflow.createContext({ count: 1 });
    sendEvent(A.with(0));
    return dataOf(await snapshot());
  });

  same("keep what handlers would have taken, and sets that are not complete", async (api) => {
    const { A, B, C, D } = events(api);
    const workflow = api.createStatefulMiddleware(() => ({})).withState(api.createWorkflow());
    workflow.handle([A, B], () => {});
    workflow.handle([C], async ({ sendEvent }) => {
      await tick();
      sendEvent(B.with({ b: 1 }), D.with("d"));
      return A.with("second");
    });
    const { sendEvent, snapshot } = workflow.createContext();
    sendEvent(A.with("first"), D.with("before"), C.with(0));
    return dataOf(await snapshot());
  });

  same("resume: events of the queue are handled at once, and the stream has them", async (api) => {
    const { workflow, log, D } = asking(api);
    const snapshot = {
      queue: [
        ["Ada", 1],
        ["Bob", 1],
      ],
      version: "",
      state: '{"count":7}',
    } satisfies Omit<Parameters<typeof workflow.resume>[0], "queue"> & { queue: [string, number][] };
    const context = workflow.resume(snapshot);
    const handled = [...log];
    context.sendEvent(D.with("end"));
    return [
      handled,
      context.state,
      shown(await context.stream.until(((m: { data: unknown }) => m.data === "end") as never).toArray()),
    ];
  });

  same("resume: a set is completed", async (api) => {
    const { A, B } = events(api);
    const workflow = api.createStatefulMiddleware().withState(api.createWorkflow());
    const sets: unknown[] = [];
    workflow.handle([A, B], (_context, a, b) => void sets.push(a.data, b.data));
    const { sendEvent, snapshot } = workflow.createContext();
    sendEvent(A.with("kept"));
    workflow.resume(JSON.parse(JSON.stringify(await snapshot()))).sendEvent(B.with("late"));
    return sets;
  });

  same("resume: a position without an event", (api) => asking(api).workflow.resume({ queue: [["x", 9]], version: "" }));

  same("twice", async (api) => {
    const { snapshot } = asking(api).workflow.createContext({ count: 1 });
    await snapshot();
    await snapshot();
  });

  same("afterwards, events are in the stream, with a warning, and reach no handler", async (api) => {
    const { B, workflow, log } = asking(api);
    const { sendEvent, snapshot, stream } = workflow.createContext({ count: 1 });
    await snapshot();
    sendEvent(B.with("late"));
    return [log, shown(await stream.take(1).toArray())];
  });

  same("in a handler", async (api) => {
    const { A, B } = events(api);
    const workflow = api.createStatefulMiddleware(() => ({ n: 1 })).withState(api.createWorkflow());
    let taken: Snapshot | null = null;
    workflow.handle([A], async ({ snapshot, state }) => {
      state.n = 42;
      taken = dataOf(await snapshot());
      return B.with("after");
    });
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(0));
    return [shown(await stream.until(B as never).toArray()), taken];
  });

  const inAHandlerLater = async (api: Api) => {
    const { A } = events(api);
    const workflow = api.createStatefulMiddleware(() => ({ n: 1 })).withState(api.createWorkflow());
    let taken: unknown = null;
    workflow.handle([A], async ({ snapshot }) => {
      await tick();
      taken = dataOf(await snapshot());
    });
    workflow.createContext().sendEvent(A.with(0));
    for (let turn = 0; turn < 9; turn++) await tick();
    return { taken };
  };
  differs("in a handler, after an await", inAHandlerLater, {
    there: { value: { taken: null } },
    here: { value: { taken: { queue: [], unrecoverableQueue: [], state: '{"n":1}' } } },
  });

  it("each package resumes those of the other", async () => {
    for (const [writer, reader] of [
      [there, here],
      [here, there],
    ] as const) {
      const { A, B, workflow } = asking(writer);
      const { sendEvent, snapshot } = workflow.createContext({ count: 1 });
      sendEvent(A.with(0));
      const ending = snapshot();
      sendEvent(B.with("Ada"));
      const stored = JSON.stringify(await ending);

      const other = asking(reader);
      other.workflow.resume(JSON.parse(stored));

      expect(other.log).toEqual([["Ada", 2]]);
    }
  });
});

describe("trace events", () => {
  same("runOnce: once for each handler and run", (api) => {
    const { A, B } = events(api);
    const workflow = api.withTraceEvents(api.createWorkflow());
    const calls: string[] = [];
    const handler = () => void calls.push("A");
    const ref = workflow.handle([A], api.runOnce(handler));
    workflow.handle(
      [B],
      api.runOnce(() => void calls.push("B")),
    );
    for (const context of [workflow.createContext(), workflow.createContext()]) {
      context.sendEvent(A.with(1), A.with(2), B.with(1), B.with(2));
      calls.push("|");
    }
    return [calls, ref.handler === handler, Object.keys(workflow)];
  });

  same("decorators see the call, as a plugin and by hand, of sync and async handlers", async (api) => {
    const { A, B } = events(api);
    const seen: unknown[] = [];
    const watching = (label: string) =>
      api.createHandlerDecorator<number>({
        debugLabel: label,
        getInitialValue: () => 0,
        onBeforeHandler: (handler, call, value) => {
          const { async, pending, inputs, inputEvents, outputs, prev, root, next } = call;
          seen.push([label, value, async, pending, shown(inputs), inputEvents.map(String), shown(outputs)]);
          seen.push([
            prev === root,
            root.prev === root,
            next.size,
            root.next.size,
            call.abortController.signal.aborted,
          ]);
          return handler;
        },
        onAfterHandler: (value) => {
          seen.push(`${label} after`);
          return value + 1;
        },
      });
    const workflow = api.withTraceEvents(api.createWorkflow(), { plugins: [watching("outer") as never] });
    workflow.handle(
      [A],
      watching("inner")((async (_context: unknown, { data }: { data: number }) => {
        await tick();
        return B.with(data);
      }) as never) as never,
    );
    workflow.handle([B], () => {});
    const { sendEvent } = workflow.createContext();
    sendEvent(A.with(1));
    await tick();
    await tick();
    sendEvent(A.with(2));
    await tick();
    await tick();
    return seen;
  });

  same("substream", async (api) => {
    const { A, B, C } = events(api);
    const workflow = api.withTraceEvents(api.createWorkflow());
    workflow.handle([A], ({ sendEvent }, { data }) => sendEvent(B.with(data)));
    workflow.handle([B], (_context, { data }) => C.with(data));
    const { stream, sendEvent } = workflow.createContext();
    const first = A.with(1);
    sendEvent(first, A.with(2), C.with("end"));
    return shown(
      await workflow.substream(first, stream.until(((m: { data: unknown }) => m.data === "end") as never)).toArray(),
    );
  });

  same("getEventOrigins: of a chain, of a set, with and without the context", async (api) => {
    const { A, B, C, D } = events(api);
    const workflow = api.withTraceEvents(api.createWorkflow());
    const found: unknown[] = [];
    const start = api.workflowEvent<number>({ debugLabel: "start" });
    workflow.handle([start], async (context) => {
      context.sendEvent(B.with("b"), C.with("c"));
      const [d] = await context.stream.filter(D).take(1).toArray();
      found.push(shown(api.getEventOrigins(d as never, context)), shown(api.getEventOrigins(d as never)));
    });
    workflow.handle([B, C], async (_context, b, c) => {
      await tick();
      return A.with(b.data + c.data);
    });
    workflow.handle([A], (_context, { data }) => D.with(data));
    workflow.createContext().sendEvent(start.with(0));
    for (let turn = 0; turn < 6; turn++) await tick();
    return found;
  });
});

const originsForTheRun = async (api: Api) => {
  const { A, B } = events(api);
  const workflow = api.withTraceEvents(api.createWorkflow());
  workflow.handle([A], (_context, { data }) => B.with(data));
  const context = workflow.createContext();
  const { stream } = context;
  context.sendEvent(A.with(1));
  const [, b] = await stream.take(2).toArray();
  return shown(api.getEventOrigins(b as never, context));
};
differs("getEventOrigins with the context of the run", originsForTheRun, {
  there: { error: expect.stringContaining("not found") },
  here: { value: ["A:1"] },
});

describe("validation", () => {
  same("what no rule has is sent, with a warning", async (api) => {
    const { A, B, C, D } = events(api);
    const workflow = api.withValidation(api.createWorkflow(), [
      [[A], [B]],
      [[A], [C, C]],
    ]);
    workflow.strictHandle([A], (sendEvent, context, { data }) => {
      (sendEvent as (...messages: unknown[]) => void)(D.with(data));
      sendEvent(B.with("right"));
      sendEvent(C.with("half"));
      sendEvent(C.with(1), C.with(2));
      sendEvent(B.with(1), C.with(2));
      context.sendEvent(D.with("unchecked"));
      return D.with("returned") as never;
    });
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(0));
    return [
      shown(await stream.until(((m: { data: unknown }) => m.data === "returned") as never).toArray()),
      Object.keys(workflow),
    ];
  });

  same("all middleware at once", async (api) => {
    const { A, B } = events(api);
    const { withState } = api.createStatefulMiddleware((id: string) => ({ id }));
    const workflow = withState(
      api.withValidation(api.withTraceEvents(api.createWorkflow()), [[[A], [B]]]) as never,
    ) as never as {
      strictHandle: (accept: unknown[], handler: (...args: any[]) => void) => void;
      createContext: (id: string) => ReturnType<ReturnType<Api["createWorkflow"]>["createContext"]>;
    };
    workflow.strictHandle([A], (sendEvent, { state }) => sendEvent(B.with(state.id)));
    const { stream, sendEvent } = workflow.createContext("seven");
    sendEvent(A.with(0));
    return [shown(await stream.until(B as never).toArray()), Object.keys(workflow)];
  });
});
