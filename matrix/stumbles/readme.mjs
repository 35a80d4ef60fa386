import { sectionsOf } from "../setup.mjs";
import { read, runs } from "./checks.mjs";

const readme = read("README.md");
const [firstSection, ...sections] = sectionsOf(readme);

/** Reads the front page, in the order of its blocks. */
export function readsTheReadme() {
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
    install: [...firstSection.commands.filter(isInstall), ...pipelines.commands],
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
        typed: "4: all packages in one command, until npm",
        command: "grep -o 'npm install ../millrace/tarballs/\\*.tgz zod' README.md | head -1",
        says: /npm install/,
      },
    ],
  };
}
