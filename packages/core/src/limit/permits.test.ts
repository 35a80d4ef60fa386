import { describe, expect, it } from "vitest";
import { Permits } from "./permits.js";

describe("Permits", () => {
  it("gives as many as there are", () => {
    const permits = new Permits(2);

    expect([permits.take(), permits.take(), permits.take()]).toEqual([true, true, false]);
  });

  it("has no end without a limit", () => {
    const permits = new Permits(null);

    expect(Array.from({ length: 1000 }, () => permits.take())).not.toContain(false);
  });

  it("hands a permit to the one who has waited longest, past nobody", () => {
    const permits = new Permits(1);
    const log: string[] = [];
    permits.take();
    permits.wait(() => log.push("first"));
    permits.wait(() => log.push("second"));

    permits.give();

    expect(log).toEqual(["first"]);
    expect(permits.take()).toBe(false);
  });

  it("grants at once what is free", () => {
    const permits = new Permits(1);
    const log: string[] = [];

    permits.wait(() => log.push("granted"));

    expect(log).toEqual(["granted"]);
    expect(permits.take()).toBe(false);
  });

  it("keeps the permit of a wait that was called off", () => {
    const permits = new Permits(1);
    const log: string[] = [];
    permits.take();
    const callOff = permits.wait(() => log.push("granted"));

    callOff();
    permits.give();

    expect(log).toEqual([]);
    expect(permits.take()).toBe(true);
  });
});
