import { filesOf } from "../setup.mjs";
import { compiles, documented, install, isClean } from "./checks.mjs";

/** Puts a workflow into an app of Next. */
export const buildsAPage = {
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
