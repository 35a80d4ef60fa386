/**
 * The commands and their options. The code of a command is loaded when it is called; `--help` loads none.
 *
 * @module
 */
import { Command, CommanderError, Option } from "commander";
import { defaultLimit } from "./option-values.js";
import { invalidOption, type CliError } from "./output/cli-error.js";
import { printError } from "./output/print-error.js";
import type { Terminal } from "./output/terminal.js";
import { version } from "./version.js";

/** Returns the exit code: 0 done, 1 failed, 2 wrong use, 130 interrupted. */
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
    return terminal.isJson ? printError(terminal, wrongUse(error)) : 2; // otherwise Commander has printed it
  }
}

function wrongUse({ message }: CommanderError): CliError {
  const hint = "`millrace <command> --help` lists what there is.";
  return invalidOption(message.replace(/^error: /, ""), hint);
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
            ? `${text.trimEnd()}\nWrite \`--\` before an id that begins with a dash.\n`
            : text,
        ),
      getOutHelpWidth: () => Math.min(terminal.columns, 100),
    })
    .showHelpAfterError("hint  `millrace <command> --help` lists what there is.")
    .addHelpText("after", help);
  const add = (usage: string, description: string): Command =>
    program.command(usage).description(description).exitOverride();
  const calls = (load: () => Promise<Perform>): Action => {
    return async (...given) => {
      const command = given.at(-1) as Command;
      const named = command.registeredArguments.map((argument, index) => [argument.name(), given[index]]);
      const perform = await load();
      done(await perform(terminal, { ...command.opts<object>(), ...Object.fromEntries(named) } as never));
    };
  };
  const context = { add, calls };
  addServing(context);
  addRunning(context);
  addLooking(context);
  addOperating(context);
  addGraphs(context);
  addStore(context);
  addExplanations(context);
  return program;
}

type Perform = (terminal: Terminal, options: never) => number | Promise<number>;
/** Commander passes the arguments, the options and the command. */
type Action = (...given: unknown[]) => Promise<void>;

interface Context {
  readonly add: (usage: string, description: string) => Command;
  /** Makes what a command does: its arguments, by the names in its usage, are among its options. */
  readonly calls: (load: () => Promise<Perform>) => Action;
}

const help = `
A command works on the runs of a store or of a server:
  (nothing)                     those of millrace.config.ts, else .millrace/runs.db of this project
  --store <file or URL>         a SQLite file, or postgres://…
  --url <url> --token <token>   a server; the token may be in MILLRACE_TOKEN

Exit codes: 0 done, 1 the run or the command failed, 2 wrong use, 130 interrupted.`;

const fileOption = (): Option => new Option("--file <file>", "the file with the workflow, where it is not known yet");
const jsonOption = (): Option => new Option("--json", "print only JSON");

/** Where the runs are. */
function onTarget(command: Command): Command {
  return command
    .option("--store <store>", "a SQLite file, or postgres://…")
    .option("--url <url>", "a server")
    .option("--token <token>", "for the server (default: MILLRACE_TOKEN)")
    .addOption(jsonOption());
}

const withCode = (command: Command): Command => onTarget(command).addOption(fileOption());

function addServing({ add, calls }: Context): void {
  const onPort = (command: Command): Command =>
    command
      .option("--port <port>", "port of the server")
      .option("--host <host>", "address to listen at", "127.0.0.1")
      .option("--store <store>", "a SQLite file, or postgres://…");
  onPort(add("dev [file]", "serve a file or a folder with the studio, and load it again when it changes"))
    .option("--token <token>", "ask callers for this token (default: MILLRACE_TOKEN); other computers always need one")
    .action(calls(async () => (await import("./commands/dev.js")).dev));
  onPort(add("serve [file]", "serve a file or a folder over HTTP"))
    .option("--token <token>", "ask callers for this token (default: MILLRACE_TOKEN)")
    .option("--studio", "with the studio at /studio")
    .option("--read-only", "callers may only look")
    .action(calls(async () => (await import("./commands/serve.js")).serve));
}

