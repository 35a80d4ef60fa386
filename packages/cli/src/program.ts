/**
 * The commands and their options. What a command does is loaded when it is called: `--help` loads nothing else.
 *
 * @module
 */
import { Command, CommanderError, Option } from "commander";
import { defaultLimit } from "./commands/option-values.js";
import { CliError } from "./output/cli-error.js";
import { printError } from "./output/print-error.js";
import type { Terminal } from "./output/terminal.js";
import { version } from "./version.js";

/** Gives the exit code: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  terminal.isJson = args.includes("--json");
  let exitCode = 0;
  const program = createProgram(terminal, (code) => (exitCode = code));
  try {
    if (isAboutCompletion(args)) {
      const { addCompletion } = await import("./commands/completion.js");
      addCompletion(program, terminal.cwd);
    } else program.command("completion <shell>").description("print the completion script for bash, zsh or fish");
    await program.parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(terminal, error);
    if (error.exitCode === 0) return 0;
    return terminal.isJson ? printError(terminal, wrongUse(error)) : 2; // else Commander has said it
  }
}

function wrongUse({ message }: CommanderError): CliError {
  const hint = "`millrace <command> --help` lists what there is.";
  return new CliError({ code: "OPTION_INVALID", message: message.replace(/^error: /, ""), hint });
}

const isAboutCompletion = ([first]: readonly string[]): boolean => first === "completion" || first === "complete";

type Done = (exitCode: number) => void;

export function createProgram(terminal: Terminal, done: Done): Command {
  const program = new Command("millrace")
    .description("Run, watch, answer and go back in Millrace workflows.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.write(text),
      writeErr: (text) => {
        if (!terminal.isJson) terminal.note(text.trimEnd());
      },
      outputError: (text, write) =>
        write(
          /unknown option '-[^-]/.test(text)
            ? `${text.trimEnd()}\nAn id that begins with a dash stands behind \`--\`.\n`
            : text,
        ),
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
    })
    .showHelpAfterError("hint  `millrace <command> --help` lists what there is.")
    .addHelpText("after", help);
  const add = (usage: string, description: string): Command =>
    program.command(usage).description(description).exitOverride();
  const context = { terminal, done, add };
  addServing(context);
  addRunning(context);
  addLooking(context);
  addGraphs(context);
  addStore(context);
  addExplanations(context);
  return program;
}

interface Context {
  readonly terminal: Terminal;
  readonly done: Done;
  readonly add: (usage: string, description: string) => Command;
}

const help = `
A command works on the runs of a store or of a server:
  (nothing)                     .millrace/runs.db of this project
  --store <file or URL>         a SQLite file, or postgres://…
  --url <url> --token <token>   a server; the token may be in MILLRACE_TOKEN

Exit codes: 0 done, 1 the run or the command failed, 2 wrong use, 130 interrupted.`;

const fileOption = (): Option => new Option("--file <file>", "the file with the workflow, where it is not known yet");
const jsonOption = (): Option => new Option("--json", "print JSON, and nothing else");

/** Where the runs are. */
function onTarget(command: Command): Command {
  return command
    .option("--store <store>", "a SQLite file, or postgres://…")
    .option("--url <url>", "a server")
    .option("--token <token>", "for the server, else MILLRACE_TOKEN")
    .addOption(jsonOption());
}

const withCode = (command: Command): Command => onTarget(command).addOption(fileOption());

function addServing({ terminal, done, add }: Context): void {
  const onPort = (command: Command): Command =>
    command
      .option("--port <port>", "port of the server")
      .option("--host <host>", "address to listen at", "127.0.0.1")
      .option("--store <store>", "a SQLite file, or postgres://…");
  onPort(add("dev [file]", "serve a file or a folder with the studio, and load it again when it changes")).action(
    async (file, options) => {
      const { dev } = await import("./commands/dev.js");
      done(await dev(terminal, { ...options, file }));
    },
  );
  onPort(add("serve <file>", "serve a file or a folder over HTTP"))
    .option("--token <token>", "ask callers for this token, else MILLRACE_TOKEN")
    .option("--studio", "with the studio at /studio")
    .option("--read-only", "callers may only look")
    .action(async (file, options) => {
      const { serve } = await import("./commands/serve.js");
      done(await serve(terminal, { ...options, file }));
    });
}

