/** What the page runs: a component that starts a run, answers its prompt and shows its events; and a long stream. */
import { createElement, StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "../../src/index.js";
import { useRun } from "../../src/react.js";
import type { Counted, workflows } from "../child/workflows.js";

const client = createClient<typeof workflows>({
  baseUrl: new URLSearchParams(location.search).get("server") ?? "",
  retry: { delayMs: 20, maxDelayMs: 200, maxAttempts: 50 },
});

function Greeting() {
  const run = useRun(client, "greet");
  const [prompt] = run.prompts;
  useEffect(() => {
    document.title = run.status;
  }, [run.status]);
  return createElement(
    "main",
    null,
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

createRoot(document.body).render(createElement(StrictMode, null, createElement(Greeting)));

/** Counts in the page; `onEvent` is called from it, so that the plug can be pulled. */
async function count(
  to: number,
): Promise<{ readonly inOrder: boolean; readonly seen: number; readonly result: number }> {
  const run = client.run("count", { to });
  let last = -1;
  let seen = 0;
  let inOrder = true;
  for await (const { sequence, event } of run.stream<Counted>()) {
    inOrder &&= sequence > last;
    last = sequence;
    if (event.type === "Counted") seen += 1;
    if (seen % 100 === 0) document.body.dataset["seen"] = String(seen);
  }
  return { inOrder, seen, result: await run };
}

/** A date in an event: its chunk is loaded when it comes. */
async function joke(): Promise<string> {
  for await (const { event } of client.run("joke", { topic: "cats" }).stream()) {
    if (event.type === "Joke") return event.toldAt.toISOString();
  }
  return "";
}

Object.assign(globalThis, { count, joke });
