/** What is known of this process, for people. Texts are empty where the host does not say. */
export interface ProcessFacts {
  readonly host: string;
  readonly pid: number | null;
}

interface HostProcess {
  readonly pid?: number;
  readonly getBuiltinModule?: (name: string) => { readonly hostname?: () => string } | undefined;
}

export function processFacts(): ProcessFacts {
  const host = (globalThis as { process?: HostProcess }).process;
  return {
    host: host?.getBuiltinModule?.("node:os")?.hostname?.() ?? "",
    pid: typeof host?.pid === "number" ? host.pid : null,
  };
}
