// `demo/node/workflows/file-parse-agent.ts` of workflow-core 1.3.4. Its locks are of the run here, not of the module.
import { AsyncLocalStorage } from "node:async_hooks";
import { readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createWorkflow, workflowEvent } from "@llamaindex/workflow-core";
import { createStatefulMiddleware } from "@llamaindex/workflow-core/middleware/state";

interface Lock {
  finish: boolean;
}

const startEvent = workflowEvent<string>({ debugLabel: "start" });
const messageEvent = workflowEvent<string>({ debugLabel: "message" });
const readDirEvent = workflowEvent<[string, number]>({ debugLabel: "readDir" });
const readFileEvent = workflowEvent<[string, number]>({ debugLabel: "readFile" });
const readResultEvent = workflowEvent({ debugLabel: "readResult" });
const stopEvent = workflowEvent({ debugLabel: "stop" });

const { withState } = createStatefulMiddleware(() => ({ output: "", locks: [] as Lock[] }));
const fileParseWorkflow = withState(createWorkflow());
const als = new AsyncLocalStorage<Lock>();

fileParseWorkflow.handle([startEvent], async ({ stream, sendEvent, state }, { data: dir }) => {
  sendEvent(readDirEvent.with([dir, 0]));
  await stream.until(() => state.locks.length > 0 && state.locks.every((lock) => lock.finish)).toArray();
  return stopEvent.with();
});

fileParseWorkflow.handle([readDirEvent], async ({ sendEvent, state }, { data: [dir, tab] }) => {
  sendEvent(messageEvent.with(dir));
  const items = await readdir(dir);
  state.output += `${" ".repeat(tab)}${dir}\n`;
  await Promise.all(
    items.map(async (item) => {
      const filePath = resolve(dir, item);
      const lock = { finish: false };
      const found = await stat(filePath);
      if (found.isFile()) {
        als.run(lock, () => sendEvent(readFileEvent.with([filePath, tab + 2])));
        state.locks.push(lock);
      } else if (found.isDirectory()) {
        als.run(lock, () => sendEvent(readDirEvent.with([filePath, tab + 2])));
        state.locks.push(lock);
      }
    }),
  );
  const lock = als.getStore();
  if (lock) lock.finish = true;
  return readResultEvent.with();
});

fileParseWorkflow.handle([readFileEvent], async ({ sendEvent, state }, { data: [filePath, tab] }) => {
  const lock = als.getStore();
  if (lock) lock.finish = true;
  sendEvent(messageEvent.with(filePath));
  state.output += `${" ".repeat(tab)}${filePath}\n`;
  return readResultEvent.with();
});

export async function runOriginal(directory: string): Promise<string> {
  const { state, sendEvent, stream } = fileParseWorkflow.createContext();
  sendEvent(startEvent.with(directory));
  await stream.until(stopEvent).toArray();
  return state.output;
}
