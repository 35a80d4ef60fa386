/** Workflows as providers, the runtime by injection, and how both begin and end. */
import { Controller, Get, Global, Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { HealthCheckService, TerminusModule } from "@nestjs/terminus";
import { Test } from "@nestjs/testing";
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as surface from "../src/index.js";
import { MillraceHealth, MillraceModule, type MillraceOptions, RUNTIME } from "../src/index.js";
import { openShop } from "./support/http.js";
import { greet, inject, Mailer, MailModule, mailer, Refund } from "./support/shop.js";

const shop = { imports: [MailModule], workflows: { refund: Refund, greet } };

type Shop = Runtime<{ refund: Refund; greet: typeof greet }>;

async function opened(...imports: Parameters<typeof Test.createTestingModule>[0]["imports"] & {}) {
  const module = await Test.createTestingModule({ imports }).compile();
  onTestFinished(() => module.close());
  await module.init();
  return {
    module,
    runtime: module.get<Shop>(RUNTIME, { strict: false }),
    mailer: module.get(Mailer, { strict: false }),
  };
}

describe("workflows", () => {
  it("get their services by the constructor, or as resources of steps", async () => {
    const { runtime, mailer } = await opened(MillraceModule.forRoot(shop));

    const run = runtime.run("refund", { order: "A-17" });
    const asked = await run.idle();
    if (asked.status !== "waiting") expect.fail(asked.status);
    await run.answer(asked.prompts[0]!.promptId, { approved: false });

    expect(await run).toBe(false);
    expect(await runtime.run("greet", { name: "Ada" })).toBe("Hello, Ada!");
    expect(mailer.log).toEqual(["ready", "kept A-17", "greeted Ada"]);
  });

  it("meet other services in tests, by Nest or by the runtime", async () => {
    const sent: string[] = [];
    const fake = { send: (text: string) => sent.push(text) };
    const module = await Test.createTestingModule({ imports: [MillraceModule.forRoot(shop)] })
      .overrideProvider(Mailer)
      .useValue(fake)
      .compile();
    onTestFinished(() => module.close());
    await module.init();
    await module.get<Shop>(RUNTIME).run("greet", { name: "Ada" });

    const other = await opened(MillraceModule.forRoot({ ...shop, resources: [mailer.override(fake as never)] }));
    await other.runtime.run("greet", { name: "Bob" });

    expect(sent).toEqual(["greeted Ada", "greeted Bob"]);
    expect(other.mailer.log).toEqual(["ready"]);
  });

  it("may be providers of other modules", async () => {
    @Module({ imports: [MailModule], providers: [Refund], exports: [Refund] })
    class RefundModule {}
    const workflows = { refund: { useExisting: Refund }, greet };
    const { module, runtime } = await opened(MillraceModule.forRoot({ imports: [RefundModule], workflows }));

    expect(runtime.workflows.refund).toBe(module.get(Refund, { strict: false }));
    expect(Object.keys(runtime.workflows)).toEqual(["refund", "greet"]);
  });

  it("say what is missing outside of Nest", async () => {
    await expect(async () => greet.run({ name: "Ada" })).rejects.toMatchObject({
      code: "RESOURCE_FAILED",
      cause: { code: "RUNTIME_REQUIRED" },
    });
  });
});

describe("the module", () => {
  it("takes settings from a factory with providers", async () => {
    class Config {
      readonly file = memoryStore();
    }
    @Module({ providers: [Config], exports: [Config] })
    class ConfigModule {}
    const module = MillraceModule.forRootAsync({
      imports: [MailModule, ConfigModule],
      workflows: shop.workflows,
      inject: [Config],
      useFactory: async (config: Config) => ({
        store: config.file,
        schedules: { daily: { workflow: "greet", cron: "@daily", input: { name: "Ada" } } },
        queues: { slow: { concurrency: 1 } },
      }),
    });
    const { runtime } = await opened(module);

    expect(await runtime.run("greet", { name: "Bob" }, { queue: "slow" })).toBe("Hello, Bob!");
    expect((await runtime.schedules.list()).schedules).toMatchObject([{ name: "daily", workflow: "greet" }]);
  });

  it("injects the runtime into any provider, and opens the store when the application is made", async () => {
    class Greetings {
      readonly #runtime: Shop;

      constructor(runtime: Shop) {
        this.#runtime = runtime;
      }

      async greet(): Promise<string> {
        return this.#runtime.run("greet", { name: "Ada" });
      }
    }
    inject(Greetings, RUNTIME);
    Controller("greetings")(Greetings);
    Get()(Greetings.prototype, "greet", Object.getOwnPropertyDescriptor(Greetings.prototype, "greet")!);
    let isOpen = false;
    const store = () => {
      isOpen = true;
      return memoryStore();
    };
    MillraceModule.forRoot({ ...shop, store });
    expect(isOpen).toBe(false);
    const { url } = await openShop({ store }, { controllers: [Greetings as Type] });

    expect(isOpen).toBe(true);
    expect(await (await fetch(`${url}/greetings`)).text()).toBe("Hello, Ada!");
  });

  it("works without HTTP", async () => {
    const app = await NestFactory.createApplicationContext(MillraceModule.forRoot({ ...shop, path: "flows" }), {
      logger: false,
    });
    onTestFinished(() => app.close());

    expect(await app.get<Shop>(RUNTIME).run("greet", { name: "Ada" })).toBe("Hello, Ada!");
  });

  it("lets steps finish before their services are gone", async () => {
    let begin = () => {};
    let finish = () => {};
    const started = new Promise<void>((resolve) => (begin = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = defineWorkflow("slow")
      .step("work", { on: StartEvent, emits: StopEvent, resources: { mailer } }, async (_ev, _ctx, { mailer }) => {
        begin();
        await finished;
        mailer.send("worked");
        return new StopEvent();
      })
      .build();
    const module = await Test.createTestingModule({
      imports: [MillraceModule.forRoot({ imports: [MailModule], workflows: { slow } })],
    }).compile();
    await module.init();
    const { log } = module.get(Mailer, { strict: false });
    const run = module.get<Runtime>(RUNTIME).run("slow");
    await started;

    const closed = module.close();
    finish();
    await Promise.all([closed, run]);

    expect(log).toEqual(["ready", "worked", "gone"]);
  });

  it("begins once global services are ready", async () => {
    @Global()
    @Module({ providers: [Mailer], exports: [Mailer] })
    class GlobalMail {}
    const { runtime, mailer } = await opened(GlobalMail, MillraceModule.forRoot({ workflows: shop.workflows }));

    await runtime.run("greet", { name: "Ada" });

    expect(mailer.log).toEqual(["ready", "greeted Ada"]);
  });
});

it("tells Terminus whether the store responds", async () => {
  const { module } = await opened(MillraceModule.forRoot(shop), TerminusModule.forRoot({ logger: false }));
  const terminus = await module.resolve(HealthCheckService, undefined, { strict: false });
  const health = module.get(MillraceHealth, { strict: false });
  expect(await terminus.check([() => health.isHealthy()])).toMatchObject({ details: { millrace: { status: "up" } } });

  await module.close();

  expect(await health.isHealthy("runs")).toEqual({ runs: { status: "down", code: "RUNTIME_STOPPED" } });
  await expect(terminus.check([() => health.isHealthy()])).rejects.toMatchObject({ status: 503 });
});

describe("wrong options", () => {
  it("are refused with every problem, before the application is made", () => {
    const wrong = { workflows: { one: 1 }, imports: 2, path: "a b", guards: 3 } as unknown as MillraceOptions;
    for (const problem of ["workflows", "imports", "path", "guards"])
      expect(() => MillraceModule.forRoot(wrong)).toThrow(problem);
    expect(() => MillraceModule.forRoot({ ...shop, server: {}, guards: [] })).toThrow(/server.*guards|guards.*server/);
    expect(() => MillraceModule.forRoot(undefined as never)).toThrow("workflows");
    expect(() => MillraceModule.forRootAsync(shop as never)).toThrow("useFactory");
  });

  it("of the runtime and of the server end the start", async () => {
    const settings: Partial<MillraceOptions>[] = [
      { leaseMs: 1 },
      { qeues: {} } as never,
      { server: { quota: 1 } as never },
    ];
    for (const wrong of settings) await expect(openShop(wrong)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

it("exports what the documentation names, and nothing else", () => {
  expect(Object.keys(surface).sort()).toEqual([
    ...["InjectRuntime", "MillraceHealth", "MillraceModule", "RUNTIME", "injected", "nestRequestOf"],
  ]);
});
