import { describe, expect, it } from "vitest";
import { createStation, ForecastFlow } from "./retries-and-recovery.js";
import { runExample } from "./test/run-example.js";

describe("retries and recovery", () => {
  it("prints the retries and what became of them", async () => {
    const { output } = await runExample("retries-and-recovery.ts");

    expect(output.split("\n")).toEqual([
      "Oslo: retry 1",
      "Oslo: retry 2",
      "Oslo: 7 °C (measured)",
      "Bergen: retry 1",
      "Bergen: retry 2",
      "Bergen: retry 3",
      "measure gave up after 4 attempts: Bergen is not reachable.",
      "Bergen: 10 °C (guessed)",
      "measure gave up after 1 attempt: There is no Atlantis.",
      "Atlantis: 10 °C (guessed)",
      "",
    ]);
  });

  it("calls the station as often as the policy says, and once where the error is final", async () => {
    const station = createStation();

    await new ForecastFlow(station).run({ city: "Bergen" });
    await new ForecastFlow(station).run({ city: "Atlantis" });

    expect(Object.fromEntries(station.calls)).toEqual({ Bergen: 4, Atlantis: 1 });
  });
});
