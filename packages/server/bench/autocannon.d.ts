/** The part of autocannon that is used here: it ships no types. */
declare module "autocannon" {
  interface Load {
    readonly url: string;
    readonly method: "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly connections: number;
    readonly duration?: number;
    readonly amount?: number;
  }
  interface Found {
    readonly non2xx: number;
    readonly errors: number;
    readonly requests: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  const autocannon: (load: Load) => Promise<Found>;

  // biome-ignore lint/style/noDefaultExport: that is what it exports
  export { autocannon as default };
}
