import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { WorkflowError } from "millrace";
import type { RunChange, RunKey, RunStore } from "millrace/runtime";
import { Miniflare } from "miniflare";
import { sha256 } from "../src/sha256.js";

const entry = fileURLToPath(new URL("child/object.ts", import.meta.url));

/** The worker of `child/object.ts` as one script. It must not ask for anything of Node. */
export async function bundleWorker(): Promise<string> {
  const built = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm", target: "es2022" });
  return built.outputFiles[0]?.text as string;
}

/** A process of workerd. With a folder, objects are there for the next one. */
export function startWorker(script: string, folder?: string): Miniflare {
  const named = (className: string) => ({ className, useSQLite: true });
  return new Miniflare({
    modules: true,
    script,
    compatibilityDate: "2026-01-01", // and no `nodejs_compat`
    durableObjects: { STORE: named("StoreObject"), RUNTIME: named("RuntimeObject") },
    ...(folder !== undefined && { durableObjectsPersist: folder }),
  });
}

type Listener = (key: RunKey | null, news?: RunChange) => void;

/** By object: what was asked to watch it. Requests go their own ways: one that was made later may arrive first. */
const watching = new Map<string, Promise<void>>();

/** The store of an object, from outside: each call is a request. */
export function remoteStore(worker: Miniflare, object: string, connection: number): RunStore {
  const address = `http://${object}/store/${connection}`;
  // A call, of whichever connection, comes after the watching that was asked for before it.
  const watched = (): Promise<void> => watching.get(object) ?? Promise.resolve();
  const listeners: AbortController[] = [];
  const call = async (method: string, values: unknown[]): Promise<unknown> => {
    await watched();
    const response = await worker.dispatchFetch(`${address}/${method}`, {
      method: "POST",
      body: JSON.stringify(values),
    });
    const { value, error } = (await response.json()) as { value: unknown; error?: WorkflowError };
    if (error !== undefined) throw new WorkflowError(error);
    return value;
  };
  const watch = (listener: Listener): (() => void) => {
    const stopped = new AbortController();
    listeners.push(stopped);
    const next = watched().then(async () => listen(await worker.dispatchFetch(address), listener, stopped.signal));
    watching.set(object, next);
    return () => stopped.abort();
  };
  const close = async (): Promise<void> => {
    for (const stopped of listeners) stopped.abort();
    await call("close", []);
  };
  const own: { readonly [name: string]: unknown } = { hash: sha256, watch, close };
  return new Proxy({} as RunStore, {
    get(_, name: string) {
      if (name === "then") return undefined; // or a promise of it would wait for that
      return Object.hasOwn(own, name) ? own[name] : (...values: unknown[]) => call(name, values);
    },
  });
}

/** Resolves when the other side listens, too: with its first line, which may come together with the next. */
async function listen(
  { body }: Awaited<ReturnType<Miniflare["dispatchFetch"]>>,
  listener: Listener,
  stopped: AbortSignal,
) {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  await new Promise<void>((resolve, reject) => {
    const print = (line: string): void => {
      const told: unknown = JSON.parse(line);
      if (told === "ready") resolve();
      else if (!stopped.aborted) listener(...(told as [RunKey | null, RunChange?]));
    };
    follow(reader, print).then(resolve, reject);
  });
  if (stopped.aborted) return stop();
  stopped.addEventListener("abort", stop);
}

async function follow(reader: ReadableStreamDefaultReader<Uint8Array>, print: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (text + decoder.decode(read.value, { stream: true })).split("\n");
    text = lines.pop() as string;
    lines.forEach(print);
  }
}
