import { describe, expect, it } from "vitest";
import type { WorkflowEvent } from "../src/index.js";
import { type Api, here, there } from "./support/packages.js";
import { differs, events, same, shown, tick } from "./support/same.js";

type Names = "A" | "B" | "C" | "AorB" | "AorC";

/** The calls that these handlers get for these events, each with its position as data. */
function callsFor(api: Api, accepts: readonly Names[][], sends: readonly ("A" | "B" | "C")[]): string {
  const { A, B, C } = events(api);
  const known: Record<Names, WorkflowEvent<any>> = { A, B, C, AorB: api.or(A, B), AorC: api.or(A, C) };
  const workflow = api.createWorkflow();
  const calls: string[] = [];
  for (const [index, accept] of accepts.entries())
    workflow.handle(
      accept.map((name) => known[name]),
      (_context, ...messages) => void calls.push(`${index}(${shown(messages)})`),
    );
  const { sendEvent } = workflow.createContext();
  for (const [index, name] of sends.entries()) sendEvent(known[name].with(index));
  return calls.join(" ");
}

describe("which handlers are called", () => {
  const cases: [string, Names[][], ("A" | "B" | "C")[]][] = [
    ["all of one event", [["A"], ["A"]], ["A"]],
    ["a set, in the order of the handler", [["A", "B"]], ["B", "A"]],
    ["sets in the order of arrival", [["A", "B"]], ["A", "A", "B", "B"]],
    ["a set of equal events", [["A", "A"]], ["A", "A", "A", "A"]],
    ["a set with repeated events", [["A", "B", "A"]], ["A", "A", "B"]],
    ["an event that another handler has taken is missing in the set", [["A", "B"], ["A"]], ["A", "B"]],
    ["one event completes a set and has a handler", [["A", "B"], ["B"]], ["A", "B", "B"]],
    [
      "two sets share an event",
      [
        ["A", "B"],
        ["A", "C"],
      ],
      ["A", "B", "C"],
    ],
    ["any of two", [["AorB"]], ["A", "B", "C"]],
    ["any of two, in a set", [["AorB", "C"]], ["A", "B", "C", "C"]],
    ["two of any", [["AorB", "AorC"]], ["A", "A", "C", "B"]],
  ];
  for (const [name, accepts, sends] of cases) same(name, (api) => callsFor(api, accepts, sends));

  it("the same as in the original, for 500 random workflows", () => {
    let seed = 7;
    let compared = 0;
    const pick = <Item>(list: readonly Item[]): Item => {
      seed = (seed * 48_271) % 2_147_483_647;
      return list[seed % list.length] as Item;
    };
    const listOf = <Item>(length: number, make: () => Item): Item[] => Array.from({ length }, make);
    for (let round = 0; round < 500; round++) {
      const accepts = listOf(pick([1, 2, 3, 4]), () =>
        listOf(pick([1, 1, 2, 3]), () => pick<Names>(["A", "B", "C", "AorB", "AorC"])),
      );
      const sends = listOf(pick([3, 6, 9]), () => pick(["A", "B", "C"] as const));
      const input = JSON.stringify({ accepts, sends });
      const expected = callsFor(there, accepts, sends);
      const taken = expected.match(/\w:\d/g) ?? [];
      if (new Set(taken).size < taken.length) continue; // the next test is about these
      compared++;
      expect(`${input}: ${callsFor(here, accepts, sends)}`).toBe(`${input}: ${expected}`);
    }
    expect(compared).toBeGreaterThan(200);
  });

  differs(
    "after a message that two handlers take",
    (api) => callsFor(api, [["A", "B"], ["B"], ["C", "C"]], ["A", "C", "B", "C"]),
    { there: { value: "0(A:0,B:2) 1(B:2)" }, here: { value: "0(A:0,B:2) 1(B:2) 2(C:1,C:3)" } },
  );

  same("a handler that is added during a run counts, also for earlier events", (api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    const calls: string[] = [];
    const { sendEvent } = workflow.createContext();
    sendEvent(A.with(1));
    workflow.handle([A, B], (_context, ...messages) => void calls.push(...shown(messages)));
    sendEvent(B.with(2));
    return calls;
  });

  same("one message, sent twice", async (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    let calls = 0;
    workflow.handle([A], () => void calls++);
    const { sendEvent, stream } = workflow.createContext();
    const message = A.with(1);
    sendEvent(message, message);
    return [calls, shown(await stream.take(2).toArray())];
  });
});

