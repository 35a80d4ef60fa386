import { expect, it } from "vitest";
import { freePort } from "../../test-ports.js";
import { runExample } from "../test/run-example.js";

/** Each request leaves so late: the server that is back has begun with the run by then, or it has not. */
function late(ms: number): string {
  const code = `
    const ask = fetch;
    globalThis.fetch = (...given) => new Promise((leave) => setTimeout(leave, ${ms})).then(() => ask(...given));`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

it.each([0, 2_000])(
  "asks the person again after the server is killed, and goes on with the answer (%i ms late)",
  async (ms) => {
    const args = [String(await freePort())];
    const { output, errors } = await runExample("ag-ui/main.ts", { args, env: { NODE_OPTIONS: late(ms) } });

    expect(errors).toBe("");
    expect(output.split("\n")).toEqual([
      "flight: { city: 'Oslo', euros: 99 }",
      "state: { searched: [ 'Oslo' ] }",
      "the server was killed and is back, and the page was loaded again",
      "flight: { city: 'Oslo', euros: 99 }",
      "asked: Book Oslo for 99 €?",
      "user: Oslo",
      "assistant: Your flight to Oslo is booked.",
      "",
    ]);
  },
);
