/** The stumbles of strangers.mjs. `says` is what has to be printed, and `never` what was printed when somebody stumbled. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf, sectionsOf } from "./setup.mjs";
import { matrix } from "./tools.mjs";

const read = (...path) => readFileSync(join(matrix, "..", ...path), "utf8");
const readme = read("README.md");
const [firstSection, ...sections] = sectionsOf(readme);
const install = "npm install --no-audit --no-fund";

/** What the compiler says about a file. */
const compiles = (file) => `npx tsc --pretty false | grep -A2 '^${file}' || echo 'no error in ${file}'`;
const isClean = /no error in \S+/;

const runs = (file) => `npx tsx ${file}`;

/** What the documentation in the package says. */
const documented = (page, words) => `grep -ohE '${words}' node_modules/millrace/docs/${page}`;

/** Reads the front page, in the order of its blocks. */
function readsTheReadme() {
  const pipelines = sections.find(({ name }) => name === "Pipelines and agents");
  const [, pipeline] = /## Pipelines and agents[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme);
  const isInstall = (line) => line.startsWith("npm");
  return {
    name: "1: reads the README, Node 22",
    major: 22,
    files: {
      ...firstSection.files,
      "pipeline.ts": pipeline,
      "README.md": readme,
      "tutorial.md": read("docs", "tutorial.md"),
    },
    install: [...firstSection.commands.filter(isInstall), ...pipelines.commands, "npm ls --depth=0"],
    stumbles: [
      {
        typed: "4: the durable block, after its install lines",
        command: runs("refund.ts"),
        says: /waits for a person/,
      },
      {
        typed: "kill it, start it again: the answer",
        command: `${runs("refund.ts yes")}`,
        says: /refunded/,
        never: /asks the model/,
      },
      {
        typed: "edit the step, start it again",
        command: `sed -i 's/"refunded"/"paid back"/' refund.ts && ${runs("refund.ts")} && grep -o 'the same id gives its result' README.md`,
        says: /refunded .*the same id gives its result/,
      },
      {
        typed: "the same with another id, as the README says",
        command: `sed -i 's/"letter-17"/"letter-18"/' refund.ts && ${runs("refund.ts yes")}`,
        says: /paid back/,
      },
      {
        typed: "the warning about SQLite, as the README says",
        command: `NODE_OPTIONS=--disable-warning=ExperimentalWarning ${runs("refund.ts")}; node --print process.version`,
        says: /paid back v22/,
        never: /ExperimentalWarning/,
      },
      { typed: "4: the pipeline block, after its install line", command: runs("pipeline.ts"), says: /# 1\. Rivers/ },
      {
        typed: "which Node: README and tutorial",
        command: "grep -ohE 'Node [0-9.]+ or newer' README.md tutorial.md | sort -u",
        says: /^Node 22\.13 or newer$/,
      },
      {
        typed: "4: npm create millrace, until npm",
        command: "grep -o 'npm install ../millrace/tarballs/\\*.tgz zod' README.md | head -1",
        says: /npm install/,
      },
    ],
  };
}

/** Ports programs of `@llamaindex/workflow-core`. */
const portsWorkflowCore = {
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

/** Ports examples of the Python library. */
const portsPython = {
  name: "3: ports examples from Python",
  files: filesOf("strangers/s3"),
  install: [`${install} millrace zod`, `${install} --save-dev tsx typescript@7 @types/node@24`],
  stumbles: [
    { typed: "5: state without a type", command: compiles("untyped.ts"), says: isClean, never: /TS2571|TS18046/ },
    { typed: "5: the same, run", command: runs("untyped.ts"), says: /untyped: 2/ },
    { typed: "5: Context[CounterState]", command: compiles("typed.ts"), says: isClean, never: /TS2749/ },
    {
      typed: "5: the row of Context[CounterState]",
      command: documented("coming-from-python.md", "`Context.CounterState.*"),
      says: /Context<z\.output<typeof CounterState>>/,
      never: /Context<CounterState>/,
    },
    { typed: "a retry policy of one's own", command: compiles("retries.ts"), says: isClean },
    {
      typed: "a retry policy of one's own: the page",
      command: documented("coming-from-python.md", "next.elapsed.*"),
      says: /next\(\{ failures, elapsedMs, error, random \}\)/,
    },
    { typed: "retryInfo().lastError", command: runs("retries.ts"), says: /3 attempts, after "failure 2"/ },
    {
      typed: "retryInfo().lastError: the page",
      command: documented("coming-from-python.md", "`ctx.retry_info.*"),
      says: /lastError instanceof Error/,
    },
    { typed: "ResourceConfig", command: runs("config.ts"), says: /config: small/ },
    {
      typed: "ResourceConfig: the page",
      command: documented("coming-from-python.md", "`ResourceConfig.*"),
      says: /resource\("name", async/,
    },
    {
      typed: "a client in a start event, stored",
      command: runs("client.ts"),
      says: /in memory: hello stored: VALUE_UNSERIALIZABLE: .*clients .* are resources/,
    },
    {
      typed: "a client in a start event: the page",
      command: documented("coming-from-python.md", "A field of the start event.*"),
      says: /cannot be stored/,
    },
  ],
};

/** Puts a workflow into an app of Next. */
const buildsAPage = {
  name: "4: builds a page in Next",
  files: filesOf("strangers/s4"),
  install: [
    `${install} millrace @millrace/client @millrace/server @millrace/sqlite zod next@16 react@19 react-dom@19`,
    `${install} --save-dev typescript@6 @types/node@24 @types/react@19`,
  ],
  stumbles: [
    {
      typed: '1: next build, with createClient({ baseUrl: "/api" }) in a page',
      command: "npx next build",
      says: /○ \/ .*\/api\/\[\.\.\.path\]/,
      never: /Error occurred prerendering/,
    },
    {
      typed: "2: the events of a class in every form",
      command: compiles("forms.ts"),
      says: isClean,
      never: /TS2367|TS2339/,
    },
    { typed: "2: useRun in the page", command: compiles("app/page.tsx"), says: isClean, never: /TS2367|TS2339/ },
    { typed: "next build opens no store", command: "ls *.db", says: /No such file/i },
    {
      typed: "10: two short sleeps in a function",
      command: "node nap.mjs",
      says: /after two naps: \d+, \w+, 1 prompts/,
    },
    {
      typed: "10: the page of serverless functions",
      command: documented("how-to/serverless.md", "waits for timers and retries that are due within a second"),
      says: /within a second/,
    },
  ],
};

/** Writes an agent, and looks for a chat. */
const writesAnAgent = {
  name: "5: writes an agent, and looks for a chat",
  files: filesOf("strangers/s5"),
  install: [`${install} millrace @millrace/agents @millrace/pipeline @millrace/print ai@7 zod`],
  stumbles: [
    {
      typed: "3: grep useChat",
      command: "grep -rl useChat node_modules/millrace/docs node_modules/millrace/README.md",
      says: /show-an-agent-in-a-chat\.md/,
    },
    {
      typed: "3: an app to copy",
      command: `grep -oE 'create millrace my-chat[^\`]*|a chat in Next' node_modules/millrace/docs/how-to/show-an-agent-in-a-chat.md`,
      says: /template chat .*a chat in Next/,
    },
    { typed: "continueRun(run, answers)", command: "node agent.mjs", says: /PAUSED, continued: Paid\./ },
    {
      typed: "continueRun(run, answers): the page",
      command: documented("how-to/agents.md", "continueRun\\(run, \\[[^]]*\\]"),
      says: /toolCallId, approved: true/,
    },
    { typed: "pipeline.stream(…)", command: "node pipeline.mjs", says: /streamed: WorkflowCompleted/ },
    { typed: "printPipelineResponse", command: "node pipeline.mjs", says: /step_1 # rivers/, never: /SyntaxError/ },
  ],
};

/** Writes a library, and measures. */
function writesALibrary() {
  const [{ files: start }] = sectionsOf(read("docs", "setup.md")).filter(({ commands }) => commands.length > 0);
  const [, kilobytes] = /bundles to ([\d.]+) kB gzip with zod/.exec(readme);
  const tsc = "npx tsc --pretty false --target es2024 --module nodenext --strict --skipLibCheck --ignoreConfig";
  return {
    name: "6: writes a library, and measures",
    files: { ...filesOf("strangers/s6"), "joke.ts": start["joke.ts"] },
    install: [`${install} millrace zod`, `${install} --save-dev tsx esbuild@0.28 typescript@7 @types/node@24`],
    stumbles: [
      {
        typed: "11: the size of joke.ts, with zod",
        command:
          "npx esbuild joke.ts --bundle --minify --format=esm --target=es2022 --outfile=joke.js > log 2>&1 && " +
          `node -p 'Math.abs(zlib.gzipSync(fs.readFileSync("joke.js"), { level: 9 }).length / 1000 - ${kilobytes}) < 0.5 ? "${kilobytes} kB, as the README says" : "not ${kilobytes} kB"'`,
        says: /kB, as the README says/,
      },
      {
        typed: "12: isolatedDeclarations, as the page says",
        command: `${tsc} --declaration --isolatedDeclarations --outDir out declared.ts && cat out/declared.d.ts`,
        says: /export declare class Joke extends JokeBase/,
        never: /TS9021/,
      },
      {
        typed: "12: the page of events",
        command: documented("reference/events.md", "With .isolatedDeclarations.*TS9021"),
        says: /TS9021/,
      },
      ...[
        ["an array without many", "write many(A)."],
        ["a wrong emit", "The step returns B, which `emits` does not list."],
        ["many with one", "return an array, or drop many()."],
        ["a wrong parameter", "The step gets A: its first parameter has to accept that."],
      ].map(([typed, sentence]) => ({
        typed,
        command: `${tsc} --noEmit mistakes.ts`,
        says: new RegExp(sentence.replace(/[.()]/g, "\\$&")),
      })),
      {
        typed: "an event that nobody takes, beside one of two letters",
        command: runs("nobody.ts"),
        says: /No step accepts B/,
        never: /Did you mean/i,
      },
    ],
  };
}

export const strangers = [
  readsTheReadme(),
  portsWorkflowCore,
  portsPython,
  buildsAPage,
  writesAnAgent,
  writesALibrary(),
];

/** What the strangers missed on the site, by its tests and its build. */
export const siteStumbles = [
  { typed: "a picture on the first page", says: /const hero = .*image/ },
  { typed: "guides in groups, beside all pages", says: /The navigation of the site is the list in docs\/README\.md/ },
  { typed: "tabs of package managers", says: /have tabs for the package managers, with the same commands/ },
  { typed: "a picker of frameworks", says: /have a picker of frameworks, which remembers the choice/ },
  { typed: "code that is cut off at 1280 px", says: /are readable, %i wide and %s/ },
  { typed: "search: approve, chat, human in the loop", says: /"human in the loop"[\s\S]*"approve"[\s\S]*"chat"/ },
  { typed: "search: guides before the API", says: /are found by the words of readers, the guide first/ },
  { typed: "links to sources and packages", says: /lead from one to the other, and to source files/ },
];
