import { memoryStore, type RunStore } from "millrace/runtime";
import { openDesk } from "./chats.js";
import { desk } from "./desk.js";
import { type ScriptedModelOptions, scriptedModel } from "./scripted-model.js";

/** A desk with its agent and its model. `restart` gives the same over the same store, in a new runtime. */
export async function openAgent(options: ScriptedModelOptions = {}, store: RunStore = memoryStore()) {
  const stack = new AsyncDisposableStack();
  const model = stack.use(await scriptedModel(options));
  const executed: string[] = [];
  const open = async () => {
    const agent = desk({ url: model.url, executed: (line) => void executed.push(line) });
    return stack.use(await openDesk({ desk: agent.workflow }, { agent: "desk" }, store));
  };
  const first = await open();
  const restart = async () => {
    await first.runtime.stop({ drainMs: 0 });
    return open();
  };
  return { ...first, model, executed, restart, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
