import { expect, it } from "vitest";
import { wired } from "./wire-names.js";

it("names fields with underscores, writes times as texts, and leaves lengths of time as numbers", () => {
  const record = {
    runId: "r",
    startedAtMs: 0,
    endedAtMs: null,
    elapsedMs: 5,
    isFinal: true,
    untilMs: 1_000,
    atMs: 2_000,
  };

  expect(JSON.stringify(wired(record))).toBe(
    '{"run_id":"r","started_at":"1970-01-01T00:00:00.000Z","ended_at":null,"elapsed_ms":5,"final":true,"until":"1970-01-01T00:00:01.000Z","at":"1970-01-01T00:00:02.000Z"}',
  );
});

it("leaves what is inside a field as it is", () => {
  expect(wired({ labels: { ofTeam: "a" } })).toEqual({ labels: { ofTeam: "a" } });
});
