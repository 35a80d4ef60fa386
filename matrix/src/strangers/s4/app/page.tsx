"use client";
import { createClient } from "@millrace/client";
import { useRun } from "@millrace/client/react";
import { Progress } from "../events";
import type { Workflows } from "../flows";

// At the top of the module: Next prerenders it in Node, where a path alone leads nowhere.
const events = { Progress };
const client = createClient<Workflows, typeof events>({ baseUrl: "/api", events });

export default function Page() {
  const { events: shown, status, start } = useRun(client, "flow");
  const percents = shown.map(({ event }) => (event.type === "Progress" ? event.percent : 0));
  return (
    <button type="button" onClick={() => start({})}>
      {status} {percents.at(-1)}
    </button>
  );
}
