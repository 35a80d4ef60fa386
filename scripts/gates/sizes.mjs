/** No file over 500 lines, no function over 80 lines, no more than 3 parameters. */
import ts from "typescript";
import { filesIn, finish, isTest, parse, place, read, walk } from "./gate.mjs";

const limits = { fileLines: 500, functionLines: 80, parameters: 3 };
const problems = [];

const sources = ["packages", "examples", "scripts", "matrix", "site"].flatMap((folder) =>
  filesIn(folder, /\.(ts|mjs|tsx)$/),
);
for (const path of sources) {
  const lines = read(path).split("\n").length - 1;
  if (lines > limits.fileLines) problems.push(`${path}: ${lines} lines; the limit is ${limits.fileLines}`);
  const measured = /^packages\/[^/]+\/src\//.test(path) && !isTest(path) && !path.endsWith(".types.ts");
  if (measured) measureFunctions(parse(path));
}
finish(
  `files up to ${limits.fileLines} lines, functions up to ${limits.functionLines} lines and ${limits.parameters} parameters`,
  problems,
);

function measureFunctions(sourceFile) {
  walk(sourceFile, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return;
    const name = node.name?.getText() ?? node.parent.name?.getText() ?? "a function";
    const where = place(sourceFile, node.getStart());
    const lineOf = (position) => sourceFile.getLineAndCharacterOfPosition(position).line;
    const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
    if (lines > limits.functionLines) {
      problems.push(`${where}: ${name} has ${lines} lines; the limit is ${limits.functionLines}`);
    }
    const parameters = node.parameters.filter((parameter) => parameter.name.getText() !== "this").length;
    if (parameters > limits.parameters) {
      problems.push(`${where}: ${name} has ${parameters} parameters; the limit is ${limits.parameters}`);
    }
  });
}
