/** The form of an exported event class that `isolatedDeclarations` takes. */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const compilerOptions = { declaration: true, isolatedDeclarations: true, target: ts.ScriptTarget.ESNext };

function declarationsOf(text: string): { readonly codes: readonly number[]; readonly text: string } {
  const made = ts.transpileDeclaration(text, { compilerOptions, reportDiagnostics: true });
  return { codes: made.diagnostics?.map(({ code }) => code) ?? [], text: made.outputText };
}

describe("an exported event class under `isolatedDeclarations`", () => {
  it("passes when it extends a constant with a type", () => {
    const declarations = declarationsOf(readFileSync(new URL("types/good-isolated.ts", import.meta.url), "utf8"));

    expect(declarations.codes).toEqual([]);
    expect(declarations.text).toContain("export declare class Joke extends JokeBase");
  });

  it("is refused by the compiler when it extends the call, whatever the call returns", () => {
    const { codes } = declarationsOf('import { event } from "millrace"; export class Joke extends event("Joke") {}');

    expect(codes).toEqual([9021]);
  });
});
