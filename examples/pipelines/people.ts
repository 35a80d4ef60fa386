// A pipeline that asks people: it pauses, its process ends, and another process goes on.
//
//     pnpm --filter millrace-examples people                       both processes, one after the other
//     pnpm --filter millrace-examples people start people.db       the first one alone
//     pnpm --filter millrace-examples people continue people.db    the second one alone
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@millrace/agents";
import { Pipeline, Router, Step, type StepInput, type StepRequirement } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { memoryStore } from "millrace/runtime";
import { model } from "./support/model.js";

/** What people have filled in comes with the message, and so does what they want otherwise. */
const writer = new Agent({
  name: "Writer",
  model: model("gpt-5-mini", ({ message }) => {
    const [, tone] = /- tone: (\w+)/.exec(message) ?? [];
    return `A ${tone} article about ${message.split("\n")[0]}${/shorter/.test(message) ? ", in one page" : ""}`;
  }),
  instructions: "Write an article.",
});

export interface Pictures {
  find(): Promise<string>;
}

/** A service that is busy when it is asked for the first time. */
function busyPictures(): Pictures {
  let isBusy = true;
  return {
    async find() {
      if (!isBusy) return "with a picture";
      isBusy = false;
      throw new Error("The pictures are busy.");
    },
  };
}

const publish = (where: string) => (input: StepInput) => `${input.previousStepContent}, ${where}`;

export function createPublishing(store = memoryStore(), pictures: Pictures = busyPictures()): Pipeline {
  return new Pipeline({
    name: "Publishing",
    store,
    steps: [
      new Step({
        name: "write",
        executor: writer,
        humanReview: {
          requiresUserInput: true, // before it runs
          userInputMessage: "How is it to be written?",
          userInputSchema: [
            { name: "tone", type: "string", allowedValues: ["calm", "loud"] },
            { name: "words", type: "integer", required: false },
          ],
          requiresOutputReview: true, // after it has run
          outputReviewMessage: "Is it good?",
          onReject: "retry", // with what was said about it
        },
      }),
      new Step({
        name: "illustrate",
        executor: async (input) => `${input.previousStepContent}, ${await pictures.find()}`,
        onError: "pause", // people say whether it is tried again
      }),
      new Router({
        name: "publish",
        humanReview: { requiresUserInput: true, userInputMessage: "Where to?" }, // in the place of a selector
        choices: [
          new Step({ name: "website", executor: publish("on the website") }),
          new Step({ name: "newsletter", executor: publish("in the newsletter") }),
        ],
      }),
      new Step({
        name: "announce",
        executor: publish("announced"),
        humanReview: { requiresConfirmation: true, confirmationMessage: "Shall everybody hear of it?" },
      }),
    ],
  });
}

/** What a person says. A wrong answer is refused at once, with all that is wrong with it. */
function answer(requirement: StepRequirement) {
  switch (requirement.kind) {
    case "userInput":
      return requirement.setUserInput({ tone: "calm" });
    case "outputReview":
      return requirement.data.retryCount === 0 ? requirement.reject("Make it shorter.") : requirement.confirm();
    case "error":
      return requirement.retry();
    case "route":
      return requirement.select("newsletter");
    default:
      return requirement.confirm();
  }
}

/** Until somebody is asked. */
async function start(file: string) {
  await using publishing = createPublishing(sqliteStore(file));
  const { status, requirements } = await publishing.run("rivers", { sessionId: "ada" });
  console.log(`process ${process.pid}: ${status}`);
  for (const { message, data } of requirements) console.log(message, data.fields);
}

/** Everything that is left. */
async function goOn(file: string) {
  await using publishing = createPublishing(sqliteStore(file));
  const { runs } = await publishing.runs({ status: "waiting" });
  for (const { runId } of runs) {
    let output = await publishing.getRun(runId);
    while (output.status === "PAUSED") {
      for (const requirement of output.requirements) {
        answer(requirement);
        const { kind, stepName, message, data, decision } = requirement;
        console.log(`${kind} of ${stepName}: ${message}`);
        if (data.output?.success) console.log(`  given: ${data.output.content}`);
        console.log("  answered:", decision);
      }
      output = await publishing.continueRun(output);
    }
    console.log(`process ${process.pid}: ${output.status}: ${output.content}`);
  }
}

function inTwoProcesses() {
  const folder = mkdtempSync(join(tmpdir(), "publishing-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "people.db");
  for (const half of ["start", "continue"]) {
    const { status } = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, half, file], {
      stdio: "inherit",
    });
    if (status !== 0) process.exit(status ?? 1);
  }
}

if (import.meta.main) {
  const [half, file = "people.db"] = process.argv.slice(2);
  if (half === "start") await start(file);
  else if (half === "continue") await goOn(file);
  else inTwoProcesses();
}
