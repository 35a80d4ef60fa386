import { describe, expect, it } from "vitest";
import { ClientError, createClient } from "../src/index.js";

const client = createClient({ baseUrl: "http://127.0.0.1:9", retry: false });

/** What is wrong, of whatever a call throws or rejects with. */
async function problemsOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    if (error instanceof ClientError && error.code === "OPTION_INVALID") return error.details["problems"];
    return error;
  }
  return "nothing";
}

describe("options of the client", () => {
  it("are refused all at once, with the nearest name", async () => {
    const options = {
      baseURL: "http://x",
      baseUrl: "http://[",
      fetch: "node-fetch",
      headers: "Bearer 1",
      timeoutMs: 0,
      streamTimeoutMs: "60s",
      retry: { maxAttempts: 0, maxAtempts: 3, delayMs: -1 },
      events: { Joke: { type: "Joke" } },
    };

    expect(await problemsOf(() => createClient(options as never))).toEqual([
      "`baseURL` is not an option (did you mean `baseUrl`?)",
      '`baseUrl` is "http://[", which is not a URL',
      '`fetch` is "node-fetch", not a function',
      '`headers` is "Bearer 1", not headers',
      "`retry.maxAtempts` is not an option (did you mean `maxAttempts`?)",
      "`retry.maxAttempts` is 0, not a number from 1",
      "`retry.delayMs` is -1, not a number from 0",
      "`timeoutMs` is 0, not a number from 1",
      '`streamTimeoutMs` is "60s", not a number from 1',
      '`events` has "Joke", which is not an event class',
    ]);
  });

  it("may be missing altogether", async () => {
    expect(await problemsOf(() => createClient(undefined as never))).toEqual(["they are not an object"]);
    expect(await problemsOf(() => createClient({} as never))).toEqual(["`baseUrl` is missing"]);
  });

  it.each([
    ["localhost:8080", 'is "localhost:8080", which does not begin with `http://` or `https://`'],
    ["http://x/api?tenant=1", 'is "http://x/api?tenant=1", with something behind its path'],
    [42, "is 42, which is not a URL"],
  ])("name a baseUrl that leads nowhere: %s", async (baseUrl, problem) => {
    expect(await problemsOf(() => createClient({ baseUrl: baseUrl as string }))).toEqual([`\`baseUrl\` ${problem}`]);
  });

  it("may have a URL object for baseUrl, with or without a slash at its end", async () => {
    const asked: string[] = [];
    const fetch = async (url: unknown) => {
      asked.push(String(url));
      return Response.json({ workflows: [] });
    };

    for (const baseUrl of [new URL("http://x"), "http://x/api/", "http://x/api"]) {
      await createClient({ baseUrl, fetch }).workflows();
    }

    expect(asked).toEqual(["http://x/workflows", "http://x/api/workflows", "http://x/api/workflows"]);
  });

  const asksByPath = { "/api": "/api/workflows", "/": "/workflows", "../api/": "../api/workflows" };
  it.for(Object.entries(asksByPath))(
    "may have the path %s for baseUrl without a page: only a request fails",
    async ([baseUrl, url]) => {
      expect(globalThis.location).toBeUndefined();
      const client = createClient({ baseUrl });
      const handle = client.handle("run-1");
      const requests = [
        client.workflows(),
        client.run("joke", {}),
        handle.result(),
        handle.stream()[Symbol.asyncIterator]().next(),
      ];

      const failures = await Promise.allSettled(requests);

      const refused = {
        status: "rejected",
        reason: { code: "OPTION_INVALID", retryable: false, details: { option: "baseUrl" } },
      };
      expect(failures).toMatchObject([refused, refused, refused, refused]);
      expect(failures[0]).toMatchObject({ reason: { method: "GET", url, hint: expect.stringContaining("whole URL") } });
    },
  );

  it("may have a path for baseUrl without a page where `fetch` knows the host", async () => {
    const asked: string[] = [];
    const fetch = async (url: unknown) => {
      asked.push(String(url));
      return Response.json({ workflows: [] });
    };

    await createClient({ baseUrl: "/api", fetch }).workflows();

    expect(asked).toEqual(["/api/workflows"]);
  });

  it("take `undefined` for left out", () => {
    const options = { baseUrl: "http://x", fetch: undefined, timeoutMs: undefined };

    expect(() => createClient(options as never)).not.toThrow();
  });
});

