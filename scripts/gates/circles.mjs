/**
 * No circle of imports inside a package, neither of files nor of folders, type imports included: a type that two files need
 * lives in a `*.types.ts` below both. A folder and what it contains are one room.
 *
 *     node scripts/gates/circles.mjs [all]     with `all`, every import inside each circle
 *     node scripts/gates/circles.mjs floors    the folders of each package, from the ground up
 */
import { posix } from "node:path";
import ts from "typescript";
import { filesIn, finish, isTest, parse, walk } from "./gate.mjs";

const wish = process.argv[2];
const files = filesIn("packages", /\.tsx?$/).filter(
  (path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path) && !path.endsWith(".d.ts"),
);
const imports = files.flatMap(importsOf);
const fileParts = partsOf(files, imports);
const between = imports
  .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to), what: `${from} → ${to}` }))
  .filter(({ from, to }) => !isInside(from, to) && !isInside(to, from));
const folderParts = partsOf([...new Set(files.map(folderOf))], between);

if (wish === "floors") {
  for (const part of folderParts)
    if (!part[0].endsWith(".ts") && !part[0].endsWith(".tsx")) console.log(part.join(" "));
}
finish("no circles of imports, of files or folders, types included", [
  ...circlesIn(fileParts).flatMap((circle) => described(circle, imports, "files")),
  ...circlesIn(folderParts).flatMap((circle) => described(circle, between, "folders")),
]);

/** Imports, re-exports, `import("…")` and the type `import("…").Name`. */
function importsOf(path) {
  const found = [];
  walk(parse(path), (node) => {
    const target = specifierOf(node);
    if (!target?.startsWith(".")) return;
    const to = fileOf(posix.join(posix.dirname(path), target));
    if (to !== undefined) found.push({ from: path, to, what: `${path} → ${to}` });
  });
  return found;
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text;
  if (ts.isImportTypeNode(node)) return node.argument.literal?.text;
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return dynamic ? node.arguments[0].text : undefined;
}

function fileOf(target) {
  const stem = target.replace(/\.jsx?$/, "");
  return [`${stem}.ts`, `${stem}.tsx`].find((path) => files.includes(path));
}

/** A file that is in no folder of its package stands for itself. */
function folderOf(path) {
  const folder = posix.dirname(path);
  return folder.endsWith("/src") ? path : folder;
}

function isInside(inner, outer) {
  return inner === outer || inner.startsWith(`${outer}/`);
}

/** Tarjan: the strongly connected parts, those that others need first. */
function partsOf(nodes, edges) {
  const targets = new Map(nodes.map((node) => [node, []]));
  for (const { from, to } of edges) targets.get(from).push(to);
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const parts = [];
  const visit = (node) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node));
    open.push(node);
    for (const target of targets.get(node)) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(node, Math.min(lowest.get(node), lowest.get(target)));
    }
    if (lowest.get(node) === order.get(node)) parts.push(open.splice(open.indexOf(node)).sort());
  };
  for (const node of nodes) if (!order.has(node)) visit(node);
  return parts;
}

function circlesIn(parts) {
  return parts.filter((part) => part.length > 1).sort((a, b) => b.length - a.length);
}

function described(circle, edges, what) {
  const inside = edges.filter(({ from, to }) => circle.includes(from) && circle.includes(to));
  const lines = [`${circle.length} ${what}; the shortest way round: ${shortest(circle, inside).join(" → ")}`];
  if (wish === "all") for (const edge of inside) lines.push(`    ${edge.what}`);
  return lines;
}

function shortest(circle, inside) {
  const ways = circle.map((node) => [node]);
  // All ways grow by one step a round, so the first that is back at its start is the shortest.
  for (let way = ways.shift(); ; way = ways.shift()) {
    for (const { from, to } of inside) {
      if (from !== way.at(-1)) continue;
      if (to === way[0]) return [...way, to];
      if (!way.includes(to)) ways.push([...way, to]);
    }
  }
}