describe("the order of things", () => {
  same("sendEvent returns after the handlers that it reaches", (api) => {
    const { A, B, C } = events(api);
    const workflow = api.createWorkflow();
    const order: string[] = [];
    workflow.handle([A], ({ sendEvent }) => {
      order.push("A begins");
      sendEvent(B.with(1));
      order.push("A ends");
      return C.with(1);
    });
    workflow.handle([B], () => void order.push("B"));
    workflow.handle([C], () => void order.push("C"));
    workflow.createContext().sendEvent(A.with(1));
    return order;
  });

  same("what a handler returns follows what it has sent", async (api) => {
    const { A, B, C } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], ({ sendEvent }) => {
      sendEvent(B.with(1));
      return C.with("of A");
    });
    workflow.handle([B], () => C.with("of B"));
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(0));
    return shown(await stream.take(4).toArray());
  });

  same("async handlers, a loop, and two that answer one event", async (api) => {
    const { A, B, C, D } = events(api);
    const end = api.workflowEvent<string>({ debugLabel: "end" });
    const workflow = api.createWorkflow();
    workflow.handle([A], async (_context, { data }) => (data > 0 ? A.with(data - 1) : B.with("end")));
    workflow.handle([B], async () => C.with("first"));
    workflow.handle([B], async () => D.with("second"));
    workflow.handle([D, C], async (_context, d, c) => end.with(`${d.data} ${c.data}`));
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(3));
    return shown(await stream.until(end as never).toArray());
  });

  same("a thenable is awaited, and a listener comes before the handlers", async (api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    const order: string[] = [];
    workflow.handle([A], () => {
      order.push("handler");
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what this case is about
      return { then: (resolve: (value: unknown) => void) => resolve(B.with(1)) } as never;
    });
    const { stream, sendEvent } = workflow.createContext();
    const stop = stream.on(A, () => void order.push("listener"));
    sendEvent(A.with(1));
    stop();
    sendEvent(A.with(2));
    return [order, shown(await stream.take(4).toArray()).sort()];
  });

  same("a sent value that is no message is in the stream, and a handler may return one", async (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], () => ({ data: "plain" }) as never);
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(1));
    return (await stream.take(2).toArray()).map(({ data }) => data as unknown);
  });
});

describe("errors", () => {
  same("of a synchronous handler: the signal of the run", (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], () => {
      throw new Error("broken");
    });
    const { signal, sendEvent } = workflow.createContext();
    let called = 0;
    signal.onabort = () => void called++;
    sendEvent(A.with(1));
    sendEvent(A.with(2));
    return [called, signal.aborted, (signal.reason as Error).message];
  });

  same("only the signal of the handler, if it has used it", (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    const aborted: string[] = [];
    workflow.handle([A], ({ signal }) => {
      signal.addEventListener("abort", () => aborted.push("handler"));
      throw new Error("broken");
    });
    const { signal, sendEvent } = workflow.createContext();
    signal.addEventListener("abort", () => aborted.push("run"));
    sendEvent(A.with(1));
    return [aborted, signal.aborted];
  });

  same("of a handler inside of another, whose signal stays as it is", (api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    const aborted: string[] = [];
    workflow.handle([A], ({ signal, sendEvent }) => {
      signal.onabort = () => void aborted.push("outer");
      sendEvent(B.with(1));
      aborted.push("outer continues");
    });
    workflow.handle([B], () => {
      throw new Error("broken");
    });
    const { signal, sendEvent } = workflow.createContext();
    signal.onabort = () => void aborted.push("run");
    sendEvent(A.with(1));
    return aborted;
  });

  same("of a listener: sendEvent throws it", (api) => {
    const { A } = events(api);
    const { stream, sendEvent } = api.createWorkflow().createContext();
    stream.on(A, () => {
      throw new Error("of the listener");
    });
    sendEvent(A.with(1));
  });

  same("of an async handler: an unhandled rejection, and no signal", async (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    const errors: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error) => errors.push((error as Error).message));
    workflow.handle([A], async () => {
      await tick();
      throw new Error("broken");
    });
    const { signal, sendEvent } = workflow.createContext();
    sendEvent(A.with(1));
    await tick();
    await tick();
    await tick();
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
    return [errors, signal.aborted];
  });
});