function addRunning({ add, calls }: Context): void {
  onTarget(add("run <file>", "run a workflow; with --url the name of one on the server"))
    .option("-i, --input <json>", "fields of the start event, or @file.json")
    .option("--id <id>", "id of the run")
    .option("--label <name=value>", "to find it by", collect, [])
    .option("--detach", "start it on the server, and do not wait")
    .option("--session <id>", "session, of a pipeline")
    .option("--user <id>", "user, of a pipeline")
    .action(calls(async () => (await import("./commands/run.js")).run));
  const onRun = (usage: string, description: string): Command => withCode(add(usage, description));
  const onMany = (usage: string, description: string): Command =>
    onRun(usage, description)
      .option("--where <terms>", "all runs that match, such as 'status:failed workflow:refund after:2h'")
      .option("--yes", "do not ask whether to, with --where")
      .option("--rate <number>", "runs per second, with --where (default: 100)");
  onMany("resume [runId]", "continue a run that was paused or cancelled")
    .option("--cancelled-by <jobId>", "all runs that this job of `cancel --where` has cancelled")
    .action(calls(async () => (await import("./commands/continue.js")).resume));
  onMany("retry [runId]", "run the failed work of a failed run again").action(
    calls(async () => (await import("./commands/continue.js")).retry),
  );
  onRun("fork <runId>", "begin a new run where another one was after a tick")
    .requiredOption("--at <tick>", "number of the tick, as `millrace show --history` lists them")
    .option("--state <json>", "fields of the state to replace, or @file.json")
    .option("--id <id>", "id of the new run")
    .option("--detach", "do not wait for it")
    .action(calls(async () => (await import("./commands/continue.js")).fork));
  onMany("answer [runId] [promptId]", "answer a prompt of a run; asks in a terminal")
    .option("-i, --input <json>", "fields of the answer, or @file.json")
    .action(calls(async () => (await import("./commands/answer.js")).answer));
  onMany("cancel [runId]", "stop a run, and keep its work")
    .option("--reason <text>", "is stored with it")
    .action(calls(async () => (await import("./commands/cancel.js")).cancel));
  onMany("delete [runId]", "delete a run with everything that is stored of it").action(
    calls(async () => (await import("./commands/delete.js")).deleteRuns),
  );
}

