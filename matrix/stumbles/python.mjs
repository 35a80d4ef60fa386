import { filesOf } from "../setup.mjs";
import { compiles, documented, install, isClean, runs } from "./checks.mjs";

/** Ports examples of the Python library. */
export const portsPython = {
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
