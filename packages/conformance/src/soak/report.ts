/** What a soak has found, for people. */
import type { SoakReport } from "./kills.js";

export function tableOf(found: SoakReport, runs: number): string {
  const underWay = [...found.underWay].sort((one, other) => one - other);
  const rows: [string, string | number][] = [
    ["runs completed with the right result", `${found.completed} of ${runs}`],
    ["kills, those at a commit or in an effect", `${found.kills}, ${found.aimedKills}`],
    ["stops past the lease", found.stops],
    ["restarts of the server", found.restarts],
    ["runs under way at a kill: least, median, most", medianText(underWay)],
    ["most owners of one run", found.epochs],
    ["ticks, in commits", `${found.ticks}, ${found.commits}`],
    ["refused commits of former owners", found.refusedCommits],
    ["streamed events", found.events],
    ["side effects recorded once", found.effects],
    ["side effects that died before they were recorded", found.effectsAgain],
    ["acknowledged events, all there", found.receipts],
    ["time", `${(found.tookMs / 1_000).toFixed(1)} s`],
    ["problems", found.problems.length],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const errors = [...new Set(found.errors)].slice(0, 20).map((text) => `logged: ${text}`);
  const problems = found.problems.slice(0, 50).map((problem) => `PROBLEM ${problem}`);
  return [...rows.map(([name, value]) => `${name.padEnd(width)}${value}`), ...errors, ...problems].join("\n");
}

function medianText(sorted: readonly number[]): string {
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].join(", ");
}
