import { filesOf, sectionsOf } from "../setup.mjs";
import { documented, install, read, runs } from "./checks.mjs";

const readme = read("README.md");

/** Writes a library, and measures. */
export function writesALibrary() {
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
        command: `test -e tsc.log || ${tsc} --noEmit mistakes.ts > tsc.log; cat tsc.log`,
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
