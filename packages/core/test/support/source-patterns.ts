/** The regular expressions in the source of every package. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

export interface SourcePattern {
  /** File and line: `server/src/wire/names.ts:6`. */
  readonly place: string;
  readonly pattern: RegExp;
}

export interface SourcePatterns {
  readonly literals: readonly SourcePattern[];
  /** Files that make patterns from texts. */
  readonly makers: readonly string[];
}

const packages = join(import.meta.dirname, "../../..");

export function sourcePatterns(): SourcePatterns {
  const literals: SourcePattern[] = [];
  const makers = new Set<string>();
  for (const file of sourceFiles()) {
    const source = ts.createSourceFile(file, readFileSync(join(packages, file), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        literals.push({ place: `${file}:${line + 1}`, pattern: patternOf(node.text) });
      }
      if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp")
        makers.add(file);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, makers: [...makers].sort() };
}

function sourceFiles(): string[] {
  return readdirSync(packages)
    .flatMap((name) => readdirSync(join(packages, name, "src"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test(-prop|-d)?\.ts$/.test(entry.name))
    .map(({ parentPath, name }) => relative(packages, join(parentPath, name)).replaceAll("\\", "/"))
    .sort();
}

function patternOf(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}
