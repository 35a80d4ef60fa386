import { allCodes, explained } from "../output/error-pages.js";
import type { Terminal } from "../output/terminal.js";

/** Prints the page of a code, or without a code the list of all codes. Reads no project, no store and no network. */
export function explain(terminal: Terminal, { code }: { readonly code?: string | undefined }): number {
  if (code === undefined) listCodes(terminal);
  else {
    const known = explained(code);
    if (terminal.isJson) terminal.json(known);
    else terminal.line(known.page.replace(/^# .*$/m, (heading) => terminal.paint("bold", heading)));
  }
  return 0;
}

function listCodes(terminal: Terminal): void {
  const codes = allCodes().map(explained);
  if (terminal.isJson) return terminal.json(codes.map(({ code, title }) => ({ code, title })));
  const width = Math.max(...codes.map(({ code }) => code.length));
  for (const { code, title } of codes) terminal.line(`${code.padEnd(width)}  ${title}`);
}