function addLooking({ add, calls }: Context): void {
  const filtered = (command: Command): Command =>
    onTarget(command)
      .option("--workflow <name>", "of this workflow")
      .option("--status <status>", "running, waiting, queued, completed, failed, …", collect, [])
      .option("--label <name=value>", "with this label", collect, [])
      .option("--where <terms>", "such as 'status:failed label.team=berlin after:2h declined'");
  filtered(add("runs", "list runs, newest first, with their errors"))
    .option("--limit <number>", "how many", defaultLimit)
    .option("--cursor <cursor>", "the next page")
    .action(calls(async () => (await import("./commands/runs.js")).runs));
  filtered(add("tail", "print each change of the runs, until it is interrupted")).action(
    calls(async () => (await import("./commands/tail.js")).tail),
  );
  withCode(add("export <runId>", "write a run to a file that `millrace open` shows, without its server or code"))
    .option("-o, --output <file>", "the file (default: <runId>.run)")
    .option("--redact <field>", "hide the texts of this field", collect, [])
    .action(calls(async () => (await import("./commands/export.js")).exportRunFile));
  add("open <run>", "open the page of a run in the studio of a server, or a file of `millrace export`")
    .option("--url <url>", "the server (default: that of `millrace dev`)")
    .option("--port <port>", "port of the page of a file")
    .option("--token <token>", "for the server (default: MILLRACE_TOKEN)")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/open.js")).open));
  add("what-if <workflow>", "play stored runs again with another model, prompt or code, and compare what they decide")
    .option("--last <number>", "how many runs, the newest first", "500")
    .option("--where <terms>", "only runs such as 'status:completed label.team=berlin after:7d'")
    .option("--model <name>", "another model of the provider that the agents have")
    .option("--prompt <file>", "instructions of the agents, or of one of them: agent=file", collect, [])
    .option("--live <name>", "make these calls, by key or label (default: the model calls)", collect, [])
    .option("--unknown <how>", "calls that the recording does not answer: stop, or live, with their effects", "stop")
    .option("--ignore <field>", "do not compare this field", collect, [])
    .option("--fail-under <share>", "exit code 1 if less than this share of the runs decides the same, such as 0.98")
    .option("--store <store>", "a SQLite file, or postgres://…")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/what-if.js")).whatIf));
  withCode(add("show <runId>", "show a run: its input, steps, prompts, and its result or failure"))
    .option("--history", "with what happened, tick by tick")
    .option("--state", "with its state")
    .option("--at <tick>", "the state as it was after this tick")
    .action(calls(async () => (await import("./commands/show.js")).show));
  withCode(add("test-from <runId>", "make a test of a run that has ended: it plays the run again, offline"))
    .option("-o, --output <folder>", "where its two files go", ".")
    .option("--redact <field>", "hide the texts of this field", collect, [])
    .action(calls(async () => (await import("./commands/test-from.js")).testFrom));
  onTarget(add("audit", "list who started, answered, cancelled or deleted runs, newest first"))
    .option("--user <user>", "only what this person or program did")
    .option("--door <door>", "only what came through it, such as chat, mcp or link")
    .option("--action <action>", "start, fork, answer, cancel, queue.pause, schedule.edit, …")
    .option("--run <runId>", "only of this run")
    .option("--limit <number>", "how many", defaultLimit)
    .option("--cursor <cursor>", "the next page")
    .action(calls(async () => (await import("./commands/audit.js")).audit));
  onTarget(add("stats", "show how many runs ended and failed, and how long they took"))
    .option("--workflow <name>", "only this workflow, with its steps")
    .option("--after <time>", "what ended after it: 2h ago, or a time such as 2026-11-20", "24h")
    .option("--before <time>", "what ended before it")
    .option("--by-version", "one row for each version of the code")
    .action(calls(async () => (await import("./commands/stats.js")).stats));
  onTarget(add("failures", "list why runs failed, grouped by step and message"))
    .option("--workflow <name>", "only of this workflow")
    .option("--after <time>", "failures after it: 2h ago, or a time such as 2026-11-20", "24h")
    .option("--before <time>", "failures before it")
    .option("--code-version <version>", "only of this version of the code")
    .option("--limit <number>", "how many groups", defaultLimit)
    .action(calls(async () => (await import("./commands/failures.js")).failures));
  withCode(add("diff <runA> <runB>", "compare two runs: where they part, and how they end")).action(
    calls(async () => (await import("./commands/diff.js")).diff),
  );
}

