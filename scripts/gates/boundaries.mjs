/**
 * What may be used where: time, chance and the console in one adapter only; a pure reducer;
 * imports that point one way; nothing of Node where there may be none.
 */
import { posix } from "node:path";
import ts from "typescript";
import { finish, parse, place, productFiles, walk } from "./gate.mjs";

/** The one file that touches the world. */
const adapter = /^packages\/core\/src\/system\/system\.ts$/;
const pure = /^packages\/core\/src\/engine\/reduce(\/.*)?(\.ts)?$/;
const invariants = /^packages\/core\/src\/errors\/invariant\.ts$/;

const runsAnywhere = /^packages\/(core|testing)\//;

/** Folders of the core that a folder must not import from. Types may come from anywhere but user code. */
const forbiddenImports = [
  {
    from: pure,
    to: /\/src\/(system|compile|run|authoring|workflow|step|stream|inspect|resource|retry|limit)\//,
    why: "the reducer knows data only",
  },
  { from: pure, to: /\/engine\/ports\.ts$/, why: "the reducer has no ports: what they answer comes in the tick" },
  {
    from: /\/src\/engine\//,
    to: /\/src\/(system|compile|run|authoring|workflow)\//,
    why: "the engine is below the runner",
  },
  {
    from: /\/src\/(errors|value|event)\//,
    to: /\/src\/(engine|system|compile|run|authoring|workflow|step|graph)\//,
    why: "values and events are below the engine",
  },
];

const clockAndChance = new Set(["Date.now", "Math.random", "performance.now"]);
const timers = new Set(["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"]);
const problems = [];

for (const path of productFiles()) {
  const sourceFile = parse(path);
  const inCore = path.startsWith("packages/core/");
  const report = (node, what) => problems.push(`${place(sourceFile, node.getStart())}: ${what}`);
  walk(sourceFile, (node) => {
    const specifier = importOf(node);
    if (specifier !== null && !isTypeOnly(node, specifier)) checkImport(path, specifier, (what) => report(node, what));
    if (inCore && !adapter.test(path)) checkWorld(node, (what) => report(node, what));
    if (pure.test(path)) checkPure(node, (what) => report(node, what));
    if (inCore && !invariants.test(path)) checkThrow(node, (what) => report(node, what));
  });
}
finish("time, chance and console in system/system.ts only; pure reducer; imports point one way", problems);

function importOf(node) {
  if (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier))
    return node.moduleSpecifier.text;
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return dynamic && ts.isStringLiteral(node.arguments[0]) ? node.arguments[0].text : null;
}

/** A type import of Node's leaves nothing in the output; one that crosses our layers is still a dependency. */
function isTypeOnly(node, specifier) {
  return specifier.startsWith("node:") && ts.isImportDeclaration(node) && node.importClause?.isTypeOnly === true;
}

function checkImport(path, specifier, report) {
  if (specifier.startsWith("node:"))
    return runsAnywhere.test(path) && report(`"${specifier}": this package runs where there is no Node`);
  if (!specifier.startsWith(".")) return;
  const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
  for (const rule of forbiddenImports) {
    if (rule.from.test(path) && rule.to.test(target)) report(`imports ${target}: ${rule.why}`);
  }
}

function checkWorld(node, report) {
  if (ts.isPropertyAccessExpression(node)) {
    if (clockAndChance.has(node.getText())) report(`${node.getText()} belongs in system/system.ts`);
    if (node.expression.getText() === "console") report("console belongs in system/system.ts");
  }
  if (ts.isCallExpression(node) && timers.has(node.expression.getText().replace(/^globalThis\./, ""))) {
    report(`${node.expression.getText()} belongs in system/system.ts`);
  }
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) {
    report("new Date() reads the clock: it belongs in system/system.ts");
  }
}

function checkPure(node, report) {
  if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) report("async in the reducer");
  if (ts.isIdentifier(node) && node.text === "Date") report("Date in the reducer: times come in the tick");
}

function checkThrow(node, report) {
  if (!ts.isThrowStatement(node) || !ts.isNewExpression(node.expression)) return;
  if (node.expression.expression.getText() === "Error") {
    report("throw new Error: use WorkflowError, or invariant() for what cannot happen");
  }
}
