/** Files that the bundler turns into addresses, or into styles of the page. */
declare module "*.wasm?url" {
  const address: string;
  export default address;
}
declare module "*.css";
declare module "*.run" {
  const file: { readonly snapshot: Record<string, unknown> };
  export default file;
}
