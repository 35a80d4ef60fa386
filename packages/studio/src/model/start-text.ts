/** How a run is started again from elsewhere: as a command of `curl` or `millrace`, or as TypeScript. */
import type { RunLabels } from "@millrace/client";
import type { JsonObject } from "../api/json.types.js";

export type StartForm = "curl" | "cli" | "typescript";

export interface Start {
  /** Address of the server, without a slash at its end. */
  readonly baseUrl: string;
  /** Whether the server asks for a token. Its text is never part of what is copied: `MILLRACE_TOKEN` has it. */
  readonly asksToken: boolean;
  readonly workflow: string;
  readonly input: JsonObject;
  readonly labels: RunLabels;
}

const texts: Readonly<Record<StartForm, (start: Start) => string>> = {
  curl: ({ baseUrl, asksToken, workflow, input, labels }) => {
    const body = { kwargs: input, ...(hasAny(labels) && { labels }) };
    return [
      `curl -X POST ${shellWord(`${baseUrl}/workflows/${encodeURIComponent(workflow)}/run-nowait`)}`,
      "-H 'content-type: application/json'",
      ...(asksToken ? ['-H "authorization: Bearer $MILLRACE_TOKEN"'] : []),
      `-d ${shellWord(JSON.stringify(body))}`,
    ].join(" \\\n  ");
  },
  cli: ({ baseUrl, workflow, input, labels }) =>
    [
      `npx millrace run ${shellWord(workflow)}`,
      `--url ${shellWord(baseUrl)}`,
      `--input ${shellWord(JSON.stringify(input))}`,
      ...Object.entries(labels).map(([name, value]) => `--label ${shellWord(`${name}=${value}`)}`),
    ].join(" \\\n  "),
  typescript: ({ baseUrl, asksToken, workflow, input, labels }) => {
    const headers = "headers: { authorization: `Bearer $" + "{process.env.MILLRACE_TOKEN}` }";
    const options = hasAny(labels) ? `, ${JSON.stringify({ labels })}` : "";
    return `import { createClient } from "@millrace/client";

const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)}${asksToken ? `, ${headers}` : ""} });
const result = await client.run(${JSON.stringify(workflow)}, ${JSON.stringify(input, null, 2)}${options});
console.log(result);
`;
  },
};

export function startText(form: StartForm, start: Start): string {
  return texts[form](start);
}

function hasAny(labels: RunLabels): boolean {
  return Object.keys(labels).length > 0;
}

/** In single quotes for a POSIX shell, where it needs some. */
function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
