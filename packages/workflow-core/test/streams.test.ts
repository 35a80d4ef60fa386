import { Hono } from "hono";
import { lastValueFrom, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Api } from "./support/packages.js";
import { here, there } from "./support/packages.js";
import { differs, events, same, shown } from "./support/same.js";

/** A run whose stream has these messages: `A:0`, `B:1`, `A:2`, `C:3`, `D:4`. */
function begun(api: Api) {
  const known = events(api);
  const context = api.createWorkflow().createContext();
  const { stream, sendEvent } = context;
  const sent = [known.A, known.B, known.A, known.C, known.D].map((event, index) => event.with(index));
  sendEvent(...sent);
  return { ...known, stream, sendEvent, sent, context };
}

function closed(api: Api) {
  const { A, B, C } = events(api);
  const stream = new ReadableStream({
    start(controller) {
      for (const message of [A.with(1), B.with(2), C.with(3)]) controller.enqueue(message);
      controller.close();
    },
  });
  return { A, B, C, stream };
}

describe("methods of a stream", () => {
  same("until an event, a message, a function", async (api) => [
    shown(await begun(api).stream.until(begun(api).D).take(5).toArray()),
    ...(await Promise.all(
      [
        ({ C }: ReturnType<typeof begun>) => C,
        ({ sent }: ReturnType<typeof begun>) => sent[2],
        () => (message: { data: number }) => message.data === 1,
      ].map(async (by) => {
        const run = begun(api);
        return shown(await run.stream.until(by(run) as never).toArray());
      }),
    )),
  ]);

  same("filter by an event, a message, a function, any of two", async (api) =>
    Promise.all(
      [
        ({ A }: ReturnType<typeof begun>) => A,
        ({ sent }: ReturnType<typeof begun>) => sent[1],
        () => (message: { data: number }) => message.data > 1,
        ({ A, B }: ReturnType<typeof begun>) => api.or(A, B),
      ].map(async (by) => {
        const run = begun(api);
        return shown(
          await run.stream
            .until(run.D)
            .filter(by(run) as never)
            .toArray(),
        );
      }),
    ),
  );

  same("take, map, forEach, untilEvent", async (api) => {
    const { D } = begun(api);
    const list: unknown[] = [];
    await begun(api)
      .stream.take(2)
      .forEach(({ data }) => void list.push(data));
    return [
      list,
      await begun(api)
        .stream.map(({ data }) => data * 10)
        .take(3)
        .toArray(),
      await begun(api).stream.take(0).toArray(),
      shown([await begun(api).stream.untilEvent(((message: unknown) => String(message) === String(D)) as never)]),
    ];
  });

  same("untilEvent without a match", (api) =>
    begun(api)
      .stream.take(2)
      .untilEvent(events(api).D as never),
  );
  same("an error of map", (api) =>
    begun(api)
      .stream.map(() => JSON.parse("{"))
      .toArray(),
  );
  same("an error of until", (api) =>
    begun(api)
      .stream.until((() => JSON.parse("{")) as never)
      .toArray(),
  );

  same("a reader that has enough closes the stream", async (api) => {
    const { stream, sendEvent, A } = begun(api);
    const first = shown(await stream.take(2).toArray());
    sendEvent(A.with("later"));
    return [first, stream.locked, shown(await stream.take(1).toArray())];
  });

  same("a loop that is left closes the stream", async (api) => {
    const { stream } = begun(api);
    for await (const message of stream) if (message.data === 1) break;
    return [stream.locked, shown(await stream.toArray())];
  });

  same("two readers at once", async (api) => {
    const { stream } = begun(api);
    const first = stream.take(2);
    try {
      return stream.take(2);
    } catch (error) {
      return [(error as Error).name, shown(await first.toArray())];
    }
  });

  same("getReader, releaseLock, cancel", async (api) => {
    const { stream, sendEvent, A } = begun(api);
    const reader = stream.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const second = shown([(await stream.getReader().read()).value]);
    const other = begun(api).stream;
    await other.cancel("enough");
    sendEvent(A.with(9));
    return [shown([value]), second, await other.toArray()];
  });

  same("tee, pipeThrough", async (api) => {
    const { stream, D } = begun(api);
    const [left, right] = stream.tee() as unknown as [typeof stream, typeof stream];
    const piped = begun(api).stream.pipeThrough(new TransformStream()) as unknown as typeof stream;
    return [
      shown(await left.until(D).toArray()),
      shown(await right.until(D).toArray()),
      shown(await piped.take(1).toArray()),
      [left, right, piped].map((one) => one instanceof api.WorkflowStream && one instanceof ReadableStream),
    ];
  });

  same("the stream begins when it is first used", async (api) => {
    const { A } = events(api);
    const context = api.createWorkflow().createContext();
    context.sendEvent(A.with("before"));
    const { stream } = context;
    context.sendEvent(A.with("after"));
    return shown(await stream.take(1).toArray());
  });

  same("listeners: of any of two events, and of a stream that is read", async (api) => {
    const { stream, sendEvent, A, B } = begun(api);
    const heard: unknown[] = [];
    stream.on(api.or(A, B), ({ data }) => void heard.push(data));
    sendEvent(A.with("a"), B.with("b"));
    const other = api.WorkflowStream.fromReadableStream(closed(api).stream);
    const read: unknown[] = [];
    other.on(events(api).A, ({ data }) => void read.push(data));
    return [heard, read, shown(await other.toArray())];
  });

  same("made of nothing", (api) => new api.WorkflowStream(null, null as never));
});

