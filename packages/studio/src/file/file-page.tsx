/** Takes a run file from the visitor. It is read in the page, and sent nowhere. */

import { ClientError } from "@millrace/client";
import { readRunFile, runFileFetch } from "@millrace/client/run-file";
import { type ChangeEvent, type DragEvent, type ReactNode, useEffect, useId, useState } from "react";
import { answerWith, toClientError } from "../api/client.js";
import { stopClock } from "../clock.js";
import { hrefOf, replaceAddress } from "../route.js";
import { openFile } from "../shell/open-file.js";
import { BrandMark } from "../shell/shell.js";
import { Icon } from "../ui/icon.js";

export function FilePage(): ReactNode {
  const [error, setError] = useState<ClientError | null>(null);
  const [isOver, setOver] = useState(false);
  const id = useId();
  useEffect(() => {
    const given = fileOfAddress();
    if (given !== null) void open(given.name, download(given.url)).then(setError);
  }, []);
  const take = (file: File | undefined): void => {
    if (file !== undefined) void open(file.name, file.arrayBuffer()).then(setError);
  };
  return (
    <main className="signin" id="main">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same */}
      <div
        className={`panel form filedrop ${isOver ? "over" : ""}`}
        onDragOver={(event: DragEvent) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        <h1 className="brand">
          <BrandMark />
          Open a run
        </h1>
        <p className="ink2">
          A run file has the graph, the ticks, the state and the calls of one run. Drop it here, or choose it. It is
          read in this page and sent nowhere.
        </p>
        <label className="btn primary" htmlFor={id}>
          <Icon name="runs" />
          Choose a file
        </label>
        <input
          id={id}
          type="file"
          aria-describedby={`${id}-error`}
          onChange={(event: ChangeEvent<HTMLInputElement>) => take(event.target.files?.[0])}
        />
        <p className="err" id={`${id}-error`} role="alert">
          {error?.message}
        </p>
        <p className="muted">
          <code>npx millrace export &lt;run&gt; -o a.run</code> writes such a file.
        </p>
      </div>
    </main>
  );
}

/** Shows the run. Resolves with what is wrong with the file, or `null`. */
async function open(name: string, bytes: Promise<ArrayBuffer>): Promise<ClientError | null> {
  try {
    await show(name, await bytes);
    return null;
  } catch (failure) {
    return toClientError(failure);
  }
}

async function show(name: string, bytes: ArrayBuffer): Promise<void> {
  const file = await readRunFile(new Uint8Array(bytes));
  answerWith(runFileFetch(file));
  stopClock(Date.parse(file.saved_at));
  const { handler_id } = file.handler;
  if (!location.hash.includes(encodeURIComponent(handler_id))) replaceAddress(hrefOf("run", handler_id));
  openFile.set(name);
}

/** `?src=a.run`: a file of the same server, such as that of `millrace open`. */
function fileOfAddress(): { readonly name: string; readonly url: URL } | null {
  const src = new URLSearchParams(location.search).get("src");
  if (src === null || !URL.canParse(src, location.href)) return null;
  const url = new URL(src, location.href);
  return url.origin === location.origin ? { name: url.pathname.split("/").at(-1) ?? src, url } : null;
}

async function download(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (response.ok) return response.arrayBuffer();
  const message = `${url.pathname} cannot be read: the server answers ${response.status}.`;
  throw new ClientError({ code: "RUN_FILE_INVALID", message, hint: "Choose the file here." });
}
