/**
 * No circle of imports inside a package, type imports included: a type that two files need lives in a
 * `*.types.ts` below both.
 *
 *     node scripts/gates/circles.mjs [all]     with `all`, every import inside each circle
 */
import { posix } from "node:path";
import ts from "typescript";
import { filesIn, finish, isTest, parse, walk } from "./gate.mjs";

const files = filesIn("packages", /\.tsx?$/).filter(
  (path) => /^packages\/[^/]+\/src\//.test(path) && !isTest(path) && !path.endsWith(".d.ts"),
);
const imports = new Map(files.map((path) => [path, importsOf(path)]));
const circles = circlesOf(imports).sort((a, b) => b.length - a.length);
finish(
  "no circles of imports, types included",
  circles.flatMap((circle) => described(circle, process.argv.includes("all"))),
);

/** Imports, re-exports, `import("…")` and the type `import("…").Name`, by relative path. */
function importsOf(path) {
  const found = new Set();
  walk(parse(path), (node) => {
    const target = specifierOf(node);
    if (target?.startsWith(".")) found.add(fileOf(posix.join(posix.dirname(path), target)));
  });
  return [...found].filter((target) => target !== undefined);
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

/** Tarjan: the strongly connected parts with more than one file. */
function circlesOf(graph) {
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const circles = [];
  const visit = (path) => {
    order.set(path, order.size);
    lowest.set(path, order.get(path));
    open.push(path);
    for (const target of graph.get(path)) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path), lowest.get(target)));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of graph.keys()) if (!order.has(path)) visit(path);
  return circles;
}

function described(circle, all) {
  const lines = [`${circle.length} files; the shortest way round: ${shortest(circle).join(" → ")}`];
  if (all) for (const path of circle) lines.push(`    ${path} → ${inside(circle, path).join(" ")}`);
  return lines;
}

function inside(circle, path) {
  return imports.get(path).filter((target) => circle.includes(target));
}

function shortest(circle) {
  const ways = circle.map((path) => [path]);
  // All ways grow by one file a round, so the first that is back at its start is the shortest.
  for (let way = ways.shift(); ; way = ways.shift()) {
    for (const target of inside(circle, way.at(-1))) {
      if (target === way[0]) return [...way, target];
      if (!way.includes(target)) ways.push([...way, target]);
    }
  }
}
