import type { ClientRun } from "@millrace/client";
import { answerPrompt, type OpenPrompt, openPrompts } from "../follow/open-prompts.js";
import { CliError } from "../output/cli-error.js";
import { shellWord } from "../output/command-text.js";
import { fieldsIn, readJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";
import { type OneOrManyCommand, oneOrMany } from "./one-or-many.js";
import { interrupted, watchRun } from "./watch-run.js";

interface AnswerOptions extends TargetOptions {
  readonly runId: string;
  readonly promptId?: string;
  readonly input?: string;
}

/** Over a store, the run continues in this process, unless another process has it. */
async function answerOne(terminal: Terminal, options: AnswerOptions): Promise<number> {
  const { runId } = options;
  const given = options.input === undefined ? undefined : fieldsIn(readJson(options.input, "`--input`"), "`--input`");
  return withTarget(openTarget(terminal, { ...options, code: "required", executes: true }), async (target) => {
    const { workflow } = await target.row(runId);
    const run = target.client.handle(runId);
    const prompt = pick(await openPrompts(target, runId), options);
    const { lastEvent } = await run.summary();
    target.local?.own(runId);
    const bring = (): Promise<void> => send(terminal, run, { prompt, given });
    if (target.local !== null)
      return watchRun(terminal, { target, runId, workflow, after: lastEvent, begin: () => run, bring });
    await bring();
    return accepted(terminal, prompt);
  });
}

export const answer: OneOrManyCommand<Pick<AnswerOptions, "promptId" | "input">> = oneOrMany<
  Pick<AnswerOptions, "promptId" | "input">
>("answer", answerOne);

interface Given {
  readonly prompt: OpenPrompt;
  readonly given: object | undefined;
}

async function send(terminal: Terminal, run: ClientRun, { prompt, given }: Given): Promise<void> {
  if (given === undefined && terminal.isInteractive) {
    if ((await answerPrompt(terminal, run, prompt)) === "left") throw interrupted();
    return;
  }
  const receipt = await run.answer(prompt.promptId, given ?? {});
  if (receipt.status === "refused") throw Object.assign(new Error(`The answer was refused.`), receipt);
}

function accepted(terminal: Terminal, { promptId }: OpenPrompt): number {
  if (terminal.isJson) terminal.json({ status: "accepted", prompt_id: promptId });
  else terminal.line("accepted");
  return 0;
}

function pick(prompts: readonly OpenPrompt[], { runId, promptId }: AnswerOptions): OpenPrompt {
  const fitting = promptId === undefined ? prompts : prompts.filter((prompt) => prompt.promptId === promptId);
  const [one, ...others] = fitting;
  if (one !== undefined && others.length === 0) return one;
  const open = prompts.map((prompt) => `${shellWord(prompt.promptId)} (${prompt.type})`).join(", ");
  throw new CliError({
    code: "PROMPT_UNKNOWN",
    message:
      one === undefined
        ? `The run ${runId} has no such open prompt.`
        : `The run ${runId} has ${prompts.length} open prompts.`,
    hint: open === "" ? "It asks for nothing now." : `Name one: ${open}.`,
    details: { prompts: prompts.map((prompt) => prompt.promptId) },
  });
}
