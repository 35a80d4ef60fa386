/** A metric of the Prometheus text, with its values by their labels. */
export interface Sample {
  readonly name: string;
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

/** Every line of a Prometheus text, or the first that is none. @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function parsePrometheus(text: string): Sample[] {
  const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
  const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/gy;
  return text
    .split("\n")
    .filter((one) => one !== "" && !one.startsWith("#"))
    .map((one) => {
      const [, name, given = "", value] = line.exec(one) ?? [];
      if (name === undefined) throw new TypeError(`no sample: ${one}`);
      label.lastIndex = 0;
      const labels: Record<string, string> = {};
      for (let at = 0; at < given.length; at = label.lastIndex) {
        const found = label.exec(given);
        if (found === null) throw new TypeError(`no labels: ${given}`);
        labels[found[1] as string] = found[2] as string;
      }
      return { name, labels, value: Number(value === "+Inf" ? Number.POSITIVE_INFINITY : value) };
    });
}
