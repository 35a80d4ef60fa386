import { expect, it, describe } from "vitest";
import { flows } from "../../core/test/support/flows.js";
import { proveResumable, runToEnd } from "../src/index.js";
describe.each(flows)("$name", (flow) => {
  it("proves", async () => {
    const t = Date.now();
    const answers = flow.answer ?? {};
    const events = flow.send ? [flow.send(), flow.send(), flow.send()] : [];
    const proof = await proveResumable(() => { const made: any[] = []; return { create: () => { const m = flow.make(); made.push(m); return m.workflow; } }; }, (flow.input ?? {}) as never, { answers, events });
    console.log(flow.name, JSON.stringify(proof), Date.now() - t);
  });
});
