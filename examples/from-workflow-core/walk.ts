// Lists a folder and everything in it. The demo of workflow-core: original/walk.ts. `pnpm --filter ./examples from-workflow-core`
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { collect, defineWorkflow, event, many, StartEvent, StopEvent } from "millrace";
import * as z from "zod";

const entry = { path: z.string(), tab: z.number() };

class Walk extends StartEvent.define("Walk", { directory: z.string() }) {}
class Folder extends event("Folder", entry) {}
class File extends event("File", entry) {}
class Line extends event("Line", { text: z.string() }) {}
class Message extends event("Message", { path: z.string() }) {}

const lineOf = ({ path, tab }: { path: string; tab: number }) => new Line({ text: `${" ".repeat(tab)}${path}` });

/** The step `read` fans out into itself. `of: "open"` gathers the lines of all folders, in the order of the tree. */
export const walk = defineWorkflow("walk")
  .step("open", { on: Walk, emits: many(Folder) }, ({ directory }) => [new Folder({ path: directory, tab: 0 })])
  .step("read", { on: Folder, emits: many(Line, Folder, File), streams: Message }, async (folder, ctx) => {
    ctx.writeEventToStream(new Message({ path: folder.path }));
    const items = await readdir(folder.path, { withFileTypes: true });
    const sorted = items.toSorted((one, other) => one.name.localeCompare(other.name));
    const entries = sorted.flatMap((item): (Folder | File)[] => {
      const found = { path: resolve(folder.path, item.name), tab: folder.tab + 2 };
      if (item.isDirectory()) return [new Folder(found)];
      return item.isFile() ? [new File(found)] : [];
    });
    return [lineOf(folder), ...entries];
  })
  .step("look", { on: File, emits: Line, streams: Message }, (file, ctx) => {
    ctx.writeEventToStream(new Message({ path: file.path }));
    return lineOf(file);
  })
  .step("gather", { on: collect(Line, { of: "open" }), emits: StopEvent }, (lines) => {
    return new StopEvent({ result: lines.map(({ text }) => `${text}\n`).join("") });
  })
  .build();
