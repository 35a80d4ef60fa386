import { expectTypeOf, it } from "vitest";
import { type Context, type EffectCall, retryPolicy } from "../../src/index.js";

interface State {
  paid: number;
}
declare const ctx: Context<State>;

it("gives what the function gives, or what the callback of `call.finish` gives", () => {
  expectTypeOf(ctx.run("a", () => 1)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(ctx.run("a", async () => "text")).toEqualTypeOf<Promise<string>>();
  expectTypeOf(ctx.run("a", (call) => call.finish(() => 1))).toEqualTypeOf<Promise<number>>();
  expectTypeOf(ctx.run("a", async (call) => call.finish(({ paid }) => [paid]))).toEqualTypeOf<Promise<number[]>>();
  expectTypeOf(ctx.run("a", (call) => (call.attempt > 1 ? call.finish(() => 1) : 2))).toEqualTypeOf<Promise<number>>();
  expectTypeOf(ctx.run("a", (call) => call.finish(() => {}))).toEqualTypeOf<Promise<void>>();
});

it("keeps the type of a generic function", () => {
  const once = <Result>(key: string, work: () => Promise<Result>): Promise<Result> => ctx.run(key, work);
  expectTypeOf(once("a", async () => 1)).toEqualTypeOf<Promise<number>>();
});

it("gives an editable state of the right type", () => {
  ctx.run("a", (call) =>
    call.finish((state) => {
      expectTypeOf(state).toEqualTypeOf<State>();
      state.paid++;
      // @ts-expect-error [2551] Property 'payd' does not exist on type 'State'. Did you mean 'paid'?
      state.payd++;
    }),
  );
});

it("is a call of a plain context, for code that knows nothing of the state", () => {
  const plain: Context = ctx;
  const takes = (call: EffectCall): string => call.idempotencyKey;
  expectTypeOf(plain.run("a", takes)).toEqualTypeOf<Promise<string>>();
});

it("says what is wrong", () => {
  // @ts-expect-error [2322] The callback of `call.finish` is synchronous: await what it needs before.
  ctx.run("a", (call) => call.finish(async () => 1));
  // @ts-expect-error [2561] 'retries' does not exist in type 'EffectOptions'. Did you mean to write 'retry'?
  ctx.run("a", () => 1, { retries: 3 });
  // @ts-expect-error [2322] Type '"5 minutes"' is not assignable to type 'Duration | undefined'.
  ctx.run("a", () => 1, { timeout: "5 minutes" });
  ctx.run("a", () => 1, { retry: retryPolicy(), timeout: "5m", limit: "api", label: "Ask" });
});
