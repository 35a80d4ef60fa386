import { afterEach, describe, expect, it, vi } from "vitest";
import type { Clock } from "../engine/ports.js";

const DAY = 86_400_000;

/** With timers of the test: the clock takes those of the host when it is loaded. */
async function faked(): Promise<Clock> {
  vi.resetModules();
  vi.useFakeTimers();
  return (await import("./system.js")).systemClock;
}

// What was loaded with those timers must not be what the next file finds.
afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
});

describe("a timer of the system clock", () => {
  it("may be further ahead than the host lets timers be", async () => {
    const clock = await faked();
    const wake = vi.fn();
    clock.setTimer(clock.now() + 60 * DAY, wake);
    vi.advanceTimersByTime(60 * DAY - 1);
    const before = wake.mock.calls.length;
    vi.advanceTimersByTime(1);

    expect([before, wake.mock.calls.length]).toEqual([0, 1]);
  });

  it("is no longer where the clock is set back, however far ahead it is", async () => {
    const clock = await faked();
    const wake = vi.fn();
    clock.setTimer(clock.now() + 60 * DAY, wake);
    vi.setSystemTime(Date.now() - DAY / 4);
    vi.advanceTimersByTime(60 * DAY);

    expect(wake).toHaveBeenCalledOnce();
  });

  it("is shorter where the clock is set forward before its last part", async () => {
    const clock = await faked();
    const wake = vi.fn();
    clock.setTimer(clock.now() + 60 * DAY, wake);
    vi.setSystemTime(Date.now() + 5 * DAY);
    vi.advanceTimersByTime(55 * DAY);

    expect(wake).toHaveBeenCalledOnce();
  });
});
