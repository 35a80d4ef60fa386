import type { WorkflowDescription } from "millrace/graph";
import { escaped, svgOf } from "./svg.js";

/** A file that loads no others. */
export function htmlOf(description: WorkflowDescription): string {
  const name = escaped(description.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; font: 14px/1.5 system-ui, sans-serif; background: light-dark(#fbfbf9, #15171a); color: light-dark(#1d2126, #e8eaed); }
  h1 { font-size: 15px; font-weight: 600; margin: 16px 24px 0; }
  main { overflow: auto; padding: 8px; }
  svg { display: block; margin: 0 auto; height: auto; }
</style>
</head>
<body>
<h1>${name}</h1>
<main>
${svgOf(description)}</main>
</body>
</html>
`;
}
