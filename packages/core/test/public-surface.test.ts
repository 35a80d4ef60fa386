import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const entries = {
  millrace: "index",
  "millrace/engine": "entries/engine",
  "millrace/graph": "entries/graph",
  "millrace/runtime": "entries/runtime",
  "millrace/wire": "entries/wire",
};

function exportsOf(files: readonly string[]): string[][] {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, noLib: true };
  const program = ts.createProgram([...files], { ...options, types: [] });
  const checker = program.getTypeChecker();
  return files.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
    const names = checker.getExportsOfModule(module as ts.Symbol).map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return `${symbol.name}${target.flags & ts.SymbolFlags.Value && !isTypeOnly(symbol) ? "" : " (type)"}`;
    });
    return names.sort();
  });
}

function isTypeOnly(symbol: ts.Symbol): boolean {
  return (
    symbol.declarations?.some((node) => ts.isExportSpecifier(node) && ts.isTypeOnlyExportDeclaration(node)) ?? false
  );
}

it("exports these names and no others; `vitest run -u` accepts a change", async () => {
  const files = Object.values(entries).map((name) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)));
  const exported = exportsOf(files);

  const text = Object.keys(entries).map(
    (name, index) => `${name}\n${exported[index]?.map((line) => `  ${line}\n`).join("")}`,
  );
  await expect(text.join("\n")).toMatchFileSnapshot("public-surface.txt");
});
