import { describe, expect, it } from "vitest";
import type { Clock } from "../engine/ports.js";
import { Limiter, type Release } from "./limiter.js";

class ManualClock implements Clock {
  timers: { readonly atMs: number; readonly wake: () => void }[] = [];
  #nowMs = 1_000_000;

  now(): number {
    return this.#nowMs;
  }

  setTimer(atMs: number, wake: () => void): () => void {
    const timer = { atMs, wake };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.timers.filter((timer) => timer.atMs <= this.#nowMs);
    this.timers = this.timers.filter((timer) => timer.atMs > this.#nowMs);
    for (const timer of due) timer.wake();
  }
}

function now(acquired: Release | Promise<Release>): Release {
  expect(acquired).toBeTypeOf("function");
  return acquired as Release;
}

/** Notes `label` once the place is given. */
function request(limiter: Limiter, label: string, log: string[]): Promise<Release> {
  return Promise.resolve(limiter.acquire()).then((release) => {
    log.push(label);
    return release;
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Limiter", () => {
  it("grants a free place at once", () => {
    const limiter = new Limiter("openai", { concurrent: 2 }, new ManualClock());

    now(limiter.acquire());
    now(limiter.acquire());
    expect(limiter.acquire()).toBeInstanceOf(Promise);
  });

  it("serves those who wait in the order they came", async () => {
    const limiter = new Limiter("openai", { concurrent: 1 }, new ManualClock());
    const log: string[] = [];
    const first = now(limiter.acquire());
    const second = request(limiter, "second", log);
    const third = request(limiter, "third", log);

    first();
    await settle();
    expect(log).toEqual(["second"]);

    (await second)();
    await third;
    expect(log).toEqual(["second", "third"]);
  });

  it("takes a place back once, however often it is released", async () => {
    const limiter = new Limiter("openai", { concurrent: 1 }, new ManualClock());
    const log: string[] = [];
    const release = now(limiter.acquire());
    void request(limiter, "second", log);
    void request(limiter, "third", log);

    release();
    release();
    await settle();

    expect(log).toEqual(["second"]);
  });

  it("lets no one pass those who wait", () => {
    const clock = new ManualClock();
    const limiter = new Limiter("openai", { concurrent: 1 }, clock);
    const release = now(limiter.acquire());
    void limiter.acquire();
    release();

    expect(limiter.acquire()).toBeInstanceOf(Promise);
  });

  it("begins at most so many within any 60 seconds", async () => {
    const clock = new ManualClock();
    const limiter = new Limiter("openai", { perMinute: 2 }, clock);
    const log: string[] = [];
    now(limiter.acquire())();
    clock.advance(40_000);
    now(limiter.acquire())();
    void request(limiter, "third", log);
    void request(limiter, "fourth", log);

    clock.advance(19_999);
    await settle();
    expect(log).toEqual([]);
    clock.advance(1);
    await settle();
    expect(log).toEqual(["third"]);
    clock.advance(40_000);
    await settle();
    expect(log).toEqual(["third", "fourth"]);
  });

  it("keeps both limits", async () => {
    const clock = new ManualClock();
    const limiter = new Limiter("openai", { perMinute: 1, concurrent: 1 }, clock);
    const log: string[] = [];
    const release = now(limiter.acquire());
    void request(limiter, "second", log);

    clock.advance(60_000);
    await settle();
    expect(log).toEqual([]);
    release();
    await settle();
    expect(log).toEqual(["second"]);
  });

  it("rejects a wait that is aborted, and forgets it", async () => {
    const clock = new ManualClock();
    const limiter = new Limiter("openai", { perMinute: 1 }, clock);
    const abort = new AbortController();
    now(limiter.acquire());
    const second = limiter.acquire(abort.signal);

    abort.abort("cancelled");

    await expect(second).rejects.toBe("cancelled");
    expect(clock.timers).toEqual([]);
    await expect(limiter.acquire(abort.signal)).rejects.toBe("cancelled");
  });

  it("passes the place of an aborted wait to the next", async () => {
    const limiter = new Limiter("openai", { concurrent: 1 }, new ManualClock());
    const abort = new AbortController();
    const release = now(limiter.acquire());
    const second = limiter.acquire(abort.signal);
    const third = limiter.acquire();

    abort.abort("cancelled");
    release();

    await expect(second).rejects.toBe("cancelled");
    await expect(third).resolves.toBeTypeOf("function");
  });

  it("names the limit that is not a positive integer", () => {
    expect(() => new Limiter("openai", { concurrent: 0 }, new ManualClock())).toThrow(/limits\.openai\.concurrent/);
    expect(() => new Limiter("openai", { perMinute: 1.5 }, new ManualClock())).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });

  it("calls back with as many places as there are, the one who has waited longest first", () => {
    const limiter = new Limiter("runs", { concurrent: 2 }, new ManualClock());
    const log: string[] = [];
    const releases: Release[] = [];
    for (const name of ["first", "second", "third", "fourth"])
      limiter.wait((release) => {
        log.push(name);
        releases.push(release);
      });
    expect(log).toEqual(["first", "second"]);

    releases[1]?.();

    expect(log).toEqual(["first", "second", "third"]);
    expect(limiter.acquire()).toBeInstanceOf(Promise);
  });

  it("keeps the place of a wait that was called off", () => {
    const limiter = new Limiter("runs", { concurrent: 1 }, new ManualClock());
    const log: string[] = [];
    const release = now(limiter.acquire());
    const callOff = limiter.wait(() => log.push("granted"));

    callOff();
    release();

    expect(log).toEqual([]);
    now(limiter.acquire());
  });
});