describe("options of a call", () => {
  const bad = { sginal: 1, key: "clé" } as never;
  const both = [
    "`sginal` is not an option (did you mean `signal`?)",
    '`key` is "clé", not a text of 1 to 200 ASCII characters, with no space around it',
  ];

  it.each([
    ["run", () => client.run("joke", {}, bad)],
    ["resume", () => client.resume("h", bad)],
    ["retry", () => client.retry("h", bad)],
    ["answer", () => client.handle("h").answer("p", {}, bad)],
    ["sendEvent", () => client.handle("h").sendEvent({ type: "Ping" }, bad)],
    ["cancel", () => client.handle("h").cancel(bad)],
  ])("are refused by %s, all at once", async (_, call) => {
    expect(await problemsOf(call)).toEqual(both);
  });

  it.each([
    ["handle", () => client.handle("h", bad)],
    ["stream", () => client.handle("h").stream(bad)],
    ["idle", () => client.handle("h").idle(bad)],
    ["result", () => client.handle("h").result(bad)],
    ["summary", () => client.handle("h").summary(bad)],
    ["prompts", () => client.handle("h").prompts(bad)],
    ["runs", () => client.runs(bad)],
    ["eachRun", () => client.eachRun(bad)],
    ["watchRuns", () => client.watchRuns(bad)],
    ["counts", () => client.counts(bad)],
    ["sessions", () => client.sessions(bad)],
    ["session", () => client.session("s", bad)],
    ["config", () => client.config(bad)],
    ["workflowDetails", () => client.workflowDetails(bad)],
    ["eventUses", () => client.eventUses("joke", bad)],
    ["history", () => client.history("h", bad)],
    ["snapshot", () => client.snapshot("h", bad)],
    ["delete", () => client.delete("h", bad)],
    ["workflows", () => client.workflows(bad)],
    ["schema", () => client.schema("joke", bad)],
    ["events", () => client.events("joke", bad)],
    ["representation", () => client.representation("joke", bad)],
    ["stepSource", () => client.stepSource("joke", "tell", bad)],
    ["health", () => client.health(bad)],
  ])("are refused by %s, which knows no key", async (_, call) => {
    expect(await problemsOf(call)).toEqual([both[0], "`key` is not an option"]);
  });

  it("say what they may be", async () => {
    const run = { handlerId: 5, labels: ["vip"], signal: new AbortController(), priority: "high" } as never;
    const filter = { status: ["running", 2], waiting: "yes", limit: "10", createdAfter: "today", search: null };
    const fork = { state: { at: new Date(0) } } as never;

    expect(await problemsOf(() => client.run("joke", {}, run))).toEqual([
      "`signal` is an object, not an AbortSignal; pass its `signal`",
      '`priority` is "high", not a number',
      "`handlerId` is 5, not a text",
      "`labels` is a list, not an object",
    ]);
    expect(await problemsOf(() => client.runs(filter as never))).toEqual([
      "`status` is a list, not a text, or a list of texts",
      '`waiting` is "yes", not true or false',
      "`search` is null, not a text",
      '`createdAfter` is "today", not a Date, or milliseconds since 1970',
      '`limit` is "10", not a number',
    ]);
    expect(await problemsOf(() => client.fork("h", fork))).toEqual([
      "`at` is null, not a number",
      expect.stringMatching(/^`state` contains a value that JSON cannot hold/),
    ]);
    expect(await problemsOf(() => client.handle("h").stream({ after: "1" as never }))).toEqual([
      '`after` is "1", not a number',
    ]);
    expect(await problemsOf(() => client.history("h", { types: "step.failed" as never }))).toEqual([
      '`types` is "step.failed", not a list',
    ]);
  });

  it("hold names and ids that can be part of a path", async () => {
    const refused = expect.objectContaining({ code: "OPTION_INVALID" });

    for (const call of [client.run, client.handle, client.resume, client.history] as ((name: string) => unknown)[]) {
      expect(() => call("..")).toThrow(refused);
      expect(() => call(undefined as never)).toThrow(refused);
    }
    await expect(client.schema("")).rejects.toEqual(refused);
    await expect(client.handle("h").answer("", {})).rejects.toEqual(refused);
  });
});

describe("what is to be sent", () => {
  class Money {
    amount = 1;
  }
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;

  it.each([
    ["a function", { on: () => {} }, "on is a function"],
    ["an instance", { prices: [new Map([["a", new Money()]])] }, "prices.0.0.1 is an instance of Money"],
    ["a promise", { text: Promise.resolve("") }, "text is an instance of Promise"],
    ["itself", cyclic, "self.self is a value that contains itself"],
  ])("is refused with %s in it, by its path, and never leaves", async (_, input, problem) => {
    const run = client.run("joke", input);

    await expect(run).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: `The value cannot be sent: ${problem}.`,
    });
    await expect(client.handle("h").answer("p", input)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  it.each([["a text"], [null], [[1]], [true], [class Letter {}]])(
    "is refused when it has no fields: %s",
    async (what) => {
      const run = client.handle("h");
      const refused = { code: "OPTION_INVALID", message: expect.stringMatching(/^Fields must be an object/) };

      await expect(client.run("joke", what as never)).rejects.toMatchObject(refused);
      await expect(run.answer("p", what as never)).rejects.toMatchObject(refused);
      await expect(run.sendEvent(what as never)).rejects.toMatchObject(refused);
      await expect(run.answer({ promptId: "p" } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );
});

it("headers that no request can have are named, and not tried again", async () => {
  let tries = 0;
  const wrong = createClient({
    baseUrl: "http://127.0.0.1:9",
    headers: () => {
      tries += 1;
      return { authorization: "Bearer 1\n2" };
    },
  });

  await expect(wrong.workflows()).rejects.toMatchObject({ code: "OPTION_INVALID" });
  expect(tries).toBe(1);
});

it("headers may be `Headers` or pairs, and do not replace those of the client", async () => {
  const seen: Headers[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    seen.push(new Headers(init?.headers));
    return Response.json({ workflows: [] });
  };

  const given = [
    new Headers({ "X-Who": "ada", accept: "text/html" }),
    [["x-who", "ada"]],
    { "x-who": undefined },
    () => null,
  ];
  for (const headers of given) {
    await createClient({ baseUrl: "http://x", fetch, headers: headers as Headers }).workflows();
  }

  expect(seen.map((headers) => [headers.get("x-who"), headers.get("accept")])).toEqual([
    ["ada", "application/json"],
    ["ada", "application/json"],
    [null, "application/json"],
    [null, "application/json"],
  ]);
});
