import { expect, it, onTestFinished, vi } from "vitest";
import { Allowance } from "./allowance.js";
import type { Caller } from "./caller.js";

const client = (number: number): Caller => [{ of: "client", key: `client ${number}` }];

it("counts a hundred thousand clients within a minute in less than two seconds", () => {
  const allowance = new Allowance({ perTenant: 10, perClient: 10 });
  const startedMs = performance.now();

  for (let number = 0; number < 100_000; number++) allowance.spend(client(number));

  expect(performance.now() - startedMs).toBeLessThan(2_000);
});

it("forgets clients of an earlier minute, and none of this one", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const allowance = new Allowance({ perTenant: 1, perClient: 1 });
  for (let number = 0; number < 20_000; number++) allowance.spend(client(number));
  vi.advanceTimersByTime(61_000);
  for (let number = 20_000; number < 40_000; number++) allowance.spend(client(number));

  expect(allowance.size).toBeLessThanOrEqual(20_000);
  expect(() => allowance.spend(client(39_999))).toThrow(
    expect.objectContaining({ message: expect.stringContaining("1 runs") }),
  );
});
