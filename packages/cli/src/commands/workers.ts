/** `millrace workers`: the processes that execute runs. */
import type { WorkerState } from "@millrace/client/operate";
import { agoText, tableText } from "../output/format.js";
import type { Terminal } from "../output/terminal.js";
import { wired } from "../output/wire-names.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

export async function workers(terminal: Terminal, options: TargetOptions): Promise<number> {
  return withTarget(openTarget(terminal, options), async (target) => {
    const all = await target.operator.workers.list();
    if (terminal.isJson) {
      terminal.json({ workers: all.map(({ isAlive, ...worker }) => ({ ...wired(worker), alive: isAlive })) });
      return 0;
    }
    const heads = ["WORKER", "", "VERSION", "SINCE", "HEARTBEAT", "RUNS", "PLACES", "QUEUES"];
    const rows = all.map((worker) => cellsOf(worker, Date.now()));
    for (const line of tableText(rows.length === 0 ? [] : [heads, ...rows], terminal.columns)) terminal.line(line);
    if (all.length === 0) terminal.note(`No process executes runs of ${target.name}.`);
    return 0;
  });
}

function cellsOf(worker: WorkerState, nowMs: number): string[] {
  const { id, host, pid, version, startedAtMs, beatAtMs, isAlive, runs, places, maxRuns, queues } = worker;
  return [
    host === "" ? id.slice(0, 8) : `${host}${pid === null ? "" : `:${pid}`}`,
    isAlive ? "alive" : "gone",
    version,
    agoText(startedAtMs, nowMs),
    agoText(beatAtMs, nowMs),
    maxRuns === null ? String(runs) : `${runs}/${maxRuns}`,
    String(places),
    Object.keys(queues).join(", "),
  ];
}
