declare module "*?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler makes a default export of such an import
  export default text;
}
