import { filesOf } from "../setup.mjs";
import { compiles, documented, install, isClean, runs } from "./checks.mjs";

/** Ports programs of `@llamaindex/workflow-core`. */
export const portsWorkflowCore = {
  name: "2: ports programs of workflow-core",
  files: filesOf("strangers/s2"),
  install: [`${install} millrace zod`, `${install} --save-dev tsx typescript@7 @types/node@24`],
  stumbles: [
    {
      typed: "6: ten events, sent with the stop event",
      command: runs("lost.ts"),
      says: /reported: 10 Part for handle/,
    },
    {
      typed: "6: the page of the migration",
      command: documented("migrating-from-workflow-core.md", "events sent together with the stop event.*reported"),
      says: /discarded, and \[?reported/,
    },
    { typed: "7: runOnce(handler)", command: runs("once.ts"), says: /two events, 1 call/ },
    {
      typed: "7: the row of runOnce",
      command: documented("migrating-from-workflow-core.md", "`runOnce[^|]*[|][^|]*"),
      says: /a flag in `ctx\.store`/,
    },
    { typed: "8: prompts[0].event.message", command: compiles("prompt.ts"), says: isClean, never: /TS2339/ },
    { typed: "8: the same, run", command: runs("prompt.ts"), says: /function form: Who\?.*class form: Who\?/ },
    {
      typed: "8: the first example of the page",
      command: documented("how-to/human-in-the-loop.md", "ApproveRefund.is\\(event\\)"),
      says: /ApproveRefund\.is/,
    },
    {
      typed: "9: a side chain of two steps",
      command: runs("side.ts"),
      says: /completed, side chain: b/,
      never: /WORKFLOW_INVALID/,
    },
    {
      typed: "9: the page of WORKFLOW_INVALID",
      command: documented("errors/WORKFLOW_INVALID.md", "^. `deadEnd`.*never to a stop event"),
      says: /deadEnd/,
    },
    { typed: "workflow.run(bad).catch(…)", command: runs("bad.ts"), says: /caught EVENT_INVALID/ },
    {
      typed: "workflow.run(bad).catch(…): the page",
      command: documented(
        "reference/running.md",
        "Promise.resolve\\(\\).then\\(\\(\\) => workflow.run\\(input\\)\\).catch",
      ),
      says: /Promise\.resolve/,
    },
    {
      typed: "runAndCollect: all events",
      command: documented("migrating-runs-and-streams.md", "`runAndCollect[^|]*[|][^|]*[|][^|]*"),
      says: /step\.completed/,
      never: /toArray/,
    },
  ],
};
