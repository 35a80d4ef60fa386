import { expect, it, vi } from "vitest";
import { type Api, here, there } from "./packages.js";

/** Rejects after all that can happen in this process without a timer has happened. */
const turns = async (): Promise<never> => {
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  throw new Error("nothing more happens");
};

/** What a case comes to: its value or its error, and what it has printed. */
async function outcomeOf(run: (api: Api) => unknown, api: Api): Promise<unknown> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const settle = async () => await run(api);
  try {
    return { value: await Promise.race([settle(), turns()]), printed: [...warn.mock.calls] };
  } catch (error) {
    return { error: (error as Error).message, printed: [...warn.mock.calls] };
  } finally {
    warn.mockRestore();
  }
}

/** A case that both packages answer alike. */
export function same(name: string, run: (api: Api) => unknown): void {
  it(name, async () => {
    const expected = await outcomeOf(run, there);

    expect(await outcomeOf(run, here)).toEqual(expected);
  });
}

/** A case that differs on purpose: the table of the README names it. */
export function differs(name: string, run: (api: Api) => unknown, outcomes: { there: unknown; here: unknown }): void {
  it(name, async () => {
    expect(await outcomeOf(run, there)).toMatchObject(outcomes.there as object);
    expect(await outcomeOf(run, here)).toMatchObject(outcomes.here as object);
  });
}

/** `A:1`, for each message. */
export const shown = (messages: Iterable<unknown>): string[] =>
  [...messages].map((message) => `${message}:${(message as { data: unknown }).data}`);

/** Four events of one package. */
export function events(api: Api) {
  const named = (debugLabel: string) => api.workflowEvent<any>({ debugLabel });
  return { A: named("A"), B: named("B"), C: named("C"), D: named("D") };
}

export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