describe("contexts", () => {
  same("that of a handler inherits from that of the run, and getContext returns it", (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    const found: unknown[] = [];
    const root = workflow.createContext();
    workflow.handle([A], (context) => {
      found.push(Object.getPrototypeOf(context) === root, context.stream === root.stream, api.getContext() === context);
    });
    root.sendEvent(A.with(1));
    const { stream, signal } = root;
    return [found, root.stream === stream, root.signal === signal];
  });

  same("there is none outside", (api) => api.getContext());

  same("getContext after an await", async (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    const found: boolean[] = [];
    workflow.handle([A], async (context) => {
      await tick();
      found.push(api.getContext() === context);
    });
    workflow.createContext().sendEvent(A.with(1));
    await tick();
    await tick();
    return found;
  });

  same("the stream of a handler has what came of it, and what it has returned", async (api) => {
    const { A, B, C } = events(api);
    const workflow = api.createWorkflow();
    const streams: AsyncIterable<unknown>[] = [];
    workflow.handle([A], (context, { data }) => {
      streams.push(context.stream);
      context.sendEvent(B.with(data));
      return B.with(`${data} returned`);
    });
    workflow.handle([B], (_context, { data }) => C.with(data));
    const { sendEvent } = workflow.createContext();
    sendEvent(A.with(1));
    sendEvent(A.with(2));
    const [first] = streams as [ReturnType<typeof workflow.createContext>["stream"]];
    return shown(await first.take(4).toArray());
  });

  same("a handler fans out and gathers by its stream", async (api) => {
    const { A, B, C, D } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], async ({ sendEvent, stream }) => {
      for (let part = 0; part < 10; part++) sendEvent(B.with(part));
      const results = await stream.filter(C).take(10).toArray();
      return D.with(results.map(({ data }) => data as number).join());
    });
    workflow.handle([B], async (_context, { data }) => C.with(data * 2));
    const { stream, sendEvent } = workflow.createContext();
    sendEvent(A.with(0));
    return shown([await stream.untilEvent(D)]);
  });

  same("a property of the run, and one that each handler gets its own way", (api) => {
    const { A } = events(api);
    const workflow = api.createWorkflow();
    const found: unknown[] = [];
    workflow.handle([A], (context) => void found.push((context as never)["plain"], (context as never)["changed"]));
    const context = workflow.createContext();
    api.extendContext(context, { plain: 1, changed: "value" });
    api.extendContext(
      context,
      {},
      {
        changed: (_own, descriptor) => ({ ...descriptor, value: `own ${descriptor.value}` }),
        missing: () => ({ value: "never" }),
      },
    );
    context.sendEvent(A.with(1));
    return [found, (context as never)["changed"], (context as never)["missing"]];
  });

  same("AsyncContext.Variable", async (api) => {
    const variable = new api.AsyncContext.Variable<number>();
    const inside = await variable.run(1, async () => {
      const outer = variable.get();
      await tick();
      return [outer, variable.run(2, () => variable.get()), variable.get()];
    });
    return [variable.get(), inside];
  });
});