describe("responses", () => {
  const configured = (api: Api) => api.workflowEvent<any>({ uniqueId: "configured", debugLabel: "label" });

  same("a line for each message", async (api) => {
    const event = configured(api);
    const { stream, sendEvent } = api.createWorkflow().createContext();
    sendEvent(event.with({ a: [1] }), event.with(undefined), event.with("text"));
    const response = stream.take(3).toResponse({ status: 201, headers: { "x-own": "1" } }) as Response;
    return [response.status, [...response.headers], await response.text()];
  });

  same("and back, without those of unknown events", async (api) => {
    const event = configured(api);
    const body = '{"uniqueId":"configured","data":1}\n{"uniqueId":"other","data":2}\n{"uniqueId":"configured"}\n';
    return shown(await api.WorkflowStream.fromResponse(new Response(body), { any: event }).toArray());
  });

  same("without a body", (api) => api.WorkflowStream.fromResponse(new Response(null), {}));

  const inTwoParts = async (api: Api) => {
    const bytes = new TextEncoder().encode('{"uniqueId":"configured","data":"é"}\n');
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, -4));
        controller.enqueue(bytes.slice(-4));
        controller.close();
      },
    });
    return shown(await api.WorkflowStream.fromResponse(new Response(body), { any: configured(api) }).toArray());
  };
  differs("a line that arrives in two parts", inTwoParts, {
    there: { error: expect.stringContaining("JSON") },
    here: { value: ["label:é"] },
  });
});

