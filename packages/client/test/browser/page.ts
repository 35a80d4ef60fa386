/** What the page runs: a component that starts a run, answers its prompt and shows its events; and a long stream. */
import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "../../src/index.js";
import { useRun } from "../../src/react.js";
import type { Counted, workflows } from "../child/workflows.js";

const query = new URLSearchParams(location.search);
const client = createClient<typeof workflows>({
  baseUrl: query.get("server") ?? "",
  retry: { delayMs: 20, maxDelayMs: 200, maxAttempts: 10_000 },
});

function Greeting() {
  const handlerId = query.get("id");
  const run = useRun(client, "greet", handlerId === null ? {} : { handlerId });
  const [prompt] = run.prompts;
  return createElement(
    "main",
    { "data-id": run.handlerId },
    createElement("button", { id: "start", type: "button", onClick: () => run.start() }, "Start"),
    prompt &&
      createElement(
        "button",
        { id: "answer", type: "button", onClick: () => run.answer(prompt.promptId, { name: "Ada" }) },
        "Ada",
      ),
    createElement("output", null, run.status === "completed" ? String(run.result) : run.status),
  );
}

/** Starts when it appears, under the id of the page. */
function Started() {
  const run = useRun(client, "joke", { input: { topic: "cats" }, handlerId: query.get("id") });
  return createElement("output", null, run.status === "completed" ? run.result.joke : run.status);
}

const shown = { greeting: Greeting, started: Started }[query.get("show") ?? ""];
if (shown) createRoot(document.body).render(createElement(StrictMode, null, createElement(shown)));

/** Of the test: the page has seen so many, and something may break now. */
declare function reached(seen: number): Promise<void>;

async function count(
  to: number,
): Promise<{ readonly inOrder: boolean; readonly missing: number; readonly result: number }> {
  const run = client.run("count", { to });
  const missing = new Set(Array.from({ length: to }, (_, index) => index + 1));
  let last = -1;
  let inOrder = true;
  for await (const { sequence, event } of run.stream<Counted>()) {
    inOrder &&= sequence > last;
    last = sequence;
    // A step that was killed shows its numbers again, behind an event that says so.
    if (event.type !== "Counted" || !missing.delete(event.number)) continue;
    const seen = to - missing.size;
    if (seen % 200 === 0) await reached(seen);
  }
  return { inOrder, missing: missing.size, result: await run };
}

/** A date in an event. */
async function joke(): Promise<string> {
  for await (const { event } of client.run("joke", { topic: "cats" }).stream()) {
    if (event.type === "Joke") return event.toldAt.toISOString();
  }
  return "";
}

Object.assign(globalThis, { count, joke });