function addOperating({ add, calls }: Context): void {
  const group = (name: string, description: string) => {
    const parent = add(name, description);
    return (usage: string, about: string, isDefault = false): Command =>
      onTarget(parent.command(usage, { isDefault }).description(about).exitOverride());
  };
  const queue = group("queues", "list queues: what waits, what has a place; pause them, change their limits");
  queue("list [name]", "list queues, or one with its keys", true).action(
    calls(async () => (await import("./commands/queues.js")).listQueues),
  );
  queue("pause <name>", "give no run a place until it is resumed").action(
    calls(async () => (await import("./commands/queues.js")).pauseQueue),
  );
  queue("resume <name>", "give runs places again").action(
    calls(async () => (await import("./commands/queues.js")).resumeQueue),
  );
  queue("limit <name>", "change limits of all processes, without a restart; `none` takes one away")
    .option("--concurrency <number>", "runs with a place at the same time")
    .option("--per-key <number>", "the same for each key")
    .option("--rate <limit/per>", "runs that begin within a time, such as 500/1m")
    .action(calls(async () => (await import("./commands/queues.js")).limitQueue));
  queue("reset <name>", "let the limits in the options of processes hold again").action(
    calls(async () => (await import("./commands/queues.js")).resetQueue),
  );
  const schedule = group(
    "schedules",
    "list schedules: the next, the last, what was skipped; pause, edit and start them",
  );
  schedule("list [name]", "list schedules, or one with its next five occurrences", true).action(
    calls(async () => (await import("./commands/schedules.js")).listSchedules),
  );
  schedule("pause <name>", "let nothing occur until it is resumed").action(
    calls(async () => (await import("./commands/schedules.js")).pauseSchedule),
  );
  schedule("resume <name>", "let it occur again, from now on").action(
    calls(async () => (await import("./commands/schedules.js")).resumeSchedule),
  );
  schedule("start <name>", "start a run of it now")
    .addOption(fileOption())
    .action(calls(async () => (await import("./commands/schedules.js")).startSchedule));
  schedule("edit <name>", "change when it occurs, or with what input, without a restart")
    .option("--cron <cron>", "such as '0 3 * * *'")
    .option("--timezone <zone>", "such as Europe/Berlin")
    .option("-i, --input <json>", "fields of the start event, or @file.json")
    .addOption(fileOption())
    .action(calls(async () => (await import("./commands/schedules.js")).editSchedule));
  schedule("reset <name>", "take all edits back").action(
    calls(async () => (await import("./commands/schedules.js")).resetSchedule),
  );
  onTarget(add("workers", "list the processes that execute runs, and what they hold")).action(
    calls(async () => (await import("./commands/workers.js")).workers),
  );
}

function addGraphs({ add, calls }: Context): void {
  add("graph <file>", "draw a workflow")
    .option("-o, --output <file>", "as .svg, .html, .mmd or .json")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/graph.js")).graph));
  add("check <file>", "check workflows, and live runs against their code; for CI")
    .option("--store <store>", "a SQLite file, or postgres://…")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/check.js")).check));
}

function addStore({ add, calls }: Context): void {
  const storeOption = (): Option => new Option("--store <store>", "a SQLite file, or postgres://…");
  add("import <source>", "import a run from a file of `millrace export` or `millrace store export`")
    .addOption(storeOption())
    .addOption(jsonOption())
    .addOption(fileOption())
    .action(calls(async () => (await import("./commands/import.js")).importRun));
  const store = add("store", "look after a store");
  const sub = (usage: string, description: string): Command =>
    store.command(usage).description(description).exitOverride().addOption(storeOption()).addOption(jsonOption());
  sub("check", "whether the store can be read, and what is in it").action(
    calls(async () => (await import("./commands/store.js")).checkStore),
  );
  sub("vacuum", "return the space of deleted runs to the disk (SQLite)").action(
    calls(async () => (await import("./commands/store.js")).vacuumStore),
  );
  sub("retain", "delete runs that ended long ago")
    .requiredOption("--older-than <duration>", "since their end, such as 30d")
    .option("--status <status>", "only those that ended so", collect, [])
    .action(calls(async () => (await import("./commands/store.js")).retainStore));
  sub("export <runId>", "seal a run and write it as JSON lines, for another store")
    .addOption(fileOption())
    .option("-o, --output <file>", "into this file")
    .action(calls(async () => (await import("./commands/store-move.js")).exportRun));
  sub("release <runId>", "let a run that was exported continue here").action(
    calls(async () => (await import("./commands/store-move.js")).releaseRun),
  );
}

function addExplanations({ add, calls }: Context): void {
  add("explain [code]", "print the page of an error code; without one, list the codes")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/explain.js")).explain));
  add("skill [name]", "print a skill for coding assistants; without a name, how to write Millrace")
    .option("--list", "list the skills")
    .option("-o, --output <file>", "write it, such as into .agents/skills/millrace/SKILL.md")
    .addOption(jsonOption())
    .action(calls(async () => (await import("./commands/skill.js")).skill));
  add("mcp", "serve tools for a coding assistant: search, explain, check, run, look into runs").action(
    calls(async () => (await import("./commands/mcp.js")).mcp),
  );
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}