describe("functions of subpaths", () => {
  same("run, runWorkflow, runAndCollect, runStream", async (api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], (_context, { data }) => B.with(data));
    const streamed = [];
    for await (const message of api.runStream(workflow, A.with(3), B)) streamed.push(message);
    return [
      shown(
        await api
          .run(workflow, [A.with(1), A.with(2)])
          .take(4)
          .toArray(),
      ),
      shown([await api.runWorkflow(workflow, A.with(1), B)]),
      shown(await api.runAndCollect(workflow, A.with(2), B)),
      shown(streamed),
    ];
  });

  same("a workflow in a handler of another", async (api) => {
    const { A, B, C } = events(api);
    const outer = api.createWorkflow();
    outer.handle([A], async ({ sendEvent }) => {
      const inner = api.createWorkflow();
      inner.handle([A], (context, { data }) => context.sendEvent(B.with(data)));
      const found = await Promise.all(
        [1, 2].map((data) =>
          api
            .run(inner, A.with(data))
            .filter(B as never)
            .take(1)
            .toArray(),
        ),
      );
      sendEvent(...found.flat());
      sendEvent(C.with(0));
    });
    return shown(
      await api
        .run(outer, A.with(0))
        .until(C as never)
        .toArray(),
    );
  });

  same("find", async (api) => {
    const { stream, B } = closed(api);
    return shown([await api.find(stream, B)]);
  });
  same("find without a match", (api) => api.find(closed(api).stream, events(api).D));

  same("filter, until, collect, nothing", async (api) => {
    const one = closed(api);
    const two = closed(api);
    const three = closed(api);
    return [
      shown(
        await api.collect(
          api.filterStream(one.stream, ((message: unknown) => one.A.include(message)) as never) as never,
        ),
      ),
      shown(await api.collect(api.untilStream(two.stream, two.B))),
      shown(await api.collect(api.untilStream(three.stream, async (message) => three.B.include(message)))),
      await api.nothing(closed(api).stream),
    ];
  });

  same("toObservable", async (api) => {
    const { stream, B } = begun(api);
    return shown(await lastValueFrom(api.toObservable(stream.until(B as never)).pipe(toArray())));
  });

  /** Answers `A` with twice its data, as `B`. */
  const doubling = (api: Api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], async (_context, { data }) => B.with({ twice: data.n * 2 }));
    return { A, B, workflow };
  };

  same("a route of Hono", async (api) => {
    const { A, B, workflow } = doubling(api);
    const app = new Hono()
      .post(
        "/json",
        api.createHonoHandler(workflow, async (c) => A.with(await c.req.json()), B),
      )
      .post(
        "/text",
        api.createHonoHandler(
          workflow,
          async (c) => A.with(await c.req.json()),
          B,
          (c, { twice }) => c.text(`${twice}`),
        ),
      );
    const init = { method: "POST", body: '{"n":4}' };
    const responses = [await app.request("/json", init), await app.request("/text", init)];
    return Promise.all(
      responses.map(async (response) => [response.headers.get("content-type"), await response.text()]),
    );
  });

  same("a route of Next", async (api) => {
    const { A, B, workflow } = doubling(api);
    const { GET } = api.createNextHandler(
      workflow,
      (request) => A.with({ n: Number(new URL(request.url).searchParams.get("n")) }),
      B,
    );
    const response = await GET(new Request("http://localhost/?n=3") as never);
    return [response.status, await response.json()];
  });

  same("a tool of MCP, and what the server knows of the request", async (api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    workflow.handle([A], async (_context, { data }) =>
      B.with({ content: [], data, session: api.getReqHandlerExtra().sessionId }),
    );
    const result = await api.mcpTool(workflow, A, B)({ n: 1 }, { sessionId: "s1" } as never);
    return [
      result,
      (() => {
        try {
          return api.getReqHandlerExtra();
        } catch (error) {
          return (error as Error).name;
        }
      })(),
    ];
  });

  it.each([
    ["there", there],
    ["here", here],
  ])("pRetryHandler, %s", async (_place, api) => {
    const { A, B } = events(api);
    const workflow = api.createWorkflow();
    let attempts = 0;
    const handler = async () => {
      if (++attempts < 2) throw new Error("not yet");
      return B.with(attempts);
    };
    workflow.handle([A], api.pRetryHandler(handler as never, { retries: 2, minTimeout: 0, factor: 1 }));

    expect(shown([await api.run(workflow, A.with(0)).untilEvent(B as never)])).toEqual(["B:2"]);
  });

  same("zodEvent", (api) => {
    const event = api.zodEvent(z.object({ n: z.coerce.number() }), { debugLabel: "checked" });
    return [
      shown([event.with({ n: "5" } as never)]),
      event.with({ n: "5" } as never).data,
      event.schema instanceof z.ZodObject,
    ];
  });
  same("zodEvent refuses", (api) => api.zodEvent(z.object({ n: z.number() })).with({ n: "5" } as never));
});

describe("events", () => {
  same("names and forms", (api) => {
    const { A, B } = events(api);
    const plain = api.workflowEvent<unknown>({ uniqueId: "plain" });
    const any = api.or(A, B);
    const forms = [A, plain, any].map((event) => [
      String(event),
      Object.prototype.toString.call(event),
      JSON.stringify(event.with({ x: 1 })),
      Object.keys(event.with(1)),
    ]);
    const comparable = JSON.parse(JSON.stringify(forms).replace(/\d+/g, "0"));
    return [
      comparable,
      JSON.stringify(A),
      Object.keys(A),
      any._type,
      any.events.length,
      plain.uniqueId,
      typeof api.workflowEvent().uniqueId,
    ];
  });

  same("include, eventSource, isWorkflowEvent, isWorkflowEventData", (api) => {
    const { A, B } = events(api);
    const any = api.or(A, B);
    const twin = [1, 2].map(() => api.workflowEvent<void>({ uniqueId: "twin" }));
    return [
      [
        A.include(A.with(1)),
        A.include(B.with(1)),
        any.include(A.with(1)),
        any.include(any.with(1)),
        A.include(any.with(1)),
      ],
      twin[0]?.include(twin[1]?.with()),
      [A, A.with(1), null, {}, "A"].map((value) => [api.isWorkflowEvent(value), api.isWorkflowEventData(value)]),
      [A.with(1), any.with(1), null, 5].map((value) => String(api.eventSource(value))),
    ];
  });

  same("onInit", (api) => {
    const { A } = events(api);
    const made: unknown[] = [];
    const stop = A.onInit(({ data }) => void made.push(data));
    A.with(1);
    stop();
    A.with(2);
    return made;
  });

  same("a label that is set later", (api) => {
    const event = api.workflowEvent<number>();
    event.debugLabel = "later";
    return [event.debugLabel, ...[event, event.with(1)].map((value) => String(value).replace(/\d+/g, "0"))];
  });

  it("exports the same names", () => {
    expect(Object.keys(here).sort()).toEqual(Object.keys(there).sort());
  });
});
