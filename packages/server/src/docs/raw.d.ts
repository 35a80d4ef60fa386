declare module "*?raw" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what the bundler makes of such an import
  export default text;
}
