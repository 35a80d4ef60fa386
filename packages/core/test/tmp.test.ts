import { it } from "vitest";
import { finish, record } from "./support/drive.js";
import { flows } from "./support/flows.js";
it("x", async () => {
  const flow = flows.find((f) => f.name.startsWith("children"))!;
  const { ending, snapshots, ticks } = await record(flow);
  console.log(ending, snapshots.length, ticks.map(t=>t.type).join(" "));
  for (const [i, s] of snapshots.slice(1).entries()) {
    const e = await finish(flow, s).catch((e) => e.message);
    if (JSON.stringify(e) !== JSON.stringify(ending)) { console.log(i, e); const d = JSON.parse(s); console.log(JSON.stringify(d, null, 1)); }
  }
});