function addRunning({ terminal, done, add }: Context): void {
  onTarget(add("run <file>", "run a workflow; with --url the name of one on the server"))
    .option("-i, --input <json>", "fields of the start event, or @file.json")
    .option("--id <id>", "id of the run")
    .option("--label <name=value>", "to find it by", collect, [])
    .option("--detach", "start it on the server, and do not wait")
    .option("--session <id>", "session, of a pipeline")
    .option("--user <id>", "user, of a pipeline")
    .action(async (file, options) => {
      const { run } = await import("./commands/run.js");
      done(await run(terminal, { ...options, file }));
    });
  const onRun = (usage: string, description: string): Command => withCode(add(usage, description));
  onRun("resume <runId>", "continue a run that was paused or cancelled").action(async (runId, options) => {
    const { resume } = await import("./commands/continue.js");
    done(await resume(terminal, { ...options, runId }));
  });
  onRun("retry <runId>", "run the failed work of a failed run again").action(async (runId, options) => {
    const { retry } = await import("./commands/continue.js");
    done(await retry(terminal, { ...options, runId }));
  });
  onRun("fork <runId>", "begin a new run where another one was after a tick")
    .requiredOption("--at <tick>", "number of the tick, as `millrace show --history` lists them")
    .option("--state <json>", "fields of the state to replace, or @file.json")
    .option("--id <id>", "id of the new run")
    .option("--detach", "do not wait for it")
    .action(async (runId, options) => {
      const { fork } = await import("./commands/continue.js");
      done(await fork(terminal, { ...options, runId }));
    });
  onRun("answer <runId> [promptId]", "answer a prompt of a run; asks in a terminal")
    .option("-i, --input <json>", "fields of the answer, or @file.json")
    .action(async (runId, promptId, options) => {
      const { answer } = await import("./commands/answer.js");
      done(await answer(terminal, { ...options, runId, promptId }));
    });
  onRun("cancel <runId>", "stop a run, and keep its work")
    .option("--reason <text>", "is stored with it")
    .action(async (runId, options) => {
      const { cancel } = await import("./commands/cancel.js");
      done(await cancel(terminal, { ...options, runId }));
    });
}

function addLooking({ terminal, done, add }: Context): void {
  onTarget(add("runs", "list runs, newest first"))
    .option("--workflow <name>", "of this workflow")
    .option("--status <status>", "running, waiting, completed, failed, cancelled, …", collect, [])
    .option("--label <name=value>", "with this label", collect, [])
    .option("--limit <number>", "how many", defaultLimit)
    .option("--cursor <cursor>", "the next page")
    .action(async (options) => {
      const { runs } = await import("./commands/runs.js");
      done(await runs(terminal, options));
    });
  withCode(add("show <runId>", "show a run: its steps, its prompts and its result"))
    .option("--history", "with what happened, tick by tick")
    .option("--state", "with its state")
    .option("--at <tick>", "the state as it was after this tick")
    .action(async (runId, options) => {
      const { show } = await import("./commands/show.js");
      done(await show(terminal, { ...options, runId }));
    });
  withCode(add("diff <runA> <runB>", "compare two runs: where they part, and how they end")).action(
    async (runA, runB, options) => {
      const { diff } = await import("./commands/diff.js");
      done(await diff(terminal, { ...options, runA, runB }));
    },
  );
}

function addGraphs({ terminal, done, add }: Context): void {
  add("graph <file>", "draw a workflow")
    .option("-o, --output <file>", "as .svg, .html, .mmd or .json")
    .addOption(jsonOption())
    .action(async (file, options) => {
      const { graph } = await import("./commands/graph.js");
      done(await graph(terminal, { ...options, file }));
    });
  add("check <file>", "check workflows, and live runs against their code; for CI")
    .option("--store <store>", "a SQLite file, or postgres://…")
    .addOption(jsonOption())
    .action(async (file, options) => {
      const { check } = await import("./commands/check.js");
      done(await check(terminal, { ...options, file }));
    });
}

function addStore({ terminal, done, add }: Context): void {
  const store = add("store", "look after a store");
  const sub = (usage: string, description: string): Command =>
    store
      .command(usage)
      .description(description)
      .exitOverride()
      .option("--store <store>", "a SQLite file, or postgres://…")
      .addOption(jsonOption());
  sub("check", "whether the store can be read, and what is in it").action(async (options) => {
    const { checkStore } = await import("./commands/store.js");
    done(await checkStore(terminal, options));
  });
  sub("vacuum", "give the room of deleted runs back to the disk (SQLite)").action(async (options) => {
    const { vacuumStore } = await import("./commands/store.js");
    done(await vacuumStore(terminal, options));
  });
  sub("retain", "delete runs that ended long ago")
    .requiredOption("--older-than <duration>", "since their end, such as 30d")
    .option("--status <status>", "only those that ended so", collect, [])
    .action(async (options) => {
      const { retainStore } = await import("./commands/store.js");
      done(await retainStore(terminal, options));
    });
  sub("export <runId>", "seal a run and write it as JSON lines, for another store")
    .addOption(fileOption())
    .option("-o, --output <file>", "into this file")
    .action(async (runId, options) => {
      const { exportRun } = await import("./commands/store-move.js");
      done(await exportRun(terminal, { ...options, runId }));
    });
  sub("import <source>", "take a run out of such a file")
    .addOption(fileOption())
    .action(async (source, options) => {
      const { importRun } = await import("./commands/store-move.js");
      done(await importRun(terminal, { ...options, source }));
    });
  sub("release <runId>", "let a run that was exported continue here").action(async (runId, options) => {
    const { releaseRun } = await import("./commands/store-move.js");
    done(await releaseRun(terminal, { ...options, runId }));
  });
}

function addExplanations({ terminal, done, add }: Context): void {
  add("explain [code]", "print the page of an error code; without one, list the codes")
    .addOption(jsonOption())
    .action(async (code) => {
      const { explain } = await import("./commands/explain.js");
      done(explain(terminal, code));
    });
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
